import { availableParallelism } from 'node:os';
import {
  checkAttached,
  checkInteger,
  checkOptions,
  checkSeed,
  MAX_THREADS,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { type BytesColumn, checkKeys, checkOut, type IntegerArray } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { viewOf } from '../../kernels/types.js';
import { type Abilities, abilitiesOf, checkRouting, isTransferable, type Routing } from '../../routing/routing.js';
import type { ColumnTask } from './worker.js';
import { inOrder, TASKS_A_THREAD, Workers } from './workers.js';

/** Keys that can be shared with or sent to threads. Strings are not among them: sending takes longer than hashing. */
export type PoolKeys = BytesColumn | IntegerArray;

const EXPECTED_KEYS = 'a BytesColumn or a BigUint64Array';

// A task takes about a millisecond, and its two messages a twentieth of that.
const TASK_ROWS = 64 * 1024;
const TASK_BYTES = 4 * 1024 * 1024;

/**
 * Threads that route and hash columns in memory, while the calling thread stays free for other work. Columns in a
 * `SharedArrayBuffer` are used in place, and so is `out`; others are copied piece by piece. A pool can work on several
 * columns at a time, and does not keep the process alive.
 * @example
 * await using pool = new WorkerPool();
 * const shards = await pool.routeMany(new Router({ shards: 1024 }), keys);
 */
export class WorkerPool {
  readonly threads: number;
  readonly #workers: Workers<'columns', readonly [ColumnTask, readonly ArrayBuffer[]]>;

  /**
   * Starts the threads.
   * @param options.threads the number of threads, 1 to 256; by default the number of cores
   * @throws TypeError or RangeError if `threads` is of the wrong kind or value
   */
  constructor(options: { threads?: number | undefined } = {}) {
    const { threads = availableParallelism() } = checkOptions(options, ['threads']);
    this.threads = checkInteger('threads', threads, 1, MAX_THREADS);
    this.#workers = new Workers(this.threads, 'columns', 'columns', (task) => task);
    this.#workers.begin(null);
  }

  /**
   * The shard of every key: the result of `router.routeMany`.
   * @param router a Router or a partitioner; a Routing of your own cannot be used on other threads
   * @param options.out where the shards go, as long as `keys`
   * @returns `out`, or a new array
   * @throws the errors of `routeMany`, as rejections; nothing has been written then. Error if a thread ends or the pool is
   *   closed; a part of `out` may then have been written
   */
  async routeMany(
    router: Routing<any>,
    keys: PoolKeys,
    options?: { out?: Uint32Array | undefined },
  ): Promise<Uint32Array> {
    if (!isTransferable(checkRouting('router', router))) throw wrongKind('router', 'a Router or a Partitioner', router);
    const abilities = abilitiesOf(router);
    const { kinds = [] } = abilities;
    if (kinds.length > 1) throw wrongValue('router', 'keys of one column in a pool', kinds);
    const [kind] = kinds;
    const column = columnOf(keys, abilities);
    const out = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
    // A row may turn out not to be text after other rows have been routed.
    const to = kind === 'text' ? new Uint32Array(column.rows) : out;
    await this.#doPieces(column, { routing: router.toJSON() }, to);
    if (to !== out) out.set(to);
    return out;
  }

  /** The hash of every key: the result of `xxh64Many`. Otherwise like {@link WorkerPool.routeMany}. */
  async xxh64Many(
    keys: PoolKeys,
    options?: { seed?: bigint | undefined; out?: BigUint64Array | undefined },
  ): Promise<BigUint64Array> {
    const column = columnOf(keys);
    const { seed, out: given } = checkOptions(options, ['seed', 'out']);
    const to = { seed: checkSeed(seed) };
    const out = checkOut(given, BigUint64Array, column.rows, column.memory);
    await this.#doPieces(column, to, out);
    return out;
  }

  /** Ends the threads. Calls that are not done are rejected. */
  close(): Promise<void> {
    return this.#workers.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #doPieces(column: PoolColumn, to: ColumnTask['to'], out: Uint32Array | BigUint64Array): Promise<void> {
    const executor = {
      hasRoom: true,
      run: ({ from, end }: RowRange) => {
        for (const memory of column.memory) checkAttached('keys', memory);
        const { keys, transfer } = pieceOf(column, from, end);
        const task = { keys, to, ...(isShared(out) && { out: viewOf(out, from, end) }) };
        return this.#workers.run([task, transfer]).catch((error) => {
          throw inColumn(error, from);
        });
      },
    };
    for await (const { task, result } of inOrder(piecesOf(column), [executor], TASKS_A_THREAD * this.threads)) {
      checkAttached('out', out);
      if (!isShared(out)) (viewOf(out, task.from, task.end) as Uint32Array).set(result as Uint32Array);
    }
  }
}

