import { currentMap, mapHistory, publishMap, rollbackMap, type ShardMap } from '../../src/map/index.js';
import { publish } from '../../src/map/publish.js';
import { STATE_SETTING, type StoreState } from '../../src/registry/identity.js';
import {
  checkStore,
  copyStore,
  Interner,
  journal,
  leases,
  mintFloor,
  moveBack,
  moveStore,
  type Room,
  releaseShard,
  resetMark,
  restoreStore,
  type Store,
  skipAhead,
  TypeRegistry,
} from '../../src/registry/index.js';
import { ASTRAY, HELD, KEYS, type Place, using } from './states.js';

/** A step of an operator. What it returns has an `outcome`, or it throws. */
export interface Step {
  readonly name: string;
  run(first: Place, second: Place): Promise<unknown>;
}

const onFirst = (name: string, run: (store: Store) => Promise<unknown>): Step => ({
  name,
  run: (first) => using(first, run),
});
const onBoth = (name: string, run: (first: Store, second: Store) => Promise<unknown>): Step => ({
  name,
  run: (first, second) => using(first, (from) => using(second, (to) => run(from, to))),
});
/** As the command says it. */
async function published(store: Store, map: ShardMap) {
  return { outcome: (await publish(store, map)) ? 'published' : 'already published', version: map.version };
}

const read = (value: unknown) => ({ outcome: 'read', value });

/** Steps with one store. */
export const STEPS: readonly Step[] = [
  onFirst('check', async (store) => ({ outcome: 'checked', ...(await checkStore(store)) })),
  onFirst('skip-ahead', (store) => skipAhead(store, { leadMs: 1000 })),
  onFirst('restore', (store) => restoreStore(store, { leadMs: 1000 })),
  onFirst('restore --lost', (store) => restoreStore(store, { leadMs: 1000, isTargetLost: true })),
  onFirst('release', (store) => releaseShard(store, HELD)),
  onFirst('reset-mark of a right mark', (store) => resetMark(store, HELD)),
  onFirst('reset-mark of a wrong mark', (store) => resetMark(store, ASTRAY)),
  onFirst('log', async (store) => read(await journal(store))),
  onFirst('map get', async (store) => read(await currentMap(store))),
  onFirst('map history', async (store) => read(await mapHistory(store))),
  onFirst('map publish', async (store) => {
    const map = await currentMap(store);
    return map === undefined ? { outcome: 'no map' } : published(store, map.with({ nodes: [{ name: 'c' }] }));
  }),
  onFirst('map publish again', async (store) => {
    const map = await currentMap(store);
    return map === undefined ? { outcome: 'no map' } : published(store, map);
  }),
  onFirst('map rollback', async (store) => {
    const map = await currentMap(store);
    if (map === undefined) return { outcome: 'no map' };
    await publishMap(store, map.with({ nodes: [{ name: 'd' }] }));
    return { outcome: 'rolled back', version: (await rollbackMap(store, map.version)).version };
  }),
  onFirst('intern', async (store) => {
    const ids = await new Interner({ store, prefixBits: 2 }).internMany(['dave']);
    return { outcome: 'interned', ids };
  }),
  onFirst('intern --resolve', async (store) => {
    const interner = new Interner({ store, readOnly: true });
    return read(await interner.resolveMany(await interner.lookupMany(KEYS)));
  }),
];

/** Steps with two. */
export const STEPS_WITH_TWO: readonly Step[] = [
  onBoth('copy', (first, second) => copyStore(first, second)),
  onBoth('move', (first, second) => moveStore(first, second, { from: 'the first', to: 'the second' })),
  onBoth('move --back', (first, second) => moveBack(first, second, { from: 'the first', to: 'the second' })),
];

interface Holdings {
  readonly state: string | undefined;
  readonly settings: string;
  readonly ids: ReadonlyMap<string, bigint>;
  readonly types: ReadonlyMap<string, bigint>;
  readonly tokens: readonly bigint[];
  readonly counters: string;
  readonly shards: string;
}

const SETTINGS = [
  'prefixBits',
  'map',
  'map:history',
  'map:1',
  'tokens',
  'skipped:strings',
  'skipped:types',
  'floor',
  'journal',
];

