import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, normalize, resolve } from 'node:path';
import { type KeyColumn, keyColumn, keyRequirements, kindInSystem, kindOfColumn } from '../../engines/parquet/keys.js';
import { literal, Session } from '../../engines/parquet/session.js';
import {
  ADDED,
  type Column,
  checkRows,
  columnAt,
  parquetSource,
  type Requirement,
  type Source,
  sameColumn,
} from '../../engines/parquet/source.js';
import { formatOf, START_BYTES } from '../../formats.js';
import { naming } from '../../node/files/input.js';
import type { KeyKind } from '../../partitioners/keys.js';
import { cleanUpWhenInterrupted } from '../io/interruption.js';
import { checkOutputs, isStdout, type Outputs } from '../io/output.js';
import type { ProgressBar } from '../io/progress.js';
import { allThreads, type MissingKeyOptions, type ReadOptions, type RowOptions } from '../options/input.js';
import type { AsSystem, RoutingOptions } from '../options/routing.js';
import { fromOptions, refuse, shown, UsageError } from '../options/usage.js';

const GLOB = /[*?[]/;

/**
 * The arguments as files of Parquet or patterns of their names; undefined if they are something else.
 * @throws Error for a file that is called Parquet and is none
 */
export function parquetIn(files: readonly string[]): readonly string[] | undefined {
  const isParquet = files.map((file) => (exists(file) ? startsLikeParquet(file) : GLOB.test(file)));
  const other = files.find((file, i) => !isParquet[i] && file.endsWith('.parquet'));
  if (other !== undefined) throw new Error(`${other}: ${exists(other) ? NOT_PARQUET : 'no such file or directory'}`);
  if (!isParquet.includes(true)) return undefined;
  if (isParquet.includes(false)) {
    throw new UsageError(`expected files of Parquet only, got ${shown(files[isParquet.indexOf(false)])}`);
  }
  return files;
}

const NOT_PARQUET = 'expected a file of Parquet';

const exists = (file: string): boolean => file === '-' || statSync(file, { throwIfNoEntry: false }) !== undefined;

function startsLikeParquet(file: string): boolean {
  if (file === '-' || !statSync(file).isFile()) return false;
  const head = new Uint8Array(START_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return formatOf(head.subarray(0, readSync(descriptor, head))) === 'Parquet';
  } finally {
    closeSync(descriptor);
  }
}

/** Options that only text has. */
const OF_TEXT = [
  'csv',
  'tsv',
  'ndjson',
  'delimiter',
  'quote',
  'escape',
  'ragged',
  'encoding',
  'rejects',
  'maxRejects',
] as const;

export interface TableOptions extends ReadOptions, RowOptions, Outputs {
  /** Other files that the command reads. */
  readonly others?: readonly (string | undefined)[];
}

/** A table of Parquet files that is open. */
export interface Table {
  readonly session: Session;
  readonly source: Source;
  readonly files: readonly string[];
  /** The column that an option names. */
  column(flag: '--key' | '--shard-column', name: string): Promise<Column>;
  /** Shows how many rows have been read. */
  rowsTo(progress: ProgressBar): (rows: number) => void;
}

/** @throws UsageError for standard output, where Parquet does not go */
export function checkOut(out: string | undefined, options: string): void {
  if (isStdout(out)) throw new UsageError(`Parquet requires ${options}, and is not written to standard output`);
}

/** Opens Parquet files, does work on them, and tells errors in the words of the command line. */
export async function withTable(
  patterns: readonly string[],
  options: TableOptions,
  work: (table: Table) => Promise<void>,
): Promise<void> {
  refuse(options, [...OF_TEXT], 'cannot be combined with Parquet');
  if (!options.header) throw new UsageError('--no-header cannot be combined with Parquet');
  const { out, outDir, others = [] } = options;
  await withSession(`reading Parquet (${patterns[0]})`, options, async (session) => {
    const files = await filesOf(session, patterns);
    checkOutputs({ out, outDir }, [...files, ...others.filter((file) => file !== undefined)]);
    const source = await named(files, () => parquetSource(session, files));
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    await named(files, () =>
      work({
        session,
        source,
        files,
        async column(flag, name) {
          const column = await columnAt(session, source, name);
          if (column !== undefined) return column;
          throw new UsageError(`${flag}: expected one of ${[...source.columns.keys()].join(', ')}, got ${shown(name)}`);
        },
        rowsTo: (progress) => (rows) => {
          progress.update({ keys: rows, bytes: (bytes * rows) / Math.max(1, source.rows) });
        },
      }),
    );
  });
}

/** What DuckDB says of a file that it cannot read. It begins messages with the kind of an error. */
const DAMAGED = /^(Invalid (Input )?Error|IO Error|Serialization Error):/;
/** What it says of its own files and those that it writes. */
const UNWRITTEN = /^IO Error: (Could not|Cannot|Failed to) (write|sync|flush|truncate|create)/;
const OUT_OF_MEMORY = /^Out of Memory Error: /;

/** Names the files in errors of DuckDB that do not. */
async function named<T>(files: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [line] = error.message.split('\n');
    if (UNWRITTEN.test(line)) throw new Error(`DuckDB cannot write: ${line}`, { cause: error });
    if (OUT_OF_MEMORY.test(line)) {
      const advice = 'use --threads 1, or a machine or container with more free memory';
      throw new Error(`DuckDB needs more memory than there is: ${advice} (${line})`, { cause: error });
    }
    if (!DAMAGED.test(line)) throw error;
    if (files.some((file) => line.includes(file))) throw error;
    const which = files.length === 1 ? files[0] : `one of ${files.length} files, such as ${files[0]}`;
    throw new Error(`${which}: DuckDB cannot read it: ${line}`, { cause: error });
  }
}

