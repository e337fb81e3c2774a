import { describe, expect, it } from 'vitest';
import { layouts, typedKey } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { TypeRegistry } from '../../src/registry/index.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';
import { onBothBackends } from '../support/backends.js';
import { RAGEDB } from '../vectors/fast-range.js';

/** The users of RageDB's own tests, with the ids that they get on four shards in this order. */
const USERS: readonly [key: string, id: bigint][] = [
  ['maxdemarzi', 67109888n],
  ['helene', 67109889n],
  ['alejandro', 67109890n],
  ['tyler', 134218753n],
  ['ronnie', 201327617n],
  ['penny', 134218752n],
  ['someone', 134218754n],
  ['else', 268436481n],
  ['maxdemarzi1', 67109891n],
];
/** Nodes of a second type, on shards that have users. */
const MOVIES: readonly [key: string, id: bigint][] = [
  ['Matrix', 67110914n],
  ['Apollo 13', 67110915n],
];

describe('RageDB on four shards', () => {
  onBothBackends('by the hashes of libstdc++', () => {
    const ragedb = partitioner('ragedb', { shards: 4 });

    it('places the nodes of its own tests', () => {
      const texts = RAGEDB.map(({ text }) => text);
      expect(texts).toEqual(USERS.map(([key]) => `User-${key}`));
      expect([...ragedb.tokens(texts)]).toEqual(RAGEDB.map(({ hash }) => hash));
      expect([...ragedb.routeMany(texts)]).toEqual(RAGEDB.map(({ shardOf4 }) => shardOf4));
      expect(texts.map((text) => ragedb.route(text))).toEqual(RAGEDB.map(({ shardOf4 }) => shardOf4));
    });

    it('gives a type and a key an id, which leads back to them', async () => {
      const memory = new Memory();
      const nodes = [
        ...USERS.map((user) => ['User', ...user] as const),
        ...MOVIES.map((movie) => ['Movie', ...movie] as const),
      ];

      const store = new MemoryStore(memory);
      const types = new TypeRegistry({ store });
      const keys = new Map<string, string>(); // what each shard keeps: the key of a type and a local id
      const counts = new Map<string, number>();
      const ids: bigint[] = [];
      for (const [typeName, key] of nodes) {
        const shard = ragedb.route(`${typeName}-${key}`);
        const type = await types.idOf(typeName);
        const local = (counts.get(`${shard} ${type}`) ?? 0) + 1;
        counts.set(`${shard} ${type}`, local);
        keys.set(`${shard} ${type} ${local}`, key);
        ids.push(layouts.ragedb.pack({ local, type, shard }));
      }
      await store.close();
      expect(ids).toEqual(nodes.map(([, , id]) => id));

      const reopened = new MemoryStore(memory);
      const names = new TypeRegistry({ store: reopened });
      for (const [row, id] of ids.entries()) {
        const { local, type, shard } = layouts.ragedb.unpack(id);
        const typeName = await names.nameOf(type);
        const key = keys.get(`${shard} ${type} ${local}`);
        expect([typeName, key]).toEqual(nodes[row]?.slice(0, 2));
        expect(ragedb.route(`${typeName}-${key}`)).toBe(shard);
      }
      await reopened.close();
    });

    it('cannot tell apart a type and a key that are cut elsewhere', () => {
      const nodes = [
        ['a-b', 'c'],
        ['a', 'b-c'],
      ] as const;
      const [one, other] = ragedb.tokens(nodes.map(([type, key]) => `${type}-${key}`));
      expect(one).toBe(other);
      const [typed, otherTyped] = ragedb.tokens(nodes.map(([type, key]) => typedKey(type, key)));
      expect(typed).not.toBe(otherTyped);
    });
  });
});
