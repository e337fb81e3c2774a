import type { MapVersion, ShardMap } from '../../src/map/index.js';
import { currentMap, mapHistory } from '../../src/map/index.js';
import { checkStore, type Space, type Store } from '../../src/registry/index.js';
import type { Server } from './network.js';
import type { World } from './world.js';

/** A call of a user: on which server, and when it began. */
export interface Asked {
  readonly server: Server;
  readonly began: number;
}

/** Knows what was promised to anybody, and finds what contradicts it. */
export class Checker {
  readonly #world: World;
  /** The store that everybody is told to use. */
  current: Server;
  /** Every id that anybody ever got. */
  readonly #keys = { strings: new Map<bigint, string>(), types: new Map<bigint, string>() };
  /** The ids that must stay, and since when they are known. What is missing in a restored backup need not. */
  readonly #ids = { strings: new Map<string, Known>(), types: new Map<string, Known>() };
  readonly #minted = new Set<bigint>();
  /** The digests of the versions of the map that must stay. */
  readonly #maps = new Map<number, string>();
  #restored = -1;
  /** When the store was last restored or moved. */
  changed = -1;

  constructor(world: World, current: Server) {
    this.#world = world;
    this.current = current;
  }

  get counts(): string {
    const { strings, types } = this.#keys;
    return `${strings.size} strings, ${types.size} types, ${this.#minted.size} ids, ${this.#maps.size} maps`;
  }

  /** Some strings or types that must stay. */
  known(space: Space): readonly string[] {
    return [...this.#ids[space].keys()];
  }

  /** A user got an id for a string or type; 0 if it was told that there is none. */
  got(space: Space, key: string, id: bigint, asked: Asked): void {
    const before = this.#ids[space].get(key);
    if (id === 0n) {
      if (before === undefined || before.since >= asked.began || this.#isOutdated(asked)) return;
      if (asked.server !== this.current) return; // it was moved away before the string got its id
      this.#world.find(`${space}: ${key} has the id ${before.id}, but is told to have none`);
      return;
    }
    const owner = this.#keys[space].get(id);
    if (owner !== undefined && owner !== key) {
      this.#world.find(`${space}: the id ${id} was given twice, to ${owner} and to ${key}`);
      return;
    }
    this.#keys[space].set(id, key);
    if (before?.id === id) return;
    if (this.#isOutdated(asked) && this.current.memory.idOf(space, key) !== id) return;
    if (before !== undefined) {
      this.#world.find(`${space}: ${key} had the id ${before.id}, and now has ${id}`);
      return;
    }
    this.#ids[space].set(key, { id, since: this.#world.now });
  }

  /** A user got a string for an id that it had got for `key`. */
  resolved(key: string, id: bigint, found: string | undefined, asked: Asked): void {
    const before = this.#ids.strings.get(key);
    if (found === key || before?.id !== id || before.since >= asked.began || this.#isOutdated(asked)) return;
    if (asked.server !== this.current) return;
    this.#world.find(`strings: the id ${id} of ${key} leads to ${found}`);
  }

  minted(ids: BigUint64Array, who: string): void {
    for (const id of ids) {
      if (this.#minted.has(id)) {
        this.#world.find(`${who} minted the id ${id} again`);
        return;
      }
      this.#minted.add(id);
    }
  }

  /** A user published a map, or saw it as the one of the store. */
  sawMap({ version, digest }: Pick<ShardMap, 'version' | 'digest'>, asked: Asked): void {
    this.#world.log('map', () => `version ${version} with ${digest} is seen in ${asked.server.name}`);
    if (this.#isOutdated(asked)) return;
    const before = this.#maps.get(version);
    if (before === undefined) this.#maps.set(version, digest);
    else if (before !== digest) this.#world.find(`version ${version} of the map is ${before}, and ${digest}`);
  }

  /** Another store takes the place of the current one, with everything that it had. */
  moved(to: Server): void {
    this.current = to;
    this.changed = this.#world.now;
  }

  /** The current store has been replaced by what a backup had. @param history the versions of its map */
  restored(history: readonly Pick<MapVersion, 'version' | 'digest'>[]): void {
    this.#restored = this.#world.now;
    this.changed = this.#world.now;
    for (const space of ['strings', 'types'] as const) {
      for (const [key, { id }] of this.#ids[space]) {
        if (this.current.memory.idOf(space, key) !== id) this.#ids[space].delete(key);
      }
    }
    this.#maps.clear();
    for (const { version, digest } of history) this.#maps.set(version, digest);
  }

  /** Asks the store itself, at the end. */
  async checkAll(store: Store): Promise<void> {
    await checkStore(store);
    for (const space of ['strings', 'types'] as const) {
      const known = [...this.#ids[space]];
      const ids = await store.lookup(
        space,
        known.map(([key]) => key),
      );
      const keys = await store.resolve(
        space,
        BigUint64Array.from(known, ([, { id }]) => id),
      );
      for (const [row, [key, { id }]] of known.entries()) {
        if (ids[row] !== id) this.#world.find(`${space}: ${key} had the id ${id}, and has ${ids[row]} at the end`);
        if (keys[row] !== key) this.#world.find(`${space}: the id ${id} of ${key} leads to ${keys[row]} at the end`);
      }
      for await (const entries of store.entries(space)) {
        for (const [row, key] of entries.keys.entries()) {
          const owner = this.#keys[space].get(entries.ids[row]) ?? key;
          if (owner !== key) this.#world.find(`${space}: the id ${entries.ids[row]} of ${owner} belongs to ${key}`);
        }
      }
    }
    this.#checkMaps(await mapHistory(store), (await currentMap(store))?.version ?? 0);
  }

  #checkMaps(history: readonly MapVersion[], last: number): void {
    for (const [i, { version, digest }] of history.entries()) {
      if (version !== last - history.length + 1 + i) this.#world.find(`version ${version} of the map is out of order`);
      const known = this.#maps.get(version) ?? digest;
      if (known !== digest) this.#world.find(`version ${version} of the map was ${known}, and is ${digest}`);
    }
    const most = Math.max(0, ...this.#maps.keys());
    if (most > last) this.#world.find(`version ${most} of the map was seen, but the last one is ${last}`);
  }

  /** Whether an answer may come from a state that a restore has replaced. */
  #isOutdated({ server, began }: Asked): boolean {
    return this.#restored >= 0 && (began <= this.#restored || server !== this.current);
  }
}

interface Known {
  readonly id: bigint;
  readonly since: number;
}
