import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import {
  defineLayout,
  type HighWater,
  type MintPolicy,
  type ShardLease,
  SnowflakeGenerator,
  type SnowflakeGeneratorOptions,
} from '../../src/index.js';
import { scaled } from '../support/scale.js';

// Any order of calls, waits, failures, restarts and clocks that go wrong, on small layouts whose sequences run out at
// once. Time is made here: it passes when a command lets it pass, or while a call holds up the thread.

const EPOCH = 1_700_000_000_000;
const SHARD_BITS = 3;

interface Setup {
  unit: 'ms' | '10ms' | 's';
  bits: number;
  min: number;
  onClockBackwards: MintPolicy;
  onSequenceExhausted: MintPolicy;
  maxWaitMs: number;
  /** What the generators have in common; if nothing, there is one. */
  common: 'nothing' | 'lease' | 'mark' | 'both';
  /** Whether the generators' `onEvent` mints, too. */
  mintsInEvents: boolean;
}

/** Time, with the timers of whoever waits. */
class Time {
  mono = 1000;
  wall = EPOCH + 100_000;
  /** The latest that any clock has shown. */
  latest = this.wall;
  /** How long the thread has been held up in all. */
  held = 0;
  isStopped = false;
  readonly #timers = new Map<number, { at: number; run(): void }>();
  #timerNumber = 0;

  clock = (): number => {
    this.latest = Math.max(this.latest, this.wall);
    return this.wall;
  };

  pass(ms: number): void {
    this.mono += ms;
    if (!this.isStopped) this.wall += ms;
  }

