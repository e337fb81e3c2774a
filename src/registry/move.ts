import { checkCalls, checkOptions, checkRecord, checkString, withoutPassword } from '../arguments.js';
import { StoreCorruptError } from '../errors.js';
import { retrying } from './calls.js';
import {
  checkAreTwo,
  checkPlace,
  isTarget,
  readState,
  type StoreState,
  sameStore,
  setState,
  TAKEN_BACK,
  usable,
} from './identity.js';
import { type CopyOptions, checkHasNoMore, checkStore, copyToMove, type StoreSummary } from './maintenance.js';
import { checkBy, JOURNAL_SETTING, type JournalOptions, record, rememberSetting } from './settings.js';
import { MAP_SETTING, refused, SPACES, type Store } from './store.js';

export interface MoveOptions extends CopyOptions, JournalOptions {
  /** What messages call the first store; "another store" by default. */
  from?: string | undefined;
  /** What messages call the second store, to those who use the first one; "another store" by default. */
  to?: string | undefined;
}

/** What {@link moveStore} did, and what the second store holds. */
export interface MoveOutcome extends StoreSummary {
  /** `already moved`: an earlier call had done all, and this one changed nothing. */
  readonly outcome: 'moved' | 'already moved';
}

/** What {@link moveBack} did. */
export interface MoveBackOutcome {
  /** `already moved back`: an earlier call had done all, and this one changed nothing. */
  readonly outcome: 'moved back' | 'already moved back';
}

const OPTIONS = ['from', 'to', 'by', 'signal', 'onProgress'] as const;

// The steps of a move, in this order. After each of them the move can be interrupted, and then goes on or goes back.
// 0. The first store is checked.
// 1. The second store becomes incomplete, with the identity of the first and a generation of its own: nobody uses it.
// 2. The first store is fenced: it gives nothing new, and no call that began earlier changes anything any more.
// 3. Everything is copied, and the copy is checked.
// 4. The second store is opened, unless the move was taken back in the meantime.
//
// Both states name the worker: the process that goes on with the move now. Whoever takes a move back becomes the worker of
// the second store first, so that nobody can open it any more, and then lifts the fence, if it is still that of the worker
// that it saw. So the second store is never opened after a move was taken back, wherever processes that were held up go on.
//
// If the second store is lost, `restoreStore` takes the first one back, and its state keeps the generation that was lost
// from its beginning on: no move accepts a store of that generation any more, on either side. A move that is still at work
// looks for it just before it opens the second store; nothing stops one that is held up between the two.

/**
 * Moves a store, of any engine to any other. From its start on the first store gives nothing new: no strings, types,
 * leases or renewals, and no maps; the error names the second store. What it has can still be read. The second store can
 * be used when this resolves. It has all ids, counters, lease records, maps and the journal, and its marks are at least
 * those of the first one, so nothing is given twice, and nobody has to be stopped first.
 *
 * If it is interrupted, call it again, and it goes on; or call {@link moveBack}. If the second store is lost, during the
 * move or later, call `restoreStore` for the first one, with `isTargetLost`.
 * @param from a store that exists
 * @param to an empty store; or one from which the first one was moved before, if it has nothing that the first one lacks
 * @returns what was done, and what the second store holds
 * @throws StoreConflictError with a `reason`, if this cannot be done: the first store has been moved to another one
 *   already, the second one is in use, both are the same, … Nothing has been changed then
 * @throws StoreCorruptError if the first store is damaged, and nothing has been changed; or if the copy is not the same:
 *   the second store cannot be used then, and {@link moveBack} lifts the fence
 * @throws TypeError or RangeError for options of the wrong kind or value; what the stores throw
 */
