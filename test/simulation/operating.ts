import { type Store, storeState } from '../../src/registry/index.js';
import type { Memory } from '../../src/registry/stores/memory.js';
import { overriding } from '../support/overriding.js';
import { replaceContents, snapshot } from './contents.js';
import { Random } from './random.js';
import { fill, newMemory, type Place, using } from './states.js';
import { giveNew, holdingsOf, STEPS, STEPS_WITH_TWO, type Step, take } from './steps.js';

const PLACES = 4;
const STEPS_A_WORLD = 30;
const MINUTE = 60_000;

/** A fault that is planted, to see whether it is found. */
export type Plant = (store: Store) => Store;

/**
 * An operator who takes any step with any of four stores, also the wrong one, with commands that may be killed, and puts
 * old backups in place. What each step says is compared with what the stores then are.
 * @returns what was found; undefined if all is well
 */
export async function operate(seed: number, plant: Plant = (store) => store): Promise<string | undefined> {
  const random = new Random(seed);
  const places: (Place & { readonly memory: Memory })[] = [];
  for (let i = 0; i < PLACES; i++) places.push(await newMemory());
  await fill(places[0] as Place);
  await fill(places[1] as Place, random.chance(0.5));
  /** Who got an id, by the identity of its store. */
  const given = new Map<string, string>();
  const backups: Memory[] = [];
  const realNow = Date.now;
  let now = realNow();
  Date.now = () => now;
  const done: string[] = [];
  try {
    for (let i = 0; i < STEPS_A_WORLD; i++) {
      now += random.from(1, 600) * MINUTE; // two restores at the same millisecond would skip to the same numbers
      const [first, second] = [random.pick(places), random.pick(places)];
      const step = random.pick(random.chance(0.5) ? STEPS_WITH_TWO : STEPS);
      const numbers = `${places.indexOf(first) + 1} ${places.indexOf(second) + 1}`;
      if (random.chance(0.1)) backups.push(snapshot(first.memory));
      if (random.chance(0.1)) done.push(`${numbers} backup: ${await restored(first, random.pick(backups))}`);
      else if (random.chance(0.25))
        done.push(`${numbers} ${step.name}: ${await takeKilled(step, first, second, random)}`);
      else done.push(`${numbers} ${step.name}: ${await take(step, ...planted(first, second, plant))}`);
      for (const place of places) await note(place, given);
    }
    return undefined;
  } catch (error) {
    return `${done.slice(-8).join('\n')}\n${(error as Error).message}`;
  } finally {
    Date.now = realNow;
  }
}

function planted(first: Place, second: Place, plant: Plant): [Place, Place] {
  const one = { open: async () => plant(await first.open()) };
  return [one, first === second ? one : { open: async () => plant(await second.open()) }];
}

/** Puts a backup in the place of a store, as an operator does who has stopped everybody, if it is one of that store. */
async function restored(place: Place & { readonly memory: Memory }, backup: Memory | undefined): Promise<string> {
  if (backup === undefined) return 'none';
  const staged = await newMemory(snapshot(backup), backup.settings.get('store'));
  const [state, replaced] = [await using(staged, storeState), await using(place, storeState)];
  if (state === undefined || state.identity !== replaced?.identity || replaced.movedTo !== undefined)
    return 'of another';
  const restore = STEPS.find(({ name }) => name === 'restore') as Step;
  const outcome = await take(restore, staged, staged);
  if (outcome === 'restored') replaceContents(place.memory, staged.memory);
  return outcome;
}

/** Takes a step in a process that is killed at one of its calls. What it would have said is unknown. */
async function takeKilled(step: Step, first: Place, second: Place, random: Random): Promise<string> {
  const left = { calls: random.from(0, 60) };
  const dying = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const own = target[name as keyof Store];
        if (typeof own !== 'function') return own;
        return (...args: unknown[]) => {
          if (left.calls-- <= 0) throw new Error('killed');
          return (own as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const [one, other] = planted(first, second, dying);
  return step.run(one, other).then(
    () => 'done, unseen',
    (error) => String(error.message).slice(0, 60),
  );
}

/** Checks that no id was given to two strings under one identity, and has a store that can be used give some more. */
async function note(place: Place, given: Map<string, string>): Promise<void> {
  const holdings = await holdingsOf(place);
  if (holdings === undefined) return;
  const { identity, incomplete, movedTo } = (await using(place, storeState)) ?? {};
  if (identity === undefined) return;
  if (incomplete === undefined && movedTo === undefined) await giveNew(place, [holdings]);
  for (const [key, id] of (await holdingsOf(place))?.ids ?? []) {
    const owner = given.get(`${identity} ${id}`) ?? key;
    if (owner !== key) throw new Error(`the id ${id} of ${owner} was given to ${key}`);
    given.set(`${identity} ${id}`, key);
  }
}

/** Faults that this finds. */
export const PLANTS: { readonly [fault: string]: Plant } = {
  'a move does not fence the first store': (store) =>
    overriding(store, {
      replaceState: async (expected, state) =>
        JSON.parse(state).movedTo === undefined ? store.replaceState(expected, state) : true,
    }),
  'a restore skips nothing': (store) =>
    overriding(store, {
      replaceSetting: async (name, expected, value) =>
        name.startsWith('skipped:') || store.replaceSetting(name, expected, value),
    }),
  'a store does not keep which one was given up': (store) =>
    overriding(store, {
      replaceState: (expected, state) => store.replaceState(expected, state.replace(/,"lost":\[[^\]]+\]/, '')),
    }),
};
