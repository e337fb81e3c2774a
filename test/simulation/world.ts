/**
 * A world in which one seed decides everything that happens, and when. Its time is simulated: code that runs in it gets
 * its timers, clocks and random numbers from here, and an hour of waiting takes no time.
 *
 * Import this module before those of the library, because some of them take functions of the clock when they are loaded.
 */

import { Random } from './random.js';

/** A machine with a clock that may be wrong, and may run too fast or too slowly. */
export class Machine {
  readonly name: string;
  readonly world: World;
  readonly rate: number;
  /** How far its clock is ahead, in milliseconds, without what the rate adds. */
  skew: number;
  /** How far its clock was ahead of the time of the world at most, when it was read. */
  mostAhead = Number.NEGATIVE_INFINITY;

  constructor(world: World, name: string, rate = 1, skew = 0) {
    this.world = world;
    this.name = name;
    this.rate = rate;
    this.skew = skew;
  }

  /** Its clock, in Unix milliseconds. */
  clock(): number {
    this.mostAhead = Math.max(this.mostAhead, this.ahead());
    return START + this.world.now + this.ahead();
  }

  monotonic(): number {
    return Math.floor(this.world.now * this.rate);
  }

  /** How far its clock is ahead of the time of the world. */
  ahead(): number {
    return this.skew + this.monotonic() - this.world.now;
  }
}

/** Something that runs on a machine, and can be killed or paused. */
export class Process {
  readonly name: string;
  readonly machine: Machine;
  readonly world: World;
  isAlive = true;
  pausedUntil = 0;

  constructor(world: World, name: string, machine: Machine) {
    this.world = world;
    this.name = name;
    this.machine = machine;
  }

  /** Begins to run something now. A failure is a finding. */
  run(work: () => Promise<void>): void {
    this.world.at(0, this, () => {
      work().catch((error) => this.world.find(`${this.name} failed`, error));
    });
  }

  /** Nothing of it runs any more. */
  kill(): void {
    this.isAlive = false;
  }

  pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.world.now + ms);
  }
}

interface Happening {
  readonly at: number;
  readonly order: number;
  readonly process: Process;
  run: (() => void) | undefined;
}

/** 2026-01-01, when every world begins. */
const START = Date.UTC(2026, 0);

const real = { setImmediate, setTimeout, clearTimeout, crypto: globalThis.crypto, random: Math.random };
const realClock = { now: Date.now, monotonic: performance.now.bind(performance), timeout: AbortSignal.timeout };

/** What the monotonic clocks of a world begin at: so much later in each world that the library takes none for an earlier one. */
let begun = 0;

/** The process whose code is running. */
let running: Process | undefined;

export class World {
  readonly random: Random;
  /** In milliseconds, since its beginning. */
  now = 0;
  /** What went wrong. */
  readonly findings: string[] = [];
  readonly #log: string[] | undefined;
  readonly #queue: Happening[] = [];
  #order = 0;

  /** @param log gets everything that happens, for people to read */
  constructor(seed: number, log?: string[]) {
    this.random = new Random(seed);
    this.#log = log;
    begun += 1e9;
  }

  /** Lets something happen in a process, so many milliseconds from now. @returns what takes it back */
  at(ms: number, process: Process, run: () => void): Happening {
    const happening = { at: this.now + Math.max(0, Math.ceil(ms)), order: this.#order++, process, run };
    push(this.#queue, happening);
    return happening;
  }

  /** Runs until a time, in milliseconds since the beginning. */
  async runUntil(end: number): Promise<void> {
    while (this.#queue.length > 0 && this.#queue[0].at <= end && this.findings.length === 0) {
      const happening = pop(this.#queue);
      const { process, run } = happening;
      this.now = happening.at;
      if (run === undefined || !process.isAlive) continue;
      if (process.pausedUntil > this.now) {
        push(this.#queue, { ...happening, at: process.pausedUntil, order: this.#order++ });
        continue;
      }
      running = process;
      run();
      await new Promise((resolve) => real.setImmediate(resolve)); // until all that follows at once is done
      running = undefined;
    }
    this.now = Math.max(this.now, end);
  }

  log(who: string, what: () => string): void {
    this.#log?.push(`${String(this.now).padStart(7)} ${who.padEnd(12)} ${what()}`);
  }

  find(what: string, error?: unknown): void {
    const because = error instanceof Error ? `: ${error.stack}` : error === undefined ? '' : `: ${String(error)}`;
    this.log('FOUND', () => what + because);
    this.findings.push(what + because);
  }
}

/** A promise for use in a process, whose time it takes. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

// A heap: what comes first is at its top.

function push(heap: Happening[], happening: Happening): void {
  let at = heap.push(happening) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(happening, heap[parent])) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = happening;
}

function pop(heap: Happening[]): Happening {
  const [first] = heap;
  const last = heap.pop() as Happening;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return first;
}

function timer(ms: number, run: () => void) {
  const process = running as Process;
  const happening = process.world.at(ms / process.machine.rate, process, run);
  return { happening, unref() {} };
}

function randomBytes(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = (running as Process).world.random.u32() >>> 24;
}

Date.now = () => running?.machine.clock() ?? realClock.now();
performance.now = () => (running === undefined ? realClock.monotonic() : begun + running.machine.monotonic());
Math.random = () => (running === undefined ? real.random() : running.world.random.u32() / 2 ** 32);
AbortSignal.timeout = (ms) => {
  if (running === undefined) return realClock.timeout(ms);
  const controller = new AbortController();
  timer(ms, () => controller.abort(new DOMException('the time is over', 'TimeoutError')));
  return controller.signal;
};
Object.assign(globalThis, {
  setTimeout: (run: () => void, ms = 0, ...args: []) =>
    running === undefined ? real.setTimeout(run, ms, ...args) : timer(ms, run),
  clearTimeout: (id: ReturnType<typeof timer> | Parameters<typeof clearTimeout>[0]) => {
    if (typeof id === 'object' && 'happening' in id) (id.happening as Happening).run = undefined;
    else real.clearTimeout(id);
  },
  setImmediate: (run: () => void, ...args: []) =>
    running === undefined ? real.setImmediate(run, ...args) : timer(0, run),
});
Object.defineProperty(globalThis, 'crypto', {
  value: {
    subtle: real.crypto.subtle,
    getRandomValues: <T extends Uint8Array>(values: T) => {
      if (running === undefined) return real.crypto.getRandomValues(values);
      randomBytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      return values;
    },
    randomUUID: () => {
      if (running === undefined) return real.crypto.randomUUID();
      const bytes = new Uint8Array(16);
      randomBytes(bytes);
      return Buffer.from(bytes)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  },
});
