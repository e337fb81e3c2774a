import { SnowflakeGenerator } from '../../src/index.js';
import { currentMap, publishMap, rollbackMap, ShardMap, watchMap } from '../../src/map/index.js';
import { Interner, leaseShard, type Store, TypeRegistry } from '../../src/registry/index.js';
import type { Asked, Checker } from './checker.js';
import type { Fault } from './faults.js';
import { connect, type Server } from './network.js';
import { type Process, sleep } from './world.js';

export interface UserOptions {
  readonly process: Process;
  readonly checker: Checker;
  readonly fault?: Fault | undefined;
  readonly shards: number;
  readonly ttlMs: number;
}

/** Errors that a user of the library has to expect. */
const EXPECTED = [
  'ERR_STORE_UNAVAILABLE',
  'ERR_STORE_CONFLICT',
  'ERR_LEASE_LOST',
  'ERR_CLOCK_BACKWARDS',
  'ERR_SEQUENCE_EXHAUSTED',
  'ERR_MAP_CONFLICT',
];

/** Whether an error is one of those; its message is the only mark of those that clocks which differ by hours cause. */
export function isExpected(error: unknown): boolean {
  const { code = '', name, message } = error as { code?: string; name: string; message: string };
  if (name === 'AbortError') return true;
  if (code === 'ERR_STORE_CORRUPT') return message.includes('a clock was wrong');
  return EXPECTED.includes(code) || (error instanceof RangeError && message.includes('clock'));
}

/** A program that uses a store for ever, and opens it again when it has to. */
async function using(
  { process, checker }: UserOptions,
  use: (store: Store, server: Server) => Promise<void>,
): Promise<void> {
  for (;;) {
    const server = checker.current;
    const store = connect(process, server);
    try {
      await use(store, server);
    } catch (error) {
      if (!isExpected(error)) throw error;
      process.world.log(process.name, () => `opens ${server.name} again: ${(error as Error).message}`);
    }
    await store.close();
    await sleep(process.world.random.from(1, 2000));
  }
}

/** Runs a call that may fail. @throws an error that no later call of this store can do without */
async function attempt({ process }: UserOptions, what: string, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    const { isTransient = true, message } = error as { isTransient?: boolean; message: string };
    process.world.log(process.name, () => `${what} fails: ${message}`);
    if (!isExpected(error) || !isTransient) throw error;
  }
}

const STRINGS = 60;
const TYPES = 12;

/** Interns strings and types, looks some up, and resolves ids. */
export function intern(user: UserOptions): Promise<void> {
  const { process, checker } = user;
  const { world } = process;
  const { random } = world;
  const string = () => `string ${random.from(1, STRINGS)}`;
  return using(user, async (store, server) => {
    const cache = random.pick([0, 10, 1000]);
    const interner = new Interner({ store, prefixBits: 2, cache });
    const opened = world.now;
    const types = new TypeRegistry({ store });
    // What is cached is as old as the interner; types always are.
    const asking = (): Asked => ({ server, began: cache > 0 ? opened : world.now });
    const check = (space: 'strings' | 'types', keys: readonly string[], ids: ArrayLike<bigint>, asked: Asked) => {
      for (const [row, key] of keys.entries()) checker.got(space, key, ids[row], asked);
    };
    for (;;) {
      await sleep(random.from(1, 1500));
      const keys = Array.from({ length: random.from(1, 8) }, string);
      const asked = asking();
      switch (random.from(0, 5)) {
        case 0:
          await attempt(user, 'lookupMany', async () => check('strings', keys, await interner.lookupMany(keys), asked));
          break;
        case 1: {
          const known = checker.known('strings').slice(-5);
          await attempt(user, 'resolveMany', async () => {
            const ids = await interner.lookupMany(known);
            const found = await interner.resolveMany(ids);
            for (const [row, key] of known.entries()) checker.resolved(key, ids[row], found[row], asked);
          });
          break;
        }
        case 2: {
          const type = `Type${random.from(1, TYPES)}`;
          await attempt(user, 'idOf', async () =>
            check('types', [type], [BigInt(await types.idOf(type))], { server, began: opened }),
          );
          break;
        }
        default:
          await attempt(user, 'internMany', async () => check('strings', keys, await interner.internMany(keys), asked));
      }
    }
  });
}

