import { identifier, literal, type Session } from './session.js';

/** Rows of Parquet files. */
export interface Source {
  /** What follows FROM. */
  readonly from: string;
  /** The types of the columns, by their names. */
  readonly columns: ReadonlyMap<string, string>;
  readonly rows: number;
}

/** Columns that DuckDB adds if they are named: the place of a row, and what rows are sorted by to be in their order. */
export const ADDED = ['filename', 'file_index', 'file_row_number'] as const;
export const ROW_ORDER = 'file_index, file_row_number';

/**
 * Directories such as `day=1` in the paths of files are columns, too.
 * @throws Error if a column has the name of one that DuckDB adds
 */
export async function parquetSource(session: Session, files: readonly string[]): Promise<Source> {
  const list = `[${files.map(literal).join(', ')}]`;
  const from = `read_parquet(${list})`;
  const columns = await columnsOf(session, from);
  const taken = ADDED.map((name) => sameColumn(columns.keys(), name)).find((name) => name !== undefined);
  if (taken !== undefined)
    throw new Error(`${files[0]}: expected no column ${taken}, which DuckDB adds: rename it first`);
  const [[rows]] = await session.rows(`SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(${list})`);
  return { from, columns, rows: Number(rows) };
}

/** The types of columns, by their names. */
export async function columnsOf(session: Session, from: string): Promise<Map<string, string>> {
  const described = await session.rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${from})`);
  return new Map(described.map(([name, type]) => [String(name), String(type)]));
}

/** The column that SQL takes for one of this name: upper and lower case are the same. */
export function sameColumn(names: Iterable<string>, name: string): string | undefined {
  return [...names].find((one) => one.toLowerCase() === name.toLowerCase());
}

/** A column, or a value in a nested one. */
export interface Column {
  readonly sql: string;
  readonly type: string;
}

/**
 * The column that a path names: `email`, or `user.id` for a field of a STRUCT. A column whose name has dots is found first.
 * @returns undefined if there is none
 */
export async function columnAt(session: Session, source: Source, path: string): Promise<Column | undefined> {
  const type = source.columns.get(path);
  if (type !== undefined) return { sql: identifier(path), type };
  const names = path.split('.');
  if (names.length === 1 || !source.columns.has(names[0])) return undefined;
  const sql = names.map(identifier).join('.');
  try {
    const [[found]] = await session.rows(`SELECT column_type FROM (DESCRIBE SELECT ${sql} AS k FROM ${source.from})`);
    return { sql, type: String(found) };
  } catch {
    return undefined; // not a STRUCT, or without such a field
  }
}

/** What a column of every row has to be. */
export interface Requirement {
  readonly column: Column;
  /** As SQL, true for a row that is wrong. */
  readonly isWrong: string;
  readonly expected: string;
}

/** @throws RangeError that names the file and the row of the first one that is wrong. Rows are counted from 1 */
export async function checkRows(
  session: Session,
  { from }: Source,
  requirements: readonly Requirement[],
): Promise<void> {
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
