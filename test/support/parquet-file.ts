// Writes Parquet files with columns of any type, and reads what columns hold before types change it: what hyparquet, which
// is not DuckDB, finds in the pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

const PHYSICAL = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const;
/** In the order of their numbers: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift */
const CONVERTED = [
  ...[
    'UTF8',
    'MAP',
    'MAP_KEY_VALUE',
    'LIST',
    'ENUM',
    'DECIMAL',
    'DATE',
    'TIME_MILLIS',
    'TIME_MICROS',
    'TIMESTAMP_MILLIS',
  ],
  ...['TIMESTAMP_MICROS', 'UINT_8', 'UINT_16', 'UINT_32', 'UINT_64', 'INT_8', 'INT_16', 'INT_32', 'INT_64', 'JSON'],
  ...['BSON', 'INTERVAL'],
];
const REPETITION = { required: 0, optional: 1, repeated: 2 } as const;

/** A struct of Thrift by the numbers of its fields: an i32, an i64, a byte, a bool, a binary, a list or a struct. */
type Thrift =
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | { readonly i8: number }
  | readonly Thrift[]
  | ThriftStruct;
interface ThriftStruct {
  readonly [field: number]: Thrift | undefined;
}

/** An element of the schema. */
export interface Element {
  readonly name: string;
  readonly repetition?: keyof typeof REPETITION | undefined;
  readonly type?: (typeof PHYSICAL)[number] | undefined;
  readonly length?: number | undefined;
  readonly converted?: string | undefined;
  /** The union LogicalType of Thrift, such as `{ 1: {} }` for STRING. */
  readonly logical?: ThriftStruct | undefined;
  readonly scale?: number;
  readonly precision?: number;
  readonly children?: readonly Element[];
}

/** The values of a leaf: numbers of an INT32 or a float, bigints of an INT64, or bytes. */
export interface Leaf {
  readonly values: readonly (boolean | number | bigint | Uint8Array)[];
  /** Levels of all values, those that are NULL included; all are there, if these are left out. */
  readonly definition?: readonly number[];
  readonly repetition?: readonly number[];
}

/** Logical types, as fields of the union. */
const units = { MILLIS: { 1: {} }, MICROS: { 2: {} }, NANOS: { 3: {} } };
export const LOGICAL = {
  STRING: { 1: {} },
  MAP: { 2: {} },
  LIST: { 3: {} },
  ENUM: { 4: {} },
  DATE: { 6: {} },
  NULL: { 11: {} },
  JSON: { 12: {} },
  BSON: { 13: {} },
  UUID: { 14: {} },
  FLOAT16: { 15: {} },
  VARIANT: { 16: {} },
  GEOMETRY: { 17: {} },
  GEOGRAPHY: { 18: {} },
  decimal: (precision: number, scale: number) => ({ 5: { 1: scale, 2: precision } }),
  time: (unit: keyof typeof units, isUtc: boolean) => ({ 7: { 1: isUtc, 2: units[unit] } }),
  timestamp: (unit: keyof typeof units, isUtc: boolean) => ({ 8: { 1: isUtc, 2: units[unit] } }),
  integer: (bits: number, isSigned: boolean) => ({ 10: { 1: { i8: bits }, 2: isSigned } }),
};

/** Writes a file of one row group, uncompressed and without a dictionary. @param leaves in the order of the schema */
export function writeParquetFile(
  path: string,
  columns: readonly Element[],
  leaves: readonly Leaf[],
  rows: number,
): void {
  const root = { name: 'root', children: columns };
  const flat = flatten(root);
  const chunks: Buffer[] = [Buffer.from('PAR1')];
  let at = 4;
  const ofLeaves = flat.filter(({ element }) => element.children === undefined);
  const metadata = ofLeaves.map(({ element, path, definition, repetition }, i): ThriftStruct => {
    const leaf = leaves[i] as Leaf;
    const count = leaf.definition?.length ?? leaf.values.length;
    const page = Buffer.concat([
      levels(leaf.repetition ?? Array(count).fill(0), repetition),
      levels(leaf.definition ?? Array(count).fill(definition), definition),
      element.type === 'BOOLEAN'
        ? bits(leaf.values as boolean[])
        : Buffer.concat(leaf.values.map((value) => plain(value, element))),
    ]);
    const header = thrift({ 1: 0, 2: page.length, 3: page.length, 5: { 1: count, 2: 0, 3: 3, 4: 3 } });
    const offset = at;
    chunks.push(header, page);
    at += header.length + page.length;
    const size = BigInt(header.length + page.length);
    const type = PHYSICAL.indexOf(element.type as never);
    return {
      2: BigInt(offset),
      3: { 1: type, 2: [0, 3], 3: path, 4: 0, 5: BigInt(count), 6: size, 7: size, 9: BigInt(offset) },
    };
  });
  const schema = flat.map(({ element }) => elementIn(element, element === root));
  const group = { 1: metadata, 2: BigInt(at - 4), 3: BigInt(rows) };
  const footer = thrift({ 1: 1, 2: schema, 3: BigInt(rows), 4: [group] });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  writeFileSync(path, Buffer.concat([...chunks, footer, length, Buffer.from('PAR1')]));
}

function elementIn(element: Element, isRoot: boolean): ThriftStruct {
  const { name, type, length, converted, logical, scale, precision, children } = element;
  return {
    1: type && PHYSICAL.indexOf(type),
    2: length,
    3: isRoot ? undefined : REPETITION[element.repetition ?? 'optional'],
    4: name,
    5: children?.length,
    6: converted === undefined ? undefined : CONVERTED.indexOf(converted),
    7: scale,
    8: precision,
    10: logical,
  };
}

