import { expect, test } from 'vitest';
import { bigint, type ColumnType, wasm } from '../../src/kernels/index.js';
import { sameBytes } from '../support/bytes.js';
import { randomU64s } from '../support/random.js';

// Columns of times, in both kernels alike. Pieces have 16384 rows.
const LENGTHS = [...Array.from({ length: 41 }, (_, length) => length), 16383, 16384, 16385, 32769];
const PLACES = [0, 1, 2, 7, 8, 39, 16383, 16384, 32768];

const SCALES = [
  { offset: 1704067200123, mul: 1000, div: 1 },
  { offset: -7, mul: 10, div: 1 },
  { offset: 0, mul: 1, div: 1 },
  { offset: 1704067200123000, mul: 10, div: 1000 },
  { offset: -1704067200123000, mul: 1, div: 1000 },
];
type Scale = (typeof SCALES)[number];

/** Milliseconds in every unit up to 2^32 units after the first, with fractions. */
function times(rows: number, { offset, mul, div }: Scale): Float64Array {
  return Float64Array.from(randomU64s(rows, rows + mul), (random) => {
    const unit = Number(random & 0xffffffffn);
    return (offset + unit * mul) / div + Number(random >> 44n) / 2 ** 20;
  });
}

/** In integers. Times of so many milliseconds are multiples of 2^-20. */
function unitAt(ms: number, { offset, mul, div }: Scale): number {
  const whole = BigInt(Math.floor(ms));
  const part = BigInt((ms - Math.floor(ms)) * 2 ** 20);
  const ticks = div === 1 ? whole : whole * 1000n + ((part * 1000n + 2n ** 19n) >> 20n);
  const since = ticks - BigInt(offset);
  const unit = since / BigInt(mul);
  return Number(unit * BigInt(mul) > since ? unit - 1n : unit);
}

const column = (type: ColumnType, rows: number) => wasm.column(type, rows);

test.each(SCALES)('pack puts the units of times beside other fields, and unpack gives when they begin: %o', (time) => {
  const { offset, mul, div } = time;
  for (const rows of LENGTHS) {
    const ms = times(rows, time);
    const low = Uint16Array.from(randomU64s(rows, 7), Number);
    const units = BigUint64Array.from(ms, (value) => BigInt(unitAt(value, time)));
    const expected = units.map((unit, row) => (1n << 63n) | (unit << 16n) | BigInt(low[row] as number));
    const begins = Float64Array.from(units, (unit) => (offset + Number(unit) * mul) / div);
    for (const kernels of [wasm, bigint]) {
      const ids = new BigUint64Array(rows).fill(7n);
      const fields = [
        { values: ms, shift: 16, mask: 2n ** 33n - 1n, time },
        { values: low, shift: 0, mask: 0xffffn },
      ];
      expect(kernels.pack(fields, 1n << 63n, ids)).toBe(true);
      expect(sameBytes(ids, expected)).toBe(true);
      const [values, lows] = [new Float64Array(rows), new Uint16Array(rows)];
      kernels.unpack(ids, [
        { values, shift: 16, mask: 2n ** 33n - 1n, time },
        { values: lows, shift: 0, mask: 0xffffn },
      ]);
      expect(sameBytes(values, begins)).toBe(true);
      expect(sameBytes(lows, low)).toBe(true);
    }
  }
});

test.each(SCALES)('pack says whether all times fit, wherever one does not: %o', (time) => {
  const { offset, mul, div } = time;
  const mask = 0xffffn;
  const at = (unit: number) => (offset + unit * mul) / div;
  const wrong = [at(-1), at(65536), Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const rows of [1, 2, 9, 40, 32769]) {
    const ids = new BigUint64Array(rows);
    const values = new Float64Array(rows).fill(at(65535));
    for (const kernels of [wasm, bigint]) {
      expect(kernels.pack([{ values, shift: 4, mask, time }], 0n, ids)).toBe(true);
      expect(ids.every((id) => id === mask << 4n)).toBe(true);
      for (const row of PLACES.filter((place) => place < rows)) {
        for (const ms of wrong) {
          values[row] = ms;
          expect(kernels.pack([{ values, shift: 4, mask, time }], 0n, ids)).toBe(false);
        }
        values[row] = at(65535);
      }
    }
  }
});

test('resident columns are worked on where they are', () => {
  const time = SCALES[4] as Scale;
  const ms = times(20_000, time);
  const begins = ms.map((value) => (time.offset + unitAt(value, time) * time.mul) / time.div);
  const [from, ids] = [column('f64', 20_000), column('u64', 20_000)];
  try {
    (from.array as Float64Array).set(ms);
    const field = { values: from.array, shift: 1, mask: 2n ** 33n - 1n, time };
    expect(wasm.pack([field], 0n, ids.array as BigUint64Array)).toBe(true);
    wasm.unpack(ids.array as BigUint64Array, [field]);
    expect(from.array).toEqual(begins);
  } finally {
    for (const made of [from, ids]) made.free();
  }
});