/** Opens DuckDB with room for temporary files beside what is written. @param user what needs it */
async function withSession(
  user: string,
  { out, outDir, threads = allThreads() }: Pick<TableOptions, 'out' | 'outDir' | 'threads'>,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const stop = cleanUpWhenInterrupted();
  try {
    const session = await Session.open(user, placeBeside(out, outDir), threads);
    try {
      await work(session);
    } finally {
      session.close();
    }
  } finally {
    stop();
  }
}

/** A directory where there is room for temporary files: in an output directory that exists, or beside the output. */
function placeBeside(out: string | undefined, outDir: string | undefined): string {
  if (outDir === undefined) return out === undefined ? tmpdir() : dirname(out);
  const directory = resolve(outDir);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  naming(outDir, () => mkdirSync(dirname(directory), { recursive: true }));
  return dirname(directory);
}

async function filesOf(session: Session, patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    if (exists(pattern)) files.push(pattern);
    else if (/^\w+:\/\//.test(pattern)) {
      throw new UsageError(`expected files, got ${pattern}: read it in DuckDB with the functions of shardbits/duckdb`);
    } else {
      const found = await session.rows(`SELECT file FROM glob(${literal(pattern)}) ORDER BY 1`);
      if (found.length === 0) throw new Error(`${pattern}: no file has such a name`);
      files.push(...found.map(([file]) => normalize(String(file))));
    }
  }
  for (const file of files) if (!startsLikeParquet(file)) throw new Error(`${file}: ${NOT_PARQUET}`);
  return files;
}

/** The column that `--key` names, of which there is one. */
export async function columnOfKey(table: Table, key: readonly string[] = []): Promise<Column & { name: string }> {
  const [name, ...others] = key;
  if (name === undefined) throw new UsageError('Parquet requires --key');
  if (others.length > 0) throw new UsageError(`--key: expected one column of Parquet, got ${key.join(' and ')}`);
  return { ...(await table.column('--key', name)), name };
}

/** The keys of a table, as a Router or a system takes them. */
export interface TableKey extends KeyColumn {
  /** The kind of keys, as the options of a routing say it. */
  readonly keys: RoutingOptions['keys'];
  readonly requirements: readonly Requirement[];
}

/**
 * A column as keys.
 * @param as the system that takes them; undefined: a Router
 * @param keys their kind, if the option says it
 * @param nullable whether rows may have no key
 */
export function tableKey(
  column: Column & { readonly name: string },
  as: AsSystem | undefined,
  keys: RoutingOptions['keys'],
  nullable = false,
): TableKey {
  const kind = keys ?? kindToRead(as, column);
  const isInteger = kind === 'int32' || kind === 'int64' || kind === 'u64';
  const ofRouter = isInteger ? 'u64' : 'text';
  return {
    ...fromOptions(() => keyColumn(column, kind)),
    keys: as === undefined ? ofRouter : (kind as RoutingOptions['keys']),
    requirements: keyRequirements(column, kind, nullable),
  };
}

/** The kind of keys that a column is for a system, or for a Router, whose integers have 64 bits, if no option says it. */
function kindToRead(as: AsSystem | undefined, column: Column & { readonly name: string }): KeyKind | 'u64' {
  if (as === undefined) {
    const kind = fromOptions(() => kindOfColumn(column.name, column));
    return kind === 'int32' ? 'int64' : kind === 'uuid' ? 'text' : kind;
  }
  const kind = fromOptions(() => kindInSystem(column.name, column, as));
  return kind === 'int32' && !as.keys.includes('int32') && as.keys.includes('int64') ? 'int64' : kind;
}

/** The keys of the column that `--key` names; every row has been checked to have one. */
export async function keyOf(
  table: Table,
  { key, keys, as }: Pick<RoutingOptions, 'key' | 'keys' | 'as'>,
  nullable = false,
): Promise<TableKey> {
  const made = tableKey(await columnOfKey(table, key), as, keys, nullable);
  await checkRows(table.session, table.source, made.requirements);
  return made;
}

/** The shard of rows that have no key; undefined if there must be none. */
export function missingIn({ missingKey }: MissingKeyOptions): number | undefined {
  return missingKey === 'reject' ? undefined : missingKey;
}

export function checkMissing(missing: number | undefined, shards: number): void {
  if (missing === undefined || missing < shards) return;
  throw new UsageError(`--missing-key: expected an integer from 0 to ${shards - 1}, got ${missing}`);
}

/** @throws UsageError if there is such a column already, in upper or lower case, or there can be none */
export function checkNewColumns(columns: Iterable<string>, names: readonly string[], option = '--as-column'): void {
  const all = [...columns];
  const taken = names.map((name) => sameColumn(all, name)).find((name) => name !== undefined);
  if (taken !== undefined)
    throw new UsageError(`${option}: expected a new name, but there is a column ${shown(taken)}`);
  const wrong = names.find((name) => name === '' || sameColumn([...ADDED], name) !== undefined);
  if (wrong !== undefined) throw new UsageError(`${option}: expected the name of a column, got ${shown(wrong)}`);
}
