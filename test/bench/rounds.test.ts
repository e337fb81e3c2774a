import { expect, it } from 'vitest';
import type { Area, Way } from '../../bench/area.js';
import { measure } from '../../bench/rounds.js';

const WARM_UP = [1e6, 1e6, 1e6];

/** A way that takes these nanoseconds in the rounds that count. */
function way(name: string, ns: readonly number[], options: Partial<Way> = {}): Way {
  const times = [...WARM_UP, ...ns].values();
  return {
    name,
    run: () => [Uint8Array.of(1, 2, 3, 4)],
    ownTime: () => times.next().value as number,
    ...options,
  };
}

function area(...ways: Way[]): Area {
  return { name: 'bytes', title: 'bytes', rows: 4, bytesPerRow: 1, ways };
}

it('gives the median, the minimum and the maximum of the rounds, in nanoseconds a row', async () => {
  const { ways } = await measure(area(way('shardbits', [80, 40, 120])), 3);
  expect(ways).toEqual([
    { name: 'shardbits', rows: 4, ns: { median: close(20), min: close(10), max: close(30) }, timesShardbits: 1 },
  ]);
});

it('compares times within a round, and takes the median of these ratios', async () => {
  const { ways } = await measure(area(way('shardbits', [40, 80, 120]), way('other', [120, 80, 240])), 3);
  expect(ways[1]).toMatchObject({ ns: { median: close(30) }, timesShardbits: close(2) }); // 30 / 20 of the medians
});

it('counts the rows that a way does, and the memory of its process', async () => {
  const half = way('half', [20], { rows: 2, run: () => [Uint8Array.of(1, 2)], peakBytes: () => 3e6 });
  const { ways } = await measure(area(way('shardbits', [80]), half), 1);
  expect(ways[1]).toMatchObject({ rows: 2, ns: { median: close(10) }, timesShardbits: close(0.5), peakMB: 3 });
});

it('does not time a way with other results, and says where they differ', async () => {
  const wrong: Way = { ...way('wrong', []), run: () => [Uint8Array.of(1, 2, 0, 4)] };
  const { ways } = await measure(area(way('shardbits', [80]), wrong), 1);
  expect(ways[1]).toEqual({ name: 'wrong', rows: 4, differs: 'results differ from byte 2 on' });
});

it('fails if shardbits gives other results the second time', async () => {
  let calls = 0;
  const unstable = way('shardbits', [80], { run: () => [Uint8Array.of(calls++)] });
  await expect(measure(area(unstable), 1)).rejects.toThrow('bytes: shardbits itself: results differ from byte 0 on');
});

function close(value: number): number {
  return expect.closeTo(value, 6) as number;
}
