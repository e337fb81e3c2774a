import { describe, expect, it } from 'vitest';

// How a number for a string is found among prefixes, as it has been published, and as it has to be.

const MAX = 0xffffffff; // prefix 32, number 32
const TRIES = 5;

/** Counters by prefix, noting which are read: each one read is one more to conflict on. */
class NotedCounters {
  readonly reads: number[] = [];
  readonly #last: Map<number, number>;

  constructor(last: Readonly<Record<number, number>>) {
    this.#last = new Map(Object.entries(last).map(([prefix, n]) => [Number(prefix), n]));
  }

  read(prefix: number): number {
    this.reads.push(prefix);
    return this.last(prefix);
  }

  last(prefix: number): number {
    return this.#last.get(prefix) ?? 0;
  }

  set(prefix: number, n: number): void {
    this.#last.set(prefix, n);
  }
}

type Loop = (pick: () => number, counters: NotedCounters) => bigint;

function id(prefix: number, n: number): bigint {
  return (BigInt(prefix) << 32n) | BigInt(n);
}

/** As published. It does not stop at the first good prefix, and prefix and number may be of different tries. */
const published: Loop = (pick, counters) => {
  let prefix = 0;
  let n = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    prefix = pick();
    const last = counters.read(prefix);
    if (last < MAX) n = last + 1;
  }
  if (n === 0) throw new Error('all prefixes are exhausted');
  counters.set(prefix, n);
  return id(prefix, n);
};

const sound: Loop = (pick, counters) => {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const prefix = pick();
    const last = counters.read(prefix);
    if (last >= MAX) continue;
    counters.set(prefix, last + 1);
    return id(prefix, last + 1);
  }
  throw new Error('all prefixes are exhausted');
};

function run(loop: Loop, picks: readonly number[], counters: NotedCounters): bigint {
  const rest = picks.values();
  return loop(() => rest.next().value ?? 0, counters);
}

describe('the published loop', () => {
  it('issues a number of one prefix under another that is exhausted, and rewinds its counter', () => {
    const counters = new NotedCounters({ 7: MAX, 1: 4 });
    expect(run(published, [1, 1, 1, 1, 7], counters)).toBe(0x700000005n); // which had been issued long before
    expect(counters.last(7)).toBe(5);
    expect(counters.last(1)).toBe(4);
    expect(run(published, [7, 7, 7, 7, 7], counters)).toBe(0x700000006n); // and so on: all of them once more
  });

  it('reads five counters for one number', () => {
    const counters = new NotedCounters({});
    expect(run(published, [1, 2, 3, 4, 5], counters)).toBe(0x500000001n);
    expect(counters.reads).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('a loop that stops at the first good prefix', () => {
  it('takes the number of the prefix that it picked, and leaves others alone', () => {
    const counters = new NotedCounters({ 7: MAX, 1: 4 });
    expect(run(sound, [1, 1, 1, 1, 7], counters)).toBe(0x100000005n);
    expect(counters.reads).toEqual([1]);
    expect(counters.last(7)).toBe(MAX);
  });

  it('passes over exhausted prefixes, and gives up after five', () => {
    const counters = new NotedCounters({ 7: MAX, 1: 4 });
    expect(run(sound, [7, 7, 7, 7, 1], counters)).toBe(0x100000005n);
    expect(() => run(sound, [7, 7, 7, 7, 7, 1], counters)).toThrow('exhausted');
    expect(counters.last(7)).toBe(MAX);
  });
});