export async function moveStore(from: Store, to: Store, options?: MoveOptions): Promise<MoveOutcome> {
  const { names, by, ...copying } = checkMove(from, to, options);
  const source = await stateOf(from, 'the first store does not exist');
  const found = await stateToMoveTo(from, to, source.state);
  const isOurs = found?.state.identity === source.state.identity;
  if (isOurs && isDone(source.state, found.state)) return { outcome: 'already moved', ...(await checkStore(to)) };
  const canGoOn = isOurs && (isTarget(found.state) || found.state.movedTo !== undefined);
  if (found !== undefined && !canGoOn) await checkEmpty(to);
  // Now, because nothing can be given between the fence and the end.
  if (source.state.movedTo === undefined) await checkStore(from);
  if (found === undefined) await retrying(to, () => rememberSetting(to, JOURNAL_SETTING, '[]')); // makes the store
  const target = found ?? (await stateOf(to, 'the second store cannot be made'));

  const { identity, lost } = source.state;
  const generation = isTarget(target.state) ? target.state.generation : crypto.randomUUID();
  const opened = { ...usable(target.state), identity, generation, lost };
  const worker = crypto.randomUUID();
  const text = await setState(to, target.text, { ...opened, incomplete: `a move from ${names.from}`, worker });
  try {
    // They would be one store if somebody changed its state while `checkAreTwo` compared.
    if ((await readState(from))?.text === text) throw sameStore();
    if (!canGoOn) await checkEmpty(to); // somebody may have begun to use it at the last moment
    const isFirstTry = source.state.movedTo === undefined;
    // The first store may have been restored since the second one got what it has.
    if (canGoOn && isFirstTry && target.state.next !== source.state.generation) await checkHasNoMore(from, to);
  } catch (error) {
    await setState(to, text, target.state);
    throw error;
  }

  await fence(from, names.to, by, { next: generation, worker });
  await copyToMove(from, to, copying);
  const summary = await verify(from, to);
  await record(to, 'move', by, `from ${names.from}`);
  const now = (await readState(from))?.state;
  if (now?.lost?.includes(generation)) {
    throw refused('given up', 'the first store was taken back meanwhile, because the second one was taken for lost');
  }
  if (now?.next !== generation) throw refused('taken back', 'the move was taken back meanwhile');
  await setState(to, text, opened);
  return { outcome: 'moved', ...summary, generation };
}

/** The state of the second store; undefined if it is missing. @throws StoreConflictError if it cannot be that one */
async function stateToMoveTo(from: Store, to: Store, source: StoreState): ReturnType<typeof readState> {
  const found = await readState(to);
  if (found !== undefined) await checkPlace(to, found.state);
  await checkAreTwo(from, to);
  const { incomplete } = source;
  if (incomplete === TAKEN_BACK) {
    const message = 'the first store is the second one of a move that was taken back: use the one of before';
    throw refused('taken back', message);
  }
  if (incomplete !== undefined) throw refused('incomplete', `the first store: ${incomplete} is not complete`);
  if (found?.state.identity === source.identity) {
    const isGivenUp = source.lost?.includes(found.state.generation);
    if (isGivenUp || found.state.lost?.includes(source.generation)) {
      const which = isGivenUp ? 'second' : 'first';
      const message = `the ${which} store was given up as lost, and the other one taken back: it is never used again`;
      throw refused('given up', message);
    }
    if (isDone(source, found.state)) {
      if (found.state.movedTo === undefined) return found;
      const message = 'the first store was moved to the second one already, which was moved on to';
      throw refused('moved', `${message} ${found.state.movedTo}`);
    }
  }
  const isGoingOn = found !== undefined && isTarget(found.state) && found.state.generation === source.next;
  if (source.movedTo !== undefined && !isGoingOn) {
    throw refused('moved', `the first store was moved to ${source.movedTo} already`);
  }
  return found;
}

/**
 * Takes back a move that was interrupted: the second store can never be opened by that move any more, and the first one
 * can be used again. If the second store is lost, call `restoreStore` for the first one, with `isTargetLost`.
 * @throws StoreConflictError with a `reason`, if the first store is not being moved to the second one, or the move is
 *   complete. Nothing has been changed then
 * @throws TypeError or RangeError for options of the wrong kind or value; what the stores throw
 */
