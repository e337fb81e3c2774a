import { describe, expect, it } from 'vitest';
import { type NodeSpec, ShardMap } from '../../src/map/index.js';
import { faultsOf } from './faults.js';
import { placementOf } from './reading.js';

/** Nodes of zones, each named after its zone, with these weights. */
function zoned(weights: { readonly [zone: string]: readonly number[] }): NodeSpec[] {
  return Object.entries(weights).flatMap(([zone, all]) =>
    all.map((weight, i) => ({ name: `${zone}${i}`, weight, zone })),
  );
}

/** How many copies each node holds. */
function copiesOf(map: ShardMap): { readonly [node: string]: number } {
  return Object.fromEntries(map.balance().map(({ node, copies }) => [node, copies]));
}

/** For each shard, how many of its copies a zone holds. */
function copiesIn(map: ShardMap, zone: string): number[] {
  const names = map.nodes.filter((node) => node.zone === zone).map(({ name }) => name);
  return placementOf(map).map((nodes) => nodes.filter((node) => names.includes(node)).length);
}

describe('a zone whose nodes weigh more than it can hold', () => {
  const map = ShardMap.create({ shards: 100, nodes: zoned({ x: [6, 2], y: [1], z: [1] }), replicas: 2 });

  it('gets one copy of every shard, by the weights of its nodes, which are limited', () => {
    expect(copiesOf(map)).toEqual({ x0: 75, x1: 25, y0: 50, z0: 50 });
    expect(copiesIn(map, 'x')).toEqual(new Array(100).fill(1));
    expect(map.limited).toEqual(['x0', 'x1']);
    expect(faultsOf(map)).toEqual([]);
  });

  it('still has the primaries that its weight asks for', () => {
    const primaries = map.balance().map((node) => node.primaries);
    for (const [i, share] of [60, 20, 10, 10].entries()) {
      expect(Math.abs(primaries[i] - share)).toBeLessThanOrEqual(1);
    }
  });

  it('gets its share again when there is room elsewhere', () => {
    const next = map.with({ nodes: zoned({ x: [6, 2], y: [4], z: [4] }) });
    expect(copiesOf(next)).toEqual({ x0: 75, x1: 25, y0: 50, z0: 50 });
    expect(next.limited).toEqual([]);
    expect(map.movesTo(next)).toEqual([]);
  });

  it('can be a node without a zone, or a node that weighs more than all others', () => {
    const alone = ShardMap.create({ shards: 100, nodes: [{ name: 'big', weight: 9 }, ...zoned({ y: [1], z: [1] })] });
    expect(alone.limited).toEqual([]);
    const twice = alone.with({ replicas: 2 });
    expect(copiesOf(twice)).toEqual({ big: 100, y0: 50, z0: 50 });
    expect(twice.limited).toEqual(['big']);
    expect(faultsOf(twice)).toEqual([]);
  });
});

describe('as many zones as copies', () => {
  it('hold one copy of every shard each', () => {
    const map = ShardMap.create({ shards: 60, nodes: zoned({ x: [1, 1, 1], y: [2], z: [6, 2] }), replicas: 3 });
    for (const zone of ['x', 'y', 'z']) expect(copiesIn(map, zone)).toEqual(new Array(60).fill(1));
    expect(copiesOf(map)).toEqual({ x0: 20, x1: 20, x2: 20, y0: 60, z0: 45, z1: 15 });
    expect(faultsOf(map)).toEqual([]);
  });
});

