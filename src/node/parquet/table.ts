import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { wrongValue } from '../../arguments.js';
import { naming } from '../files/input.js';
import type { NamedColumn, TableKeyKind } from './keys.js';
import { Session } from './session.js';
import { ADDED, type Column, columnAt, parquetSource, type Source, sameColumn } from './source.js';

/** Files of Parquet, their column of keys, and what all jobs on them have; checked. */
export interface TableOptions {
  readonly files: readonly string[];
  readonly key: string;
  readonly keys: TableKeyKind | undefined;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: TableProgress) => void) | undefined;
}

/** How many rows, and about how many bytes, have been read. */
export interface TableProgress {
  readonly keys: number;
  readonly bytes: number;
}

/** A table of Parquet files that is open. */
export interface Table extends TableOptions {
  readonly session: Session;
  readonly source: Source;
  /** Tells how many rows have been read. */
  onRows(rows: number): void;
  /** What there is in all. */
  readonly all: TableProgress;
}

/** Where the output of a job goes. Temporary files lie beside it. */
interface Outputs {
  readonly out?: string | undefined;
  readonly directory?: string | undefined;
}

/** Opens Parquet files and does work on them. Nothing temporary is left. */
export async function withTable<T>(
  options: TableOptions,
  outputs: Outputs,
  work: (table: Table) => Promise<T>,
): Promise<T> {
  const { files, threads, signal, onProgress } = options;
  const session = await Session.open(`reading Parquet (${files[0]})`, placeBeside(outputs), threads, signal);
  try {
    const source = await parquetSource(session, files);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const onRows = (rows: number) => onProgress?.({ keys: rows, bytes: (bytes * rows) / Math.max(1, source.rows) });
    return await work({ ...options, session, source, onRows, all: { keys: source.rows, bytes } });
  } catch (error) {
    signal?.throwIfAborted();
    throw named(files, error);
  } finally {
    session.close();
  }
}

/** The column of the keys. */
export async function keyColumn(table: Table): Promise<NamedColumn> {
  return { ...(await columnIn(table, 'records.key', table.key)), name: table.key };
}

/** @throws RangeError if there is no such column */
export async function columnIn({ session, source }: Table, argument: string, name: string): Promise<Column> {
  const column = await columnAt(session, source, name);
  if (column !== undefined) return column;
  throw wrongValue(argument, `one of ${[...source.columns.keys()].join(', ')}`, name);
}

/** @throws RangeError if there is such a column already, in upper or lower case, or there can be none */
export function checkNewColumns({ source }: Table, argument: string, names: readonly string[]): void {
  const columns = [...source.columns.keys()];
  const taken = names.map((name) => sameColumn(columns, name)).find((name) => name !== undefined);
  if (taken !== undefined) throw wrongValue(argument, 'a new name', taken, undefined, `the column ${taken}`);
  const wrong = names.find((name) => name === '' || sameColumn([...ADDED], name) !== undefined);
  if (wrong !== undefined) throw wrongValue(argument, 'the name of a column', wrong);
}

/** A directory where there is room for temporary files: in an output directory that exists, or beside the output. */
function placeBeside({ out, directory }: Outputs): string {
  if (directory === undefined) return out === undefined ? tmpdir() : dirname(out);
  const path = resolve(directory);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  naming(directory, () => mkdirSync(dirname(path), { recursive: true }));
  return dirname(path);
}

/** What DuckDB says of a file that it cannot read. It begins messages with the kind of an error. */
const DAMAGED = /^(Invalid (Input )?Error|IO Error|Serialization Error):/;
/** What it says of its own files and those that it writes. */
const UNWRITTEN = /^IO Error: (Could not|Cannot|Failed to) (write|sync|flush|truncate|create)/;
const OUT_OF_MEMORY = /^Out of Memory Error: /;

/** An error of DuckDB that names the files. */
function named(files: readonly string[], error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [line] = error.message.split('\n');
  if (UNWRITTEN.test(line)) return new Error(`DuckDB cannot write: ${line}`, { cause: error });
  if (OUT_OF_MEMORY.test(line)) {
    const advice = 'use --threads 1, or a machine or container with more free memory';
    return new Error(`DuckDB needs more memory than there is: ${advice} (${line})`, { cause: error });
  }
  if (!DAMAGED.test(line) || files.some((file) => line.includes(file))) return error;
  const which = files.length === 1 ? files[0] : `one of ${files.length} files, such as ${files[0]}`;
  return new Error(`${which}: DuckDB cannot read it: ${line}`, { cause: error });
}
