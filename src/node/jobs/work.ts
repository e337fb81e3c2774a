import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { checkInteger, wrongKind } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import type { Kernels } from '../../kernels/types.js';
import { isTransferable, type Routing } from '../../routing/routing.js';
import { type Batch, LineError } from '../../rows/batch.js';
import type { LineWork, WorkKind } from '../../rows/operations/operation.js';
import { type Chunk, chunksOf, joined } from '../files/chunks.js';
import { type Input, isPlainFile, nameOf, totalBytes } from '../files/input.js';
import { type BadLine, type ChunkJob, type ChunkResult, ChunkWork, sent } from '../threads/chunk-work.js';
import { type Executor, inOrder, MAX_THREADS, Workers } from '../threads/workers.js';
import { fail, type Left, type LineJob, overLines, type Progress, type RejectedLine } from './lines.js';

export { MAX_THREADS };

/** Work and its options. */
export interface WorkToDo<O, V, C> {
  readonly kind: WorkKind<O, V, C>;
  readonly options: O;
  /** The name of the kind on other threads. */
  readonly name: string;
  /** What the threads run; by default the script of this package's own kinds. */
  readonly script?: URL | undefined;
  /**
   * Called when other threads begin. Returns the options for what is left. They then do all of it, and this thread only takes
   * what they have done.
   */
  share?(): O;
}

/** How work is shared. */
export interface Sharing {
  /** How many threads there are, with this one. */
  readonly threads: number;
  /** So many bytes are read before other threads are started, unless it is known that there are more. */
  readonly sharedBytes?: number;
  readonly chunkBytes?: number;
  /** Starts the other threads: by default real ones. */
  readonly start?: typeof startThreads;
}

/** Memory of results that have been used. */
interface Spare {
  take(): ArrayBuffer[];
  keep(memory: readonly ArrayBuffer[]): void;
}

/** Other threads that work on chunks. */
interface Threads<C> extends Executor<Chunk, ChunkResult<C>> {
  close(): Promise<void>;
}

function startThreads<O extends object, V, C>(
  count: number,
  { name, script }: WorkToDo<O, V, C>,
  job: ChunkJob<O>,
  spare: Spare,
): Threads<C> {
  const workers = new Workers(count, 'chunks', { ...job, options: sent(job.options), kind: name }, script);
  const run = (chunk: Chunk) => {
    const memory = spare.take();
    const bytes = chunk.place instanceof Uint8Array ? [chunk.place.buffer] : []; // they come back with the result
    return workers.run({ chunk, spare: memory }, [...memory, ...bytes]);
  };
  return {
    get hasRoom() {
      return workers.hasRoom;
    },
    run,
    close: () => workers.close(),
  };
}

// For fewer bytes, several threads save less time than their start takes.
const SHARED_BYTES = 8 * 1024 * 1024;

// Some milliseconds of work. With half as many bytes, two threads take 5 % longer; with a quarter, 20 %.
const CHUNK_BYTES = 4 * 1024 * 1024;

/** How many chunks may be in progress or waiting to be written: two for each thread, and some in reserve. */
const ahead = (threads: number): number => 2 * threads + 3;

/**
 * @param routings what other threads have to make, too
 * @returns the number of threads, 1 by default
 */
export function checkThreads(
  threads: number | undefined,
  routings: { readonly [argument: string]: Routing<any> },
): number {
  if (threads === undefined) return 1;
  checkInteger('threads', threads, 1, MAX_THREADS);
  for (const [argument, routing] of Object.entries(routings)) {
    if (threads > 1 && !isTransferable(routing)) {
      throw wrongKind(argument, 'a Router or a Partitioner with "threads"', routing);
    }
  }
  return threads;
}

/** The number of threads for all cores. */
export function allThreads(): number {
  return Math.min(availableParallelism(), MAX_THREADS);
}

/** A result, valid until the next one is requested. */
export interface WorkResult<T> {
  readonly value: T;
  readonly progress: Progress;
  readonly file: string;
}

/**
 * Does work on the lines of inputs. The results come in the order of the input, and are the same for any number of threads.
 * This thread begins alone. If there is enough to read, the rest is then cut into chunks, for all threads.
 * @throws LineError, with file and line, for bad data; Node's own errors of reading
 */
export async function* doWork<O extends object, V, C>(
  job: LineJob,
  work: WorkToDo<O, V, C>,
  { threads, sharedBytes = SHARED_BYTES, chunkBytes = CHUNK_BYTES, start: startOthers = startThreads }: Sharing,
): AsyncGenerator<WorkResult<V | C>, void> {
  const isLarge = threads > 1 && (totalBytes(job.inputs) ?? 0) >= sharedBytes;
  let begun: LineWork<V> | undefined;
  const start = (kernels: Kernels) => {
    const started = work.kind.start(kernels, work.options, job.records);
    begun = started;
    return (lines: Batch, input: number) => started.work(lines, input);
  };
  const results = overLines(job, start, ({ bytes }, table) => {
    return threads > 1 && (isLarge || bytes >= sharedBytes) && table !== undefined && begun?.learned !== null;
  });
  let left: Left | undefined;
  try {
    let next = await results.next();
    for (; !next.done; next = await results.next()) {
      const { progress, file } = next.value;
      if (next.value.kind === 'value') yield { value: next.value.value, progress, file };
      else if (begun?.header !== undefined) yield { value: begun.header(next.value.header), progress, file };
    }
    left = next.value;
  } finally {
    await results.return(undefined);
  }
  if (left === undefined) return;
  const { table } = left;
  const { isStrict = job.onReject === undefined } = job;
  const options = work.share?.() ?? work.options;
  const chunkJob = { options, records: job.records, isStrict, table, learned: begun?.learned };
  yield* onThreads(job, work, chunkJob, left, { threads, chunkBytes, start: startOthers });
}

