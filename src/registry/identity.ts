import { checkBoolean, checkRecord, checkString } from '../arguments.js';
import { type StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../errors.js';
import { retrying } from './calls.js';
import { type OpenOptions, refused, type Store } from './store.js';

/** Which store this is, and whether it may be used. */
export interface StoreState {
  /** Made with the store. It stays when the store is restored or moved, and is part of every backup. */
  readonly identity: string;
  /** Another one after each restore and each move. */
  readonly generation: string;
  /** The `Store.place` in which the state was written; absent in engines that know none. */
  readonly place?: string | undefined;
  /** The store that has taken the place of this one, as messages name it: nothing new is given here any more. */
  readonly movedTo?: string | undefined;
  /** The generation that the second store of that move has. */
  readonly next?: string | undefined;
  /** What has to end before anybody may use the store, such as "a move from ids.db". */
  readonly incomplete?: string | undefined;
  /** Identifies the process that works on an incomplete store, or that has fenced this one for a move. */
  readonly worker?: string | undefined;
  /** The generations of stores that took the place of this one and were given up as lost: they can never come back. */
  readonly lost?: readonly string[] | undefined;
  /** Identifies a process that finds out whether two names lead to one store. */
  readonly probe?: string | undefined;
}

/** What `StoreState.incomplete` is during a restore, and after a move was taken back. */
export const RESTORE = 'a restore';
export const TAKEN_BACK = 'a move that was taken back';

/** Whether a store is the second one of a move that is not complete, or was taken back. */
export function isTarget({ incomplete }: StoreState): boolean {
  return incomplete !== undefined && incomplete !== RESTORE;
}

/** @throws StoreConflictError if a store is such a second one: it may be neither restored nor replaced */
export function checkIsNoTarget(state: StoreState): void {
  const { incomplete } = state;
  if (incomplete === TAKEN_BACK) throw refused('taken back', 'it is the second store of a move that was taken back');
  if (isTarget(state)) throw refused('incomplete', `${incomplete} is not complete`);
}

/** A state without all that keeps a store from being used. */
export function usable(state: StoreState): StoreState {
  const { movedTo, next, incomplete, worker, probe, ...kept } = state;
  return kept;
}

/** The setting with the state of the store, as JSON. Everybody may read it; only `Store.replaceState` changes it. */
export const STATE_SETTING = 'store';

export function newState(): StoreState {
  return { identity: crypto.randomUUID(), generation: crypto.randomUUID() };
}

/** @throws StoreCorruptError if the value of the setting is not a state */
export function stateIn(text: string): StoreState {
  try {
    const state = JSON.parse(text);
    const { identity, generation, lost = [], ...others } = state;
    const texts = [identity, generation, ...lost, ...Object.values(others)];
    if (Array.isArray(lost) && texts.every((value) => typeof value === 'string')) return state;
  } catch {}
  throw new StoreCorruptError(`the setting "${STATE_SETTING}" does not say which store this is; restore a backup`);
}

/** The state of a store, with the value of its setting; undefined if the store has not been made yet. */
export async function readState(store: Store): Promise<{ text: string; state: StoreState } | undefined> {
  const text = await retrying(store, () => store.setting(STATE_SETTING));
  return text === undefined ? undefined : { text, state: stateIn(text) };
}

/**
 * Which store this is, and which generation of it.
 * @returns undefined if the store has not been made yet
 * @throws TypeError if `store` is not a store; what the store throws
 */
export async function storeState(store: Store): Promise<StoreState | undefined> {
  checkRecord('store', store);
  return (await readState(store))?.state;
}

/**
 * Replaces the state of a store. A state without a place gets that in which the store is now.
 * @throws StoreConflictError if it is not the expected one any more
 */
export async function setState(store: Store, expected: string, state: StoreState): Promise<string> {
  const text = JSON.stringify({ ...state, place: state.place ?? (await placeOf(store, undefined)) });
  if (await retrying(store, () => store.replaceState(expected, text))) return text;
  throw takenOver();
}

async function placeOf(store: Store, known: string | undefined): Promise<string | undefined> {
  return retrying(store, async () => store.place?.(known));
}

/** @throws StoreConflictError if the store is a restored copy: it is not in the place in which its state was written */
export async function checkPlace(store: Store, state: StoreState): Promise<void> {
  if (state.place !== (await placeOf(store, state.place))) throw restoredCopy();
}

function restoredCopy(): StoreConflictError {
  return conflict(
    'this is a restored copy of the store, and would give the same ids again. ' +
      'Stop all processes that use it, and run: shardbits store restore',
  );
}

/**
 * Identities do not tell stores apart, because a copy of a file has the same one. So the second store gets a mark in its
 * state for a moment, which the first one shows if it is the same.
 * @throws StoreConflictError if two objects lead to one store
 */
export async function checkAreTwo(from: Store, to: Store): Promise<void> {
  const [first, second] = [await readState(from), await readState(to)];
  if (first === undefined || second === undefined || first.text !== second.text) return;
  const probe = crypto.randomUUID();
  const marked = await setState(to, second.text, { ...second.state, probe });
  const seen = await readState(from);
  await setState(to, marked, second.state);
  if (seen?.state.probe === probe) throw sameStore();
}

export const sameStore = () => refused('same store', 'both names lead to one store');

function takenOver(): StoreConflictError {
  return conflict('another process has changed the state of the store, to move it, restore it or take a move back');
}

/** What a call does: `read` gives nothing new, `write` does. */
export type Access = 'read' | 'write';

/**
 * What an open store knows of its state. Every call reads the state in the transaction that does the work, and asks
 * here whether it may go on. So a store that was restored, moved or replaced since it was opened is noticed.
 */
export class StateGuard {
  /** The value of the setting that was read last. */
  text: string | undefined;
  /** Where the store was when its state was read last. */
  place: string | undefined;
  /** The identity that the store must have; undefined if it may have any. */
  readonly expected: string | undefined;
  #state: StoreState | undefined;
  /** The text of the state that this object has set: it may use the store while that is so, even if it is incomplete. */
  #owned: string | undefined;

  constructor(expected?: string | undefined) {
    this.expected = expected;
  }

  /** From now on the store has this state, which this object has set. */
  own(text: string): void {
    this.text = text;
    this.#state = stateIn(text);
    this.#owned = text;
  }

  /** Notes the state in which this object first finds the store, whatever it allows. @throws as `learn` */
  meet(text: string | undefined, place?: string): void {
    if (place !== undefined) this.place = place;
    if (this.#state === undefined && text !== undefined) this.learn(text);
  }

  /** @param text the value of the setting now; undefined if there is no store yet. @throws what `refusal` returns */
  check(text: string | undefined, access: Access, place?: string): void {
    const error = this.refusal(text, access, place);
    if (error !== undefined) throw error;
  }

  /**
   * The error with which a call has to fail; undefined if it may go on. It changes nothing in the store.
   * @param place where the store is now; absent in engines that know no place
   */
  refusal(text: string | undefined, access: Access, place?: string): unknown {
    this.place = place;
    if (text !== this.text || this.#state === undefined) {
      try {
        this.learn(text);
      } catch (error) {
        return error;
      }
    }
    const { incomplete, movedTo } = this.#state ?? {};
    if (incomplete !== undefined) return text === this.#owned ? undefined : unusable(incomplete);
    if (access === 'read' || this.#state === undefined) return undefined;
    if (movedTo !== undefined) return refused('moved', `the store was moved to ${movedTo}: use that one`);
    return this.#state.place === place ? undefined : restoredCopy();
  }

  /** @throws StoreConflictError if the store is not the expected one */
  checkIdentity(text: string | undefined): void {
    if (this.expected === undefined) return;
    const identity = text === undefined ? 'one without an identity' : stateIn(text).identity;
    if (identity !== this.expected) throw conflict(`expected the store ${this.expected}, got ${identity}`);
  }

  /**
   * Keeps the state that the store has now.
   * @throws StoreConflictError if it is another store, or another generation; or if this object works on an incomplete
   *   store, and another process has taken that over
   */
  learn(text: string | undefined): void {
    this.checkIdentity(text);
    const known = this.#state;
    if (known?.incomplete !== undefined && this.text === this.#owned && text !== this.#owned) throw takenOver();
    const state = text === undefined ? undefined : stateIn(text);
    if (known !== undefined && state?.identity !== known.identity) {
      const other = state === undefined ? 'an empty store' : `the store ${state.identity}`;
      throw conflict(`${other} has taken the place of the store ${known.identity} since it was opened`);
    }
    if (known !== undefined && state?.generation !== known.generation) {
      throw conflict('the store was restored or moved since it was opened: open it again');
    }
    this.text = text;
    this.#state = state;
  }
}

/** @throws the error of a call that the state of the store forbids */
export async function checkUsable(store: Store, access: Access): Promise<void> {
  const { text, state } = (await readState(store)) ?? {};
  new StateGuard().check(text, access, access === 'write' ? await placeOf(store, state?.place) : undefined);
}

const conflict = (message: string): StoreConflictError => refused(undefined, message);

function unusable(incomplete: string): StoreUnavailableError {
  const isOver = incomplete === TAKEN_BACK;
  const message = isOver
    ? 'nobody may use the store: it is the second store of a move that was taken back. Use the first one'
    : `nobody may use the store yet: ${incomplete} is not complete. Finish it first`;
  return new StoreUnavailableError(message, { isTransient: false, reason: isOver ? 'taken back' : 'incomplete' });
}

export function checkOpening({ mustExist = false, expect }: OpenOptions): { mustExist: boolean; guard: StateGuard } {
  checkBoolean('mustExist', mustExist);
  if (expect !== undefined) checkString('expect', expect);
  return { mustExist: mustExist || expect !== undefined, guard: new StateGuard(expect) };
}

/** @throws what `check` throws; StoreConflictError if the store is not the expected one. It is closed then */
export async function expectedStore(store: Store, guard: StateGuard, check?: () => Promise<void>): Promise<Store> {
  try {
    await check?.();
    if (guard.expected !== undefined) guard.checkIdentity(await store.setting(STATE_SETTING));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