  /** Lets time pass, timer by timer. */
  async advance(ms: number): Promise<void> {
    const end = this.mono + ms;
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      this.pass(Math.max(0, next[1].at - this.mono));
      this.#timers.delete(next[0]);
      next[1].run();
      await settle();
    }
    this.pass(Math.max(0, end - this.mono));
    await settle();
  }

  install(): void {
    vi.spyOn(performance, 'now').mockImplementation(() => this.mono);
    vi.spyOn(Atomics, 'wait').mockImplementation((_array, _index, _value, ms = 0) => {
      const passed = Math.max(0.001, ms);
      this.pass(passed);
      this.held += passed;
      return 'timed-out';
    });
    vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => {
      this.#timers.set(++this.#timerNumber, { at: this.mono + Math.max(1, ms), run });
      return this.#timerNumber;
    });
    vi.stubGlobal('clearTimeout', (timer: number) => this.#timers.delete(timer));
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

class World {
  readonly time = new Time();
  readonly setup: Setup;
  readonly generators: SnowflakeGenerator[] = [];
  readonly lease: ShardLease & { until: number };
  readonly highWater: HighWater;
  isDiskFull = false;
  readonly given = new Set<bigint>();
  /** The largest id that each generator has given. */
  readonly largest: bigint[] = [];
  problem: unknown;
  pending = 0;
  /** How many numbers calls that failed, while others minted, may have left unused. */
  lost = 0;
  failed = 0;
  /** How long the calls in `onEvent` have held up the thread in all, and how many there were. */
  heldInEvents = 0;
  inEvents = 0;
  #isInEvent = false;

  constructor(setup: Setup) {
    this.setup = setup;
    const world = this;
    let mark: number | undefined;
    this.lease = {
      shard: 1,
      token: 1n,
      notBefore: EPOCH,
      until: Number.POSITIVE_INFINITY,
      validUntil: () => world.lease.until,
      release: async () => {},
      lost: new Promise(() => {}),
    };
    this.highWater = {
      load: () => mark,
      save(at) {
        if (world.isDiskFull) throw new Error('disk full');
        mark = at;
      },
      close(mintedUntil) {
        mark = mintedUntil ?? mark;
      },
    };
    const generators = setup.common === 'nothing' ? 1 : 2;
    for (let i = 0; i < generators; i++) this.start(i);
  }

  start(i: number): void {
    const { unit, bits, min, common, mintsInEvents, ...policies } = this.setup;
    const options: SnowflakeGeneratorOptions = {
      layout: defineLayout({ timestamp: { bits: 41, epoch: EPOCH, unit }, shard: SHARD_BITS, sequence: { bits, min } }),
      shard: common === 'lease' || common === 'both' ? this.lease : 1,
      clock: this.time.clock,
      ...policies,
    };
    if (common === 'mark' || common === 'both') options.highWater = this.highWater;
    if (mintsInEvents) options.onEvent = () => this.mintInEvent(i, generator);
    const generator = new SnowflakeGenerator(options);
    this.generators[i] = generator;
    this.largest[i] = -1n;
  }

  /** Mints while a call of the same generator tells an event. What this throws would be ignored. */
  mintInEvent(i: number, generator: SnowflakeGenerator): void {
    if (this.#isInEvent || this.generators[i] !== generator) return;
    this.#isInEvent = true;
    const [before, start, n] = [this.largest[i], this.time.mono, 1 + (this.inEvents++ % 5)];
    let ids: BigUint64Array | undefined;
    try {
      ids = generator.nextMany(n);
    } catch {
      this.lost += n;
    }
    try {
      if (ids) this.receive(i, ids, before);
    } catch (error) {
      this.problem = error;
    }
    this.heldInEvents += this.time.mono - start;
    this.#isInEvent = false;
  }

  /** Ids have come: each is new, and larger than all that the generator had given when it was asked. */
  receive(i: number, ids: Iterable<bigint>, before: bigint): void {
    let last = before;
    for (const id of ids) {
      if (id <= last) throw new Error(`${id} after ${last}`);
      if (this.given.has(id)) throw new Error(`${id} has been given before`);
      this.given.add(id);
      last = id;
    }
    if (last > this.largest[i]) this.largest[i] = last;
    this.checkTime(last);
  }

  /** No id is further ahead of the clock than the policy allows. */
  checkTime(id: bigint): void {
    if (id < 0n) return;
    const { unit, bits, onSequenceExhausted, onClockBackwards, common, maxWaitMs } = this.setup;
    const start = EPOCH + Number(id >> BigInt(bits + SHARD_BITS)) * { ms: 1, '10ms': 10, s: 1000 }[unit];
    const startsAhead = (common === 'mark' || common === 'both') && onClockBackwards === 'borrow'; // of what was saved
    const ahead = onSequenceExhausted === 'borrow' || startsAhead ? maxWaitMs : 0;
    if (start > this.time.latest + ahead) throw new Error(`an id of ${start}, by a clock of ${this.time.latest}`);
  }

  /** Every unit's sequence numbers are used one after the other, except for those of calls that failed. */
  checkGaps(): void {
    const { bits, min } = this.setup;
    const units = new Map<bigint, { last: number; count: number }>();
    for (const id of this.given) {
      const unit = id >> BigInt(bits + SHARD_BITS);
      const { last, count } = units.get(unit) ?? { last: -1, count: 0 };
      units.set(unit, { last: Math.max(last, Number(BigInt.asUintN(bits, id))), count: count + 1 });
    }
    let gaps = 0;
    for (const { last, count } of units.values()) gaps += last - min + 1 - count;
    expect(gaps).toBeLessThanOrEqual(this.lost);
  }
}

type Command = fc.AsyncCommand<object, World>;

/** Something that can always be done. */
function command(name: string, run: (world: World) => void | Promise<void>): Command {
  return {
    check: () => true,
    async run(_, world) {
      await run(world);
      await settle();
    },
    toString: () => name,
  };
}

const one = (world: World, i: number): [number, SnowflakeGenerator] => {
  const which = i % world.generators.length;
  return [which, world.generators[which]];
};

const callSync = (i: number, n: number): Command =>
  command(`nextMany(${n}) of ${i}`, (world) => {
    const [which, generator] = one(world, i);
    const before = world.largest[which];
    let ids: Iterable<bigint>;
    const { time, setup } = world;
    const start = time.mono - world.heldInEvents;
    try {
      ids = n === 1 ? [generator.next()] : generator.nextMany(n);
    } catch {
      world.failed++;
      if (setup.mintsInEvents) world.lost += n;
      ids = [];
    }
    expect(time.mono - world.heldInEvents - start).toBeLessThanOrEqual(setup.maxWaitMs + 1);
    world.receive(which, ids, before);
  });

const callAsync = (i: number, n: number): Command =>
  command(`nextManyAsync(${n}) of ${i}`, (world) => {
    const [which, generator] = one(world, i);
    const { time } = world;
    const before = world.largest[which];
    const [start, held] = [time.mono, time.held];
    world.pending++;
    const end = (): void => {
      world.pending--;
      // Its own waits, and no timer runs while another call holds up the thread.
      const waited = time.mono - start - (time.held - held);
      if (waited > world.setup.maxWaitMs + 1) world.problem = new Error(`a call waited ${waited} ms`);
    };
    generator.nextManyAsync(n).then(
      (ids) => {
        end();
        try {
          world.receive(which, ids, before);
        } catch (error) {
          world.problem = error;
        }
      },
      () => {
        end();
        world.failed++;
        world.lost += n;
      },
    );
  });

const counts = fc.integer({ min: 1, max: 30 });
const which = fc.nat({ max: 1 });
const commands = fc.commands(
  [
    ...Array.from({ length: 4 }, () => fc.tuple(which, counts).map(([i, n]) => callAsync(i, n))),
    ...Array.from({ length: 2 }, () => fc.tuple(which, counts).map(([i, n]) => callSync(i, n))),
    which.map((i) => callSync(i, 1)),
    ...Array.from({ length: 4 }, () =>
      fc.double({ min: 0, max: 30, noNaN: true }).map((ms) => command(`${ms} ms pass`, ({ time }) => time.advance(ms))),
    ),
    fc.integer({ min: -40, max: 40 }).map((ms) =>
      command(`the clock steps ${ms} ms`, ({ time }) => {
        time.wall += ms;
      }),
    ),
    fc.boolean().map((isStopped) =>
      command(isStopped ? 'the clock stops' : 'the clock runs', ({ time }) => {
        time.isStopped = isStopped;
      }),
    ),
    // What makes calls fail comes and goes in one command, so that not all later calls fail.
    fc.tuple(which, counts, fc.boolean(), fc.boolean()).map(([i, n, isFull, isSync]) =>
      command(`${isFull ? 'the disk is full' : 'the lease ends'} during a call`, async (world) => {
        world.isDiskFull = isFull;
        if (!isFull) world.lease.until = world.time.wall + 3;
        await (isSync ? callSync(i, n) : callAsync(i, n)).run({}, world);
        await world.time.advance(5);
        world.isDiskFull = false;
        world.lease.until = Number.POSITIVE_INFINITY;
      }),
    ),
    fc.tuple(which, fc.boolean()).map(([i, closes]) =>
      command(`${i} ${closes ? 'is closed' : 'ends'} and starts again`, (world) => {
        if (world.setup.common === 'nothing') return; // nothing would know what the first one gave
        const [which, generator] = one(world, i);
        if (closes) generator.close();
        world.start(which);
      }),
    ),
  ],
  { maxCommands: 60, size: 'max' },
);

const policies = fc.constantFrom<MintPolicy>('throw', 'wait', 'borrow');
const setups: fc.Arbitrary<Setup> = fc.record({
  unit: fc.constantFrom('ms', 'ms', '10ms', 's'),
  bits: fc.constantFrom(1, 2, 3),
  min: fc.constantFrom(0, 1),
  onClockBackwards: policies,
  onSequenceExhausted: policies,
  maxWaitMs: fc.constantFrom(0, 2, 20, 2500),
  common: fc.constantFrom('nothing', 'nothing', 'lease', 'mark', 'both'),
  mintsInEvents: fc.boolean(),
});

it('whatever is called and whatever goes wrong, no id is given twice, and each caller sees them ascend', async () => {
  let [given, failed, inEvents] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(setups, commands, async (setup, list) => {
      const world = new World(setup);
      world.time.install();
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), list);
        world.time.isStopped = false;
        await world.time.advance(setup.maxWaitMs + 10);
        if (world.problem) throw world.problem;
        expect(world.pending).toBe(0);
        world.checkGaps();
        given += world.given.size;
        failed += world.failed;
        inEvents += world.inEvents;
      } finally {
        vi.restoreAllMocks();
        vi.unstubAllGlobals();
      }
    }),
    { numRuns: scaled(1000, 20) },
  );
  console.log(`${given} ids, ${failed} calls failed, ${inEvents} calls in onEvent`);
  expect(given).toBeGreaterThan(scaled(10_000, 20));
  expect(failed).toBeGreaterThan(scaled(1000, 20));
  expect(inEvents).toBeGreaterThan(scaled(500, 20));
});
