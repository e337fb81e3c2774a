import { publishMap, ShardMap } from '../../src/map/index.js';
import { newState, STATE_SETTING } from '../../src/registry/identity.js';
import { Interner, moveBack, moveStore, restoreStore, type Store, TypeRegistry } from '../../src/registry/index.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';
import { overriding } from '../support/overriding.js';

/** Where a store is, or could be. Every command opens it anew. */
export interface Place {
  open(): Promise<Store>;
}

/** A place where there is nothing yet. */
export type NewPlace = () => Promise<Place>;

/** A store in memory that is made at the first write, as those in files are. */
class MadeLate extends MemoryStore {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    super(memory);
    this.#memory = memory;
  }

  protected override async open(): Promise<Memory | undefined> {
    const memory = await super.open();
    return memory?.settings.has(STATE_SETTING) ? memory : undefined;
  }

  protected override commit<T>(work: (memory: Memory) => T): Promise<T> {
    const { settings } = this.#memory;
    if (!settings.has(STATE_SETTING)) settings.set(STATE_SETTING, JSON.stringify(newState()));
    return super.commit(work);
  }
}

/** A place in memory. @param state of the store that is there; none by default */
export async function newMemory(memory = new Memory(), state?: string): Promise<Place & { readonly memory: Memory }> {
  if (state === undefined) memory.settings.delete(STATE_SETTING);
  else memory.settings.set(STATE_SETTING, state);
  return { memory, open: async () => new MadeLate(memory) };
}