/** Turns an error about a row of a piece into an error about that row of the column. */
function inColumn(error: unknown, from: number): unknown {
  const { argument, expected, got, row } = detailsOf(error);
  if (!(error instanceof RangeError) || argument === undefined || expected === undefined || row === undefined)
    return error;
  return wrongValue(argument, expected, got, from + row);
}

type RowRange = { readonly from: number; readonly end: number };

function* piecesOf({ keys, rows }: PoolColumn): Generator<RowRange, void> {
  const offsets = 'offsets' in keys ? keys.offsets : undefined;
  for (let from = 0, end = 0; from < rows; from = end) {
    end = Math.min(from + TASK_ROWS, rows);
    while (offsets && end > from + 1 && offsets[end] - offsets[from] > TASK_BYTES) end = from + ((end - from) >> 1);
    yield { from, end };
  }
}

/** Checked keys, in the form in which they were given. */
type PoolColumn = ReturnType<typeof columnOf>;

/** Without a kind, keys may be anything that XXH64 takes. */
function columnOf(keys: PoolKeys, { kinds: [kind] = [], checkKeys: checkOfKind }: Abilities = {}) {
  const isHashed = kind === undefined || kind === 'u64';
  if (Array.isArray(keys) && !/^u?int/.test(kind ?? '')) {
    throw wrongKind('keys', isHashed ? EXPECTED_KEYS : 'a BytesColumn or a typed array', keys);
  }
  const { rows, memory } =
    isHashed || checkOfKind === undefined ? checkKeys('keys', keys as BytesColumn, EXPECTED_KEYS) : checkOfKind(keys);
  if (kind === 'u64' && 'offsets' in keys) throw wrongKind('keys', "a BigUint64Array with hash 'none'", keys);
  return { keys, rows, memory };
}

/** Rows from..end: in place if they are in shared memory, otherwise copied to memory that is transferred. */
function pieceOf({ keys }: PoolColumn, from: number, end: number): { keys: PoolKeys; transfer: ArrayBuffer[] } {
  if (!('offsets' in keys)) {
    const piece = elementsOf(keys, from, end);
    if (isShared(piece)) return { keys: piece, transfer: [] };
    const copy = piece.slice();
    return { keys: copy, transfer: [copy.buffer] };
  }
  const { data } = keys;
  const offsets = viewOf(keys.offsets, from, end + 1);
  if (isShared(data)) return { keys: { data, offsets: isShared(offsets) ? offsets : offsets.slice() }, transfer: [] };
  const first = offsets[0];
  const bytes = viewOf(data, first, offsets[end - from]).slice(); // the `slice` of a Buffer copies nothing
  const moved = new Uint32Array(offsets.length); // in a loop: `Uint32Array.from` takes 80 ns a row
  for (let i = 0; i < moved.length; i++) moved[i] = offsets[i] - first;
  return { keys: { data: bytes, offsets: moved }, transfer: [bytes.buffer, moved.buffer] };
}

/** Unlike `subarray`, which a subclass may override, this always returns the plain type. */
function elementsOf(array: Exclude<PoolKeys, BytesColumn>, from: number, to: number): Exclude<PoolKeys, BytesColumn> {
  const { buffer, byteOffset, BYTES_PER_ELEMENT } = array;
  const type = globalThis[array[Symbol.toStringTag]];
  return new type(buffer as ArrayBuffer, byteOffset + from * BYTES_PER_ELEMENT, to - from);
}

function isShared({ buffer }: ArrayBufferView): boolean {
  return buffer instanceof SharedArrayBuffer;
}
