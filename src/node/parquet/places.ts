import type { PairCounts } from '../../routing/pair-counts.js';
import type { Routing } from '../../routing/routing.js';
import { calling, type KeyColumn, routing } from './keys.js';
import { literal, type Session } from './session.js';
import type { Source } from './source.js';

/** Keys and what routes them. */
export interface RoutedKeys {
  readonly key: KeyColumn;
  readonly router: Routing<any>;
  /** The place that each shard stands for. By default, shards are places. */
  readonly ofShard?: ArrayLike<number> | undefined;
  /** The shard of rows whose key is NULL. Without it there must be none. */
  readonly missing?: number | undefined;
  /** Called with the number of rows that have been routed. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** The place of each row as SQL: a UINTEGER. */
export function placeOf(session: Session, { key, router, ofShard, missing, onRows }: RoutedKeys): string {
  const shardsOf = routing(router, key);
  const numberOf = (shard: number) => ofShard?.[shard] ?? shard;
  let rows = 0;
  const call = calling(session, key, session.api.UINTEGER, (keys) => {
    const shards = shardsOf(keys);
    rows += shards.length;
    onRows?.(rows);
    return ofShard === undefined ? shards : shards.map(numberOf);
  });
  if (missing === undefined) return call;
  return `CASE WHEN ${key.sql} IS NULL THEN ${numberOf(missing)}::UINTEGER ELSE ${call} END`;
}

/** The name of a place, or its number if places have no names. */
export function labelOf(place: string, names: readonly string[] | undefined): string {
  return names === undefined ? place : `[${names.map(literal).join(', ')}][${place} + 1]`;
}

/** The number of the place with a name: a UINTEGER; NULL for another name. */
export function placeOfName(name: string, names: readonly string[]): string {
  return `CAST(nullif(list_position([${names.map(literal).join(', ')}], ${name}), 0) - 1 AS UINTEGER)`;
}

/** How many rows are in each of so many places. */
export async function placeCounts(session: Session, { from }: Source, place: string, places: number) {
  const counts = new Float64Array(places);
  const rows = await session.rows(`SELECT ${place} AS place, count(*) FROM ${from} GROUP BY 1`);
  for (const [place, count] of rows) {
    if (Number(place) >= places) throw new Error(`expected shards from 0 to ${places - 1}, got ${place}`);
    counts[Number(place)] = Number(count);
  }
  return counts;
}

/** Counts the rows whose numbers of two places differ. @param from a UINTEGER, as SQL; so is `to` */
export async function countPairs(
  session: Session,
  source: Source,
  from: string,
  to: string,
  pairs: PairCounts,
): Promise<void> {
  const both = `SELECT ${from} AS a, ${to} AS b FROM ${source.from}`;
  const query = `SELECT a, b, count(*) FROM (${both}) WHERE a <> b GROUP BY 1, 2`;
  for await (const chunk of session.chunks(query)) {
    for (const [from, to, count] of chunk.getRows() as [number, number, bigint][]) {
      pairs.addMany({ from, to, count: Number(count) });
    }
  }
}
