/** Remembers, across restarts, until when ids may have been minted. */
export interface HighWater {
  /**
   * Called once by each new generator, which from then on is the only one that may save.
   * @returns what was saved last, in Unix milliseconds, or nothing
   */
  load(): number | undefined;
  /** Called before ids of up to this instant are given. It has to be durable when this returns. */
  save(unixMs: number): void;
  /**
   * Called when the generator is closed, which mints nothing more.
   * @param mintedUntil the instant up to which it has given ids, in whole Unix milliseconds: usually less than what
   *   was saved, and enough for the next generator to start after. Left out if it has given none: the mark stays
   */
  close?(mintedUntil?: number): void;
}

/** The generator that loaded a mark last. Marks that are files see to other processes themselves. */
const holders = new WeakMap<HighWater, object>();

/** Makes a generator the one that may save; the one before may give what it has saved, and no more. */
export function takeHold(highWater: HighWater, generator: object): void {
  holders.set(highWater, generator);
}

export function holds(highWater: HighWater, generator: object): boolean {
  return holders.get(highWater) === generator;
}
