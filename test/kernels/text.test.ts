import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigint, type ColumnArrays, type ColumnType, type Kernels, PIECE_ROWS, wasm } from '../../src/kernels/index.js';
import { lineKernels } from '../../src/kernels/records.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Resident arrays, all made before any is taken, as making one may outdate those taken before. */
function residents<T extends readonly [ColumnType, number][]>(kernels: Kernels, ...kinds: T) {
  const columns = kinds.map(([type, length]) => kernels.column(type, length));
  return columns.map((column) => column.array) as unknown as { [I in keyof T]: ColumnArrays[T[I][0]] };
}

function findLines(kernels: Kernels, bytes: Uint8Array, most: number) {
  const [data, starts, ends] = residents(kernels, ['u8', bytes.length], ['u32', most + 1], ['u32', most]);
  data.set(bytes);
  const count = lineKernels(kernels).lines(data, [0, data.length], 0x0a, starts, ends);
  return { rest: starts[count], lines: Array.from({ length: count }, (_, i) => [starts[i], ends[i]]) };
}

/** The lines of a text that have ended, by splitting. */
function splitLines(text: string): string[] {
  const pieces = text.split('\n');
  pieces.pop();
  return pieces.map((line) => line.replace(/\r$/, ''));
}

onBothBackends('the newline index', (kernels) => {
  const texts = (bytes: Uint8Array) =>
    findLines(kernels, bytes, 1000).lines.map(([start, end]) => decoder.decode(bytes.subarray(start, end)));

  it('ends a line at \\n and at \\r\\n, and keeps any other \\r', () => {
    expect(texts(encoder.encode('a\nb\r\n\r\n\nc\rd\n\r\r\nlast'))).toEqual(['a', 'b', '', '', 'c\rd', '\r']);
  });

  it('finds newlines at every place of every length', () => {
    for (let length = 1; length < 70; length++) {
      for (let at = 0; at < length; at++) {
        const bytes = new Uint8Array(length).fill(0x61);
        bytes[at] = 0x0a;
        expect(findLines(kernels, bytes, 4)).toEqual({ lines: [[0, at]], rest: at + 1 });
      }
    }
  });

  it('is what splitting gives, for any mix of newlines', () => {
    const unit = fc.constantFrom('a', '\n', '\r', '\r\n', 'xyz', ' '.repeat(20));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
        const text = units.join('');
        expect(texts(encoder.encode(text))).toEqual(splitLines(text));
      }),
    );
  });

  it('stops when it has as many lines as there is room for, and can go on from there', () => {
    const bytes = encoder.encode('a\nbb\nccc\n');
    expect(findLines(kernels, bytes, 2)).toEqual({
      lines: [
        [0, 1],
        [2, 4],
      ],
      rest: 5,
    });
  });
});

onBothBackends('decimal text', (kernels) => {
  function parse(rows: string[]) {
    const bytes = encoder.encode(rows.join(''));
    const [data, starts, ends, values] = residents(
      kernels,
      ['u8', bytes.length],
      ['u32', rows.length],
      ['u32', rows.length],
      ['u64', rows.length],
    );
    data.set(bytes);
    let at = 0;
    rows.forEach((row, i) => {
      starts[i] = at;
      at += row.length;
      ends[i] = at;
    });
    return { bad: kernels.parseSpans({ data, starts, ends }, 'dec', values), values: Array.from(values) };
  }

  it('is read up to 2^64 - 1, with leading zeros', () => {
    const values = [0n, 1n, 9n, 10n, 2n ** 53n, 2n ** 64n - 1n, 18446744073709551609n, ...randomU64s(1000)];
    const rows = values.map((value, i) => '0'.repeat(i % 3) + value);
    expect(parse(rows)).toEqual({ bad: -1, values });
  });

  it.each([
    '',
    '-1',
    '+1',
    '1.0',
    '1e3',
    ' 1',
    '1 ',
    '0x10',
    'a',
    '18446744073709551616',
    '99999999999999999999',
    '1'.repeat(40),
    '1\0',
    '/',
    ':',
  ])('names the row of %j', (bad) => {
    expect(parse(['1', '2', bad, '3']).bad).toBe(2);
    expect(parse([bad]).bad).toBe(0);
  });

  it('is written beside rows and alone, for numbers of every length', () => {
    const values = Array.from({ length: 10 }, (_, i) => 10 ** i).flatMap((power) => [power - 1, power, power + 1]);
    const count = values.length + 1;
    const [data, starts, ends, shards, text] = residents(
      kernels,
      ['u8', count],
      ['u32', count],
      ['u32', count],
      ['u32', count],
      ['u8', count * 13],
    );
    data.fill(0x78);
    shards.set([...values, 4294967295]);
    starts.set(shards.map((_, i) => i));
    ends.set(starts.map((start) => start + (start % 2)));
    const at = { data, starts, ends };
    const rows = decoder.decode(text.subarray(0, lineKernels(kernels).shardedRows(at, shards, text)).slice());
    expect(rows).toBe(Array.from(shards, (shard, i) => `${shard}\t${i % 2 ? 'x' : ''}\n`).join(''));
    const alone = decoder.decode(text.subarray(0, lineKernels(kernels).shardRows(shards, text)).slice());
    expect(alone).toBe(Array.from(shards, (shard) => `${shard}\n`).join(''));
  });
});

describe('kernels', () => {
  it('refuse columns of different lengths, so that none is written past its end', () => {
    for (const kernels of [wasm, bigint]) {
      const keys = new BigUint64Array(3);
      expect(() => kernels.xxh64U64Column(keys, 0n, new BigUint64Array(2))).toThrow(
        'columns differ in length: 3 and 2',
      );
      expect(() => kernels.jumpHashColumn(keys, 5, new Uint32Array(4))).toThrow(RangeError);
      expect(() => kernels.pack([{ values: new Uint8Array(2), shift: 0, mask: 0xffn }], 0n, keys)).toThrow(RangeError);
      expect(() => kernels.unpack(keys, [{ values: new Uint8Array(2), shift: 0, mask: 1n }])).toThrow(RangeError);
      expect(() => kernels.xxh64TextColumn(['a'], 0n, keys)).toThrow(RangeError);
    }
  });

  it('in WebAssembly refuse text that is not in their memory', () => {
    const bytes = new Uint8Array(10);
    expect(() => lineKernels(wasm).lines(bytes, [0, 10], 0x0a, new Uint32Array(2), new Uint32Array(1))).toThrow(
      TypeError,
    );
  });

  it('have a scratch column of PIECE_ROWS', () => {
    for (const kernels of [wasm, bigint]) expect(kernels.scratch.length).toBe(PIECE_ROWS);
  });
});
