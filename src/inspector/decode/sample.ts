import { halvesOf } from './rows.js';

// Steps of the golden ratio spread evenly and meet no period that ids may have: every thousandth row of shards that
// take turns would be of a few shards.
const GOLDEN = 0.6180339887498949;

/** At most so many ids from all over a column, with the smallest and the largest of all. Rows with a problem are left out. */
export function sampleOf(ids: BigUint64Array, problems: Uint8Array, most: number): BigUint64Array {
  const halves = halvesOf(ids);
  const rows: number[] = [];
  let [least, largest] = [Number.POSITIVE_INFINITY, -1];
  for (let row = 0; row < ids.length; row++) {
    if (problems[row] !== 0) continue;
    // Ids that make the same number differ by less than matters for a guess.
    const id = (halves[2 * row + 1] as number) * 2 ** 32 + (halves[2 * row] as number);
    if (id < least) {
      least = id;
      rows[0] = row;
    }
    if (id > largest) {
      largest = id;
      rows[1] = row;
    }
  }
  for (let i = 0; i < Math.min(most, ids.length); i++) {
    const row = ids.length <= most ? i : Math.floor(((i * GOLDEN) % 1) * ids.length);
    if (problems[row] === 0) rows.push(row);
  }
  return BigUint64Array.from(rows, (row) => ids[row] as bigint);
}
