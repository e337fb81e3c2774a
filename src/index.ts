/**
 * Hash keys, route them to shards, pack and unpack ids, write ids as text, and mint new ids. Single values and columns
 * give the same results.
 * @module shardbits
 */

// Errors.

export type { ArgumentProblem, ArgumentRangeError, ArgumentTypeError } from './arguments.js';
export {
  ClockBackwardsError,
  CompileBlockedError,
  LayoutExpiredError,
  LeaseLostError,
  SequenceExhaustedError,
} from './errors.js';

// Keys, ids and shards.

export type { Bytes, BytesColumn, Key, Keys } from './columns/keys.js';
export { Xxh64, xxh64, xxh64Many } from './hash/xxh64.js';
export { type FormatOptions, formatId, parseId } from './ids/text.js';
export { formatIdColumn, formatIds, parseIds } from './ids/text-columns.js';
export { getBackend, loadBackend, setBackend } from './kernels/active.js';
export type { TextFormat } from './kernels/types.js';
export type { Field, FieldPlace, FieldSpec } from './layout/fields.js';
export type { IdLayout, LayoutTime } from './layout/id-layout.js';
export { defineLayout, Layout, layouts, parseLayout, type UnpackOptions } from './layout/layout.js';
export type { SqlDialect } from './layout/sql.js';
export type { TimeUnit } from './layout/time.js';
export type {
  ColumnsToPack,
  FieldSpecs,
  FieldValues,
  LayoutJson,
  OutColumns,
  UnpackedColumns,
  UnpackedValues,
} from './layout/types.js';
export type { MintEvent, MintPolicy } from './minting/call.js';
export { SnowflakeGenerator, type SnowflakeGeneratorOptions } from './minting/generator.js';
export type { HighWater, ShardLease } from './minting/lease.js';
export { fastRange, fastRangeMany, groupByShard, jumpHash, jumpHashMany } from './routing/buckets.js';
export type { Flow } from './routing/pair-counts.js';
export { planReshard, type ReshardPlan } from './routing/plan.js';
export { Router, type RouterOptions, type Strategy } from './routing/router.js';
export type { Routing } from './routing/routing.js';
export { typedKey } from './routing/typed-key.js';
