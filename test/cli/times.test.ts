import { describe, expect, it, onTestFinished } from 'vitest';
import { decode, type IdRowFormat, layoutDecoding, titleOf } from '../../src/cli/ids/decode-rows.js';
import { encode } from '../../src/cli/ids/encode-rows.js';
import { notFitting, parseValue } from '../../src/cli/options/values.js';
import { type ArgumentRangeError, defineLayout, type Layout, type TimeUnit } from '../../src/index.js';
import { kernelsWithColumns } from '../../src/kernels/resident.js';
import type { Batch } from '../../src/rows/batch.js';
import { openWorkspace } from '../../src/rows/batch.js';
import { LineBatches } from '../../src/rows/sources/lines.js';
import { randomU64s } from '../support/random.js';

/** With bits for times that numbers can hold. */
const UNITS: [unit: TimeUnit, bits: number][] = [
  ['s', 42],
  ['10ms', 49],
  ['ms', 51],
  ['10us', 49],
  ['us', 51],
];
const EPOCHS = [0, Date.UTC(2020, 0), Date.UTC(1950, 0)];
const FORMATS = ['tsv', 'csv', 'json'] as const;

function layoutWith(unit: TimeUnit, epoch: number, bits = 51): Layout {
  return defineLayout({ shard: 3, at: { bits, unit, epoch }, sequence: 10 });
}

/** Bytes as lines of an input. */
function linesIn(bytes: Uint8Array): Batch {
  const source = new LineBatches(kernelsWithColumns());
  onTestFinished(() => source.free());
  source.room().set(bytes);
  source.filled(bytes.length);
  return source.next() as Batch;
}

function decoded(layout: Layout, ids: BigUint64Array, format: IdRowFormat, raw: boolean): Buffer {
  const kernels = openWorkspace();
  onTestFinished(kernels.free);
  const decoding = layoutDecoding(layout, 'dec', raw);
  const { work } = decode.start(kernels, { decoding: decoding.plain, format }, undefined);
  const rows = work(linesIn(Buffer.from(`${ids.join('\n')}\n`)), 0).bytes;
  return Buffer.concat([Buffer.from(titleOf(decoding, format)), rows]);
}

describe('decoded rows give the same ids', () => {
  const cases = UNITS.flatMap(([unit, bits]) =>
    EPOCHS.flatMap((epoch) => FORMATS.map((format) => [unit, epoch, format, bits] as const)),
  );

  it.each(cases)('%s since %i, %s', (unit, epoch, format, bits) => {
    const layout = layoutWith(unit, epoch, bits);
    const ids = BigUint64Array.from([
      0n,
      layout.mask,
      ...randomU64s(1000).map((id, i) => (id & layout.mask) >> BigInt(i % 20)),
    ]);
    for (const raw of [false, true]) {
      const rows = decoded(layout, ids, format, raw);
      const kernels = openWorkspace();
      onTestFinished(kernels.free);
      const encoder = encode.start(kernels, { fields: layout.fields, format, raw, input: '-' }, undefined);
      expect(Buffer.from(encoder.work(linesIn(rows), 0).bytes).toString()).toBe(`${ids.join('\n')}\n`);
    }
  });

  it('with up to three decimals of a millisecond', () => {
    const layout = layoutWith('us', 0);
    const ids = BigUint64Array.from([1700000000000123n, 1700000000000120n, 1700000000000000n], (at) => at << 10n);
    expect(decoded(layout, ids, 'tsv', false).toString().split('\n').slice(1)).toEqual([
      `${ids[0]}\t0\t1700000000000.123\t0\t2023-11-14T22:13:20.000Z`,
      `${ids[1]}\t0\t1700000000000.12\t0\t2023-11-14T22:13:20.000Z`,
      `${ids[2]}\t0\t1700000000000\t0\t2023-11-14T22:13:20.000Z`,
      '',
    ]);
    expect(decoded(layout, ids.subarray(0, 1), 'json', false).toString()).toBe(
      `{"id":"${ids[0]}","shard":0,"at":1700000000000.123,"sequence":0,"date":"2023-11-14T22:13:20.000Z"}\n`,
    );
  });
});

describe('Unix milliseconds as text', () => {
  it.each<[text: string, unit: TimeUnit, epoch: number, value: unknown]>([
    ['1700000000000', 'ms', 0, 1700000000000],
    ['1700000000000.5', 'ms', 0, undefined],
    ['1700000000000.5', 'us', 0, 1700000000000.5],
    ['1700000000000.123', '10us', 0, 1700000000000.123],
    ['1700000000000.1234', 'us', 0, undefined],
    ['1.', 'us', 0, undefined],
    ['.5', 'us', 0, undefined],
    ['1e3', 'us', 0, undefined],
    [' 1', 'ms', 0, undefined],
    ['-1', 'ms', 0, undefined],
    ['-1', 'ms', -1000, -1],
    ['-0.5', 'us', -1000, -0.5],
    ['9007199254740992', 'ms', 0, 2 ** 53],
    ['9007199254740993', 'ms', 0, undefined],
    ['2024-03-01', 'ms', 0, new Date('2024-03-01')],
    ['2024-02-30', 'ms', 0, undefined],
    ['2024', 'ms', 0, 2024],
  ])('%j in %s since %i', (text, unit, epoch, value) => {
    expect(parseValue(layoutWith(unit, epoch), 'at', text, false)).toEqual(value);
  });

  it('are not what --raw reads', () => {
    expect(parseValue(layoutWith('us', 0), 'at', '5', true)).toBe(5n);
    expect(parseValue(layoutWith('us', 0), 'at', '5.5', true)).toBeUndefined();
  });

  it('that do not fit say that --raw reads units', () => {
    const layout = layoutWith('us', 0, 20);
    try {
      layout.pack({ shard: 0, at: 2000, sequence: 0 });
      expect.unreachable();
    } catch (error) {
      expect(notFitting(layout, error as ArgumentRangeError)).toBe(
        'at: expected Unix milliseconds from 0 to 1048.575 (1970-01-01T00:00:00.000Z to 1970-01-01T00:00:01.048Z), got 2000; --raw reads units of the field',
      );
    }
  });
});
