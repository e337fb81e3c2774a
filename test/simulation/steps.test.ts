import { describe, expect, it } from 'vitest';
import { everyStore, type StoreKind } from '../conformance/stores.js';
import { IS_FULL, IS_WHOLE } from '../support/scale.js';
import { SEED } from '../support/seed.js';
import { operate, PLANTS } from './operating.js';
import { type NewPlace, newMemory, PAIRS, type Place, STATES } from './states.js';
import { STEPS, STEPS_WITH_TWO, type Step, take } from './steps.js';

/** A step in a state of two stores. */
interface Case {
  readonly step: Step;
  /** What groups the states in the table. */
  readonly row: string;
  readonly state: string;
  make(newPlace: NewPlace): Promise<readonly [Place, Place]>;
}

/** Every step in every state of the stores that it is about. */
function* cases(): Generator<Case> {
  const states = Object.entries(STATES);
  for (const step of STEPS) {
    for (const [state, makeOne] of states) {
      yield {
        ...{ step, row: step.name, state },
        make: async (newPlace) => {
          const both = [await newPlace(), await newPlace()] as const;
          await makeOne(both[0], newPlace);
          return both;
        },
      };
    }
  }
  for (const step of STEPS_WITH_TWO) {
    for (const [first, makeFirst] of states) {
      for (const [state, makeSecond] of states) {
        yield {
          ...{ step, row: `${step.name}, from ${first} to`, state },
          make: async (newPlace) => {
            const both = [await newPlace(), await newPlace()] as const;
            await makeFirst(both[0], newPlace);
            await makeSecond(both[1], newPlace);
            return both;
          },
        };
      }
    }
    for (const [state, makeOne] of states) {
      yield {
        ...{ step, row: `${step.name}, to itself`, state },
        make: async (newPlace) => {
          const one = await newPlace();
          await makeOne(one, newPlace);
          return [one, one];
        },
      };
    }
    for (const [state, makeBoth] of Object.entries(PAIRS)) {
      for (const isSwapped of [false, true]) {
        yield {
          ...{ step, row: `${step.name}, ${isSwapped ? 'the other way round after' : 'after'}`, state },
          make: async (newPlace) => {
            const [first, second] = [await newPlace(), await newPlace()];
            await makeBoth(first, second, newPlace);
            return isSwapped ? [second, first] : [first, second];
          },
        };
      }
    }
  }
}

async function outcomeOf({ step, row, state, make }: Case, newPlace: NewPlace): Promise<string> {
  try {
    return await take(step, ...(await make(newPlace)));
  } catch (error) {
    throw new Error(`${row} ${state}: ${(error as Error).message}`, { cause: error });
  }
}

describe('what a step of an operator says', () => {
  it('is what has happened, and is what the table says, for every step in every state of two stores', async () => {
    const rows = new Map<string, Map<string, string[]>>();
    for (const one of cases()) {
      const outcomes = rows.get(one.row) ?? new Map<string, string[]>();
      rows.set(one.row, outcomes);
      const outcome = await outcomeOf(one, () => newMemory());
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), one.state]);
    }
    const lines = [...rows].map(([row, outcomes]) => {
      return `${row}\n${[...outcomes].map(([outcome, states]) => `  ${outcome}: ${states.join(', ')}\n`).join('')}`;
    });
    await expect(lines.join('')).toMatchFileSnapshot('steps.txt');
  });

  // The quick run leaves servers to the full one.
  const others = everyStore().filter(({ name }) => name === 'SQLite' || (IS_FULL && name !== 'memory'));

  it.skipIf(others.length === 0).each(others)('is the same in $name', async (kind) => {
    const all = [...cases()];
    // Every so many, from another one in each run of another seed. Servers take ten times as long as files.
    const every = IS_WHOLE ? 5 : kind.name !== 'SQLite' ? 60 : IS_FULL ? 20 : 40;
    for (let i = SEED % every; i < all.length; i += every) {
      // PostgreSQL makes a store when it is opened, and notices a copy of all bytes before it is used.
      const one = all[i];
      if (kind.name === 'PostgreSQL' && /absent|all bytes/.test(`${one.row} ${one.state}`)) continue;
      const expected = await outcomeOf(one, () => newMemory());
      expect([one.row, one.state, await outcomeOf(one, placesOf(kind))]).toEqual([one.row, one.state, expected]);
    }
  });
});

function placesOf(kind: StoreKind): NewPlace {
  return async () => {
    const { store, again } = await kind.open();
    await store.close();
    return { open: again };
  };
}

describe('an operator who takes any step with any of four stores', () => {
  // Each takes some tenths of a second. `npx tsx test/simulation/run.ts 1 2000` has 2,000.
  const SEEDS = IS_WHOLE ? 200 : IS_FULL ? 20 : 3;

  it(`is told what has happened, and no id is given twice, in ${SEEDS} worlds`, async () => {
    for (let seed = SEED; seed < SEED + SEEDS; seed++) expect([seed, await operate(seed)]).toEqual([seed, undefined]);
  });

  it.each(Object.entries(PLANTS))('is told something false if %s', async (_, plant) => {
    let found: string | undefined;
    for (let seed = 1; seed <= 100 && found === undefined; seed++) found = await operate(seed, plant);
    expect(found).toBeDefined();
  });
});
