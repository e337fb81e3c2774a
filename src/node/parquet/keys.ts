import { wrongValue } from '../../arguments.js';
import { isInteger, type KeyKind } from '../../columns/keys.js';
import { kindOf, type SqlTypeName, TYPES } from '../../engines/duckdb/api.js';
import { type PartitionerJson, partitionerFrom } from '../../partitioners/partitioner.js';
import { definitionOf } from '../../partitioners/systems.js';
import { variantOf } from '../../partitioners/variants.js';
import { abilitiesOf, type Routing } from '../../routing/routing.js';
import type { LineKeys } from '../../rows/format.js';
import { type KeyWire, textIn } from './reader.js';

/** A column, or a value in a nested one. */
export interface ParquetColumn {
  readonly name: string;
  readonly sql: string;
  readonly type: string;
  readonly isEnum: boolean;
}

export function hasIntegers(column: ParquetColumn): boolean {
  const own = kindOf(column.type);
  return own === 'text' || isInteger(own) || /^DECIMAL\(\d+,0\)$/.test(column.type);
}

/** Whether values of a column can be keys of a kind, as numbers or as they are written. */
function canBe(column: ParquetColumn, kind: KeyKind): boolean {
  const own = kindOf(column.type);
  if (kind === 'text' || kind === 'bytes' || own === kind || own === 'text') return true;
  return isInteger(kind) ? hasIntegers(column) : kind === 'decimal' && isInteger(own);
}

/** The types of vectors of numbers in which the values of a column of numbers come. */
const NUMBERS: { readonly [type: string]: SqlTypeName } = {
  BIGINT: 'BIGINT',
  UINTEGER: 'BIGINT',
  UBIGINT: 'UBIGINT',
  DATE: 'DATE',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
};

/** How a column is read for keys of some kinds: as numbers if all of them are read from those, and otherwise as text. */
export function wireOf(column: ParquetColumn, kinds: readonly KeyKind[]): KeyWire {
  const { name, sql, type } = column;
  const own = kindOf(column.type);
  const areNumbers = kinds.every((kind) => (isInteger(kind) ? isInteger(own) : kind === own && type in NUMBERS));
  if (!areNumbers) return { name, ...textIn(sql, type) };
  const wire = NUMBERS[type] ?? 'INTEGER';
  const isWire = wire === type || wire === 'TIMESTAMPTZ';
  return { name, args: [isWire ? sql : `CAST(${sql} AS ${wire})`], types: [wire] };
}

/** What the keys of a column may be said to be. */
export type GivenKeys = Exclude<LineKeys, 'hex' | 'base64'>;

export interface KeyReading {
  readonly routing: Routing<any>;
  /** For what is not a partitioner. */
  readonly keys: GivenKeys;
  readonly kinds: readonly KeyKind[];
}

/**
 * How the keys of routings are read. A partitioner reads columns as its own kinds or, with `column`, as its system reads columns
 * of their types. Others read texts or u64s; beside a partitioner for integers, u64s.
 * @throws RangeError if a column cannot have such keys, or it must be said what they are
 */
export function readingOf(
  columns: readonly ParquetColumn[],
  routings: readonly Routing<any>[],
  keys?: GivenKeys | 'column',
) {
  const isOwn = (routing: Routing<any>) => abilitiesOf(routing).routeRows !== undefined;
  const others = routings.some((routing) => !isOwn(routing));
  const ofSystems = routings.map((routing) => {
    return isOwn(routing) ? readBySystem(columns, routing, others && keys !== 'column' ? undefined : keys) : undefined;
  });
  const beside = ofSystems.find((one) => one !== undefined)?.kinds.some(isInteger);
  const usual = beside === undefined ? undefined : beside ? 'u64' : 'text';
  const given = keys === 'column' ? usual : (keys ?? usual);
  const read = ofSystems.map((one, i) => one ?? readByOther(columns, routings[i], given));
  const kindsOf = (i: number) => read.map(({ kinds }) => kinds[i]);
  return { read, wires: columns.map((column, i) => wireOf(column, kindsOf(i))) };
}

function readByOther(
  columns: readonly ParquetColumn[],
  routing: Routing<any>,
  given: GivenKeys | undefined,
): KeyReading {
  const keys = keysOfColumn(onlyOne(columns), given);
  if (keys === 'text' && abilitiesOf(routing).hashing?.hash === 'none') {
    throw wrongValue('keys', "'u64' with hash 'none'", 'text');
  }
  return { routing, keys, kinds: [keys] };
}

export function onlyOne(columns: readonly ParquetColumn[]): ParquetColumn {
  if (columns.length === 1) return columns[0];
  throw wrongValue('records.key', 'one column of Parquet', namesOf(columns));
}

const namesOf = (columns: readonly ParquetColumn[]): string => columns.map(({ name }) => name).join(' and ');

/** How a column is read that is hashed by XXH64. */
export function keysOfColumn(column: ParquetColumn, given: GivenKeys | undefined): GivenKeys {
  const own = kindOf(column.type);
  if (given !== undefined) {
    checkKind(column, given);
    return given;
  }
  if (own === 'text' || own === 'bytes' || own === 'uuid') return 'text';
  const expected = isInteger(own)
    ? "keys 'text' (as in CSV) or keys 'u64' (as 42n, and as functions in DuckDB) for integers"
    : "a column of text, UUIDs or BLOBs, or keys 'text'";
  throw wrongValue('records.key', expected, describe(column));
}

function checkKind(column: ParquetColumn, kind: KeyKind): void {
  if (canBe(column, kind)) return;
  throw wrongValue('keys', `a kind of keys that a column of type ${column.type} can have`, kind);
}

const describe = ({ name, type, isEnum }: ParquetColumn): string => `${name} of type ${isEnum ? 'ENUM' : type}`;

function readBySystem(
  columns: readonly ParquetColumn[],
  routing: Routing<any>,
  keys: GivenKeys | 'column' | undefined,
): KeyReading {
  if (keys !== undefined && keys !== 'column') {
    throw wrongValue('keys', "undefined or 'column' with a partitioner, which has its own", keys);
  }
  const json = routing.toJSON() as PartitionerJson;
  const isList = columns.length > 1;
  const kinds = keys === undefined ? [json.key].flat() : columns.map((column) => kindInSystem(column, json));
  if (kinds.length !== columns.length) {
    const expected = `${kinds.length} ${kinds.length === 1 ? 'column' : 'columns, one for each kind'} in the "key" of the partitioner`;
    throw wrongValue('records.key', expected, namesOf(columns));
  }
  for (const [i, column] of columns.entries()) checkKind(column, kinds[i]);
  const own = keys === undefined ? routing : partitionerFrom({ ...json, key: isList ? kinds : kinds[0] });
  return { routing: own, keys: 'text', kinds };
}

/** The kind of keys that a column is for the system of a partitioner. */
function kindInSystem(column: ParquetColumn, json: PartitionerJson): KeyKind {
  const { system } = json;
  const known = variantOf(json).keys;
  const own = kindOf(column.type);
  const { otherTexts = [] } = definitionOf(system);
  const isOther = (type: string) => otherTexts.some((one) => one === type.toLowerCase());
  if (own !== undefined && known.includes(own) && !isOther(column.isEnum ? 'enum' : column.type)) return own;
  const types = Object.keys(TYPES).filter((type) => known.includes(TYPES[type]) && !isOther(type));
  const expected = `a column of a type that ${system} is known to hash (${types.join(', ')}), or a partitioner whose "key" says what it is there`;
  throw wrongValue('records.key', expected, describe(column));
}
