import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { scaled } from '../support/scale.js';
import { changed, changes, clusters, create } from './clusters.js';

/** FNV-1a with 32 bits, over the code units of a text, which are all ASCII here. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

// By a transcription of the specification of XXH64 into Python, of the bytes in src/map/shard-map.ts.
const DIGESTS = ['cb60ff51c0fdf6ce', '8a4867217fc6d4c8', '1f3b3769ef8dcca2', 'c42b5ba4aa7757a3'];

describe('fnv1a', () => {
  // The test vectors of the draft of its authors, draft-eastlake-fnv, section "FNV-1a 32-bit".
  it.each([
    ['', '811c9dc5'],
    ['a', 'e40c292c'],
    ['foobar', 'bf9cf968'],
  ])('of %o is %s', (text, hash) => {
    expect(fnv1a(text)).toBe(hash);
  });
});

describe('the same steps', () => {
  it('give the same maps, in whatever order nodes are given', () => {
    const shuffles = fc.array(fc.nat(), { minLength: 12, maxLength: 12, size: 'max' });
    fc.assert(
      fc.property(clusters(), fc.array(changes, { maxLength: 4 }), shuffles, (first, all, ranks) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item, i) => [ranks[i], item] as const)
            .sort(([a], [b]) => a - b)
            .map(([, item]) => item);
        let cluster = first;
        let maps = [create(first), create({ ...first, nodes: shuffled(first.nodes) })] as const;
        expect(JSON.stringify(maps[1])).toBe(JSON.stringify(maps[0]));
        for (const change of all) {
          cluster = change(cluster);
          // The second has been to JSON and back, which must not make a difference either.
          const second = ShardMap.from(JSON.stringify(maps[1]));
          maps = [changed(maps[0], cluster), changed(second, { ...cluster, nodes: shuffled(cluster.nodes) })];
          expect(JSON.stringify(maps[1])).toBe(JSON.stringify(maps[0]));
        }
      }),
      { numRuns: scaled(1000, 20) },
    );
  });

  it('give these maps, on every machine and by every engine', () => {
    // There is nothing else to compare with: these are what the first version of this library gave. Whoever changes them
    // changes what two machines with two versions of it agree on.
    const nodes = [
      { name: 'eu-1', weight: 4, zone: 'eu' },
      { name: 'eu-2', weight: 1.5, zone: 'eu' },
      { name: 'us-1', weight: 2, zone: 'us' },
      { name: 'us-2', weight: 8, zone: 'us' },
      { name: 'us-3', zone: 'us' },
      { name: 'asia-1', weight: 3, zone: 'asia' },
      { name: 'alone', weight: 0.7 },
    ];
    const created = ShardMap.create({ shards: 4096, nodes, replicas: 3 });
    const grown = created.with({ nodes: [...nodes, { name: 'asia-2', weight: 5, zone: 'asia' }] });
    const failed = grown.with({ nodes: grown.nodes.filter(({ name }) => name !== 'us-2') });
    const last = failed.with({
      nodes: failed.nodes.map((node) => ({ ...node, weight: node.weight + 1 })),
      replicas: 4,
    });
    const maps = [created, grown, failed, last];
    expect(maps.map((map) => fnv1a(JSON.stringify({ ...map.toJSON(), parent: undefined })))).toEqual([
      '70be8f22',
      '6caf93f1',
      'dd9084de',
      '1a2af3c4',
    ]);
    expect(maps.map(({ digest }) => digest)).toEqual(DIGESTS);
    expect(maps.map(({ parent }) => parent)).toEqual([undefined, ...DIGESTS.slice(0, -1)]);
  });

  it('give these maps when copies are dropped, zones change, or a map was far from its shares', () => {
    // As above: two machines with two versions of this library have to agree on them.
    const nodes = Array.from({ length: 11 }, (_, i) => {
      return { name: `n${i}`, weight: 1 + ((i * 7) % 5), zone: `z${i % 4}` };
    });
    const wide = ShardMap.create({ shards: 300, nodes, replicas: 5 });
    const fewer = wide.with({ replicas: 2 });
    const relabelled = wide.with({ nodes: nodes.map((node, i) => ({ ...node, zone: `z${Math.floor(i / 3)}` })) });
    const dropped = relabelled.with({ nodes: nodes.slice(0, 7), replicas: 3 });
    const copies = Array.from({ length: 3 }, (_, copy) => Array.from({ length: 300 }, (_, i) => ((i % 4) + copy) % 11));
    const uneven = ShardMap.from({ version: 1, shards: 300, replicas: 3, nodes: [...fewer.nodes], copies });
    const even = uneven.with({});
    const less = uneven.with({ nodes: nodes.slice(2), replicas: 1 });
    expect([wide, fewer, relabelled, dropped, even, less].map(({ digest }) => digest)).toEqual([
      '02968feb9bce5b62',
      '56553033966c1b5b',
      '0f485d3947e33848',
      '8f3144bd7fbd4d0f',
      'cfc729311ed183e1',
      '606000ceb4d224f1',
    ]);
  });

  it('give the maps of the example', () => {
    const map = ShardMap.create({ shards: 4096, nodes: [{ name: 'db1' }, { name: 'db2' }], replicas: 2 });
    expect(map.nodesOf(17)).toEqual(['db2', 'db1']);
    const next = map.with({ nodes: [...map.nodes, { name: 'db3', weight: 2 }] });
    expect(map.movesTo(next)).toHaveLength(4096);
  });
});

describe('the nodes of a map', () => {
  it('are in the order of their names by code units, whatever the language of the machine', () => {
    const names = ['10', '9', 'B', 'Z', '_', 'a', 'ab', 'b', 'z', 'ä', 'é', '\u{1f600}', '\uff5e'];
    const map = ShardMap.create({ shards: 1, nodes: names.toReversed().map((name) => ({ name })) });
    expect(map.nodes.map(({ name }) => name)).toEqual(names);
  });

  it('have the weight 1 if none is given, and no zone', () => {
    const nodes = [
      { name: 'b', weight: 2, zone: 'x' },
      { name: 'a', weight: undefined, zone: undefined },
      { name: 'c' },
    ];
    const map = ShardMap.create({ shards: 1, nodes });
    expect(map.nodes).toStrictEqual([
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2, zone: 'x' },
      { name: 'c', weight: 1 },
    ]);
    expect(map.replicas).toBe(1);
  });
});
