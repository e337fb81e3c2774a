import { expect, it } from 'vitest';
import { layouts, type MintPolicy, SnowflakeGenerator } from '../../src/index.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

// Time as it may be: clocks that run, stop, jump an hour back or ahead, and processes that start anew.

const GENERATORS = 64;
const IDS = scaled(10_000_000);
const HOUR = 3_600_000;
const POLICIES: readonly MintPolicy[] = ['throw', 'wait', 'borrow'];

/** A machine: its clock, what it keeps on disk, and its generator, which is made anew when it starts. */
class Machine {
  #now = Date.UTC(2024, 0);
  #mark: number | undefined;
  #generator: SnowflakeGenerator;
  readonly #options: ConstructorParameters<typeof SnowflakeGenerator>[0];

  constructor(shard: number, policy: MintPolicy) {
    this.#options = {
      shard,
      clock: () => this.#now,
      onClockBackwards: policy,
      onSequenceExhausted: policy,
      maxWaitMs: policy === 'borrow' ? 60_000 : 0, // nobody moves the clock while it waits
      highWater: { load: () => this.#mark, save: (at) => (this.#mark = at) },
    };
    this.#generator = new SnowflakeGenerator(this.#options);
  }

  /** Something happens, then ids are asked for. */
  step(event: number, count: number): BigUint64Array | undefined {
    if (event < 70) this.#now += event % 7;
    else if (event < 80) this.#now -= HOUR;
    else if (event < 90) this.#now += HOUR;
    else if (event < 95) this.#generator = new SnowflakeGenerator(this.#options);
    try {
      return this.#generator.nextMany(count);
    } catch {
      return undefined;
    }
  }
}

it(`no id of ${IDS} is given twice by ${GENERATORS} generators, and each one's ascend`, () => {
  const machines = Array.from({ length: GENERATORS }, (_, shard) => new Machine(shard, POLICIES[shard % 3]));
  const last = new BigUint64Array(GENERATORS);
  const all = new BigUint64Array(IDS);
  let refused = 0;
  let given = 0;
  for (let round = 0; given < IDS; round++) {
    const random = new Uint32Array(randomU64s(GENERATORS, round).buffer);
    for (const [i, machine] of machines.entries()) {
      const count = Math.min(1 + (random[2 * i + 1] % 9000), IDS - given);
      const ids = machine.step(random[2 * i] % 100, count);
      if (ids === undefined) refused++;
      if (ids === undefined || ids.length === 0) continue;
      expect(ids[0]).toBeGreaterThan(last[i]);
      last[i] = ids.at(-1) as bigint;
      all.set(ids, given);
      given += ids.length;
    }
  }
  const ascending = all.slice().sort();
  let same = 0;
  for (let i = 1; i < IDS; i++) if (ascending[i] === ascending[i - 1]) same++;
  console.log(`${given} ids, ${same} given twice, ${refused} calls refused`);
  expect(same).toBe(0);
  expect(refused).toBeGreaterThan(0);
  expect(layouts.snowflake.shardOf(all.at(-1) as bigint)).toBeLessThan(GENERATORS);
});
