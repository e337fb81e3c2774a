import type { Layout } from '../../index.js';
import { fieldValue, layoutOf, PRESETS, timePlaceOf } from './layout-choice.js';
import { dateOf, microsOf } from './times.js';

/** Whether ids can be of a layout: dates that may be (3), no date to judge by (2), dates that are odd (1), never (0). */
export interface Verdict {
  readonly spec: string;
  readonly rank: 0 | 1 | 2 | 3;
  readonly reason: string;
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}

/** When those who use a layout began to: earlier dates are some other layout's. Epochs that are as late say it too. */
const IN_USE_SINCE: { readonly [preset: string]: number } = {
  mastodon: Date.UTC(2016, 9), // first release in October 2016, with the epoch of 1970
  sonyflake: Date.UTC(2014, 11), // first commit
};

/** Nobody made 64-bit ids of times before Twitter did, in 2010. */
const FIRST_USE = Date.UTC(2010, 0);

const DAY_MS = 86_400_000;

/** The day after the epoch: ids with such dates have hardly any bits in their timestamp. */
const EPOCH_MS = 2 * DAY_MS;

/** Clocks go wrong and zones get mixed up, by no more than this. */
const AHEAD_MS = 2 * DAY_MS;

/**
 * Judges every preset, most plausible first. Of equals, the one whose other fields need the fewest bits comes
 * first: shards, workers and sequences are small numbers more often than not.
 * @param ids a sample with the smallest and the largest
 */
export function rankLayouts(ids: BigUint64Array, now: number): Verdict[] {
  const judged = PRESETS.map((spec) => {
    const layout = layoutOf({ spec });
    return { verdict: judge(spec, layout, ids, now), used: usedBits(layout, ids) };
  });
  return judged.sort((a, b) => b.verdict.rank - a.verdict.rank || a.used - b.used).map(({ verdict }) => verdict);
}

export function judge(spec: string, layout: Layout, ids: BigUint64Array, now: number): Verdict {
  let largest = 0n;
  for (const id of ids) if (id > largest) largest = id;
  if (largest > layout.mask) {
    const bits = largest.toString(2).length;
    return { spec, rank: 0, reason: `cannot be: ${bits} bits are set, and the layout has ${layout.bits}` };
  }
  for (const place of layout.places.filter(({ min }) => min > 0)) {
    const low = ids.find((id) => fieldValue(place, id) < BigInt(place.min));
    if (low !== undefined) {
      return {
        spec,
        rank: 0,
        reason: `cannot be: ${place.name} is ${fieldValue(place, low)}, and begins at ${place.min}`,
      };
    }
  }
  return judgeDates(spec, layout, ids, now);
}

function judgeDates(spec: string, layout: Layout, ids: BigUint64Array, now: number): Verdict {
  const { time } = layout;
  const place = timePlaceOf(layout);
  if (time === undefined || place === undefined) {
    return { spec, rank: 2, reason: 'may be: it has no date to judge by' };
  }
  let least = place.mask;
  let most = 0n;
  for (const id of ids) {
    const units = fieldValue(place, id);
    if (units < least) least = units;
    if (units > most) most = units;
  }
  const first = dateOf(microsOf(time, least));
  const last = dateOf(microsOf(time, most));
  const dates = { first: first?.toISOString(), last: last?.toISOString() };
  const on = (date: Date) => date.toISOString().slice(0, 10);
  const bad = (reason: string): Verdict => ({ spec, rank: 1, reason: `hardly: ${reason}`, ...dates });
  if (first === undefined || last === undefined) return bad('dates beyond the calendar');
  const since = Math.max(IN_USE_SINCE[spec] ?? 0, FIRST_USE);
  if (last.getTime() > now + AHEAD_MS) return bad(`dates to come, up to ${on(last)}`);
  if (first.getTime() < time.epoch + EPOCH_MS && least < 2n ** BigInt(place.bits) / 1024n) {
    return bad(`dates at its very beginning, ${on(first)}`);
  }
  if (first.getTime() < since) return bad(`dates before its use, from ${on(first)}`);
  const range = on(first) === on(last) ? on(first) : `${on(first)} to ${on(last)}`;
  return { spec, rank: 3, reason: `plausible: ${range}`, ...dates };
}

const COUNTERS = ['sequence', 'increment', 'tail'];

/**
 * Bits that the values besides the timestamp need, on average. What says where an id was made counts as one number,
 * however many fields it has: or layouts with more fields would always seem to need less.
 */
function usedBits({ places, time }: Layout, ids: BigUint64Array): number {
  const others = places.filter(({ name }) => name !== time?.name);
  let bits = 0;
  for (const id of ids) {
    let node = 0n;
    for (const place of others) {
      const value = fieldValue(place, id);
      if (COUNTERS.includes(place.name)) bits += bitLength(value);
      else node = (node << BigInt(place.bits)) | value;
    }
    bits += bitLength(node);
  }
  return bits / Math.max(1, ids.length);
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

// Steps of the golden ratio spread evenly and meet no period that ids may have: every thousandth row of shards that
// take turns would be of a few shards.
const GOLDEN = 0.6180339887498949;

/** At most so many ids from all over a column, with the smallest and the largest of all. Rows with a problem are left out. */
export function sampleOf(ids: BigUint64Array, problems: Uint8Array, most: number): BigUint64Array {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  let least = -1;
  let largest = -1;
  for (let row = 0; row < ids.length; row++) {
    if (problems[row] !== 0) continue;
    if (least < 0 || below(halves, row, least)) least = row;
    if (largest < 0 || below(halves, largest, row)) largest = row;
  }
  if (least < 0) return new BigUint64Array(0);
  const sample = [ids[least] as bigint, ids[largest] as bigint];
  for (let i = 0; i < Math.min(most, ids.length); i++) {
    const row = ids.length <= most ? i : Math.floor(((i * GOLDEN) % 1) * ids.length);
    if (problems[row] === 0) sample.push(ids[row] as bigint);
  }
  return BigUint64Array.from(sample);
}

/** Little-endian halves: a tenth of the time that comparing bigints takes. */
function below(halves: Uint32Array, a: number, b: number): boolean {
  const high = (halves[2 * a + 1] as number) - (halves[2 * b + 1] as number);
  return high < 0 || (high === 0 && (halves[2 * a] as number) < (halves[2 * b] as number));
}