/** Leases shards, and mints ids with them. */
export function mint(user: UserOptions): Promise<void> {
  const { process, checker, shards, ttlMs, fault } = user;
  const { world, name } = process;
  const { random } = world;
  return using(user, async (store) => {
    const signal = random.chance(0.3) ? AbortSignal.timeout(random.from(1, 4 * ttlMs)) : undefined;
    const lease = await leaseShard({ store, shards, owner: name, ttlMs, signal }).catch((error) => {
      if (signal?.aborted) return undefined;
      throw error;
    });
    if (lease === undefined) return;
    world.log(name, () => `leases shard ${lease.shard}, token ${lease.token}, from ${lease.notBefore}`);
    const held = fault?.ofLease?.(lease) ?? lease;
    const generators = Array.from({ length: random.from(1, 2) }, () => {
      const policy = random.pick(['throw', 'wait', 'borrow'] as const);
      const options = { onClockBackwards: policy, onSequenceExhausted: policy, maxWaitMs: random.from(0, 3000) };
      return { generator: new SnowflakeGenerator({ shard: held, ...options }), last: 0n };
    });
    for (let left = random.from(1, 40); left > 0; left--) {
      await sleep(random.from(0, ttlMs / 4));
      const one = random.pick(generators);
      await attempt(user, 'nextManyAsync', async () => {
        const ids = await one.generator.nextManyAsync(random.from(1, 5));
        checker.minted(ids, name);
        if (ids[0] <= one.last) world.find(`${name} minted ${ids[0]} after ${one.last}`);
        one.last = ids[ids.length - 1];
      });
      if (lease.lossReason !== undefined) return;
    }
    if (random.chance(0.7)) await lease.release();
  });
}

/** Publishes maps, and takes them back. */
export function publish(user: UserOptions): Promise<void> {
  const { process, checker } = user;
  const { world, name } = process;
  const { random } = world;
  return using(user, async (store, server) => {
    for (;;) {
      await sleep(random.from(1, 6000));
      const asked = { server, began: world.now };
      await attempt(user, 'publishing', async () => {
        const { changed } = checker;
        const map = await currentMap(store);
        if (map !== undefined) checker.sawMap(map, asked);
        const nodes = Array.from({ length: random.from(2, 4) }, (_, i) => ({ name: `${name} ${i}` }));
        if (map !== undefined && random.chance(0.3)) {
          const version = random.from(Math.max(1, map.version - 3), map.version);
          const next = await rollbackMap(store, version).catch((error) => {
            // A store that was restored has other versions, and an old one may be the second store of a move.
            const isOther = checker.changed > changed || server !== checker.current;
            if (error instanceof RangeError && isOther) return undefined;
            throw error;
          });
          if (next !== undefined) checker.sawMap(next, asked);
          return;
        }
        const next = map === undefined ? ShardMap.create({ shards: 8, nodes }) : map.with({ nodes });
        await publishMap(store, next);
        checker.sawMap(next, asked);
      });
    }
  });
}

/** Watches the map. */
export function watch(user: UserOptions): Promise<void> {
  const { process, checker } = user;
  const { world, name } = process;
  return using(user, async (store, server) => {
    let last = 0;
    // When it began to wait for the last map, and for this one.
    let before = world.now;
    let began = world.now;
    for await (const map of watchMap(store, { intervalMs: world.random.from(100, 3000) })) {
      if (map.version <= last && checker.changed < before) {
        world.find(`${name} is shown version ${map.version} of the map after version ${last}`);
      }
      checker.sawMap(map, { server, began });
      last = map.version;
      before = began;
      began = world.now;
      if (world.random.chance(0.1)) return;
    }
  });
}
