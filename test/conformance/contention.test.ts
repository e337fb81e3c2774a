import { describe, expect, it } from 'vitest';
import { Interner, leaseShard, TypeRegistry } from '../../src/registry/index.js';
import { changeNumber } from '../../src/registry/settings.js';
import { IS_WHOLE } from '../support/scale.js';
import { everyStore } from './stores.js';

const WRITERS = 8;
const CALLS = IS_WHOLE ? 100 : 20;
const TIMEOUT_MS = 120_000;

/** Calls that begin at once, from several stores over the same contents. */
async function atOnce<T, R>(
  stores: readonly T[],
  calls: number,
  call: (store: T, writer: number, i: number) => Promise<R>,
): Promise<R[][]> {
  return Promise.all(
    stores.map((store, writer) => Promise.all(Array.from({ length: calls }, (_, i) => call(store, writer, i)))),
  );
}

describe.each(everyStore())('many who write to $name at once', ({ name, open }) => {
  async function opened() {
    const { store, again } = await open();
    return [store, ...(await Promise.all(Array.from({ length: WRITERS - 1 }, () => again())))];
  }

  it(
    'all get numbers for new types, without gaps',
    async () => {
      const registries = (await opened()).map((store) => new TypeRegistry({ store }));
      const own = await atOnce(registries, CALLS, (types, writer, i) => types.idOf(`type ${i} of ${writer}`));
      const numbers = own.flat().sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: WRITERS * CALLS }, (_, i) => i + 1));
      const shared = await atOnce(registries, CALLS, (types, _, i) => types.idOf(`shared type ${i}`));
      for (const row of shared) expect(row).toEqual(shared[0]);
      expect(Math.max(...shared.flat())).toBe((WRITERS + 1) * CALLS);
    },
    TIMEOUT_MS,
  );

  it(
    'all get ids for new strings, with few prefixes',
    async () => {
      const calls = name === 'etcd' ? 10 : CALLS; // it is made for small sets
      const interners = (await opened()).map((store) => new Interner({ store, prefixBits: 4 }));
      const own = await atOnce(interners, calls, (strings, writer, i) => strings.intern(`${i} of ${writer}`));
      expect(new Set(own.flat()).size).toBe(WRITERS * calls);
      const shared = await atOnce(interners, calls, (strings, _, i) => strings.intern(`shared ${i}`));
      for (const row of shared) expect(row).toEqual(shared[0]);
    },
    TIMEOUT_MS,
  );

  it(
    'all lease a shard, and change a setting',
    async () => {
      const stores = await opened();
      const shards = WRITERS * Math.ceil(CALLS / 10);
      const leases = await Promise.all(
        Array.from({ length: shards }, (_, i) =>
          leaseShard({ store: stores[i % WRITERS] as never, shards, ttlMs: 60_000 }),
        ),
      );
      expect(new Set(leases.map(({ shard }) => shard)).size).toBe(shards);
      await Promise.all(leases.map((lease) => lease.release()));
      const changes = stores.flatMap((store) =>
        Array.from({ length: Math.ceil(CALLS / 10) }, () => changeNumber(store, 'counted', (last) => last + 1n)),
      );
      expect(BigInt(shards)).toBe((await Promise.all(changes)).reduce((most, n) => (n > most ? n : most)));
    },
    TIMEOUT_MS,
  );
});
