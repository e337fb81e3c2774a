import { expect, it } from 'vitest';
import { type Keys, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes, randomU64s } from '../support/random.js';

const UNTOUCHED = 0x5555555555555555n;
const ROWS = 20_000; // more than go through the kernels at a time

const columns: readonly [string, Keys][] = [
  ['strings', Array.from({ length: ROWS }, (_, row) => `key ${row}`)],
  ['bytes', { data: randomBytes(ROWS * 3), offsets: Uint32Array.from({ length: ROWS + 1 }, (_, row) => row * 3) }],
  ['u64s', randomU64s(ROWS)],
  ['signed u64s', new BigInt64Array(randomU64s(ROWS).buffer)],
];

onBothBackends('xxh64Many writes to out', () => {
  it.each(columns)('for %s, and gives it back', (_, keys) => {
    const out = new BigUint64Array(ROWS).fill(UNTOUCHED);
    expect(xxh64Many(keys, { out })).toBe(out);
    expect(out).toEqual(xxh64Many(keys));
  });

  it.each(columns)('for %s, on shared memory', (_, keys) => {
    const out = new BigUint64Array(new SharedArrayBuffer(ROWS * 8));
    expect(xxh64Many(keys, { out })).toBe(out);
    expect(BigUint64Array.from(out)).toEqual(xxh64Many(keys));
  });

  it.each(columns)('for %s, and not beside it', (_, keys) => {
    const around = new BigUint64Array(ROWS + 2).fill(UNTOUCHED);
    xxh64Many(keys, { out: around.subarray(1, ROWS + 1) });
    expect(around.subarray(1, ROWS + 1)).toEqual(xxh64Many(keys));
    expect([around[0], around[ROWS + 1]]).toEqual([UNTOUCHED, UNTOUCHED]);
  });

  it('which may be the keys themselves', () => {
    const keys = randomU64s(ROWS);
    const expected = xxh64Many(keys);
    expect(xxh64Many(keys, { out: keys })).toBe(keys);
    expect(keys).toEqual(expected);
  });

  it('which may be the memory of signed keys', () => {
    const keys = randomU64s(ROWS);
    const expected = xxh64Many(keys);
    xxh64Many(new BigInt64Array(keys.buffer), { out: keys });
    expect(keys).toEqual(expected);
  });

  it('and makes a new array each time when there is none', () => {
    const first = xxh64Many(['a']);
    const second = xxh64Many(['b']);
    expect(first).toEqual(BigUint64Array.of(xxh64('a')));
    expect(second.buffer).not.toBe(first.buffer);
  });
});

onBothBackends('xxh64Many refuses an out', () => {
  // All rows are empty but the last, which is all of the data: earlier hashes must not go over it.
  it.each([2, ROWS])('that is the very memory of the data of %i rows, unless the hashes come out right', (rows) => {
    const memory = randomU64s(rows);
    const before = memory.slice();
    const data = new Uint8Array(memory.buffer);
    const offsets = new Uint32Array(rows + 1);
    offsets[rows] = data.length;
    const expected = xxh64Many({ data: data.slice(), offsets });
    let refused: unknown;
    try {
      xxh64Many({ data, offsets }, { out: memory });
    } catch (error) {
      refused = error;
    }
    if (refused !== undefined) expect(refused).toBeInstanceOf(RangeError);
    expect(memory.at(-1)).toBe((refused === undefined ? expected : before).at(-1));
  });
});