/** What a store holds, whatever its state. */
export async function holdingsOf(place: Place): Promise<Holdings | undefined> {
  return using(place, async (store) => {
    const state = await store.setting(STATE_SETTING);
    if (state === undefined) return undefined;
    const settings = [];
    for (const name of SETTINGS) settings.push([name, (await store.setting(name)) || null]);
    const found = { state, settings: JSON.stringify(settings), ids: new Map(), types: new Map() };
    try {
      JSON.parse(state);
    } catch {
      return { ...found, tokens: [], counters: '', shards: '' };
    }
    // Who has set the state may read an incomplete store.
    if (state.includes('"incomplete"')) await store.replaceState(state, state);
    const counters = [];
    for (const space of ['strings', 'types'] as const) {
      counters.push([...(await store.counters(space))].map(([prefix, last]) => `${prefix} ${last}`).sort());
      for await (const { keys, ids } of store.entries(space)) {
        for (const [row, key] of keys.entries()) (space === 'strings' ? found.ids : found.types).set(key, ids[row]);
      }
    }
    const shards = await store.shards();
    // etcd estimates when a lease ends.
    const told = shards.map((record) => ({ ...record, expires: record.expires > Date.now() }));
    const texts = told.map((record) => Object.entries(record).sort().join());
    const tokens = shards.map(({ token }) => token);
    return { ...found, tokens, counters: JSON.stringify(counters), shards: texts.join(' ') };
  }).catch((error) => {
    if (isOfStores(error)) return undefined;
    throw error;
  });
}

function asText(holdings: Holdings | undefined): string {
  const { ids, types, tokens, ...texts } = holdings ?? { ids: [], types: [], tokens: [] };
  const entries = [...ids, ...types].map(([key, id]) => `${key} ${id}`).sort();
  return JSON.stringify([holdings !== undefined, entries, tokens.map(String), texts]);
}

function stateIn(holdings: Holdings | undefined): StoreState | undefined {
  return holdings === undefined || !holdings.state?.startsWith('{') ? undefined : JSON.parse(holdings.state);
}

/** Whether an error is one of those that the library promises. */
export function isOfStores(error: unknown): boolean {
  return /^ERR_(STORE|MAP|INTERN|OUT)_/.test(String((error as { code?: unknown }).code));
}

/** Outcomes after which the stores are what they were. */
const NOTHING_DONE = [
  ...['checked', 'read', 'already moved', 'already moved back', 'free already', 'never leased', 'not ahead'],
  ...['already published', 'no map'],
];

interface Done {
  readonly outcome: string;
  readonly resumes?: Date;
  readonly room?: Room;
  readonly movedTo?: string;
  readonly strings?: number;
  readonly types?: number;
  readonly version?: number;
}

/**
 * Takes a step, and compares what it says with what the stores then are.
 * @returns its outcome, or why it was refused
 * @throws Error if that is not what has happened, or the step fails in a way that nobody promised
 */
export async function take(step: Step, first: Place, second: Place): Promise<string> {
  const before = [await holdingsOf(first), await holdingsOf(second)] as const;
  const done = await step.run(first, second).catch((error): Done => {
    if (!isOfStores(error)) throw error;
    return { outcome: `- ${error.reason ?? error.code.slice('ERR_'.length).toLowerCase().replaceAll('_', ' ')}` };
  });
  const after = [await holdingsOf(first), await holdingsOf(second)] as const;
  await compare(done as Done, [first, second], before, after);
  return (done as Done).outcome;
}

type Two<T> = readonly [T, T];

async function compare(
  done: Done,
  [first, second]: Two<Place>,
  before: Two<Holdings | undefined>,
  after: Two<Holdings | undefined>,
): Promise<void> {
  const { outcome } = done;
  const isRefused = outcome.startsWith('- ');
  if (isRefused || NOTHING_DONE.includes(outcome)) {
    for (const i of [0, 1] as const) same(asText(after[i]), asText(before[i]), `store ${i + 1} after "${outcome}"`);
  }
  const [state, target] = after.map(stateIn);
  const had = before[0];
  switch (outcome) {
    case 'checked':
      same(
        [done.strings, done.types, done.movedTo],
        [had?.ids.size ?? 0, had?.types.size ?? 0, state?.movedTo],
        'a check',
      );
      break;
    case 'moved':
    case 'already moved':
      same(
        [target?.identity, target?.incomplete, target?.movedTo],
        [state?.identity, undefined, undefined],
        'the second',
      );
      same([state?.movedTo, state?.next], ['the second', target?.generation], 'the first');
      includes(after[1], after[0], 'the second store');
      same(await refusalOf(first), 'moved', 'a new string in the first store');
      await giveNew(second, [after[0], after[1]]);
      break;
    case 'moved back':
    case 'already moved back':
      same([state?.movedTo, state?.incomplete], [undefined, undefined], 'the first');
      same(await refusalOf(second), 'taken back', 'a new string in the second store');
      await giveNew(first, [after[0]]);
      break;
    case 'copied':
      same(asText(after[0]), asText(before[0]), 'the first store after a copy');
      if (before[1] !== undefined) same(after[1]?.state, before[1].state, 'the state of the second');
      includes(after[1], after[0], 'the copy');
      break;
    case 'nothing to copy':
      same([had?.ids.size ?? 0, had?.types.size ?? 0, had?.tokens.length ?? 0], [0, 0, 0], 'what there is to copy');
      break;
    case 'skipped':
    case 'restored':
    case 'taken back':
      await checkSkipped(done, first, before[0], after[0]);
      break;
    case 'released':
      same((await using(first, leases))[HELD]?.expires.getTime(), 0, 'the lease');
      break;
    case 'reset':
      same((await using(first, leases))[ASTRAY].mintedUntil.getTime() <= Date.now() + 1000, true, 'the mark');
      break;
    case 'published':
    case 'already published':
    case 'rolled back':
      same((await using(first, currentMap))?.version, done.version, 'the version of the map');
      break;
  }
}

