import { expect, test } from 'vitest';
import { bigint, type ColumnType, wasm } from '../../src/kernels/index.js';
import { sameBytes } from '../support/bytes.js';
import { randomU64s } from '../support/random.js';

// Columns of times, in both kernels alike. Pieces have 16384 rows.
const LENGTHS = [...Array.from({ length: 41 }, (_, length) => length), 16383, 16384, 16385, 32769];
const PLACES = [0, 1, 2, 7, 8, 39, 16383, 16384, 32768];

const EPOCHS = [1704067200123, -7, 0, 2 ** 52, -(2 ** 52)];

/** Milliseconds up to 2^32 after an epoch, with fractions where doubles hold them. */
function times(rows: number, epoch: number): Float64Array {
  return Float64Array.from(randomU64s(rows, rows), (random) => {
    return epoch + Number(random & 0xffffffffn) + Number(random >> 44n) / 2 ** 20;
  });
}

const column = (type: ColumnType, rows: number) => wasm.column(type, rows);

test.each(EPOCHS)('pack puts times since %d beside other fields, and unpack gives them back whole', (epoch) => {
  for (const rows of LENGTHS) {
    const ms = times(rows, epoch);
    const low = Uint16Array.from(randomU64s(rows, 7), Number);
    const units = BigUint64Array.from(ms, (value) => BigInt(Math.floor(value)) - BigInt(epoch));
    const expected = units.map((unit, row) => (1n << 63n) | (unit << 16n) | BigInt(low[row]));
    for (const kernels of [wasm, bigint]) {
      const ids = new BigUint64Array(rows).fill(7n);
      const fields = [
        { values: ms, shift: 16, mask: 2n ** 33n - 1n, epoch },
        { values: low, shift: 0, mask: 0xffffn },
      ];
      expect(kernels.pack(fields, 1n << 63n, ids)).toBe(true);
      expect(sameBytes(ids, expected)).toBe(true);
      const [values, lows] = [new Float64Array(rows), new Uint16Array(rows)];
      kernels.unpack(ids, [
        { values, shift: 16, mask: 2n ** 33n - 1n, epoch },
        { values: lows, shift: 0, mask: 0xffffn },
      ]);
      expect(sameBytes(values, ms.map(Math.floor))).toBe(true);
      expect(sameBytes(lows, low)).toBe(true);
    }
  }
});

test.each(EPOCHS)('pack says whether all times since %d fit, wherever one does not', (epoch) => {
  const mask = 0xffffn;
  const wrong = [epoch - 1, epoch + 65536, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const rows of [1, 2, 9, 40, 32769]) {
    const ids = new BigUint64Array(rows);
    const values = new Float64Array(rows).fill(epoch + 65535.25);
    for (const kernels of [wasm, bigint]) {
      expect(kernels.pack([{ values, shift: 4, mask, epoch }], 0n, ids)).toBe(true);
      expect(ids.every((id) => id === mask << 4n)).toBe(true);
      for (const row of PLACES.filter((place) => place < rows)) {
        for (const ms of wrong) {
          values[row] = ms;
          expect(kernels.pack([{ values, shift: 4, mask, epoch }], 0n, ids)).toBe(false);
        }
        values[row] = epoch + 65535;
      }
    }
  }
});

test('resident columns are worked on where they are', () => {
  const epoch = -1704067200123;
  const ms = times(20_000, epoch);
  const [from, ids] = [column('f64', 20_000), column('u64', 20_000)];
  try {
    (from.array as Float64Array).set(ms);
    const field = { values: from.array, shift: 1, mask: 2n ** 33n - 1n, epoch };
    expect(wasm.pack([field], 0n, ids.array as BigUint64Array)).toBe(true);
    wasm.unpack(ids.array as BigUint64Array, [field]);
    expect(from.array).toEqual(ms.map(Math.floor));
  } finally {
    for (const made of [from, ids]) made.free();
  }
});
