import { expect, it } from 'vitest';
import { xxh64 } from '../../src/index.js';
import { type NodeSpec, ShardMap } from '../../src/map/index.js';
import { onBothBackends } from '../support/backends.js';

const nodes: readonly NodeSpec[] = [
  { name: 'b', weight: 2.5, zone: 'ü' },
  { name: 'a', zone: '"\\"' },
  { name: '節\ud800', weight: 1e9 },
];
const create = (change: object = {}) => ShardMap.create({ shards: 64, nodes, replicas: 2, ...change });

/** The bytes as src/map/shard-map.ts describes them, from the public parts of a map. */
function canonicalBytes(map: ShardMap): Uint8Array {
  const rows = map.nodes.map(({ name, weight, zone }) => [name, weight, zone ?? null]);
  const text = new TextEncoder().encode(`${JSON.stringify([map.shards, map.replicas, rows])}\n`);
  const bytes = new Uint8Array(text.length + 2 * map.shards * map.replicas);
  bytes.set(text);
  const view = new DataView(bytes.buffer, text.length);
  const names = map.nodes.map(({ name }) => name);
  for (let shard = 0; shard < map.shards; shard++) {
    for (const [copy, name] of map.nodesOf(shard).entries()) {
      view.setUint16(2 * (shard * map.replicas + copy), names.indexOf(name), true);
    }
  }
  return bytes;
}

/** JSON of a small map, with changes. */
const small = (change: object = {}) =>
  ShardMap.from({
    version: 1,
    shards: 3,
    replicas: 2,
    nodes: [{ name: 'a' }, { name: 'b', weight: 2 }, { name: 'c', zone: 'x' }],
    // biome-ignore format: a row for each copy
    copies: [[0, 1, 2], [1, 2, 0]],
    ...change,
  });

// By a transcription of the specification of XXH64 into Python, of the bytes in src/map/shard-map.ts.
const KNOWN = ['e65529fdb81b30f7', '9567ef22e158730a'];

onBothBackends('the digest of a map', () => {
  it('is XXH64 of its canonical bytes, as 16 hexadecimal digits', () => {
    const grown = create().with({ nodes: [...nodes, { name: 'd', zone: 'ü' }], replicas: 3 });
    for (const map of [small(), create(), create({ shards: 1, nodes: [{ name: 'a' }], replicas: 1 }), grown]) {
      const digest = xxh64(canonicalBytes(map)).toString(16).padStart(16, '0');
      expect(map.digest).toBe(digest);
      expect(ShardMap.from(JSON.stringify(map)).digest).toBe(digest);
    }
  });

  it('is the same one on every machine', () => {
    expect([small().digest, create().digest]).toEqual(KNOWN);
  });
});

it('the digest of a map tells different assignments apart', () => {
  const others = [
    { nodes: [{ name: 'a' }, { name: 'b', weight: 3 }, { name: 'c', zone: 'x' }] },
    { nodes: [{ name: 'a' }, { name: 'b', weight: 2 }, { name: 'c', zone: 'y' }] },
    { nodes: [{ name: 'a' }, { name: 'b', weight: 2 }, { name: 'c' }] },
    { nodes: [{ name: 'a' }, { name: 'b', weight: 2 }, { name: 'd', zone: 'x' }] },
    {
      nodes: [
        { name: 'a', zone: 'null' },
        { name: 'b', weight: 2 },
        { name: 'c', zone: 'x' },
      ],
    },
    { copies: [[1, 0, 2], [0, 2, 1]] }, // biome-ignore format: a row for each copy
    { copies: [[1, 2, 0], [0, 1, 2]] }, // biome-ignore format: a row for each copy
    { shards: 2, copies: [[0, 1], [1, 2]] }, // biome-ignore format: a row for each copy
    { replicas: 1, copies: [[0, 1, 2]] },
  ];
  const digests = [{}, ...others].map((change) => small(change).digest);
  expect(new Set(digests).size).toBe(digests.length);
});

it('the digest of a map does not depend on its version or parent, nor on the order in which nodes are given', () => {
  const { digest } = small();
  expect(small({ version: 7, parent: '0123456789abcdef' }).digest).toBe(digest);
  const reordered = {
    nodes: [
      { name: 'c', zone: 'x' },
      { name: 'b', weight: 2 },
      { name: 'a', weight: 1 },
    ],
  };
  // biome-ignore format: a row for each copy
  expect(small({ ...reordered, copies: [[2, 1, 0], [1, 0, 2]] }).digest).toBe(digest);
  const map = create();
  expect(map.with({}).digest).toBe(map.digest);
});

it('the parent of a map is the digest of the one that it was made from', () => {
  const map = create();
  expect(map.parent).toBeUndefined();
  expect(Object.keys(map.toJSON())).not.toContain('parent');
  const next = map.with({ nodes: nodes.slice(1) });
  expect([next.parent, next.toJSON().parent]).toEqual([map.digest, map.digest]);
  expect(next.with({ nodes }).parent).toBe(next.digest);
  expect(ShardMap.from(JSON.stringify(next)).parent).toBe(map.digest);
  expect(JSON.stringify(next)).toMatch(new RegExp(`^{"version":2,"parent":"${map.digest}","shards":64,`));
});
