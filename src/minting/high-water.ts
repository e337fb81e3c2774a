/** Remembers, across restarts, until when ids may have been minted. */
export interface HighWater {
  /**
   * Called once by each new generator, which from then on is the only one that may save.
   * @returns the mark that was saved last, in Unix milliseconds; undefined if there is none
   */
  load(): number | undefined;
  /** Called before ids up to this instant are given. The mark must be durable when this returns. */
  save(unixMs: number): void;
  /**
   * Called when the generator is closed. The generator mints nothing more.
   * @param mintedUntil the instant up to which it has given ids, in whole Unix milliseconds. It is usually earlier
   *   than what was saved, and the next generator can start there. If it is left out, the generator has given no ids,
   *   and the mark stays as it is
   */
  close?(mintedUntil?: number): void;
}