export async function moveBack(from: Store, to: Store, options?: MoveOptions): Promise<MoveBackOutcome> {
  const { names, by } = checkMove(from, to, options);
  const source = await stateOf(from, 'the first store does not exist');
  const target = await stateOf(to, 'the second store does not exist');
  await checkAreTwo(from, to);
  const { movedTo, next, identity } = source.state;
  const isOurs = target.state.identity === identity;
  const isTakenBack = source.state.incomplete === TAKEN_BACK;
  if (isOurs && isTarget(source.state) && !isTakenBack && !isTarget(target.state)) {
    throw refused('wrong way', 'the second store is being moved to the first one, not the other way round');
  }
  const isMoving = movedTo !== undefined && next === target.state.generation;
  if (isOurs && isMoving && target.state.incomplete === undefined) {
    const message = 'the move is complete, and the second store may be in use: move it back with a move of its own';
    throw refused('complete', message);
  }
  if (!isOurs || !isTarget(target.state) || isTarget(source.state) || (movedTo !== undefined && !isMoving)) {
    const where = movedTo === undefined ? '' : `: it was moved to ${movedTo}`;
    throw refused('not moving', `the first store is not being moved to the second one${where}`);
  }
  if (movedTo === undefined && target.state.incomplete === TAKEN_BACK) return { outcome: 'already moved back' };
  await setState(to, target.text, { ...target.state, incomplete: TAKEN_BACK, worker: crypto.randomUUID() });
  // Otherwise it was interrupted before the fence.
  if (movedTo !== undefined) {
    await setState(from, source.text, usable(source.state));
    await record(from, 'move', by, `to ${names.to}, taken back`);
  }
  return { outcome: 'moved back' };
}

function checkMove(from: Store, to: Store, options: MoveOptions | undefined) {
  checkRecord('from', from);
  checkRecord('to', to);
  const known = checkOptions(options, OPTIONS);
  const { signal, onProgress, from: first = 'another store', to: second = 'another store' } = known;
  checkCalls({ signal, onProgress });
  // They are kept in the stores, in backups, too.
  const names = { from: withoutPassword(checkString('from', first)), to: withoutPassword(checkString('to', second)) };
  return { names, by: checkBy(known.by), signal, onProgress };
}

async function stateOf(store: Store, otherwise: string): Promise<{ text: string; state: StoreState }> {
  const found = await readState(store);
  if (found === undefined) throw refused('absent', otherwise);
  await checkPlace(store, found.state);
  return found;
}

/** Whether the move was complete, and only its answer was lost. */
function isDone(source: StoreState, target: StoreState): boolean {
  return source.movedTo !== undefined && source.next === target.generation && target.incomplete === undefined;
}

/** Fences the first store for the process that works on the second one now, even if it is fenced for an earlier try. */
async function fence(from: Store, to: string, by: string, changes: { next: string; worker: string }): Promise<void> {
  const { text, state } = await stateOf(from, 'the first store is gone');
  if (state.movedTo === undefined) await record(from, 'move', by, `to ${to}`);
  else if (state.next !== changes.next)
    throw refused('moved', `the first store was moved to ${state.movedTo} meanwhile`);
  await setState(from, text, { ...state, movedTo: to, ...changes });
}

/** @throws StoreConflictError if the second store has anything in it */
async function checkEmpty(to: Store): Promise<void> {
  const inUse = refused('in use', 'the second store is in use already');
  for (const space of SPACES) if ((await retrying(to, () => to.count(space))) > 0) throw inUse;
  if ((await retrying(to, () => to.shards())).length > 0) throw inUse;
  if ((await retrying(to, () => to.setting(MAP_SETTING))) !== undefined) throw inUse;
}

/** Checks that the second store has everything. @throws StoreCorruptError if it lacks something */
async function verify(from: Store, to: Store): Promise<StoreSummary> {
  const summary = await checkStore(to);
  const ofBoth = async <T>(ask: (store: Store) => Promise<T>): Promise<[T, T]> => [
    await retrying(from, () => ask(from)),
    await retrying(to, () => ask(to)),
  ];
  for (const space of SPACES) {
    const [first, second] = await ofBoth((store) => store.count(space));
    if (first !== second) throw new StoreCorruptError(`${space}: the first store has ${first}, the copy has ${second}`);
    const [given, counters] = await ofBoth((store) => store.counters(space));
    for (const [prefix, last] of given) {
      if ((counters.get(prefix) ?? 0n) < last) {
        throw new StoreCorruptError(`${space}: the counter of prefix ${prefix} is behind in the copy`);
      }
    }
  }
  const [records, copied] = await ofBoth((store) => store.shards());
  const marks = new Map(copied.map(({ shard, mintedUntil }) => [shard, mintedUntil]));
  for (const { shard, mintedUntil } of records) {
    if ((marks.get(shard) ?? 0) < mintedUntil) {
      throw new StoreCorruptError(`the mark of shard ${shard} is behind in the copy`);
    }
  }
  return summary;
}
