import { stepThrough } from '../arguments.js';
import type { BytesColumn } from '../columns/keys.js';
import { rowsOf } from '../routing/routing.js';
import type { TriedKeys } from './readings.js';

/** Steps of this share of the rows reach all parts of them evenly: the golden ratio. */
const STEP = 0.6180339887498949;

const MIN_SAMPLED = 64;

/**
 * Up to `most` rows with different keys, from all parts of the column. There are fewer if their keys would have more than
 * `maxBytes`, but at least {@link MIN_SAMPLED}. The same column always gives the same rows.
 */
export function sampleOf(keys: TriedKeys, most: number, maxBytes: number): Uint32Array {
  const rows = rowsOf(keys);
  const seen = new Set<string | number | bigint>();
  const sample: number[] = [];
  const step = stepThrough(rows, Math.max(1, Math.round(STEP * rows)));
  let bytes = 0;
  for (let i = 0, row = 0; i < rows && sample.length < most; i++, row = (row + step) % rows) {
    const key = 'offsets' in keys ? bytesAt(keys, row) : keys[row];
    if (seen.has(key)) continue;
    seen.add(key);
    sample.push(row);
    bytes += typeof key === 'string' ? key.length : 8;
    if (bytes > maxBytes && sample.length >= MIN_SAMPLED) break;
  }
  return Uint32Array.from(sample);
}

const decoder = new TextDecoder('latin1');

function bytesAt({ data, offsets }: BytesColumn, row: number): string {
  return decoder.decode(data.subarray(offsets[row], offsets[row + 1]));
}
