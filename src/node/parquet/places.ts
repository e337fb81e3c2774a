import { MAX_BUCKETS, wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { abilitiesOf, shardsOf } from '../../routing/routing.js';
import { calling, isIntegerBetween, isIntegerColumn, type RoutedKeys } from './keys.js';
import { literal } from './session.js';
import type { Column, Reading, Source } from './table.js';

/** A column that says in which shard a row is: a UINTEGER. @throws RangeError for a column that has no integers */
export function shardColumn(column: Column): Reading {
  const { sql, type } = column;
  if (!isIntegerColumn(type)) throw wrongValue('records.shard', 'a column of integers', `one of type ${type}`);
  const isShard = isIntegerBetween(column, 0n, BigInt(MAX_BUCKETS) - 1n);
  const requirement = { column, isWrong: `NOT coalesce(${isShard}, false)`, expected: 'the number of a shard' };
  return { sql: `CAST(${sql} AS UINTEGER)`, requirements: [requirement] };
}

/** A column that says on which node a row is: a VARCHAR. */
export function nodeColumn(column: Column): Reading {
  const requirement = { column, isWrong: `${column.sql} IS NULL`, expected: 'the name of a node' };
  return { sql: `CAST(${column.sql} AS VARCHAR)`, requirements: [requirement] };
}

/** A column that says on which node a row is, as the number of its name: a UINTEGER. */
export function nodeNumber(column: Column, names: readonly string[]): Reading {
  const position = `list_position(${listOf(names)}, CAST(${column.sql} AS VARCHAR))`;
  const sql = `CAST(nullif(${position}, 0) - 1 AS UINTEGER)`;
  const expected = `one of ${names.length} names, such as ${names[0]}`;
  return { sql, requirements: [{ column, isWrong: `${sql} IS NULL`, expected }] };
}

/** The place of all rows of each file. @param places in the order of the files */
export function placeOfFiles(places: readonly (number | string)[]): Reading {
  const values = places.map((place) => (typeof place === 'number' ? `${place}::UINTEGER` : literal(place)));
  return { sql: `[${values.join(', ')}][file_index::BIGINT + 1]`, requirements: [] };
}

const listOf = (names: readonly string[]): string => `[${names.map(literal).join(', ')}]`;

/** The name of a place, or its number if places have no names. */
export function labelOf(place: string, names: readonly string[] | undefined): string {
  return names === undefined ? place : `${listOf(names)}[${place} + 1]`;
}

/** The places of keys. */
interface PlaceOptions {
  /** The place that each shard stands for. By default, shards are places. */
  readonly ofShard?: ArrayLike<number> | undefined;
  /** The shard of rows whose key is NULL. Without it there must be none. */
  readonly missing?: number | undefined;
  /** Called with the number of rows that have been routed. */
  readonly onRows?: ((more: number) => void) | undefined;
}

/** The place of each row as SQL: a UINTEGER. A partitioner reads keys of its own kind in text. */
export function placeOf(source: Source, key: RoutedKeys, { ofShard, missing, onRows }: PlaceOptions): string {
  const { router } = key;
  const { routeText } = abilitiesOf(router);
  const numberOf = (shard: number) => ofShard?.[shard] ?? shard;
  const call = calling(source, key, 'UINTEGER', (keys) => {
    let shards: Uint32Array;
    if (key.kind === 'text' && routeText !== undefined) {
      const { data, offsets } = keys as BytesColumn;
      shards = new Uint32Array(offsets.length - 1);
      routeText.call(router, { data, starts: offsets.subarray(0, -1), ends: offsets.subarray(1) }, shards);
    } else shards = shardsOf(router, keys);
    onRows?.(shards.length);
    return ofShard === undefined ? shards : shards.map(numberOf);
  });
  if (missing === undefined) return call;
  return `CASE WHEN ${key.sql} IS NULL THEN ${numberOf(missing)}::UINTEGER ELSE ${call} END`;
}
