/** Caches the strings that were asked for last, with their ids, which never change. */
export class IdCache {
  readonly #room: number;
  // Two halves: strings go into the younger one, and when that is full the older one is dropped. A hit
  // costs one or two look-ups, and nothing has to be moved to keep an order.
  #young = new Map<string, bigint>();
  #old = new Map<string, bigint>();

  /** @param room how many strings to keep at most */
  constructor(room: number) {
    this.#room = room;
  }

  /** The ids of keys, in their order; undefined if one of them is not cached. */
  all(keys: readonly string[]): BigUint64Array | undefined {
    if (this.#room === 0 || !Array.isArray(keys)) return undefined;
    const ids = new BigUint64Array(keys.length);
    for (let row = 0; row < keys.length; row++) {
      const id = this.#get(keys[row] as string);
      if (id === undefined) return undefined;
      ids[row] = id;
    }
    return ids;
  }

  /** Sets the ids of the keys that are cached. @returns the other keys, in their order */
  fill(keys: Map<string, bigint>): string[] {
    if (this.#room === 0) return [...keys.keys()];
    const unknown: string[] = [];
    for (const key of keys.keys()) {
      const id = this.#get(key);
      if (id === undefined) unknown.push(key);
      else keys.set(key, id);
    }
    return unknown;
  }

  /** Keeps the ids of keys; an id of 0 means that the key has none. */
  keep(keys: readonly string[], ids: BigUint64Array): void {
    if (this.#room === 0) return;
    for (const [row, key] of keys.entries()) if (ids[row] !== 0n) this.#add(key, ids[row] as bigint);
  }

  #get(key: string): bigint | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const id = this.#old.get(key);
    if (id !== undefined) this.#add(key, id);
    return id;
  }

  #add(key: string, id: bigint): void {
    if (this.#young.size >= Math.max(1, this.#room >> 1)) {
      this.#old = this.#room > 1 ? this.#young : new Map();
      this.#young = new Map();
    }
    this.#young.set(key, id);
  }
}
