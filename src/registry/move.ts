import { checkFunction, checkOptions, checkRecord, checkSignal, checkString, withoutPassword } from '../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../errors.js';
import { retrying } from './calls.js';
import { checkPlace, readState, type StoreState, setState } from './identity.js';
import { checkBy, JOURNAL_SETTING, record } from './journal.js';
import { type CopyOptions, checkHasNoMore, checkStore, copyToMove, type StoreSummary } from './maintenance.js';
import { rememberSetting } from './settings.js';
import { MAP_SETTING, type Space, type Store } from './store.js';

export interface MoveOptions extends CopyOptions {
  /** What messages call the first store; "another store" by default. */
  from?: string | undefined;
  /** What messages call the second store, to those who use the first one; "another store" by default. */
  to?: string | undefined;
  /** Who does it, for the journal; `shardbits` by default. */
  by?: string | undefined;
}

const OPTIONS = ['from', 'to', 'by', 'signal', 'onProgress'] as const;
const SPACES: readonly Space[] = ['types', 'strings'];
const TAKEN_BACK = 'a move that was taken back';

// The steps of a move, in this order. After each of them the move can be interrupted, and then goes on or goes back.
// 1. The second store becomes incomplete, with the identity of the first and a generation of its own: nobody uses it.
// 2. The first store is fenced: it gives nothing new, and no call that began earlier changes anything any more.
// 3. Everything is copied, and the copy is checked.
// 4. The second store is opened, unless the move was taken back in the meantime.
//
// Both states name the worker: the process that goes on with the move now. Whoever takes a move back becomes the worker of
// the second store first, so that nobody can open it any more, and then lifts the fence, if it is still that of the worker
// that it saw. So the second store is never opened after the fence of its worker was lifted, wherever processes that were
// held up go on.

/**
 * Moves a store, of any engine to any other. From its start on the first store gives nothing new: no strings, types,
 * leases or renewals, and no maps; the error names the second store. What it has can still be read. The second store can
 * be used when this resolves. It has all ids, counters, lease records, maps and the journal, and its marks are at least
 * those of the first one, so nothing is given twice, and nobody has to be stopped first.
 *
 * If it is interrupted, call it again, and it goes on; or call {@link moveBack}.
 * @param from a store that exists
 * @param to an empty store; or one from which the first one was moved before, if it has nothing that the first one lacks
 * @returns what the second store holds
 * @throws StoreConflictError if the first store has been moved to another one already, or the second one is in use
 * @throws StoreCorruptError if the copy is not the same; the second store cannot be used then
 * @throws TypeError or RangeError for options of the wrong kind or value; what the stores throw
 */
export async function moveStore(from: Store, to: Store, options?: MoveOptions): Promise<StoreSummary> {
  const { names, by, ...copying } = checkMove(from, to, options);
  const source = await stateOf(from, 'the first store does not exist');
  await retrying(to, () => rememberSetting(to, JOURNAL_SETTING, '[]')); // makes the store if it is missing
  const target = await stateOf(to, 'the second store cannot be made');
  const isOurs = target.state.identity === source.state.identity;
  if (isOurs && isDone(source.state, target.state)) return checkStore(to);
  const canGoOn = isOurs && (target.state.incomplete !== undefined || target.state.movedTo !== undefined);
  if (source.state.incomplete !== undefined)
    throw refused(`the first store: ${source.state.incomplete} is not complete`);
  if (source.state.movedTo !== undefined && target.state.incomplete === undefined) {
    throw refused(`the first store was moved to ${source.state.movedTo} already`);
  }
  if (!canGoOn) await checkEmpty(to);

  const { identity } = source.state;
  const generation = target.state.incomplete !== undefined ? target.state.generation : crypto.randomUUID();
  const worker = crypto.randomUUID();
  const incomplete = { identity, generation, incomplete: `a move from ${names.from}`, worker };
  const text = await setState(to, target.text, incomplete);
  try {
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
  await setState(to, text, { identity, generation });
  return summary;
}

/**
 * Takes back a move that was interrupted: the second store can never be opened by that move any more, and the first one
 * can be used again.
 * @throws StoreConflictError if the first store is not being moved, or the move is complete
 * @throws TypeError or RangeError for options of the wrong kind or value; what the stores throw
 */
export async function moveBack(from: Store, to: Store, options?: MoveOptions): Promise<void> {
  const { names, by } = checkMove(from, to, options);
  const source = await stateOf(from, 'the first store does not exist');
  const target = await stateOf(to, 'the second store does not exist');
  const { identity, generation, movedTo, next } = source.state;
  const isFencedForOther = movedTo !== undefined && next !== target.state.generation;
  if (target.state.identity !== identity || isFencedForOther) {
    throw refused('the first store is not being moved to the second one');
  }
  if (target.state.incomplete === undefined) {
    throw refused('the move is complete, and the second store may be in use: move it back with a move of its own');
  }
  const worker = crypto.randomUUID();
  await setState(to, target.text, { ...target.state, incomplete: TAKEN_BACK, worker });
  if (movedTo === undefined) return; // it was interrupted before the fence
  await setState(from, source.text, { identity, generation });
  await record(from, 'move', by, `to ${names.to}, taken back`);
}

function checkMove(from: Store, to: Store, options: MoveOptions | undefined) {
  checkRecord('from', from);
  checkRecord('to', to);
  const known = checkOptions(options, OPTIONS);
  const { signal, onProgress, from: first = 'another store', to: second = 'another store' } = known;
  if (signal !== undefined) checkSignal('signal', signal);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress);
  // They are kept in the stores, in backups, too.
  const names = {
    from: withoutPassword(checkString('from', first)),
    to: withoutPassword(checkString('to', second)),
  };
  return { names, by: checkBy(known.by), signal, onProgress };
}

async function stateOf(store: Store, otherwise: string): Promise<{ text: string; state: StoreState }> {
  const found = await readState(store);
  if (found === undefined) throw refused(otherwise);
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
  else if (state.next !== changes.next) throw refused(`the first store was moved to ${state.movedTo} meanwhile`);
  await setState(from, text, { ...state, movedTo: to, ...changes });
}

/** @throws StoreConflictError if the second store has anything in it */
async function checkEmpty(to: Store): Promise<void> {
  const inUse = refused('the second store is in use already: move to an empty one');
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

function refused(message: string): StoreConflictError {
  return new StoreConflictError(message, { isTransient: false });
}
