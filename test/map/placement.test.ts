import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { leastMoved, type Placement, placementOf, ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { labelAt, labelNumbers } from '../../src/routing/routing.js';

const map = ShardMap.create({ shards: 12, nodes: [{ name: 'c' }, { name: 'a' }, { name: 'b', weight: 2 }] });
const servers = [{ name: 's2', weight: 3 }, { name: 's1' }];

describe('placementOf', () => {
  it('calls the shards of a Router by their numbers', () => {
    const router = new Router({ shards: 3 });
    const placement = placementOf(router);
    expect(placement.routing).toBe(router);
    expect(placement.labels).toBeUndefined();
    expect(placement.labelOf(2)).toBe('2');
  });

  it('calls shards as it is told, several by the same label', () => {
    const placement = placementOf(new Router({ shards: 3 }), ['x', 'y', 'x']);
    expect(placement.labels).toEqual(['x', 'y', 'x']);
    expect(placement.names).toEqual(['x', 'y']);
    expect(placement.labelOf(2)).toBe('x');
  });

  it('routes over a map as a Router does, and calls shards by their primary nodes', () => {
    const seeded = new Router({ shards: 12, seed: 7n });
    for (const [placement, router] of [
      [placementOf(map), new Router({ shards: 12 })],
      [placementOf(seeded, map), seeded],
    ] as const) {
      expect(placement.routing.toJSON()).toEqual(router.toJSON());
      expect(placement.labels).toEqual(Array.from({ length: 12 }, (_, shard) => map.nodesOf(shard)[0]));
      expect(placement.names).toEqual(['a', 'b', 'c']);
    }
  });

  it.each([
    ['a partitioner for ketama', placementOf(partitioner('ketama', { servers })), 'ketama'],
    ['servers', placementOf({ servers }), 'ketama'],
    ['servers of nginx', placementOf({ servers, system: 'nginx' }), 'nginx'],
  ])('calls the shards of a ring by its servers: %s', (_, placement, system) => {
    expect(placement.routing.toJSON()).toMatchObject({ system });
    expect(placement.labels).toEqual(['s2', 's1']);
  });

  it.each<[what: unknown, labels: unknown, error: object]>([
    [7, undefined, { argument: 'what' }],
    [map, ['a'], { argument: 'labels', expected: 'undefined except with a routing' }],
    [new Router({ shards: 2 }), ['a'], { argument: 'labels', expected: 'a label for each of 2 shards', got: 1 }],
    [new Router({ shards: 2 }), 'ab', { argument: 'labels', expected: 'an array of strings' }],
    [new Router({ shards: 2 }), ['a', 7], { argument: 'labels' }],
    [new Router({ shards: 2 }), ['a', 'b\t'], { argument: 'labels', expected: 'no control characters', row: 1 }],
    [new Router({ shards: 2 }), map, { argument: 'labels', expected: 'a map of 2 shards' }],
    [{ servers: [] }, undefined, { argument: 'servers' }],
    [{ servers, system: 'redis' }, undefined, { argument: 'what.system' }],
  ])('refuses %j with %j', (what, labels, error) => {
    expect(() => placementOf(what as Router, labels as string[])).toThrow(expect.objectContaining(error));
  });
});

/** What each label has of all keys, in another way. */
function sharesIn({ routing, labels }: Placement<any>, shares?: readonly number[]): Map<string, number> {
  const held = new Map<string, number>();
  const down = routing instanceof Router ? routing.down : [];
  for (let shard = 0; shard < routing.shards; shard++) {
    const share = down.includes(shard) ? 0 : (shares?.[shard] ?? 1 / (routing.shards - down.length));
    const label = labels?.[shard] ?? String(shard);
    held.set(label, (held.get(label) ?? 0) + share);
  }
  return held;
}

describe('leastMoved', () => {
  const next = map.with({ nodes: [...map.nodes, { name: 'd' }] });
  const other = [{ name: 's1' }, { name: 's3' }];
  it.each<[what: string, from: Placement<any>, to: Placement<any>, (readonly number[])?, (readonly number[])?]>([
    ['one shard more', placementOf(new Router({ shards: 10 })), placementOf(new Router({ shards: 11 }))],
    [
      'shards down',
      placementOf(new Router({ shards: 9, down: [1] })),
      placementOf(new Router({ shards: 9, down: [2] })),
    ],
    ['a node more', placementOf(map), placementOf(next)],
    ['a node more, with shards down', placementOf(new Router({ shards: 12, down: [0, 5] }), map), placementOf(next)],
    ['the same nodes', placementOf(map), placementOf(new Router({ shards: 12, seed: 1n }), map)],
    ['other servers', placementOf({ servers }), placementOf({ servers: other }), [0.75, 0.25], [0.5, 0.5]],
  ])('is what labels gain: %s', (_, from, to, before, after) => {
    const held = sharesIn(from, before);
    const gained = [...sharesIn(to, after)].map(([label, share]) => Math.max(0, share - (held.get(label) ?? 0)));
    expect(leastMoved(from, to)).toBeCloseTo(
      gained.reduce((sum, share) => sum + share, 0),
      12,
    );
  });

  it('is everything if only one side has labels', () => {
    expect(leastMoved(placementOf(new Router({ shards: 12 })), placementOf(map))).toBe(1);
    expect(leastMoved(placementOf(map), placementOf(new Router({ shards: 12 })))).toBe(1);
  });

  it("takes a placement of one's own", () => {
    const own = { routing: new Router({ shards: 2 }), labels: ['a', 'b'], labelOf: (shard: number) => 'ab'[shard] };
    expect(leastMoved(own, placementOf(new Router({ shards: 3 }), ['a', 'b', 'c']))).toBeCloseTo(1 / 3, 12);
  });
});

describe('the numbers of labels', () => {
  it('are the same for the same label, and in the order of names', () => {
    const [from, to] = [
      ['y', 'x'],
      ['z', 'x'],
    ].map((labels) => placementOf(new Router({ shards: 2 }), labels));
    const labels = labelNumbers(from, to);
    expect(labels).toMatchObject({ before: Uint32Array.of(1, 0), after: Uint32Array.of(2, 0), counts: [3, 3] });
    expect([0, 1, 2].map((number) => labelAt(labels, number))).toEqual(['x', 'y', 'z']);
  });

  it('of shards come before names', () => {
    const labels = labelNumbers(
      placementOf(new Router({ shards: 2 }), ['y', 'x']),
      placementOf(new Router({ shards: 3 })),
    );
    expect(labels).toMatchObject({ before: Uint32Array.of(4, 3), after: undefined, counts: [5, 3] });
    expect([0, 2, 3, 4].map((number) => labelAt(labels, number))).toEqual([0, 2, 'x', 'y']);
  });
});
