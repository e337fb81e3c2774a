import type { Random } from './random.js';

/** The order in which the transactions of writers end. */
export interface Schedule {
  /** The writer whose transaction ends next; it starts another at once. */
  next(): number;
}

/** All transactions are equally long, so they end in the order in which they started. */
export class InTurn implements Schedule {
  readonly #writers: number;
  #last = -1;

  constructor(writers: number) {
    this.#writers = writers;
  }

  next(): number {
    this.#last = this.#last + 1 === this.#writers ? 0 : this.#last + 1;
    return this.#last;
  }
}

/** The lengths of transactions are exponentially distributed: a heap holds the times at which they end. */
export class Exponential implements Schedule {
  readonly #random: Random;
  readonly #endsAt: Float64Array;
  readonly #heap: Uint32Array;
  #hasBegun = false;

  constructor(writers: number, random: Random) {
    this.#random = random;
    this.#endsAt = Float64Array.from({ length: writers }, () => random.nextExponential());
    this.#heap = Uint32Array.from(this.#endsAt.keys()).sort((a, b) => this.#timeOf(a) - this.#timeOf(b));
  }

  next(): number {
    if (this.#hasBegun) this.#restartFirst();
    this.#hasBegun = true;
    return this.#heap[0];
  }

  #restartFirst(): void {
    const heap = this.#heap;
    const writer = heap[0];
    const time = this.#timeOf(writer) + this.#random.nextExponential();
    this.#endsAt[writer] = time;
    let hole = 0;
    for (let child = 1; child < heap.length; child = 2 * hole + 1) {
      const right = child + 1;
      if (right < heap.length && this.#timeOf(heap[right]) < this.#timeOf(heap[child])) child = right;
      if (this.#timeOf(heap[child]) >= time) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = writer;
  }

  #timeOf(writer: number): number {
    return this.#endsAt[writer];
  }
}
