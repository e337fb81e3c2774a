import { StoreCorruptError } from '../errors.js';
import { retrying } from './calls.js';
import type { Store } from './store.js';

/** Which store this is, and whether it may be used. */
export interface StoreState {
  /** Made with the store. It stays when the store is restored or moved, and is part of every backup. */
  readonly identity: string;
  /** Another one after each restore and each move. */
  readonly generation: string;
  /** Where the store has been moved to, as a message shows it: nothing new is given here any more. */
  readonly movedTo?: string | undefined;
  /** What has to end before anybody may use the store, such as "a move from ids.db". */
  readonly incomplete?: string | undefined;
  /** Identifies the process that works on an incomplete store. */
  readonly worker?: string | undefined;
}

/** The setting with the state of the store, as JSON. It is read without checks; only `Store.replaceState` writes it. */
export const STATE_SETTING = 'store';

/** The state of a new store. */
export function newState(): StoreState {
  return { identity: crypto.randomUUID(), generation: crypto.randomUUID() };
}

/** The state that a value of the setting has. @throws StoreCorruptError if it has none */
export function stateIn(text: string): StoreState {
  try {
    const state = JSON.parse(text);
    if (typeof state.identity === 'string' && typeof state.generation === 'string') return state;
  } catch {}
  throw new StoreCorruptError(`the setting "${STATE_SETTING}" does not say which store this is; restore a backup`);
}

/** The state of a store; undefined if the store has not been made yet. */
export async function storeState(store: Store): Promise<StoreState | undefined> {
  const text = await retrying(store, () => store.setting(STATE_SETTING));
  return text === undefined ? undefined : stateIn(text);
}
