import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { defineLayout, type Layout, type TimeUnit } from '../../src/index.js';
import { decodeFile, encodeFile } from '../../src/node/index.js';
import { randomU64s } from '../support/random.js';
import { sink } from './rows-of-tables.js';

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
type Format = (typeof FORMATS)[number];

function layoutWith(unit: TimeUnit, epoch: number, bits = 51): Layout {
  return defineLayout({ shard: 3, at: { bits, unit, epoch }, sequence: 10 });
}

async function decoded(layout: Layout, ids: BigUint64Array, format: Format, raw: boolean): Promise<string> {
  const { out, text } = sink();
  await decodeFile(Readable.from([`${ids.join('\n')}\n`]), { layout, format, raw, out });
  return text();
}

describe('decoded rows give the same ids', () => {
  const cases = UNITS.flatMap(([unit, bits]) =>
    EPOCHS.flatMap((epoch) => FORMATS.map((format) => [unit, epoch, format, bits] as const)),
  );

  it.each(cases)('%s since %i, %s', async (unit, epoch, format, bits) => {
    const layout = layoutWith(unit, epoch, bits);
    const ids = BigUint64Array.from([
      0n,
      layout.mask,
      ...randomU64s(1000).map((id, i) => (id & layout.mask) >> BigInt(i % 20)),
    ]);
    for (const raw of [false, true]) {
      const rows = await decoded(layout, ids, format, raw);
      const { out, text } = sink();
      await encodeFile(Readable.from([rows]), { layout, format, raw, out });
      expect(text()).toBe(`${ids.join('\n')}\n`);
    }
  });

  it('with up to three decimals of a millisecond', async () => {
    const layout = layoutWith('us', 0);
    const ids = BigUint64Array.from([1700000000000123n, 1700000000000120n, 1700000000000000n], (at) => at << 10n);
    expect((await decoded(layout, ids, 'tsv', false)).split('\n').slice(1)).toEqual([
      `${ids[0]}\t0\t1700000000000.123\t0\t2023-11-14T22:13:20.000Z`,
      `${ids[1]}\t0\t1700000000000.12\t0\t2023-11-14T22:13:20.000Z`,
      `${ids[2]}\t0\t1700000000000\t0\t2023-11-14T22:13:20.000Z`,
      '',
    ]);
    expect(await decoded(layout, ids.subarray(0, 1), 'json', false)).toBe(
      `{"id":"${ids[0]}","shard":0,"at":1700000000000.123,"sequence":0,"date":"2023-11-14T22:13:20.000Z"}\n`,
    );
  });
});
