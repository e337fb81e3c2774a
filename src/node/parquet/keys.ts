import type { DuckDBBlobVector, DuckDBDataChunk, DuckDBType, DuckDBVector } from '@duckdb/node-api';
import { wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { Api } from '../../engines/duckdb/api.js';
import { type ColumnType, kindsOfColumns } from '../../partitioners/columns.js';
import type { KeyKind } from '../../partitioners/keys.js';
import { type PartitionerJson, partitionerFrom } from '../../partitioners/partitioner.js';
import { variantOf } from '../../partitioners/variants.js';
import { abilitiesOf, type Routing, type RoutingKeys, shardsOf } from '../../routing/routing.js';
import type { Session } from './session.js';
import type { Column, Requirement } from './source.js';

/** A column of keys as SQL, and how JavaScript reads it. */
export interface KeyColumn {
  /** The key itself, which may be NULL. */
  readonly sql: string;
  readonly kind: 'text' | 'bytes' | 'u64' | 'int64' | 'int32';
  readonly requirements: readonly Requirement[];
}

/** What keys of each type are. */
const KINDS: { readonly [type: string]: KeyKind | 'u64' } = {
  VARCHAR: 'text',
  JSON: 'text',
  BLOB: 'bytes',
  UUID: 'uuid',
  TINYINT: 'int32',
  SMALLINT: 'int32',
  INTEGER: 'int32',
  UTINYINT: 'int32',
  USMALLINT: 'int32',
  UINTEGER: 'int64',
  BIGINT: 'int64',
  UBIGINT: 'u64',
};

/** The types of which systems have rules of their own. */
const COLUMN_TYPES: { readonly [type: string]: ColumnType } = {
  TINYINT: 'int8',
  SMALLINT: 'int16',
  INTEGER: 'int32',
  BIGINT: 'int64',
  UTINYINT: 'uint8',
  USMALLINT: 'uint16',
  UINTEGER: 'uint32',
  UBIGINT: 'uint64',
  JSON: 'json',
};

/** Decimals without a fraction are integers if that is said. */
const WHOLE_DECIMAL = /^DECIMAL\(\d+,0\)$/;

/** The integers of each kind. A u64 may be written as the negative integer of the same bits. */
const INTEGERS = {
  int32: { type: 'INTEGER', min: -(2n ** 31n), max: 2n ** 31n - 1n, expected: 'an integer of 32 bits' },
  int64: { type: 'BIGINT', min: -(2n ** 63n), max: 2n ** 63n - 1n, expected: 'an integer of 64 bits' },
  u64: { type: 'UBIGINT', min: -(2n ** 63n), max: 2n ** 64n - 1n, expected: 'an integer from -2^63 to 2^64 - 1' },
} as const;

const isInteger = (kind: KeyKind | 'u64'): kind is keyof typeof INTEGERS => kind in INTEGERS;

const kindOf = (type: string): KeyKind | 'u64' | undefined => (type.startsWith('ENUM(') ? 'text' : KINDS[type]);

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

/** The column that has the keys. */
export interface NamedColumn extends Column {
  readonly name: string;
}

/** What keys are: as for lines, or as the system of a partitioner reads columns of this type. */
export type TableKeyKind = 'text' | 'u64' | 'column';

/**
 * The keys of a column, of the kind that its type has if none is given.
 * @param nullable whether rows may have no key
 * @throws RangeError if no value of the column can be such a key
 */
export function keysOf(column: NamedColumn, given?: KeyKind | 'u64', nullable = false): KeyColumn {
  const own = given ?? kindOfType(column);
  const kind = given === undefined && own === 'int32' ? 'int64' : own;
  return { ...readAs(column, kind), requirements: requirementsOf(column, kind, nullable) };
}

/**
 * The keys of a column, and the routing that takes them: a partitioner reads them as its own kind, others by the column's
 * type.
 * @throws RangeError if the column cannot have such keys
 */
export function keysFor(
  column: NamedColumn,
  router: Routing<any>,
  keys: TableKeyKind | undefined,
  nullable: boolean,
): KeyColumn & { readonly router: Routing<any> } {
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

function kindOfType({ name, type }: NamedColumn): KeyKind | 'u64' {
  const kind = kindOf(type);
  if (kind !== undefined) return kind;
  const expected = 'a column of text, integers of up to 64 bits, UUIDs or BLOBs';
  throw wrongValue('records.key', expected, `${name} of type ${type}`);
}

/** The kind of keys that a column is for the system of a partitioner. */
function kindInSystem(column: NamedColumn, json: PartitionerJson): KeyKind {
  const own = kindOfType(column);
  const type = column.isEnum ? 'enum' : COLUMN_TYPES[column.type];
  const variant = variantOf(json);
  const kinds = kindsOfColumns(variant);
  const known = type === undefined ? (own as KeyKind) : kinds[type];
  const isWider = known === 'int32' && !variant.keys.includes(known) && variant.keys.includes('int64');
  const kind = isWider ? 'int64' : known;
  const { system } = json;
  if (kind === undefined) {
    const types = Object.keys(COLUMN_TYPES).filter((one) => COLUMN_TYPES[one] in kinds);
    const expected = `a column of a type that ${system} is known to hash (${types.join(', ')}, text and others), or a partitioner whose "key" says what it is there`;
    throw wrongValue('records.key', expected, `${column.name} of type ${column.isEnum ? 'ENUM' : column.type}`);
  }
  if (!variant.keys.includes(kind)) throw wrongValue('keys', `a kind of key that ${system} has`, kind);
  return kind;
}

/** A column as keys of a kind. UUIDs are read as text: a routing knows whether its keys are UUIDs. */
function readAs({ sql, type }: Column, kind: KeyKind | 'u64'): Pick<KeyColumn, 'sql' | 'kind'> {
  const own = kindOf(type);
  const refused = () => wrongValue('keys', `a kind of keys that a column of type ${type} can have`, kind);
  if (own === 'bytes') {
    if (kind === 'bytes' || kind === 'text') return { sql, kind: 'bytes' };
    throw refused();
  }
  const text = type === 'VARCHAR' ? sql : `CAST(${sql} AS VARCHAR)`;
  if (kind === 'text' || kind === 'bytes') return { sql: text, kind: 'text' };
  if (kind === 'uuid' && own === 'uuid') return { sql: text, kind: 'text' };
  if (kind === 'uuid' && own === 'text') return { sql: `CAST(CAST(${sql} AS UUID) AS VARCHAR)`, kind: 'text' };
  if (!isInteger(kind) || !isIntegerColumn(type)) throw refused();
  const { type: cast } = INTEGERS[kind];
  if (type === cast) return { sql, kind };
  if (kind !== 'u64') return { sql: `CAST(${sql} AS ${cast})`, kind };
  return { sql: `CAST(CAST(${sql} AS HUGEINT) & ${INTEGERS.u64.max}::HUGEINT AS UBIGINT)`, kind };
}

/** DuckDB itself also casts texts with hyphens elsewhere. */
const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** What the values of a column have to be for {@link readAs}. @param nullable whether they may be NULL */
function requirementsOf(column: Column, kind: KeyKind | 'u64', nullable: boolean): Requirement[] {
  const { sql, type } = column;
  const own = kindOf(type);
  const notNull = { column, isWrong: `${sql} IS NULL`, expected: 'a key' };
  const required: Requirement[] = nullable ? [] : [notNull];
  const unless = (condition: string) => `${sql} IS NOT NULL AND NOT coalesce(${condition}, false)`;
  if (kind === 'uuid' && own === 'text') {
    required.push({ column, isWrong: unless(`regexp_full_match(${sql}, '${UUID}')`), expected: 'a UUID' });
  }
  if (isInteger(kind) && !isWithin(own, kind)) {
    const { min, max, expected } = INTEGERS[kind];
    required.push({ column, isWrong: unless(isIntegerBetween(column, min, max)), expected });
  }
  return required;
}

/** Whether all integers of one kind are such of another one. */
function isWithin(own: KeyKind | 'u64' | undefined, kind: keyof typeof INTEGERS): boolean {
  if (own === undefined || !isInteger(own)) return false;
  return INTEGERS[own].min >= INTEGERS[kind].min && INTEGERS[own].max <= INTEGERS[kind].max;
}

/**
 * A function of SQL that is called for all rows.
 * @param work gets the keys of some rows, and gives their results
 * @returns the call, as SQL. Rows without a key get the result of some key
 */
export function calling(
  session: Session,
  key: KeyColumn,
  returns: DuckDBType,
  work: (keys: RoutingKeys) => ArrayLike<number | bigint>,
): string {
  const { api } = session;
  const name = session.nextFunction();
  const { args, types, read } = readingOf(api, key);
  session.connection.registerScalarFunction(
    api.DuckDBScalarFunction.create({
      name,
      parameterTypes: types,
      returnType: returns,
      mainFunction(_, input, output) {
        numbersOf<Uint32Array>(output).set(work(read(input)) as ArrayLike<number>);
        output.flush();
      },
    }),
  );
  return `${name}(${args.join(', ')})`;
}

/** The shards of keys. A partitioner reads keys of its own kind in text. */
export function routing(router: Routing<any>, { kind }: KeyColumn): (keys: RoutingKeys) => Uint32Array {
  const { routeText } = abilitiesOf(router);
  if (kind !== 'text' || routeText === undefined) return (keys) => shardsOf(router, keys);
  return (keys) => {
    const { data, offsets } = keys as BytesColumn;
    const shards = new Uint32Array(offsets.length - 1);
    routeText.call(router, { data, starts: offsets.subarray(0, -1), ends: offsets.subarray(1) }, shards);
    return shards;
  };
}

/** Keys as columns of SQL, and what reads these columns if they are the first ones of a chunk. */
export function readingOf(api: Api, { sql, kind }: KeyColumn) {
  if (kind === 'text' || kind === 'bytes') {
    const pieces = new Pieces();
    const types = [...Array(PIECES + 1).fill(api.BLOB), api.BIGINT];
    return { args: piecesOf(sql, kind), types, read: pieces.read.bind(pieces) };
  }
  const type = api[INTEGERS[kind].type];
  const read = (input: DuckDBDataChunk): RoutingKeys => {
    return numbersOf<BigInt64Array | BigUint64Array | Int32Array>(input.getColumnVector(0));
  };
  return { args: [`coalesce(${sql}, 0)`], types: [type], read };
}

// Texts of up to 12 bytes lie in a vector; a longer one is behind a pointer, which takes 0.5 us to read. So a text comes in
// pieces that DuckDB cuts on its own threads: 4 M e-mail addresses take 0.7 s less than 4 s.
const PIECE = 12;
const PIECES = 3;
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

/** Puts pieces together. */
class Pieces {
  #data = new Uint8Array(1 << 16);

  read(input: DuckDBDataChunk): BytesColumn {
    const { rowCount } = input;
    const pieces = Array.from({ length: PIECES }, (_, i) => insideOf(input.getColumnVector(i), rowCount));
    const whole = input.getColumnVector(PIECES) as DuckDBBlobVector;
    const column = input.getColumnVector(PIECES + 1);
    const lengths = numbersOf<BigInt64Array>(column);
    const { validity } = column as unknown as Inside;
    const offsets = new Uint32Array(rowCount + 1);
    let at = 0;
    for (let row = 0, place = 0; row < rowCount; row++, place += STRIDE) {
      // DuckDB may call a function for a NULL that no row has.
      const length = validity.itemValid(row) ? Number(lengths[row]) : 0;
      this.#grow(at, length);
      const data = this.#data;
      if (length > PIECES * PIECE) data.set(whole.getItemBytes(row) as Uint8Array, at);
      else {
        for (let from = 0; from < length; from += PIECE) {
          const piece = pieces[from / PIECE];
          const count = Math.min(PIECE, length - from);
          for (let i = 0; i < count; i++) data[at + from + i] = piece[place + i];
        }
      }
      at += length;
      offsets[row + 1] = at;
    }
    return { data: this.#data.subarray(0, at), offsets };
  }

  #grow(at: number, more: number): void {
    if (at + more <= this.#data.length) return;
    const larger = new Uint8Array(2 * (at + more));
    larger.set(this.#data.subarray(0, at));
    this.#data = larger;
  }
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