/**
 * Works on the rest of some inputs in chunks. For CSV, where a chunk begins is a guess. It is proved when the chunk before
 * it has been done: if its last record ends where the chunk ends, the next one begins with a record. If not, this thread
 * does the next chunk again, from the start of the record that was cut.
 */
async function* onThreads<O extends object, V, C>(
  { inputs, records, signal, onReject = fail }: LineJob,
  work: WorkToDo<O, V, C>,
  job: ChunkJob<O>,
  left: Left,
  { threads, chunkBytes, start }: Required<Omit<Sharing, 'sharedBytes'>>,
): AsyncGenerator<WorkResult<C>, void> {
  const { progress } = left;
  const { chunks, reuse, stop } = chunksOf(inputs, left, { records, signal, chunkBytes });
  const spare = spareMemory(ahead(threads));
  // What is read as a stream keeps this thread busy: it has to take the bytes as soon as they come.
  const isSharing = work.share === undefined && !inputs.some(isStreamed);
  const others = start(isSharing ? threads - 1 : threads, work, job, spare);
  let own: ChunkWork<O, V, C> | undefined;
  const here = () => {
    own ??= new ChunkWork(work.kind, job);
    return own;
  };
  const executors = isSharing ? [others, onThisThread(here, spare)] : [others];
  let cut: { readonly chunk: Chunk; readonly rest: ChunkResult<C>['rest'] } | undefined;
  let [input, lines] = [left.input, left.lines];
  try {
    for await (const next of inOrder(chunks, executors, ahead(threads))) {
      signal?.throwIfAborted();
      let chunk = withBytes(next.task, next.result);
      let { result } = next;
      if (cut !== undefined) {
        chunk = joined(cut.chunk, cut.rest, chunk);
        result = here().run(chunk, spare.take(), true).result;
      }
      if (chunk.input !== input) [input, lines] = [chunk.input, 0];
      const file = nameOf(inputs[input]);
      progress.bytes += next.task.byteLength;
      progress.keys += result.keys;
      yield { value: result.value, progress, file };
      spare.keep(result.memory);
      for (const bad of result.rejected) await onReject(rejectedLine(bad, lines, file));
      if (result.failure !== undefined) fail(rejectedLine(result.failure, lines, file));
      lines += result.lines;
      cut = result.rest === 0 ? undefined : { chunk, rest: result.rest };
      if (cut === undefined) reuse(chunk);
    }
  } finally {
    stop();
    await others.close();
    own?.free();
  }
}

/** Whether an input is read as a stream. One that cannot be opened is not: the error comes when it is read. */
function isStreamed(input: Input): boolean {
  if (typeof input !== 'string') return true;
  try {
    return !isPlainFile(input);
  } catch {
    return false;
  }
}

// Less is not worth sending.
const SPARE_BYTES = 256 * 1024;

/** @param most how many pieces are kept */
function spareMemory(most: number): Spare {
  const pieces: ArrayBuffer[] = [];
  return {
    take: () => pieces.splice(0, 1),
    keep(memory) {
      pieces.push(...memory.filter(({ byteLength }) => byteLength >= SPARE_BYTES));
      pieces.splice(0, pieces.length - most);
    },
  };
}

/** A chunk whose bytes have been sent to another thread and back. */
function withBytes(chunk: Chunk, { bytes }: ChunkResult<unknown>): Chunk {
  return bytes === undefined ? chunk : { ...chunk, place: bytes as Uint8Array<ArrayBuffer> };
}

/** @param before how many lines of the input come before the chunk */
function rejectedLine({ line, bytes, message, details }: BadLine, before: number, file: string): RejectedLine {
  const { expected, got } = detailsOf(details);
  const isLine = 'line' in details && expected !== undefined;
  const number = before + line;
  const error = isLine ? new LineError(number, expected, got as string) : new RangeError(message);
  return { line: number, bytes, file, error: Object.assign(error, details, isLine && { line: number }) };
}

/** Works on chunks on this thread, between other work such as writing the results of other threads. */
function onThisThread<C>(work: () => ChunkWork<any, any, C>, spare: Spare): Executor<Chunk, ChunkResult<C>> {
  let hasRoom = true;
  return {
    get hasRoom() {
      return hasRoom;
    },
    async run(chunk) {
      hasRoom = false;
      await setImmediate();
      try {
        return work().run(chunk, spare.take()).result;
      } finally {
        hasRoom = true;
      }
    },
  };
}
