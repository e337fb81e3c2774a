import { expect, test } from 'vitest';
import { defineLayout, type Layout, layouts, setBackend } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { sameBytes } from '../support/bytes.js';
import { numberTimeMask } from '../support/number-times.js';
import { randomU64s } from '../support/random.js';
import { IS_FULL } from '../support/scale.js';

// Kernels work in pieces of 16384 rows: lengths about that, and in the full run beyond it twice.
const LENGTHS = [
  ...Array.from({ length: 41 }, (_, length) => length),
  16383,
  16384,
  16385,
  ...(IS_FULL ? [40000] : []),
];

// One column of every type that comes out: u8, u16, u32, f64; and u64 in the other layout.
const mixed = defineLayout({ f: 36, w: 18, h: 9, b: 1 });
const wide = defineLayout({ u: 55, b: 7, h: 2 });

onBothBackends('columns of any length', () => {
  test.each(LENGTHS)('%i rows are unpacked, each to its own place', (rows) => {
    const ids = randomU64s(rows, rows);
    const { f, w, h, b } = mixed.unpackMany(ids);
    expect([f, w, h, b].map((column) => column.length)).toEqual([rows, rows, rows, rows]);
    const wrong = ids.findIndex(
      (id, row) => id !== BigInt(f[row]) * 2n ** 28n + BigInt(w[row]) * 1024n + BigInt(h[row]) * 2n + BigInt(b[row]),
    );
    expect(wrong).toBe(-1);
    const { u } = wide.unpackMany(ids, { fields: ['u'] });
    expect(ids.findIndex((id, row) => id / 512n !== u[row])).toBe(-1);
  });

  test.each(LENGTHS)('%i rows are packed, each to its own place', (rows) => {
    const random = randomU64s(rows, rows + 1);
    const u = random.map((value) => value >> 9n);
    const b = Uint8Array.from(random, (value) => Number(value & 127n));
    const ids = wide.packMany({ u, b, h: 3 });
    expect(ids.length).toBe(rows);
    expect(ids.findIndex((id, row) => id !== u[row] * 512n + BigInt(b[row]) * 4n + 3n)).toBe(-1);
  });

  test.each(LENGTHS)('%i rows: unpacked and packed again they are the same', (rows) => {
    const ids = randomU64s(rows, rows + 2);
    const again = mixed.packMany(mixed.unpackMany(ids), { out: new BigUint64Array(rows) });
    expect(sameBytes(again, ids)).toBe(true);
  });
});

test.each(
  Object.entries({ ...layouts, mixed, wide }) as unknown as [string, Layout][],
)('both backends give the same bits for %s', (_, layout) => {
  // Any ids of the layout: those with a field under its smallest value are made to fit.
  const mins = layout.places.reduce((id, { min, shift }) => id | (BigInt(min) << BigInt(shift)), 0n);
  const ids = randomU64s(16500).map((id) => (id & numberTimeMask(layout)) | mins);
  const run = () => {
    const columns = layout.unpackMany(ids);
    const all = layout.unpackMany(ids, { wide: true });
    return [...Object.values(columns), ...Object.values(all), layout.packMany(columns), layout.packMany(all)];
  };
  try {
    setBackend('wasm');
    const fromWasm = run();
    setBackend('bigint');
    const fromBigint = run();
    expect(fromWasm.map((column) => column.constructor)).toEqual(fromBigint.map((column) => column.constructor));
    expect(fromWasm.map((column, i) => sameBytes(column, fromBigint[i] as Uint8Array))).not.toContain(false);
  } finally {
    setBackend('auto');
  }
});
