import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';

describe('a map from JSON', () => {
  it('has its nodes in the order of their names, whatever their order there', () => {
    const nodes = [
      { name: 'b', weight: 1 },
      { name: 'a', weight: 1 },
    ];
    const map = ShardMap.from({ version: 1, shards: 2, replicas: 1, nodes, copies: [[0, 1]] });
    expect(map.nodes.map(({ name }) => name)).toEqual(['a', 'b']);
    expect([map.nodesOf(0), map.nodesOf(1)]).toEqual([['b'], ['a']]);
    expect(JSON.parse(JSON.stringify(map)).copies).toEqual([[1, 0]]);
  });
});

it('primaries are within one of their share where a placement allows it, even if some must pass to new nodes', () => {
  const inV = (weights: Record<string, number>) =>
    Object.entries(weights).map(([name, weight]) => ({ name, weight, zone: 'v' }));
  const before = inV({ n0: 0.5, n1: 7, n2: 3.7, n3: 0.2, n4: 0.9, n5: 1.4 });
  const after = inV({ n0: 2.6, n1: 7, n2: 3.7, n3: 1.2, n4: 0.9, n5: 5.9 });
  const o = { name: 'o', weight: 0.9 };
  const map = ShardMap.create({ shards: 24, replicas: 2, nodes: [...before, o] }).with({ nodes: [...after, o] });
  const weight = map.nodes.reduce((sum, node) => sum + node.weight, 0);
  for (const [row, { primaries }] of map.balance().entries()) {
    expect(Math.abs(primaries - (24 * (map.nodes[row]?.weight ?? 0)) / weight)).toBeLessThanOrEqual(1);
  }
});

it('columns with detached memory are refused', () => {
  const map = ShardMap.create({ shards: 2, nodes: [{ name: 'a' }] });
  const shards = new Uint32Array(4);
  structuredClone(shards.buffer, { transfer: [shards.buffer] });
  expect(() => map.nodeColumn(shards)).toThrow(expect.objectContaining({ argument: 'shards' }));
});
