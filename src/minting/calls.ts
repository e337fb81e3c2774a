/** Where a generator is: the unit and sequence number that it gave last, and the unit that its clock has shown. */
export interface Position {
  readonly unit: number;
  readonly sequence: number;
  readonly seen: number;
}

/** One call for ids: what it has been given so far, and how long it has waited. */
export class Call {
  readonly ids: BigUint64Array;
  filled = 0;
  /** The numbers between these are this call's, and nobody else's: what it may give back. */
  from: Position | undefined;
  to: Position | undefined;
  /** When it began to wait for the first time, on a clock that nobody sets. */
  waitingSince: number | undefined;
  turns = 0;

  constructor(n: number) {
    this.ids = new BigUint64Array(n);
  }
}

interface Waiting {
  readonly call: Call;
  resolve(ids: BigUint64Array): void;
  reject(error: unknown): void;
}

/**
 * The calls that wait without holding up the thread, served in the order in which they came. Only the first one
 * waits for the clock, and it has waited longest: when it has to give up, the next one is looked at at once. So no
 * call waits longer than it may, and those behind the first take no numbers that they would have to give back.
 */
export class CallQueue {
  readonly #waiting = new Set<Waiting>(); // in the order of arrival
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #advance: (call: Call) => number | undefined;

  /** @param advance gives a call what there is; returns how many milliseconds it has to wait for more, if it has to */
  constructor(advance: (call: Call) => number | undefined) {
    this.#advance = advance;
  }

  async run(call: Call): Promise<BigUint64Array> {
    if (this.#isIdle) {
      const ms = this.#advance(call);
      if (ms === undefined) return call.ids;
      if (this.#isIdle) this.#wakeIn(ms); // a clock or a mark could have called in the meantime
    }
    call.waitingSince ??= performance.now();
    return new Promise((resolve, reject) => this.#waiting.add({ call, resolve, reject }));
  }

  /** Looks at once whether the calls that wait can go on. */
  wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const first of this.#waiting) {
      try {
        const ms = this.#advance(first.call);
        if (ms !== undefined) {
          this.#wakeIn(ms);
          return;
        }
        first.resolve(first.call.ids);
      } catch (error) {
        first.reject(error);
      }
      this.#waiting.delete(first);
    }
  }

  get #isIdle(): boolean {
    return this.#timer === undefined;
  }

  #wakeIn(ms: number): void {
    this.#timer = setTimeout(() => this.wake(), ms);
  }
}
