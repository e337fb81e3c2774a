import { wrongValue } from '../../arguments.js';
import type { ParquetColumn } from './keys.js';
import { identifier, literal, type Session } from './session.js';

// DuckDB reads some types of Parquet as others, and writes what it has read: a decimal of 39 digits becomes a DOUBLE. So rows
// are written only if each of their columns is of a type in this list, and DuckDB reads it as the list says. The keys are
// the physical, the converted and the logical type in a file, as the schema has them:
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md. Tests compare each with another reader.

/** An integer whose width is in both kinds of types, or in the converted one alone. */
const integer = (converted: string, type: string) => ({ [`${converted}/`]: type, [`${converted}/Int`]: type });

/** Times. With a converted type alone they would be in UTC, which DuckDB does not know. */
const times = (converted: string, logical: string, type: string) => ({
  [`/${logical}`]: type,
  [`${converted}/${logical}`]: type,
  [`/${logical} UTC`]: `${type} WITH TIME ZONE`,
  [`${converted}/${logical} UTC`]: `${type} WITH TIME ZONE`,
});

const KEPT: { readonly [physical: string]: { readonly [convertedAndLogical: string]: string } } = {
  BOOLEAN: { '/': 'BOOLEAN' },
  INT32: {
    '/': 'INTEGER',
    '/Null': '"NULL"',
    ...integer('INT_8', 'TINYINT'),
    ...integer('INT_16', 'SMALLINT'),
    ...integer('INT_32', 'INTEGER'),
    ...integer('UINT_8', 'UTINYINT'),
    ...integer('UINT_16', 'USMALLINT'),
    ...integer('UINT_32', 'UINTEGER'),
    'DATE/': 'DATE',
    'DATE/Date': 'DATE',
    ...times('TIME_MILLIS', 'Time MILLIS', 'TIME'),
  },
  INT64: {
    '/': 'BIGINT',
    ...integer('INT_64', 'BIGINT'),
    ...integer('UINT_64', 'UBIGINT'),
    ...times('TIME_MICROS', 'Time MICROS', 'TIME'),
    ...times('TIMESTAMP_MILLIS', 'Timestamp MILLIS', 'TIMESTAMP'),
    ...times('TIMESTAMP_MICROS', 'Timestamp MICROS', 'TIMESTAMP'),
    '/Time NANOS': 'TIME_NS',
    '/Timestamp NANOS': 'TIMESTAMP_NS',
  },
  FLOAT: { '/': 'FLOAT' },
  DOUBLE: { '/': 'DOUBLE' },
  BYTE_ARRAY: {
    '/': 'BLOB',
    'UTF8/': 'VARCHAR',
    'UTF8/String': 'VARCHAR',
    'ENUM/': 'VARCHAR',
    'ENUM/Enum': 'VARCHAR',
    'JSON/': 'JSON',
    'JSON/Json': 'JSON',
  },
  FIXED_LEN_BYTE_ARRAY: { '/': 'BLOB', '/UUID': 'UUID', '/Float16': 'FLOAT', 'INTERVAL/': 'INTERVAL' },
};

/** Decimals of any physical type, if both kinds of types agree. DuckDB has no wider ones. */
const MAX_PRECISION = 38;

// Vectors of lists in lists double with each level: 20 levels take 2 s and 22 take 7 s. Groups need levels of a byte.
const MAX_LISTS = 16;
const MAX_GROUPS = 100;

/** An element of the schema of a file. */
interface Element {
  readonly name: string;
  readonly physical: string;
  readonly converted: string;
  readonly logical: string;
  readonly duckdb: string;
  /** Precision and scale, if it is a decimal. */
  readonly digits: string;
  readonly isRepeated: boolean;
  readonly children: readonly Element[];
}

