import type { RingServer } from '../partitioners/ring.js';
import type { RoutingKeys } from '../routing/routing.js';
import { type Detected, detect } from './detect.js';
import { pick } from './readings.js';

/** A detection in words, for those who show it to people. */
export interface Report extends Detected {
  /** The rows that do not fit the verdict, from 0. */
  readonly foreign: Uint32Array;
  /** The verdict and what else the rows show, or why there is no verdict. */
  readonly sentence: string;
}

/**
 * Detects who placed rows, and among those who do not fit the verdict, too.
 * @param given the number of shards, if it is known
 * @param servers for the mappings that need some, as many as shards
 * @throws as `detectRouting`
 */
export function reportOf(
  keys: RoutingKeys,
  shards: Uint32Array,
  given: number | undefined,
  servers?: readonly RingServer[],
): Report {
  const found = detect(keys, shards, { shards: given }, servers);
  const foreign = foreignRows(found, shards);
  const sentence = found.verdict === undefined ? `No verdict: ${whyNot(found, shards, given)}.` : verdictOf(found);
  return { ...found, foreign, sentence };

  function verdictOf({ verdict, rows, shards: count }: Detected): string {
    const fit = `${verdict?.name}: ${number(rows - foreign.length)} of ${number(rows)} rows`;
    if (foreign.length === 0) return fit;
    const theirs = foreign.map((row) => shards[row]);
    const { verdict: other } = detect(pick(keys, foreign), theirs, { shards: count }, servers);
    const whose = other === undefined ? '' : `, of which ${number(other.agree)} fit ${other.name}`;
    const were = foreign.length === 1 ? '1 row was' : `${number(foreign.length)} rows were`;
    return `${fit}; ${were} placed by something else${whose}`;
  }
}

function foreignRows({ verdict, placed }: Detected, shards: Uint32Array): Uint32Array {
  if (verdict === undefined || placed === undefined) return new Uint32Array(0);
  const rows = new Uint32Array(shards.length);
  let count = 0;
  for (let row = 0; row < shards.length; row++) if (shards[row] !== placed[row]) rows[count++] = row;
  return rows.slice(0, count);
}

function whyNot({ rows, needed, alike, candidates }: Detected, shards: Uint32Array, given: number | undefined): string {
  if (rows === 0) return 'there are no rows';
  const largest = shards.reduce((most, shard) => Math.max(most, shard), 0);
  if (given !== undefined && largest >= given) return `shard ${largest} is not one of ${number(given)} shards`;
  if (!Number.isFinite(needed)) return 'all rows are in one shard';
  if (rows < needed)
    return `${number(rows)} rows are too few; at least ${number(needed)} with different keys are needed`;
  if (alike !== undefined) {
    return `${candidates[0].name}, fits, but ${number(alike)} fit as well; give the number, or take more rows`;
  }
  return 'no known mapping puts most of the rows in their shards';
}

const number = (value: number): string => value.toLocaleString('en');
