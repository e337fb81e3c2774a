import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { countsByNode, planNodes, primariesOf } from '../../src/map/plan.js';

const from = ShardMap.create({ shards: 12, nodes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
const to = from.with({ nodes: [...from.nodes, { name: 'd' }] });
const counts = Float64Array.from({ length: 12 }, (_, shard) => 10 ** (shard % 3));

describe('planNodes', () => {
  it('counts the keys of the shards whose primary moves, by pair of nodes', () => {
    const { total, moved, ideal, flows } = planNodes(from, to, counts);
    const moves = from.movesTo(to);
    expect(total).toBe(444);
    expect(moved).toBe(moves.reduce((sum, { shard }) => sum + counts[shard], 0));
    expect(ideal).toBe((444 * 3) / 12);
    expect(flows.reduce((sum, { count }) => sum + count, 0)).toBe(moved);
    for (const flow of flows) {
      const same = moves.filter((move) => move.from === flow.from && move.to === flow.to);
      expect(flow.count).toBe(same.reduce((sum, { shard }) => sum + counts[shard], 0));
    }
    expect(flows.map((flow) => flow.from)).toEqual(flows.map((flow) => flow.from).sort());
  });

  it('finds nothing to move between equal maps, or without keys', () => {
    expect(planNodes(from, from, counts)).toEqual({ total: 444, moved: 0, ideal: 0, flows: [] });
    expect(planNodes(from, to, new Float64Array(12))).toEqual({ total: 0, moved: 0, ideal: 0, flows: [] });
  });
});

describe('countsByNode', () => {
  it('adds up the counts of the shards that a node is the primary of', () => {
    const sums = countsByNode(from, counts);
    from.nodes.forEach(({ name }, node) => {
      const shards = [...counts.keys()].filter((shard) => primariesOf(from)[shard] === node);
      expect([...sums][node], name).toBe(shards.reduce((sum, shard) => sum + counts[shard], 0));
    });
  });
});