async function checkSkipped(
  { outcome, resumes, room }: Done,
  place: Place,
  before: Holdings | undefined,
  after: Holdings | undefined,
): Promise<void> {
  const [was, is] = [before, after].map(stateIn);
  same([is?.identity, is?.movedTo, is?.incomplete], [was?.identity, undefined, undefined], 'the state');
  const isNew = outcome !== 'skipped' && was?.incomplete === undefined;
  if (isNew) same(is?.generation === was?.generation, false, 'a new generation');
  same(outcome === 'taken back', was?.movedTo !== undefined, 'whether it had been moved');
  if (outcome === 'taken back') same(is?.lost?.at(-1), was?.next, 'what is lost');
  same(await using(place, mintFloor), resumes?.getTime(), 'when minting resumes');
  same((await using(place, checkStore)).room, room, 'what is left');
  await using(place, async (store) => {
    const type = await new TypeRegistry({ store }).idOf(`New ${Math.random()}`);
    const last = Math.max(0, ...[...(before?.types.values() ?? [])].map(Number));
    same(type > last + 64, true, 'the number of a new type');
    const floor = (resumes?.getTime() ?? 0) - 1;
    const grant = await store.acquireLease({
      shards: 4,
      owner: 'new uuid',
      ttlMs: 2000,
      mintFrom: floor,
      mintUntil: Date.now() + 1000,
    });
    same((grant?.mintedUntil ?? 0) >= floor, true, 'when a new holder begins');
    same(
      (before?.tokens ?? []).every((token) => token < (grant?.token ?? 0n)),
      true,
      'the token',
    );
  });
  await giveNew(place, [before]);
}

/** Gives ids to new strings, and compares them with all that were given before. */
export async function giveNew(place: Place, before: readonly (Holdings | undefined)[]): Promise<void> {
  const known = new Set(before.flatMap((holdings) => [...(holdings?.ids.values() ?? [])]));
  const keys = Array.from({ length: 20 }, (_, i) => `new ${Math.random()} ${i}`);
  const ids = await using(place, async (store) => {
    const bits = Number((await store.setting('prefixBits')) ?? 2);
    return new Interner({ store, prefixBits: bits }).internMany(keys);
  });
  for (const id of ids) if (known.has(id)) throw new Error(`the id ${id} was given twice`);
}

/** Why a store gives nothing new; undefined if it does. */
async function refusalOf(place: Place): Promise<string | undefined> {
  const interning = using(place, (store) => new Interner({ store, prefixBits: 2 }).intern(`refused ${Math.random()}`));
  return interning.then(
    () => undefined,
    (error) => error.reason,
  );
}

function includes(all: Holdings | undefined, some: Holdings | undefined, what: string): void {
  for (const part of ['ids', 'types'] as const) {
    for (const [key, id] of some?.[part] ?? []) same(all?.[part].get(key), id, `${what}: the id of ${key}`);
  }
}

function same(got: unknown, expected: unknown, what: string): void {
  const [one, other] = [got, expected].map((value) => text(value));
  if (one === other) return;
  const at = Math.max(0, [...one].findIndex((character, i) => character !== other[i]) - 50);
  const [shownOther, shownOne] = [other, one].map((whole) => whole.slice(at, at + 200));
  throw new Error(`${what}: expected ${shownOther}, got ${shownOne}`);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'undefined';
}
