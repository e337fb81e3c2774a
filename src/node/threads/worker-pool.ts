import { availableParallelism } from 'node:os';
import { checkAttached, checkInteger, checkOptions, checkSeed, wrongKind } from '../../arguments.js';
import { type BytesColumn, checkKeys, type KeyColumn } from '../../columns/keys.js';
import { checkOut } from '../../columns/out.js';
import { rowsOf } from '../../kernels/contract.js';
import { checkRouter, type Router } from '../../routing/router.js';
import type { ColumnTask } from './column-tasks.js';
import { inOrder } from './in-order.js';
import { MOST_THREADS, TASKS_A_THREAD, Workers } from './workers.js';

/** What threads can share or be handed: not strings, as sending them takes longer than hashing them. */
export type PoolKeys = BytesColumn | BigUint64Array | BigInt64Array;

const EXPECTED_KEYS = 'a BytesColumn or a BigUint64Array';

// A task takes a thread about a millisecond. A message to it and back takes a twentieth of that.
const TASK_ROWS = 64 * 1024;
const TASK_BYTES = 4 * 1024 * 1024;

/**
 * Threads for columns in memory, beside the one that makes the pool, which stays free for other work.
 * Columns in a `SharedArrayBuffer` are worked on where they are, results too if `out` is in one; others
 * are copied piece by piece. A pool can do several columns at a time, and keeps no process alive.
 * @example
 * await using pool = new WorkerPool();
 * const shards = await pool.routeMany(new Router({ shards: 1024 }), keys);
 */
export class WorkerPool {
  readonly threads: number;
  readonly #workers: Workers<'columns'>;

  /**
   * @param options.threads 1 to 256; as many as there are cores unless given
   * @throws TypeError or RangeError if it is none
   */
  constructor(options: { threads?: number | undefined } = {}) {
    const { threads = availableParallelism() } = checkOptions(options, ['threads']);
    this.threads = checkInteger('threads', threads, 1, MOST_THREADS);
    this.#workers = new Workers(this.threads, 'columns', null);
  }

  /**
   * The shard of every key, as `router.routeMany` gives it.
   * @param options.out where the shards go, as long as `keys`
   * @returns `out`, or a new array
   * @throws TypeError or RangeError, as rejections, for what `routeMany` refuses; nothing has been written
   *   then. Error if a thread ends or the pool is closed; `out` may then have been written to in part
   */
  async routeMany(router: Router, keys: PoolKeys, options?: { out?: Uint32Array | undefined }): Promise<Uint32Array> {
    checkRouter('router', router);
    const column = checkPoolKeys(keys);
    if (router.hash === 'none' && column.kind !== 'u64') {
      throw wrongKind('keys', "a BigUint64Array, as the router has hash 'none'", keys);
    }
    const out = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
    await this.#doPieces(column, { router: { ...router } }, out);
    return out;
  }

  /** The hash of every key, as `xxh64Many` gives it; otherwise as {@link WorkerPool.routeMany}. */
  async xxh64Many(
    keys: PoolKeys,
    options?: { seed?: bigint | undefined; out?: BigUint64Array | undefined },
  ): Promise<BigUint64Array> {
    const column = checkPoolKeys(keys);
    const { seed, out: given } = checkOptions(options, ['seed', 'out']);
    const to = { seed: checkSeed(seed) };
    const out = checkOut(given, BigUint64Array, column.rows, column.memory);
    await this.#doPieces(column, to, out);
    return out;
  }

  /** Ends the threads; what is not done is rejected. */
  close(): Promise<void> {
    return this.#workers.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #doPieces(column: KeyColumn, to: ColumnTask['to'], out: Uint32Array | BigUint64Array): Promise<void> {
    const executor = {
      hasRoom: true,
      run: ({ from, end }: Piece) => {
        for (const memory of column.memory) checkAttached('keys', memory);
        const { keys, transfer } = pieceOf(column, from, end);
        return this.#workers.run({ keys, to, ...(isShared(out) && { out: rowsOf(out, from, end) }) }, transfer);
      },
    };
    for await (const { task, result } of inOrder(piecesOf(column), [executor], TASKS_A_THREAD * this.threads)) {
      checkAttached('out', out);
      if (!isShared(out)) (rowsOf(out, task.from, task.end) as Uint32Array).set(result as Uint32Array);
    }
  }
}

/** Rows from..end of a column. */
interface Piece {
  readonly from: number;
  readonly end: number;
}

function* piecesOf(column: KeyColumn): Generator<Piece, void> {
  for (let from = 0, end = 0; from < column.rows; from = end) {
    end = endOfPiece(column, from);
    yield { from, end };
  }
}

function checkPoolKeys(keys: PoolKeys): KeyColumn {
  if (Array.isArray(keys)) throw wrongKind('keys', EXPECTED_KEYS, keys);
  return checkKeys('keys', keys, EXPECTED_KEYS);
}

function endOfPiece(column: KeyColumn, from: number): number {
  let end = Math.min(from + TASK_ROWS, column.rows);
  if (column.kind !== 'bytes') return end;
  const { starts, ends } = column.spans;
  while (end > from + 1 && (ends[end - 1] as number) - (starts[from] as number) > TASK_BYTES) {
    end = from + ((end - from) >> 1);
  }
  return end;
}

/** Rows from..end where they are, if that is shared memory, or copied to some that is handed over. */
function pieceOf(column: KeyColumn, from: number, end: number): { keys: PoolKeys; transfer: ArrayBuffer[] } {
  if (column.kind === 'u64') {
    const keys = rowsOf(column.keys, from, end);
    if (isShared(keys)) return { keys, transfer: [] };
    const copy = keys.slice();
    return { keys: copy, transfer: [copy.buffer as ArrayBuffer] };
  }
  const { data, starts } = (column as KeyColumn & { kind: 'bytes' }).spans;
  const offsets = rowsOf(starts, from, end + 1); // one more than rows: the array that `starts` is cut from has it
  if (isShared(data)) return { keys: { data, offsets: isShared(offsets) ? offsets : offsets.slice() }, transfer: [] };
  const first = offsets[0] as number;
  const bytes = rowsOf(data, first, offsets[end - from] as number).slice(); // the `slice` of a Buffer copies nothing
  const moved = new Uint32Array(offsets.length); // in a loop: `Uint32Array.from` takes 80 ns a row
  for (let i = 0; i < moved.length; i++) moved[i] = (offsets[i] as number) - first;
  return { keys: { data: bytes, offsets: moved }, transfer: [bytes.buffer as ArrayBuffer, moved.buffer] };
}

function isShared({ buffer }: ArrayBufferView): boolean {
  return buffer instanceof SharedArrayBuffer;
}
