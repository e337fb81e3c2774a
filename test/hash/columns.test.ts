import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BytesColumn, xxh64, xxh64Many } from '../../src/index.js';
import { type Kernels, wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';

const PIECE_BYTES = 256 * 1024;

/** Lengths about four rows, and about the pieces of 16,384 that cross to WebAssembly. */
const lengths = (kernels: Kernels) => [
  ...[0, 1, 2, 3, 4, 5, 7, 8, 9],
  ...(IS_WHOLE || kernels === wasm ? [16383, 16384, 16385, 32769] : [16385]),
];

/** One hash a row, each by itself. */
function rowByRow({ data, offsets }: BytesColumn, seed?: bigint): BigUint64Array {
  return BigUint64Array.from({ length: Math.max(0, offsets.length - 1) }, (_, row) =>
    xxh64(data.slice(offsets[row], offsets[row + 1]), seed),
  );
}

/** Rows of these lengths, one after the other from `start` on. */
function columnOf(lengths: readonly number[], start = 0, after = 0): BytesColumn {
  const offsets = new Uint32Array(lengths.length + 1).fill(start);
  lengths.forEach((length, row) => {
    offsets[row + 1] = offsets[row] + length;
  });
  return { data: randomBytes(offsets[lengths.length] + after), offsets };
}

onBothBackends('xxh64Many of strings', (kernels) => {
  const texts = (rows: number, text: (row: number) => string) => Array.from({ length: rows }, (_, row) => text(row));
  const rowsOf = (column: readonly string[]) => BigUint64Array.from(column, (text) => xxh64(text));

  it.each(lengths(kernels))('%i of them', (rows) => {
    const ascii = texts(rows, (row) => `user:${row * 7919}`);
    const mixed = texts(rows, (row) => (row % 5 === 0 ? '' : `${row}${['a', 'ж', '你', '😀'][row % 4]}`));
    expect(xxh64Many(ascii)).toEqual(rowsOf(ascii));
    expect(xxh64Many(mixed)).toEqual(rowsOf(mixed));
  });

  it('of every length from 0 to 300', () => {
    const ascii = texts(301, (row) => 'x'.repeat(row));
    const wide = texts(301, (row) => '你'.repeat(row));
    expect(xxh64Many(ascii)).toEqual(rowsOf(ascii));
    expect(xxh64Many(wide)).toEqual(rowsOf(wide));
  });

  it('empty ones only, and none', () => {
    expect(xxh64Many(new Array(40).fill(''))).toEqual(new BigUint64Array(40).fill(xxh64('')));
    expect(xxh64Many([])).toEqual(new BigUint64Array());
  });

  it('longer ones than any internal piece between short ones', () => {
    for (const unit of IS_WHOLE || kernels === wasm ? ['a', 'ж', '你', '😀'] : ['ж']) {
      const long = unit.repeat(Math.ceil((PIECE_BYTES + 5) / unit.length));
      const justUnder = unit.repeat(Math.floor(PIECE_BYTES / 3 / unit.length));
      const column = ['a', '', long, 'b', justUnder, justUnder, '', long, long, 'c'];
      expect(xxh64Many(column)).toEqual(rowsOf(column));
    }
  });

  it('a frozen array, with a seed', () => {
    expect(xxh64Many(Object.freeze(['a', 'b']), { seed: 5n })).toEqual(
      BigUint64Array.of(xxh64('a', 5n), xxh64('b', 5n)),
    );
  });
});

onBothBackends('xxh64Many of a BytesColumn', (kernels) => {
  it('with rows of every length from 0 to 300', () => {
    const column = columnOf(Array.from({ length: 301 }, (_, length) => length));
    expect(xxh64Many(column, { seed: 77n })).toEqual(rowByRow(column, 77n));
  });

  it.each(lengths(kernels))('of %i rows', (rows) => {
    const column = columnOf(Array.from(randomU64s(rows), (value) => Number(value % 24n)));
    expect(xxh64Many(column)).toEqual(rowByRow(column));
  });

  it('as the same strings', () => {
    const texts = ['', 'a', 'ж', '', '你好😀', 'z'.repeat(100)];
    const data = utf8(texts.join(''));
    let end = 0;
    const offsets = Uint32Array.of(0, ...texts.map((text) => (end += utf8(text).length)));
    expect(xxh64Many({ data, offsets })).toEqual(xxh64Many(texts));
  });

  it('without rows: one offset, or, as Arrow allows, none', () => {
    for (const offsets of [new Uint32Array(), Uint32Array.of(0), Uint32Array.of(3)]) {
      expect(xxh64Many({ data: randomBytes(3), offsets })).toEqual(new BigUint64Array());
      expect(xxh64Many({ data: randomBytes(3), offsets }, { out: new BigUint64Array() })).toHaveLength(0);
    }
    expect(xxh64Many({ data: new Uint8Array(), offsets: new Uint32Array() })).toEqual(new BigUint64Array());
  });

  it('of empty rows only, also of no data at all, or at its end', () => {
    const empty = new BigUint64Array(3).fill(xxh64(''));
    expect(xxh64Many({ data: new Uint8Array(), offsets: new Uint32Array(4) })).toEqual(empty);
    expect(xxh64Many({ data: randomBytes(9), offsets: new Uint32Array(4).fill(9) })).toEqual(empty);
  });

  it('whose offsets are a slice of a larger column, also far into the data', () => {
    const rows = IS_WHOLE || kernels === wasm ? 50_000 : 18_000;
    const whole = columnOf(Array.from(randomU64s(rows), (value) => Number(value % 48n)));
    const all = xxh64Many(whole);
    for (const [from, to] of [
      [1, rows],
      [rows - 1000, rows - 900],
      [16_384, rows - 1500],
      [rows / 2, rows / 2],
    ] as const) {
      const slice = { data: whole.data, offsets: whole.offsets.subarray(from, to + 1) };
      expect(xxh64Many(slice)).toEqual(all.slice(from, to));
    }
  });

  it('whose data begins and ends with bytes of no row', () => {
    const column = columnOf([3, 0, 40, 1], 1000, 50);
    expect(xxh64Many(column)).toEqual(rowByRow(column));
  });

  it('whose data is a view into a larger buffer', () => {
    const { data, offsets } = columnOf([0, 1, 31, 32, 33, 200]);
    const within = new Uint8Array(new ArrayBuffer(data.length + 20), 5, data.length);
    within.set(data);
    expect(xxh64Many({ data: within, offsets })).toEqual(rowByRow({ data, offsets }));
  });

  it('that is a Buffer where there is one, as Buffer is a Uint8Array', () => {
    const data = globalThis.Buffer?.from('abc') ?? utf8('abc');
    expect(xxh64Many({ data, offsets: Uint32Array.of(0, 1, 3) })).toEqual(xxh64Many(['a', 'bc']));
  });

  it('on shared memory', () => {
    const { data, offsets } = columnOf([10, 0, 300_000, 5, 77]);
    const sharedData = new Uint8Array(new SharedArrayBuffer(data.length));
    const sharedOffsets = new Uint32Array(new SharedArrayBuffer(offsets.byteLength));
    sharedData.set(data);
    sharedOffsets.set(offsets);
    expect(xxh64Many({ data: sharedData, offsets: sharedOffsets })).toEqual(rowByRow({ data, offsets }));
  });

  it.each([
    ['alone', [PIECE_BYTES + 1]],
    ['between short ones', [3, 0, PIECE_BYTES + 1, 0, 40, 400_000, 400_000, 7]],
    ['just as long as a piece', [1, PIECE_BYTES, PIECE_BYTES, 1]],
    ['one short of a piece', [PIECE_BYTES - 1, 1, PIECE_BYTES - 1, 2]],
    ['filling a piece together', [PIECE_BYTES / 2, PIECE_BYTES / 2, 0, PIECE_BYTES / 2, PIECE_BYTES / 2 + 1]],
  ])('with rows around the size of an internal piece: %s', (_, lengths) => {
    const column = columnOf(lengths, 13, 13);
    expect(xxh64Many(column, { seed: 1n })).toEqual(rowByRow(column, 1n));
  });

  it('whatever the lengths', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 70 }), { maxLength: 60 }), fc.nat({ max: 40 }), (lengths, start) => {
        const column = columnOf(lengths, start, 7);
        expect(xxh64Many(column)).toEqual(rowByRow(column));
      }),
      { numRuns: 100 },
    );
  });

  it('without a change to it', () => {
    const column = columnOf([5, 0, 100]);
    const copy = { data: column.data.slice(), offsets: column.offsets.slice() };
    xxh64Many(column);
    expect(column).toEqual(copy);
  });
});