/** The columns of a file, from its own schema. */
async function schemaOf(session: Session, path: string): Promise<readonly Element[]> {
  const rows = await session.rows(`
    SELECT name, type, converted_type, logical_type, duckdb_type, precision, scale, repetition_type, num_children
    FROM parquet_schema(${path}) ORDER BY column_id`);
  let next = 0;
  const take = (): Element => {
    const [name, physical, converted, logical, duckdb, precision, scale, repetition, children] = rows[next++];
    const text = (value: unknown) => (value === null ? '' : String(value));
    return {
      name: text(name),
      physical: text(physical),
      converted: text(converted),
      logical: logicalName(text(logical)),
      duckdb: text(duckdb),
      digits: precision === null ? '' : `(${precision},${scale ?? 0})`,
      isRepeated: repetition === 'REPEATED',
      children: Array.from({ length: Number(children ?? 0) }, take),
    };
  };
  return take().children;
}

/** `Timestamp NANOS UTC` for `TimestampType(isAdjustedToUTC=1, unit=TimeUnit(… NANOS=NanoSeconds()))`, and so on. */
function logicalName(logical: string): string {
  const [, name = logical] = /^(\w+)Type\(/.exec(logical) ?? [];
  const [precision, scale] = [/precision=(\d+)/.exec(logical)?.[1], /scale=(\d+)/.exec(logical)?.[1]];
  if (precision !== undefined) return `${name}(${precision},${scale})`;
  const [, unit] = /(MILLIS|MICROS|NANOS)=\w+Seconds/.exec(logical) ?? [];
  if (unit === undefined) return name;
  return `${name} ${unit}${logical.includes('isAdjustedToUTC=1') ? ' UTC' : ''}`;
}

/** The paths of the columns that are enumerations. */
function enumsIn(schema: readonly Element[], path: readonly string[] = []): string[] {
  return schema.flatMap(({ name, converted, logical, children }) => {
    const own = [...path, name];
    return converted === 'ENUM' || logical === 'Enum' ? [own.join('.')] : enumsIn(children, own);
  });
}

const changed = (path: readonly string[], got: string): string =>
  `column ${path.join('.')}: expected a column that DuckDB writes as it is, got ${got}; convert it first, or leave it out`;

/**
 * The first column that would not be written as it is.
 * @param columns the types that DuckDB gives columns, by the names that it gives them
 * @returns what is wrong with it, and its path; undefined if all are kept
 */
function changedColumn(schema: readonly Element[], columns: ReadonlyMap<string, string>): string | undefined {
  for (const element of schema) {
    const found = changedIn(element, [element.name], 0);
    if (found !== undefined) return found;
    const type = columns.get(element.name);
    if (type === undefined) return changed([element.name], 'one that DuckDB gives another name');
    const isNested = element.children.length > 0 || element.isRepeated;
    if (isNested || type === element.duckdb || element.logical === 'Null') continue;
    return changed([element.name], `${typeOf(element)}, which DuckDB reads as ${type}`);
  }
  return sameName(schema, []);
}

/** A column, or a value in a nested one. @param lists how many lists it is in */
function changedIn(element: Element, path: readonly string[], lists: number): string | undefined {
  const { children, isRepeated } = element;
  if (children.length === 0) return isKept(element) ? undefined : changed(path, typeOf(element));
  const shape = shapeOf(element);
  if (shape === undefined)
    return changed(path, `a ${typeOf(element) || 'repeated group'} as other programs do not write it`);
  const inLists = lists + Number(isRepeated || shape !== 'struct');
  if (inLists > MAX_LISTS) return changed(path, `lists nested more than ${MAX_LISTS} deep`);
  if (path.length > MAX_GROUPS) return changed(path, `groups nested more than ${MAX_GROUPS} deep`);
  const [repeated] = children;
  const isWrapped = shape === 'map' || repeated.children.length === 1;
  const inside = shape === 'struct' ? children : isWrapped ? repeated.children : [repeated];
  for (const child of inside) {
    const found = changedIn(child, [...path, child.name], inLists);
    if (found !== undefined) return found;
  }
  return shape === 'struct' ? sameName(children, path) : undefined;
}

function isKept({ physical, converted, logical, digits, duckdb }: Element): boolean {
  if (converted !== 'DECIMAL') return KEPT[physical]?.[`${converted}/${logical}`] === duckdb;
  const [precision] = /\d+/.exec(digits) ?? [];
  const isOne = logical === '' || logical === `Decimal${digits}`;
  return isOne && Number(precision) <= MAX_PRECISION && duckdb === `DECIMAL${digits}`;
}

/** What a type is called in Parquet. */
const typeOf = ({ physical, converted, logical, digits }: Element): string =>
  converted === 'DECIMAL' ? `DECIMAL${digits}` : [physical, converted, logical].filter((part) => part !== '').join(' ');

/** A group whose values DuckDB nests as others do. It unwraps some elements of lists, and knows converted types only. */
function shapeOf({ name, converted, logical, isRepeated, children }: Element): 'list' | 'map' | 'struct' | undefined {
  const [inner] = children;
  const isOne = children.length === 1 && inner.isRepeated;
  if (converted === 'LIST') {
    const isPlain = inner.children.length === 0 || (inner.converted === '' && inner.logical === '');
    if (!isOne || !['', 'List'].includes(logical) || !isPlain) return undefined;
    const isWrapped = inner.children.length === 1;
    const isElement = inner.name === 'array' || inner.name === `${name}_tuple` || inner.children[0]?.isRepeated;
    return isWrapped && isElement ? undefined : 'list';
  }
  if (converted === 'MAP') {
    const isPair =
      inner.logical === '' && ['', 'MAP_KEY_VALUE'].includes(inner.converted) && inner.children.length === 2;
    return isOne && ['', 'Map'].includes(logical) && isPair ? 'map' : undefined;
  }
  return converted !== '' || logical !== '' || (isRepeated && children.length === 1) ? undefined : 'struct';
}

/** Names that differ in no more than case: DuckDB changes the second. */
function sameName(elements: readonly Element[], path: readonly string[]): string | undefined {
  const names = new Map<string, string>();
  for (const { name } of elements) {
    const other = names.get(name.toLowerCase());
    if (other !== undefined) return changed([...path, name], `one whose name differs from ${other} in case only`);
    names.set(name.toLowerCase(), name);
  }
  return undefined;
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

export type ParquetSource = Awaited<ReturnType<typeof parquetSource>>;

/** Columns that DuckDB adds if they are named. */
const ADDED = ['filename', 'file_index', 'file_row_number'] as const;

/**
 * Directories such as `day=1` in the paths of files are columns, too, unless the files have columns of these names.
 * @param isWritten whether DuckDB has to write the rows as they are
 * @returns among others what follows FROM, the types of the columns by their names, and the paths of columns that hold texts
 *   of a list, which DuckDB reads as text
 * @throws Error if a column has the name of one that DuckDB adds, or if files have different columns
 */
export async function parquetSource(session: Session, files: readonly string[], isWritten: boolean) {
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

/** The column that SQL takes for one of this name: upper and lower case are the same. */
export function sameColumn(names: Iterable<string>, name: string): string | undefined {
  return [...names].find((one) => one.toLowerCase() === name.toLowerCase());
}

/**
 * The column that a path names: `email`, or `user.id` for a field of a STRUCT. The longest name with dots that a column has
 * is taken for it.
 * @throws RangeError if there is none
 */
export async function columnIn(source: ParquetSource, argument: string, path: string): Promise<ParquetColumn> {
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

/** A name for SQL that no column has. */
export function newName({ columns }: ParquetSource, name: string): string {
  let free = name;
  while (sameColumn([...columns.keys(), ...ADDED], free) !== undefined) free += '_';
  return identifier(free);
}

/** @throws RangeError if there is such a column already, in upper or lower case, or there can be none */
export function checkNewColumns({ columns }: ParquetSource, argument: string, names: readonly string[]): void {
  const taken = names.map((name) => sameColumn(columns.keys(), name)).find((name) => name !== undefined);
  if (taken !== undefined) throw wrongValue(argument, 'a new name', taken, undefined, `the column ${taken}`);
  const wrong = names.find((name) => name === '' || sameColumn(ADDED, name) !== undefined);
  if (wrong !== undefined) throw wrongValue(argument, 'the name of a column', wrong);
}
