import { mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { wrongValue } from '../../arguments.js';
import type { LineKeys } from '../../rows/format.js';
import { naming } from '../files/input.js';
import { identifier, literal, Session } from './session.js';
import { changedColumn, enumsIn, schemaOf } from './types.js';

/** Files of Parquet, their column of keys, and what all jobs on them have; checked. */
export interface TableOptions {
  readonly files: readonly string[];
  readonly key: string;
  /** What keys are: as for lines, or as the system of a partitioner reads columns of this type. */
  readonly keys: Exclude<LineKeys, 'hex' | 'base64'> | 'column' | undefined;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: TableProgress) => void) | undefined;
}

/** How many rows, and about how many bytes, have been read. */
export interface TableProgress {
  readonly keys: number;
  readonly bytes: number;
}

/** Rows of Parquet files. */
export interface Source {
  readonly session: Session;
  /** What follows FROM. */
  readonly from: string;
  /** The types of the columns, by their names. */
  readonly columns: ReadonlyMap<string, string>;
  readonly rows: number;
  /** The paths of columns that hold texts of a list, which DuckDB reads as text. */
  readonly enums: ReadonlySet<string>;
}

/** A table of Parquet files that is open. */
export interface Table extends TableOptions, Source {
  /** Tells how many more rows have been read. */
  onRows(more: number): void;
  /** What there is in all. */
  readonly all: TableProgress;
}

/**
 * Opens Parquet files and does work on them. Nothing temporary is left.
 * @param output where rows go. Temporary files lie beside it
 * @throws Error that names a column which DuckDB would change, if there is an output
 */
export async function withTable<T>(
  options: TableOptions,
  { out, directory }: { readonly out?: string; readonly directory?: string },
  work: (table: Table) => Promise<T>,
): Promise<T> {
  const { files, threads, signal, onProgress } = options;
  const session = await Session.open(`reading Parquet (${files[0]})`, placeBeside(out, directory), threads, signal);
  try {
    const source = await parquetSource(session, files, (out ?? directory) !== undefined);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    let read = 0;
    const onRows = (more: number) => {
      read += more;
      onProgress?.({ keys: read, bytes: (bytes * read) / Math.max(1, source.rows) });
    };
    return await work({ ...options, ...source, onRows, all: { keys: source.rows, bytes } });
  } catch (error) {
    signal?.throwIfAborted();
    throw named(files, error);
  } finally {
    session.close();
  }
}

/** A directory where there is room for temporary files: in an output directory that exists, or beside the output. */
function placeBeside(out: string | undefined, directory: string | undefined): string {
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

/** Columns that DuckDB adds if they are named: the place of a row, and what rows are sorted by to be in their order. */
const ADDED = ['filename', 'file_index', 'file_row_number'] as const;
export const ROW_ORDER = 'file_index, file_row_number';

/**
 * Directories such as `day=1` in the paths of files are columns, too, unless the files have columns of these names.
 * @param isWritten whether DuckDB has to write the rows as they are
 * @throws Error if a column has the name of one that DuckDB adds, or if files have different columns
 */
export async function parquetSource(session: Session, files: readonly string[], isWritten: boolean): Promise<Source> {
  const list = `[${files.map(pathLiteral).join(', ')}]`;
  const { own, enums, unwritable } = await commonColumns(session, files, list);
  const inPaths = files.flatMap(columnsInPath);
  const withHive = !inPaths.some((name) => sameColumn(own.keys(), name) !== undefined);
  const from = `read_parquet(${list}${withHive ? '' : ', hive_partitioning = false'})`;
  const isPlain = files.length === 1 && inPaths.length === 0; // it has its own columns only
  const columns = withHive && !isPlain ? await columnsOf(session, from) : own;
  const taken = ADDED.map((name) => sameColumn(columns.keys(), name)).find((name) => name !== undefined);
  if (taken !== undefined)
    throw new Error(`${files[0]}: expected no column ${taken}, which DuckDB adds: rename it first`);
  const [[mb, leaves]] = await session.rows(`
    SELECT max(mb), max(leaves) FROM (
      SELECT sum(total_uncompressed_size) / 1e6 AS mb, count(*) AS leaves
      FROM parquet_metadata(${list}) GROUP BY file_name, row_group_id)`);
  await session.makeRoom({ columns: Number(leaves ?? 0), rowGroupMb: Number(mb ?? 0) });
  const [[rows]] = await session.rows(`SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(${list})`);
  if (isWritten && unwritable !== undefined) throw new Error(unwritable);
  return { session, from, columns, rows: Number(rows), enums };
}

/** The names before `=` of the directories in a path. */
function columnsInPath(path: string): string[] {
  const directories = path.split(/[/\\]/).slice(0, -1);
  return directories.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('=')))).filter((name) => name !== '');
}

/** A path as a literal of SQL: DuckDB takes it for a pattern of names. */
const pathLiteral = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'));