describe('two zones and three copies', () => {
  it('both hold every shard when the weights allow it', () => {
    const map = ShardMap.create({ shards: 60, nodes: zoned({ x: [1, 1, 1], y: [1, 1, 1] }), replicas: 3 });
    for (const zone of ['x', 'y']) expect([...new Set(copiesIn(map, zone))].sort()).toEqual([1, 2]);
    expect(copiesOf(map)).toEqual({ x0: 30, x1: 30, x2: 30, y0: 30, y1: 30, y2: 30 });
    expect(map.limited).toEqual([]);
  });

  it('hold a shard in one zone only when its share is above two copies of each', () => {
    // 60 * 3 copies by 31: y0 is due 5.8 of them, which leaves 2.9 copies of each shard for the three nodes of x.
    const map = ShardMap.create({ shards: 60, nodes: zoned({ x: [10, 10, 10], y: [1] }), replicas: 3 });
    expect(map.limited).toEqual([]);
    expect(map.shardsOf('y0').length).toBeGreaterThanOrEqual(5);
    expect(map.shardsOf('y0').length).toBeLessThanOrEqual(6);
    expect(new Set(copiesIn(map, 'x'))).toEqual(new Set([2, 3]));
    expect(faultsOf(map)).toEqual([]);
  });

  it('become three, and no zone holds a shard twice any more', () => {
    const map = ShardMap.create({ shards: 60, nodes: zoned({ x: [1, 1], y: [1, 1] }), replicas: 3 });
    expect(Math.max(...copiesIn(map, 'x'))).toBe(2);
    const next = map.with({ nodes: zoned({ x: [1, 1], y: [1, 1], z: [1, 1] }) });
    for (const zone of ['x', 'y', 'z']) expect(copiesIn(next, zone)).toEqual(new Array(60).fill(1));
    expect(faultsOf(next)).toEqual([]);
  });
});

describe('zones that are relabelled', () => {
  const before = ShardMap.create({ shards: 90, nodes: zoned({ x: [1, 1], y: [1, 1], z: [1, 1] }), replicas: 2 });

  it('are obeyed with the fewest copies that this takes, and no others', () => {
    // x0 joins y: those shards have to leave y's nodes or x0 which it has in common with them.
    const nodes = before.nodes.map((node) => (node.name === 'x0' ? { ...node, zone: 'y' } : node));
    const next = before.with({ nodes });
    expect(Math.max(...copiesIn(next, 'y'))).toBe(1);
    expect(copiesOf(next)).toEqual(copiesOf(before));
    expect(faultsOf(next)).toEqual([]);
  });

  it('make no copies if they are the same zones by other names', () => {
    const nodes = before.nodes.map((node) => ({ ...node, zone: `other ${node.zone}` }));
    const next = before.with({ nodes });
    expect(before.movesTo(next)).toEqual([]);
    expect(next.nodes.map(({ zone }) => zone)).toEqual(nodes.map(({ zone }) => zone));
  });

  it('make no copies if they are taken away', () => {
    const next = before.with({ nodes: before.nodes.map(({ name }) => ({ name })) });
    expect(before.movesTo(next)).toEqual([]);
    expect(next.nodes.every((node) => !('zone' in node))).toBe(true);
  });

  it('all become one, and then every shard may be anywhere', () => {
    const next = before.with({ nodes: before.nodes.map((node) => ({ ...node, zone: 'all' })) });
    expect(copiesIn(next, 'all')).toEqual(new Array(90).fill(2));
    expect(before.movesTo(next)).toEqual([]);
  });
});

describe('the zone of a node without one', () => {
  it('is not the zone of the same name, nor that of the others without one', () => {
    const nodes = [{ name: 'x' }, { name: 'y' }, { name: 'a', zone: 'x' }, { name: 'b', zone: '__proto__' }];
    const map = ShardMap.create({ shards: 40, nodes, replicas: 4 });
    expect(copiesOf(map)).toEqual({ a: 40, b: 40, x: 40, y: 40 });
    expect(map.limited).toEqual([]);
    const two = ShardMap.create({ shards: 40, nodes, replicas: 2 });
    expect(copiesOf(two)).toEqual({ a: 20, b: 20, x: 20, y: 20 });
    expect(two.nodes.map(({ zone }) => zone)).toEqual(['x', '__proto__', undefined, undefined]);
    expect(placementOf(two).some((names) => names.includes('x') && names.includes('a'))).toBe(true);
    expect(placementOf(two).some((names) => names.includes('x') && names.includes('y'))).toBe(true);
  });
});