/** Uses a store as a command does. */
export async function using<T>(place: Place, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await place.open();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const DAY_MS = 86_400_000;

/** The shard that somebody holds in a store with live leases. */
export const HELD = 0;
/** A shard whose mark only a wrong clock can have set. */
export const ASTRAY = 1;
export const KEYS = ['alice', 'bob', 'carol'];

let made = 0;

/** Gives a store some of everything. */
export async function fill(place: Place, isHeld = false): Promise<void> {
  const name = `store ${++made}`;
  await using(place, async (store) => {
    await new Interner({ store, prefixBits: 2 }).internMany([...KEYS, name]);
    await new TypeRegistry({ store }).idOf('User');
    await publishMap(store, ShardMap.create({ shards: 4, nodes: [{ name: 'a' }, { name: 'b' }] }));
    const now = Date.now();
    const owner = `${name} uuid`;
    if (isHeld) await store.acquireLease({ shards: 1, owner, ttlMs: DAY_MS, mintFrom: now, mintUntil: now + DAY_MS });
    else await store.restoreShards([{ shard: HELD, owner, token: 3n, ...FREE, mintedUntil: now - 1000 }]);
    await store.restoreShards([{ shard: ASTRAY, owner, token: 5n, ...FREE, mintedUntil: now + 5 * DAY_MS }]);
  });
}

async function makeEmpty(place: Place): Promise<void> {
  await using(place, (store) => store.replaceSetting('made', undefined, 'yes'));
}

const FREE = { expires: 0, strayUntil: 0, ttlMs: 1000 };

/** What ends a command in the middle. */
class Killed extends Error {}

function kill(): never {
  throw new Killed('killed');
}

async function killed(command: () => Promise<unknown>): Promise<void> {
  await command().then(
    () => Promise.reject(new Error('it was not killed')),
    (error) => {
      if (!(error instanceof Killed)) throw error;
    },
  );
}

/** Moves a store, for as far as it gets. @param step what the command is killed at, if it is */
async function move(from: Place, to: Place, step?: 'before the fence' | 'after the fence'): Promise<void> {
  await using(from, (source) =>
    using(to, async (target) => {
      const names = { from: 'the first', to: 'the second' };
      if (step === undefined) await moveStore(source, target, names);
      else {
        const isFenced = step === 'after the fence';
        const first = isFenced ? source : overriding(source, { replaceState: async () => kill() });
        const second = isFenced ? overriding(target, { restoreCounters: async () => kill() }) : target;
        await killed(() => moveStore(first, second, names));
      }
    }),
  );
}

async function takeBack(from: Place, to: Place): Promise<void> {
  await using(from, (source) => using(to, (target) => moveBack(source, target)));
}

const restore = (place: Place, isTargetLost = false) =>
  using(place, (store) => restoreStore(store, { leadMs: 0, isTargetLost }));

/** Makes a store in each state that it can have by itself. */
export const STATES: { readonly [state: string]: (place: Place, newPlace: NewPlace) => Promise<void> } = {
  absent: async () => {},
  empty: makeEmpty,
  foreign: async (place) => {
    await fill(place);
    await using(place, async (store) => {
      const state = await store.setting(STATE_SETTING);
      await store.replaceState(state, 'what another program wrote').catch(() => {});
    });
  },
  damaged: async (place) => {
    await fill(place);
    // The number is beyond the counter, as after a partial restore of tables.
    await using(place, (store) => store.restore('types', { keys: ['Lost'], ids: BigUint64Array.of(9n) }));
  },
  whole: (place) => fill(place),
  held: (place) => fill(place, true),
  fenced: async (place, newPlace) => {
    await fill(place);
    await move(place, await newPlace(), 'after the fence');
  },
  moved: async (place, newPlace) => {
    await fill(place);
    await move(place, await newPlace());
  },
  target: async (place, newPlace) => {
    const first = await newPlace();
    await fill(first);
    await move(first, place, 'after the fence');
  },
  'taken back': async (place, newPlace) => {
    const first = await newPlace();
    await fill(first);
    await move(first, place, 'after the fence');
    await takeBack(first, place);
  },
  restoring: async (place) => {
    await fill(place);
    await using(place, async (store) => {
      let isDead = false;
      const die = () => {
        isDead = true;
        return kill();
      };
      const replaceState: Store['replaceState'] = (...args) => (isDead ? kill() : store.replaceState(...args));
      await killed(() => restoreStore(overriding(store, { entries: die, replaceState })));
    });
  },
  restored: async (place) => {
    await fill(place);
    await restore(place);
  },
};

/** Makes two stores that have to do with each other. */
export const PAIRS: { readonly [pair: string]: (first: Place, second: Place, newPlace: NewPlace) => Promise<void> } = {
  'a move that has begun': async (first, second) => {
    await fill(first);
    await move(first, second, 'before the fence');
  },
  'a move under way': async (first, second) => {
    await fill(first);
    await move(first, second, 'after the fence');
  },
  'a move that is done': async (first, second) => {
    await fill(first);
    await move(first, second);
  },
  'a move of an empty store that is done': async (first, second) => {
    await makeEmpty(first);
    await move(first, second);
  },
  'a move that was taken back': async (first, second) => {
    await fill(first);
    await move(first, second, 'after the fence');
    await takeBack(first, second);
  },
  'a move whose second store was restored': async (first, second) => {
    await fill(first);
    await move(first, second);
    await restore(second);
  },
  'a move that went on': async (first, second, newPlace) => {
    await fill(first);
    await move(first, second);
    await move(second, await newPlace());
  },
  'a move that came back': async (first, second) => {
    await fill(first);
    await move(first, second);
    await move(second, first);
  },
  'a move whose second store was given up': async (first, second) => {
    await fill(first);
    await move(first, second);
    await restore(first, true);
  },
  'a move under way whose second store was given up': async (first, second) => {
    await fill(first);
    await move(first, second, 'after the fence');
    await restore(first, true);
  },
  'a move of an empty store whose second one was given up': async (first, second) => {
    await makeEmpty(first);
    await move(first, second);
    await restore(first, true);
  },
  'a store given up, and the one taken back moved on': async (first, second, newPlace) => {
    await fill(second);
    await move(second, first);
    await restore(second, true);
    await move(second, await newPlace());
  },
  'a copy of all bytes': async (first, second) => {
    await fill(first);
    await using(first, async (source) => {
      const text = (await source.setting(STATE_SETTING)) ?? '';
      await using(second, async (target) => {
        await target.replaceSetting('made', undefined, 'yes');
        await target.replaceState(await target.setting(STATE_SETTING), text);
        for (const space of ['types', 'strings'] as const) {
          await target.restoreCounters(space, await source.counters(space));
          for await (const entries of source.entries(space)) await target.restore(space, entries);
        }
        for (const name of ['prefixBits', 'map']) {
          await target.replaceSetting(name, undefined, (await source.setting(name)) ?? '');
        }
      });
    });
  },
};
