import { checkRecord, checkString } from '../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../errors.js';
import { retrying } from './calls.js';
import type { Store } from './store.js';
import { settingNumber } from './values.js';

/** Sets a setting. @throws StoreConflictError if it has not the expected value: the next try reads what it has */
export async function replaceSetting(
  store: Store,
  name: string,
  expected: string | undefined,
  value: string,
): Promise<void> {
  if (await store.replaceSetting(name, expected, value)) return;
  throw new StoreConflictError(`another process has set ${name}`);
}

/** Stores a setting unless the store already has it. @returns the value that the store has */
export async function rememberSetting(store: Store, name: string, value: string): Promise<string> {
  const kept = await store.setting(name);
  if (kept === undefined) await replaceSetting(store, name, undefined, value);
  return kept ?? value;
}

/** Changes a setting. @param to its new value, from the present one. @returns the new value */
async function changeSetting(
  store: Store,
  name: string,
  to: (kept: string | undefined) => string | Promise<string>,
): Promise<string> {
  return retrying(store, async () => {
    const kept = await store.setting(name);
    const next = await to(kept);
    if (next !== kept) await replaceSetting(store, name, kept, next);
    return next;
  });
}

/** Changes a setting that is a number, 0 if it is not set. @returns its new value */
export async function changeNumber(
  store: Store,
  name: string,
  to: (last: bigint) => bigint | Promise<bigint>,
): Promise<bigint> {
  return BigInt(await changeSetting(store, name, async (kept) => String(await to(settingNumber(name, kept)))));
}

export async function numberIn(store: Store, name: string): Promise<bigint> {
  return settingNumber(name, await retrying(store, () => store.setting(name)));
}

/** What operators have done to a store by hand. */
export type JournalAction = 'release' | 'reset-mark' | 'skip-ahead' | 'move' | 'restore' | 'rollback';

/** An entry of the journal of a store. */
export interface JournalEntry {
  /** When it was done, by the store's clock. */
  readonly at: Date;
  /** Who did it. */
  readonly by: string;
  readonly action: JournalAction;
  /** What was done, for people to read. */
  readonly what: string;
}

/** Options of what the journal keeps. */
export interface JournalOptions {
  /** Who does it, for the journal; `shardbits` by default. */
  by?: string | undefined;
}

export const JOURNAL_SETTING = 'journal';

// The journal is one setting, which etcd takes only up to about 750 KB.
const MAX_ENTRIES = 1000;
const MAX_TEXT = 300;

type StoredEntry = Omit<JournalEntry, 'at'> & { readonly at: number };

/**
 * What operators have done to a store by hand, the earliest first: ended leases, reset marks, skipped numbers, moves,
 * restores and rollbacks of maps. The store keeps the last 1,000 entries.
 * @throws TypeError if `store` is not a store; what the store throws
 */
export async function journal(store: Store): Promise<JournalEntry[]> {
  checkRecord('store', store);
  const entries = entriesIn(await retrying(store, () => store.setting(JOURNAL_SETTING)));
  return entries.map((entry) => ({ ...entry, at: new Date(entry.at) }));
}

export function checkBy(by: string | undefined): string {
  return by === undefined ? 'shardbits' : checkString('by', by);
}

export async function record(store: Store, action: JournalAction, by: string, what: string): Promise<void> {
  await changeSetting(store, JOURNAL_SETTING, async (kept) => {
    const entry = { at: await store.now(), by: by.slice(0, MAX_TEXT), action, what: what.slice(0, MAX_TEXT) };
    return JSON.stringify([...entriesIn(kept), entry].slice(-MAX_ENTRIES));
  });
}

function isEntry({ at, by, action, what }: StoredEntry): boolean {
  return [by, action, what].every((text) => typeof text === 'string') && !Number.isNaN(new Date(at).getTime());
}

function entriesIn(text: string | undefined): StoredEntry[] {
  try {
    const entries = JSON.parse(text ?? '[]');
    if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  } catch {}
  throw new StoreCorruptError(`the setting "${JOURNAL_SETTING}" is damaged`);
}
