import type { PlacedFlow } from '../../node/jobs/moves.js';
import { leastMoved } from '../../routing/plan.js';
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

/** How many rows go from one place to another. */
export class Pairs implements Iterable<PlacedFlow> {
  readonly #from: PlacedFlow['from'][] = [];
  readonly #to: PlacedFlow['to'][] = [];
  readonly #counts: number[] = [];
  /** The number of rows in all. */
  rows = 0;

  /** @param query gives both places and the number of rows for each pair that there is */
  static async of(session: Session, query: string): Promise<Pairs> {
    const pairs = new Pairs();
    for await (const chunk of session.chunks(query)) {
      for (const [from, to, count] of chunk.getRows() as [PlacedFlow['from'], PlacedFlow['to'], bigint][]) {
        pairs.#from.push(from);
        pairs.#to.push(to);
        pairs.#counts.push(Number(count));
        pairs.rows += Number(count);
      }
    }
    return pairs;
  }

  *[Symbol.iterator](): Generator<PlacedFlow> {
    for (const [i, count] of this.#counts.entries()) yield { from: this.#from[i], to: this.#to[i], count };
  }
}

/** Where rows are now or afterwards. */
export interface PlacedSide {
  /** The place of each row, as SQL. */
  readonly place: string;
  readonly routing: Routing<any>;
}

/** Counts the rows that move. */
export async function movesBetween(
  session: Session,
  { from: rows, rows: total }: Source,
  from: PlacedSide,
  to: PlacedSide,
) {
  const both = `SELECT ${from.place} AS a, ${to.place} AS b FROM ${rows}`;
  const query = `SELECT a, b, count(*) FROM (${both}) WHERE a <> b GROUP BY 1, 2 ORDER BY 1, 2`;
  const flows = await Pairs.of(session, query);
  return { total, moved: flows.rows, ideal: total * leastMoved(from.routing, to.routing), flows };
}