/** The columns that all files have. DuckDB would convert values to the types of the first file, and leave columns out. */
async function commonColumns(session: Session, files: readonly string[], list: string) {
  const kinds = files.length === 1 ? files : await oneOfEachKind(session, list);
  const ofKinds = await Promise.all(
    kinds.map(async (file) => {
      const path = pathLiteral(file);
      const schema = await schemaOf(session, path); // first, because its errors about damaged files do not quote SQL
      const columns = await columnsOf(session, `read_parquet(${path}, hive_partitioning = false)`);
      return { file, columns, enums: enumsIn(schema), changed: changedColumn(schema, columns) };
    }),
  );
  const [first, ...others] = ofKinds;
  if (first === undefined) throw new Error(`expected columns, got files without any: ${list}`);
  for (const { file, columns } of others) {
    for (const name of [...first.columns.keys(), ...columns.keys()]) {
      const [expected, got] = [first.columns.get(name), columns.get(name)];
      if (expected === got) continue;
      const [column, other] = [expected, got].map((type) => (type === undefined ? 'none' : `one of type ${type}`));
      throw new Error(`${file}: column ${name}: expected ${column}, as in ${first.file}, got ${other}`);
    }
  }
  const [unwritable] = ofKinds.flatMap(({ file, changed }) => (changed === undefined ? [] : [`${file}: ${changed}`]));
  return { own: first.columns, enums: new Set(ofKinds.flatMap(({ enums }) => enums)), unwritable };
}

/** A file for each schema among several ones. The query takes 10 ms, a quarter of a command for a small file. */
async function oneOfEachKind(session: Session, list: string): Promise<string[]> {
  const kinds = await session.rows(`
    SELECT first(file_name ORDER BY file_name) FROM (
      SELECT file_name, list([name, type, converted_type, logical_type, duckdb_type, repetition_type,
        num_children::VARCHAR, precision::VARCHAR, scale::VARCHAR] ORDER BY column_id) AS kind
      FROM parquet_schema(${list}) WHERE column_id > 0 GROUP BY file_name
    ) GROUP BY kind ORDER BY 1`);
  return kinds.map(([file]) => String(file));
}

/** The types of columns, by their names. */
async function columnsOf(session: Session, from: string): Promise<Map<string, string>> {
  const described = await session.rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${from})`);
  return new Map(described.map(([name, type]) => [String(name), String(type)]));
}

/** The column that SQL takes for one of this name: upper and lower case are the same. */
export function sameColumn(names: Iterable<string>, name: string): string | undefined {
  return [...names].find((one) => one.toLowerCase() === name.toLowerCase());
}

/** @throws RangeError if there is such a column already, in upper or lower case, or there can be none */
export function checkNewColumns({ columns }: Source, argument: string, names: readonly string[]): void {
  const taken = names.map((name) => sameColumn(columns.keys(), name)).find((name) => name !== undefined);
  if (taken !== undefined) throw wrongValue(argument, 'a new name', taken, undefined, `the column ${taken}`);
  const wrong = names.find((name) => name === '' || sameColumn(ADDED, name) !== undefined);
  if (wrong !== undefined) throw wrongValue(argument, 'the name of a column', wrong);
}

/** A column, or a value in a nested one. */
export interface Column {
  readonly name: string;
  readonly sql: string;
  readonly type: string;
  readonly isEnum: boolean;
}

/**
 * The column that a path names: `email`, or `user.id` for a field of a STRUCT. The longest name with dots that a column has
 * is taken for it.
 * @throws RangeError if there is none
 */
export async function columnIn(source: Source, argument: string, path: string): Promise<Column> {
  const { session, from, columns, enums } = source;
  const isEnum = sameColumn(enums, path) !== undefined;
  const missing = () => wrongValue(argument, `one of ${[...columns.keys()].join(', ')}`, path);
  const names = path.split('.');
  for (let count = names.length; count > 0; count--) {
    const name = names.slice(0, count).join('.');
    const type = columns.get(name);
    if (type === undefined) continue;
    const fields = names.slice(count);
    if (fields.length === 0) return { name: path, sql: identifier(name), type, isEnum };
    const sql = fields.reduce((value, field) => `struct_extract(${value}, ${literal(field)})`, identifier(name));
    try {
      const [[found]] = await session.rows(`SELECT column_type FROM (DESCRIBE SELECT ${sql} AS k FROM ${from})`);
      return { name: path, sql, type: String(found), isEnum };
    } catch (error) {
      // DuckDB begins messages with the kind of an error: it is not a STRUCT, or without such a field.
      throw error instanceof Error && error.message.startsWith('Binder Error:') ? missing() : error;
    }
  }
  throw missing();
}

/** The column of the keys. */
export const keyColumn = (table: Table): Promise<Column> => columnIn(table, 'records.key', table.key);

/** What is read from a column: a value of each row as SQL, and what the column has to be for it. */
export interface Reading {
  readonly sql: string;
  readonly requirements: readonly Requirement[];
}

/** What a column of every row has to be. */
export interface Requirement {
  readonly column: Column;
  /** As SQL, true for a row that is wrong. */
  readonly isWrong: string;
  readonly expected: string;
}

/** @throws RangeError that names the file and the row of the first one that is wrong. Rows are counted from 1 */
export async function checkRows({ session, from }: Source, requirements: readonly Requirement[]): Promise<void> {
  for (const { column, isWrong, expected } of requirements) {
    const what = `filename, file_row_number, CAST(${column.sql} AS VARCHAR)`;
    const query = `SELECT ${what} FROM ${from} WHERE ${isWrong} ORDER BY ${ROW_ORDER} LIMIT 1`;
    const [found] = await session.rows(query);
    if (found === undefined) continue;
    const [file, row, got] = found;
    const shown = got === null ? 'NULL' : JSON.stringify(got);
    throw new RangeError(`${file}: row ${Number(row) + 1}: expected ${expected}, got ${shown}`);
  }
}
