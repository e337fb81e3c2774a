import { identifier, literal, type Session } from './session.js';
import { type Changed, changedColumn, enumsIn, schemaOf } from './types.js';

/** Rows of Parquet files. */
export interface Source {
  /** What follows FROM. */
  readonly from: string;
  /** The types of the columns, by their names. */
  readonly columns: ReadonlyMap<string, string>;
  readonly rows: number;
  /** The paths of columns that hold texts of a list, which DuckDB reads as text. */
  readonly enums: ReadonlySet<string>;
  /** Why the rows cannot be written: DuckDB would change a column. */
  readonly unwritable?: string | undefined;
}

/** Rows that DuckDB writes as they are. */
export interface WritableSource extends Source {
  readonly unwritable: undefined;
}

/** @throws Error that names a column which DuckDB would change, and its file */
export function writable(source: Source): WritableSource {
  if (source.unwritable !== undefined) throw new Error(source.unwritable);
  return source as WritableSource;
}

/** Columns that DuckDB adds if they are named: the place of a row, and what rows are sorted by to be in their order. */
export const ADDED = ['filename', 'file_index', 'file_row_number'] as const;
export const ROW_ORDER = 'file_index, file_row_number';

/**
 * Directories such as `day=1` in the paths of files are columns, too, unless the files have columns of these names.
 * @throws Error if a column has the name of one that DuckDB adds, or if files have different columns
 */
export async function parquetSource(session: Session, files: readonly string[]): Promise<Source> {
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
  return { from, columns, rows: Number(rows), enums, unwritable };
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
  const [unwritable] = ofKinds.flatMap(({ file, changed }) => (changed === undefined ? [] : [toldOf(file, changed)]));
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

const toldOf = (file: string, { path, got }: Changed): string =>
  `${file}: column ${path}: expected a column that DuckDB writes as it is, got ${got}; convert it first, or leave it out`;

/** The types of columns, by their names. */
async function columnsOf(session: Session, from: string): Promise<Map<string, string>> {
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
  readonly isEnum?: boolean;
}

/**
 * The column that a path names: `email`, or `user.id` for a field of a STRUCT. The longest name with dots that a column has
 * is taken for it.
 * @returns undefined if there is none
 */
export async function columnAt(session: Session, source: Source, path: string): Promise<Column | undefined> {
  const names = path.split('.');
  for (let count = names.length; count > 0; count--) {
    const name = names.slice(0, count).join('.');
    const type = source.columns.get(name);
    if (type === undefined) continue;
    const fields = names.slice(count);
    const isEnum = sameColumn(source.enums, path) !== undefined;
    if (fields.length === 0) return { sql: identifier(name), type, isEnum };
    const sql = fields.reduce((value, field) => `struct_extract(${value}, ${literal(field)})`, identifier(name));
    try {
      const [[found]] = await session.rows(`SELECT column_type FROM (DESCRIBE SELECT ${sql} AS k FROM ${source.from})`);
      return { sql, type: String(found), isEnum };
    } catch (error) {
      if (isBinderError(error)) return undefined; // not a STRUCT, or without such a field
      throw error;
    }
  }
  return undefined;
}

/** Whether DuckDB does not know a name or a function for a type. It begins messages with the kind of an error. */
const isBinderError = (error: unknown): boolean => error instanceof Error && error.message.startsWith('Binder Error:');

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
