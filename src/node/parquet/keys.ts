import type { DuckDBBlobVector, DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import { wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { TYPES } from '../../engines/duckdb/api.js';
import { kindOfColumn, kindsOfColumns } from '../../partitioners/columns.js';
import type { KeyKind } from '../../partitioners/keys.js';
import { type PartitionerJson, partitionerFrom } from '../../partitioners/partitioner.js';
import { variantOf } from '../../partitioners/variants.js';
import { abilitiesOf, type Routing, type RoutingKeys } from '../../routing/routing.js';
import type { Column, Reading, Requirement, Source, TableOptions } from './table.js';

/** Keys as SQL, which may be NULL, and how JavaScript reads them. */
export interface KeyColumn extends Reading {
  readonly kind: 'text' | 'bytes' | 'u64' | 'int64' | 'int32';
}

/** Keys, and what routes them. */
export interface RoutedKeys extends KeyColumn {
  readonly router: Routing<any>;
}

/** Decimals without a fraction are integers if that is said. */
const WHOLE_DECIMAL = /^DECIMAL\(\d+,0\)$/;

/** The integers of each kind. A u64 may be written as the negative integer of the same bits. */
const INTEGERS = {
  int32: { type: 'INTEGER', min: -(2n ** 31n), max: 2n ** 31n - 1n, expected: 'an integer of 32 bits' },
  int64: { type: 'BIGINT', min: -(2n ** 63n), max: 2n ** 63n - 1n, expected: 'an integer of 64 bits' },
  u64: { type: 'UBIGINT', min: -(2n ** 63n), max: 2n ** 64n - 1n, expected: 'an integer from -2^63 to 2^64 - 1' },
} as const;

const isInteger = (kind: KeyKind | 'u64'): kind is keyof typeof INTEGERS => kind in INTEGERS;

const kindOf = (type: string): KeyKind | 'u64' | undefined => (type.startsWith('ENUM(') ? 'text' : TYPES[type]?.kind);

/** Whether the values of a column can be integers. */
export function isIntegerColumn(type: string): boolean {
  const own = kindOf(type);
  return own === undefined ? WHOLE_DECIMAL.test(type) : own === 'text' || isInteger(own);
}

/** As SQL, whether a value of such a column is an integer in a range; NULL for NULL. */
export function isIntegerBetween({ sql, type }: Column, min: bigint, max: bigint): string {
  const isInRange = `TRY_CAST(${sql} AS HUGEINT) BETWEEN ${min}::HUGEINT AND ${max}::HUGEINT`;
  // A cast would round 1.5, and read 1e3 and spaces.
  return kindOf(type) === 'text'
    ? `regexp_full_match(CAST(${sql} AS VARCHAR), '-?[0-9]+') AND ${isInRange}`
    : isInRange;
}

/** DuckDB itself also casts texts with hyphens elsewhere. */
const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/**
 * The keys of a column, of the kind that its type has if none is given. UUIDs are read as text: a routing knows whether its
 * keys are UUIDs.
 * @param nullable whether rows may have no key
 * @throws RangeError if no value of the column can be such a key
 */
export function keysOf(column: Column, given?: KeyKind | 'u64', nullable = false): KeyColumn {
  const { sql, type } = column;
  const own = kindOf(type);
  const known = given ?? kindOfType(column);
  const kind = given === undefined && known === 'int32' ? 'int64' : known;
  const isText = kind === 'text' || kind === 'bytes';
  const requirements: Requirement[] = nullable ? [] : [{ column, isWrong: `${sql} IS NULL`, expected: 'a key' }];
  const require = (condition: string, expected: string) =>
    requirements.push({ column, isWrong: `${sql} IS NOT NULL AND NOT coalesce(${condition}, false)`, expected });
  if (own === 'bytes' && isText) return { sql, kind: 'bytes', requirements };
  if (own !== 'bytes' && (isText || (kind === 'uuid' && own === 'uuid'))) {
    return { sql: type === 'VARCHAR' ? sql : `CAST(${sql} AS VARCHAR)`, kind: 'text', requirements };
  }
  if (kind === 'uuid' && own === 'text') {
    require(`regexp_full_match(${sql}, '${UUID}')`, 'a UUID');
    return { sql: `CAST(CAST(${sql} AS UUID) AS VARCHAR)`, kind: 'text', requirements };
  }
  if (!isInteger(kind) || !isIntegerColumn(type)) {
    throw wrongValue('keys', `a kind of keys that a column of type ${type} can have`, kind);
  }
  const { type: cast, min, max, expected } = INTEGERS[kind];
  const within = own !== undefined && isInteger(own) ? INTEGERS[own] : undefined;
  if (within === undefined || within.min < min || within.max > max) {
    require(isIntegerBetween(column, min, max), expected);
  }
  const bits = kind === 'u64' ? `CAST(${sql} AS HUGEINT) & ${max}::HUGEINT` : sql;
  return { sql: type === cast ? sql : `CAST(${bits} AS ${cast})`, kind, requirements };
}

/**
 * The keys of a column, and the routing that takes them: a partitioner reads them as its own kind, others by the column's
 * type.
 * @throws RangeError if the column cannot have such keys
 */
export function keysFor(
  column: Column,
  router: Routing<any>,
  keys: TableOptions['keys'],
  nullable: boolean,
): RoutedKeys {
  const { routeText, keys: own, hashing } = abilitiesOf(router);
  if (routeText === undefined) {
    const found = keysOf(column, keys === 'column' ? undefined : keys, nullable);
    const isText = found.kind === 'text' || found.kind === 'bytes';
    if (isText && hashing?.hash === 'none') throw wrongValue('keys', "'u64' with hash 'none'", 'text');
    return { ...found, router };
  }
  if (keys === undefined) return { ...keysOf(column, own as KeyKind, nullable), router };
  if (keys !== 'column') throw wrongValue('keys', "undefined or 'column' with a partitioner, which has its own", keys);
  const json = router.toJSON() as PartitionerJson;
  const kind = kindInSystem(column, json);
  return { ...keysOf(column, kind, nullable), router: partitionerFrom({ ...json, key: kind }) };
}

/** Whether keys are integers. */
export const areIntegers = ({ kind }: KeyColumn): boolean => isInteger(kind);

function kindOfType({ name, type }: Column): KeyKind | 'u64' {
  const kind = kindOf(type);
  if (kind !== undefined) return kind;
  const expected = 'a column of text, integers of up to 64 bits, UUIDs or BLOBs';
  throw wrongValue('records.key', expected, `${name} of type ${type}`);
}

/** The kind of keys that a column is for the system of a partitioner. */
function kindInSystem(column: Column, json: PartitionerJson): KeyKind {
  const own = kindOfType(column);
  const { name, isEnum } = column;
  const type = isEnum ? 'enum' : TYPES[column.type]?.column;
  const variant = variantOf(json);
  const kind = type === undefined ? (own as KeyKind) : kindOfColumn(variant, type);
  const { system } = json;
  if (kind === undefined) {
    const kinds = kindsOfColumns(variant);
    const types = Object.keys(TYPES).filter((one) => (TYPES[one].column ?? '') in kinds);
    const expected = `a column of a type that ${system} is known to hash (${types.join(', ')}, text and others), or a partitioner whose "key" says what it is there`;
    throw wrongValue('records.key', expected, `${name} of type ${isEnum ? 'ENUM' : column.type}`);
  }
  if (!variant.keys.includes(kind)) throw wrongValue('keys', `a kind of key that ${system} has`, kind);
  return kind;
}

/**
 * A function of SQL that is called for all rows.
 * @param work gets the keys of some rows, and gives their results
 * @returns the call, as SQL. Rows without a key get the result of some key
 */
export function calling(
  { session }: Pick<Source, 'session'>,
  key: KeyColumn,
  returns: 'UTINYINT' | 'UINTEGER' | 'UBIGINT' | 'DOUBLE',
  work: (keys: RoutingKeys) => ArrayLike<number | bigint>,
): string {
  const { api, connection } = session;
  const name = `shardbits_${++session.functions}`;
  const { args, types, read } = readingOf(key);
  connection.registerScalarFunction(
    api.DuckDBScalarFunction.create({
      name,
      parameterTypes: types.map((type) => api[type]),
      returnType: api[returns],
      mainFunction(_, input, output) {
        numbersOf<Uint32Array>(output).set(work(read(input)) as ArrayLike<number>);
        output.flush();
      },
    }),
  );
  return `${name}(${args.join(', ')})`;
}

/** Keys as columns of SQL, and what reads these columns if they are the first ones of a chunk. */
export function readingOf({ sql, kind }: KeyColumn) {
  if (kind === 'text' || kind === 'bytes')
    return { args: piecesOf(sql, kind), types: PIECE_TYPES, read: pieceReader() };
  const read = (input: DuckDBDataChunk) => numbersOf<RoutingKeys>(input.getColumnVector(0));
  return { args: [`coalesce(${sql}, 0)`], types: [INTEGERS[kind].type], read };
}

// Texts of up to 12 bytes lie in a vector; a longer one is behind a pointer, which takes 0.5 us to read. So a text comes in
// pieces that DuckDB cuts on its own threads: 4 M e-mail addresses take 0.7 s less than 4 s.
const PIECE = 12;
const PIECES = 3;
const PIECE_TYPES = [...Array.from({ length: PIECES + 1 }, () => 'BLOB' as const), 'BIGINT' as const];
/** How far apart texts lie in a vector, each after its length. */
const STRIDE = 16;
const LENGTH = 4;

/** The pieces of a text or BLOB, all of it if it is longer than they are, and its length. */
function piecesOf(sql: string, kind: 'text' | 'bytes'): string[] {
  const bytes = kind === 'text' ? `encode(coalesce(${sql}, ''))` : `coalesce(${sql}, ''::BLOB)`;
  const length = `octet_length(${bytes})`;
  const pieces = Array.from({ length: PIECES }, (_, i) => `${bytes}[${i * PIECE + 1}:${(i + 1) * PIECE}]`);
  return [...pieces, `CASE WHEN ${length} > ${PIECES * PIECE} THEN ${bytes} ELSE ''::BLOB END`, length];
}

/** Puts pieces together. A column is valid until the next one is read. */
function pieceReader(): (input: DuckDBDataChunk) => BytesColumn {
  let data = new Uint8Array(1 << 16);
  return (input) => {
    const { rowCount } = input;
    const pieces = Array.from({ length: PIECES }, (_, i) => insideOf(input.getColumnVector(i), rowCount));
    const whole = input.getColumnVector(PIECES) as DuckDBBlobVector;
    const column = input.getColumnVector(PIECES + 1);
    const lengths = numbersOf<BigInt64Array>(column);
    const { validity } = column as unknown as Inside;
    const offsets = new Uint32Array(rowCount + 1);
    for (let row = 0; row < rowCount; row++) {
      // DuckDB may call a function for a NULL that no row has.
      offsets[row + 1] = offsets[row] + (validity.itemValid(row) ? Number(lengths[row]) : 0);
    }
    if (offsets[rowCount] > data.length) data = new Uint8Array(2 * offsets[rowCount]);
    for (let row = 0, place = 0; row < rowCount; row++, place += STRIDE) {
      const at = offsets[row];
      const length = offsets[row + 1] - at;
      if (length > PIECES * PIECE) data.set(whole.getItemBytes(row) as Uint8Array, at);
      else {
        for (let from = 0; from < length; from += PIECE) {
          const piece = pieces[from / PIECE];
          const count = Math.min(PIECE, length - from);
          for (let i = 0; i < count; i++) data[at + from + i] = piece[place + i];
        }
      }
    }
    return { data: data.subarray(0, offsets[rowCount]), offsets };
  };
}

/** The numbers of a vector, which are an array although its type hides that. */
export function numbersOf<A>(vector: DuckDBVector): A {
  return (vector as unknown as { readonly items: A }).items;
}

/** What the types of vectors hide. */
interface Inside {
  readonly dataView: DataView;
  readonly validity: { itemValid(row: number): boolean };
}

/** The texts that lie inside a vector, {@link STRIDE} bytes apart. */
function insideOf(vector: DuckDBVector, rows: number): Uint8Array {
  const { buffer, byteOffset } = (vector as unknown as Inside).dataView;
  return new Uint8Array(buffer, byteOffset + LENGTH, STRIDE * rows - LENGTH);
}
