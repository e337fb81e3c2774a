/** The strings that were requested most recently, with their ids, which never change. */
export class IdCache {
  readonly #room: number;
  // A requested string is in `young`, or moves there from `old`. Strings are dropped from `old`, the oldest first. When
  // `old` is empty, the two maps change places. So a hit costs one look-up, and rarely a move.
  #young = new Map<string, bigint>();
  #old = new Map<string, bigint>();
  #oldest = this.#old.keys();

  /** @param room how many strings to keep at most */
  constructor(room: number) {
    this.#room = room;
  }

  /** The ids of keys, in their order; undefined if it does not have all. */
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

  /** Fills in the ids that it has. @returns the other keys, in their order */
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
    for (const [row, key] of keys.entries()) {
      if (ids[row] === 0n || this.#get(key) !== undefined) continue;
      if (this.#young.size + this.#old.size >= this.#room) this.#drop();
      this.#young.set(key, ids[row] as bigint);
    }
  }

  #get(key: string): bigint | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const id = this.#old.get(key);
    if (id !== undefined) {
      this.#old.delete(key);
      this.#young.set(key, id);
    }
    return id;
  }

  #drop(): void {
    if (this.#old.size === 0) {
      [this.#old, this.#young] = [this.#young, this.#old];
      this.#oldest = this.#old.keys();
    }
    this.#old.delete(this.#oldest.next().value as string);
  }
}
