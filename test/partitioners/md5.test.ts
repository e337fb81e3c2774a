import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { partitionerKernels } from '../../src/kernels/partitioners.js';
import type { Spans } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { bytesColumn } from './samples.js';

const LONGEST = 300;

/** Rows of these lengths, one after the other, of random bytes. */
function rowsOf(lengths: readonly number[]): Spans {
  const { data, offsets } = bytesColumn(lengths.map((length) => randomBytes(length, length)));
  return { data, starts: offsets.subarray(0, -1) as Uint32Array, ends: offsets.subarray(1) as Uint32Array };
}

const everyLength = Array.from({ length: LONGEST + 1 }, (_, length) => length);

const ROWS: Record<string, () => Spans> = {
  'every length from 0 to 300': () => rowsOf(everyLength),
  'every length four times, for four rows at once': () =>
    rowsOf(everyLength.flatMap((length) => Array(4).fill(length))),
  'lengths around those that need one more block': () =>
    rowsOf(
      Array.from(randomU64s(20_000), (dice) => [0, 9, 55, 56, 63, 64, 119, 120, 128, 183][Number(dice % 10n)] ?? 0),
    ),
  'short rows': () => rowsOf(Array.from(randomU64s(20_001), (dice) => Number(dice % 56n))),
  'rows above 256 KiB': () => rowsOf([2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 2 ** 18 + 60, 5]),
};

onBothBackends('MD5 is as in OpenSSL, by its first 4 and 8 bytes', (kernels) => {
  it.each(Object.entries(ROWS))('%s', (_, make) => {
    const rows = make();
    const { hashSpans, hashBytes } = partitionerKernels(kernels);
    const hashes = new Uint32Array(rows.starts.length);
    const high = new BigUint64Array(rows.starts.length);
    hashSpans('md5', rows, hashes);
    hashSpans('md5High', rows, high);
    for (const [row, start] of rows.starts.entries()) {
      const bytes = rows.data.subarray(start, rows.ends[row]);
      const digest = createHash('md5').update(bytes).digest();
      const expected = [digest.readUInt32LE(), digest.readBigUInt64BE()];
      const one = row % 50 === 0 ? [hashBytes('md5', bytes), hashBytes('md5High', bytes)] : expected;
      if (hashes[row] === expected[0] && high[row] === expected[1] && one[0] === expected[0] && one[1] === expected[1])
        continue;
      expect({ row, length: bytes.length, results: [hashes[row], high[row], ...one] }).toEqual(expected);
    }
  });
});
