import type { KeyKind } from './keys.js';
import type { SystemName } from './systems.js';
import type { SystemVariant } from './variants.js';

// Systems hash an integer by its own width (1 byte of a tinyint in Cassandra), as a wider one, or by its value. This is the
// one table of which kind of keys the column of a database or a file is for each system. What is not in it is refused:
// then no kind of keys gives the system's own result, or nothing says which kind the system's column is.

/** The types of columns that systems do not hash alike. */
export type ColumnType =
  | `${'int' | 'uint'}${8 | 16 | 32 | 64}`
  /** One of a list of texts. */
  | 'enum'
  | 'json';

type Kinds = { readonly [type in ColumnType]?: KeyKind };

const TEXTS: Kinds = { enum: 'text', json: 'text' };

/** Systems in which a type of 32 bits and one of 64 bits are all there is, or that hash others by their own width. */
const OWN_WIDTH: Kinds = { int32: 'int32', int64: 'int64', uint64: 'int64' };

/** Systems that hash narrower integers as those of 32 bits, and integers without a sign by their value. */
const WIDENED: Kinds = {
  ...{ int8: 'int32', int16: 'int32', int32: 'int32', uint8: 'int32', uint16: 'int32' },
  ...{ int64: 'int64', uint32: 'int64', uint64: 'int64' },
};

const { uint64: _, ...SPARK } = WIDENED;

/** By system, or system and variant. Systems that are not here have no integers, or take their value. */
const KINDS: { readonly [system in SystemName | 'hive:1']?: Kinds } = {
  // A producer has serializers for integers of 2, 4 and 8 bytes, and nothing in a file says which one it used.
  kafka: { ...OWN_WIDTH, ...TEXTS },
  rdkafka: { ...OWN_WIDTH, ...TEXTS },
  cassandra: { ...OWN_WIDTH, ...TEXTS },
  // Of an Enum8 the integer is hashed. IPv4 and DateTime are UInt32 in files.
  clickhouse: { ...OWN_WIDTH, json: 'text' },
  // Version 2 hashes 1 byte of a tinyint and 2 of a smallint; there are no integers without a sign.
  hive: { ...OWN_WIDTH, ...TEXTS },
  'hive:1': { ...WIDENED, ...TEXTS },
  // Integers of 64 bits without a sign are decimals in Spark.
  spark: { ...SPARK, ...TEXTS },
  // Of an enumeration the number of its label is hashed, and jsonb by its values.
  postgres: WIDENED,
  citus: WIDENED,
};

const USUAL: Kinds = { ...WIDENED, ...TEXTS };

/** The kinds of keys that columns are for a system. */
export function kindsOfColumns({ word, system }: SystemVariant): Kinds {
  return KINDS[word as SystemName] ?? KINDS[system] ?? USUAL;
}

/** The kind of keys that a column is for a system: integers of 64 bits if these are all that it has. */
export function kindOfColumn(variant: SystemVariant, type: ColumnType): KeyKind | undefined {
  const kind = kindsOfColumns(variant)[type];
  const { keys } = variant;
  return kind === 'int32' && !keys.includes(kind) && keys.includes('int64') ? 'int64' : kind;
}