interface Flat {
  readonly element: Element;
  readonly path: readonly string[];
  readonly definition: number;
  readonly repetition: number;
}

function flatten(element: Element, above?: Flat): Flat[] {
  const kind = above === undefined ? 'required' : (element.repetition ?? 'optional');
  const flat = {
    element,
    path: above === undefined ? [] : [...above.path, element.name],
    definition: (above?.definition ?? 0) + Number(kind !== 'required'),
    repetition: (above?.repetition ?? 0) + Number(kind === 'repeated'),
  };
  return [flat, ...(element.children ?? []).flatMap((child) => flatten(child, flat))];
}

function bits(values: readonly boolean[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [i, value] of values.entries()) bytes[i >> 3] |= Number(value) << (i & 7);
  return bytes;
}

/** Levels of up to 8 bits, each as a run of one. */
function levels(values: readonly number[], max: number): Buffer {
  if (max === 0) return Buffer.alloc(0);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(2 * values.length);
  return Buffer.concat([length, Buffer.from(values.flatMap((value) => [2, value]))]);
}

function plain(value: Leaf['values'][number], { type }: Element): Buffer {
  const bytes = Buffer.alloc(8);
  if (value instanceof Uint8Array) {
    bytes.writeUInt32LE(value.length);
    return type === 'BYTE_ARRAY' ? Buffer.concat([bytes.subarray(0, 4), value]) : Buffer.from(value);
  }
  if (typeof value === 'bigint') bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  else if (type === 'DOUBLE') bytes.writeDoubleLE(Number(value));
  else if (type === 'FLOAT') bytes.writeFloatLE(Number(value));
  else bytes.writeUInt32LE(Number(value) >>> 0);
  return type === 'INT32' || type === 'FLOAT' ? bytes.subarray(0, 4) : bytes;
}

const varint = (value: bigint): number[] =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
const zigzag = (value: number | bigint): number[] =>
  varint(BigInt(value) < 0n ? -2n * BigInt(value) - 1n : 2n * BigInt(value));

/** A value of Thrift's compact protocol. */
function thrift(value: Thrift): Buffer {
  if (typeof value === 'number' || typeof value === 'bigint') return Buffer.from(zigzag(value));
  if (typeof value === 'string') return thrift(Buffer.from(value));
  if (value instanceof Uint8Array) return Buffer.concat([Buffer.from(varint(BigInt(value.length))), value]);
  if (Array.isArray(value)) {
    const head = [value.length < 15 ? (value.length << 4) | kindOf(value[0]) : 0xf0 | kindOf(value[0])];
    if (value.length >= 15) head.push(...varint(BigInt(value.length)));
    return Buffer.concat([Buffer.from(head), ...value.map(thrift)]);
  }
  let last = 0;
  const fields = Object.entries(value as ThriftStruct).flatMap(([key, field]) => {
    if (field === undefined) return [];
    const delta = Number(key) - last;
    const head = Buffer.from(delta < 16 ? [(delta << 4) | kindOf(field)] : [kindOf(field), ...zigzag(Number(key))]);
    last = Number(key);
    if (typeof field === 'boolean') return [head];
    return [head, isByte(field) ? Buffer.from([field.i8]) : thrift(field)];
  });
  return Buffer.concat([...fields, Buffer.from([0])]);
}

const isByte = (value: Thrift): value is { readonly i8: number } => typeof value === 'object' && 'i8' in value;

function kindOf(value: Thrift): number {
  if (typeof value === 'boolean') return value ? 1 : 2;
  if (typeof value === 'number') return 5;
  if (typeof value === 'bigint') return 6;
  if (typeof value === 'string' || value instanceof Uint8Array) return 8;
  if (Array.isArray(value)) return 9;
  return isByte(value) ? 3 : 12;
}

/** What a column holds: numbers, bigints, bytes as hex; lists and groups as they are nested. */
export async function storedValues(path: string, column: string): Promise<unknown[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  for (const element of metadata.schema) {
    if (element.type === undefined) continue; // lists and maps stay such
    delete element.converted_type;
    delete element.logical_type;
  }
  const rows = await parquetReadObjects({ file, metadata, utf8: false, columns: [column] });
  return rows.map((row) => plainOf(row[column]));
}

function plainOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plainOf(of)]));
}

/** The types of the columns that are not nested, by their names: `INT_8`, `DECIMAL(9,2)`, `TIMESTAMP MICROS UTC`. */
export function storedTypes(path: string): { readonly [column: string]: string } {
  const bytes = readFileSync(path);
  const { schema } = parquetMetadata(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
  );
  const typeOf = ({
    type,
    converted_type: converted,
    logical_type: logical,
    precision,
    scale,
  }: (typeof schema)[number]) => {
    if (converted === 'DECIMAL') return `DECIMAL(${precision},${scale ?? 0})`;
    if (logical?.type !== 'TIME' && logical?.type !== 'TIMESTAMP') return converted ?? logical?.type ?? String(type);
    return `${logical.type} ${logical.unit}${logical.isAdjustedToUTC ? ' UTC' : ''}`;
  };
  const top: [string, string][] = [];
  for (let at = 1, inside = 0; at < schema.length; at++) {
    if (inside === 0) top.push([schema[at].name, typeOf(schema[at])]);
    inside = Math.max(0, inside - 1) + (schema[at].num_children ?? 0);
  }
  return Object.fromEntries(top);
}
