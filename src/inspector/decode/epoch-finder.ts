import type { TimeUnit } from '../../index.js';

// An id that begins with its time, in a layout that nobody names: dates of some ids tell where the time ends, what it counts
// and from when. For the right place and unit, the date less the time is the same for all ids: it is the epoch.

const UNITS: Record<TimeUnit, number> = { s: 1000, '10ms': 10, ms: 1, '10us': 0.01, us: 0.001 };

/** The fewest rows that tell anything, and the share of them that has to agree. */
const MIN_ROWS = 5;
const AGREEING = 0.9;

/** Epochs may differ by so much of the time that the dates span: 1000 units are not taken for 1024 of another place. */
const MAX_SCATTER = 0.01;

/** The precisions of dates, besides milliseconds: days, hours, minutes and seconds. */
const GRAINS = [86_400_000, 3_600_000, 60_000, 1000];

/**
 * The time at the top of ids, from the dates that they have; undefined if the dates do not follow from the ids.
 * @param dates in Unix milliseconds; NaN where there is none
 */
export function findEpoch(ids: BigUint64Array, dates: ArrayLike<number>) {
  const rows = Array.from(ids.keys()).filter((row) => !Number.isNaN(dates[row]));
  if (rows.length < MIN_ROWS) return undefined;
  const known = Float64Array.from(rows, (row) => dates[row]);
  const most = MAX_SCATTER * narrowest(known);
  const others = Math.floor((1 - AGREEING) * rows.length);
  let best: { shift: number; unit: TimeUnit; width: number; epochs: Float64Array } | undefined;
  for (let shift = 8; shift <= 45; shift++) {
    const units = Float64Array.from(rows, (row) => Number(ids[row] >> BigInt(shift)));
    for (const unit of Object.keys(UNITS) as TimeUnit[]) {
      const size = UNITS[unit];
      // Nothing counts time from before 1970, which leaves few of all places and units.
      let early = 0;
      for (let i = 0; i < units.length && early <= others; i++) early += Number(units[i] * size > known[i] + GRAINS[0]);
      if (early > others) continue;
      const epochs = known.map((date, i) => date - units[i] * size);
      const width = narrowest(epochs);
      if (width < (best?.width ?? most)) best = { shift, unit, width, epochs };
    }
  }
  if (!best) return undefined;
  const { shift, unit, width, epochs } = best;
  const grain = GRAINS.find((each) => known.every((date) => date % each === 0)) ?? 1;
  const margin = Math.max(width, grain, UNITS[unit]);
  const median = epochs.slice().sort()[epochs.length >> 1];
  // Dates and units are those that began before.
  const epoch = roundDate(median + (grain - UNITS[unit]) / 2, margin);
  const agreeing = epochs.filter((each) => Math.abs(each - epoch) <= width + margin).length;
  // What is written in a JavaScript number, in a signed and in an unsigned one.
  const longest = ids.reduce((all, id) => all | id, 0n).toString(2).length;
  const bits = ([53, 63].find((width) => longest <= width) ?? 64) - shift;
  return { bits, shift, unit, epoch, agreeing, rows: rows.length };
}

/** The width of the narrowest range that has nearly all of the values. */
function narrowest(values: Float64Array): number {
  const sorted = values.slice().sort();
  const among = Math.ceil(AGREEING * sorted.length) - 1;
  return sorted.subarray(among).reduce((width, to, i) => Math.min(width, to - sorted[i]), Number.POSITIVE_INFINITY);
}

/** The roundest instant that is at most `margin` from another: a year, or else a month, a day, an hour, a minute, a second. */
function roundDate(near: number, margin: number): number {
  const last = new Date(near + margin).toISOString();
  const starts = [Date.parse(last.slice(0, 4)), Date.parse(last.slice(0, 7))];
  const rounded = [...GRAINS, 1].map((grain) => Math.round(near / grain) * grain);
  return [...starts, ...rounded].find((each) => Math.abs(each - near) <= margin) ?? near;
}
