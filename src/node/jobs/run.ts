import { setImmediate } from 'node:timers/promises';
import { detailsOf } from '../../errors.js';
import { openWorkspace } from '../../kernels/active.js';
import type { Kernels } from '../../kernels/types.js';
import { type Batch, LineError, outcomesOf, type Piece } from '../../rows/batch.js';
import { sourceOf } from '../../rows/format.js';
import type { OpenOperation, Operation } from '../../rows/operations/operation.js';
import type { BufferedSource } from '../../rows/sources/lines.js';
import { type Chunk, chunksOf, joined, type Start } from '../files/chunks.js';
import { type Input, isPlainFile, nameOf, openReader, type Rest, totalBytes } from '../files/input.js';
import { type BadLine, type ChunkJob, type ChunkResult, ChunkWork, sent } from '../threads/chunk-work.js';
import { type Executor, inOrder, Workers } from '../threads/workers.js';
import type { Job, Progress, RejectedLine } from './job.js';

/** How an operation is shared. */
export interface Sharing<O> {
  /**
   * Called when other threads begin. Returns the options for what is left. They then do all of it, and this thread only takes
   * what they have done.
   */
  readonly share?: (() => O) | undefined;
  /** So many bytes are read before other threads are started, unless it is known that there are more. */
  readonly sharedBytes?: number;
  readonly chunkBytes?: number;
  /** Starts the other threads: by default real ones. */
  readonly start?: typeof startThreads;
}

/** Other threads that work on chunks. */
interface Threads<C> extends Executor<Chunk, ChunkResult<C>> {
  /** Whether some of them have started. */
  readonly isUp: boolean;
  close(): Promise<void>;
}

function startThreads<O extends object, R, C>(
  count: number,
  { name }: Operation<O, R, C>,
  job: ChunkJob<O>,
  spare: Spare,
): Threads<C> {
  const options = { ...job, options: sent(job.options), operation: name };
  return new Workers(count, 'chunks', options, (chunk: Chunk) => {
    const memory = spare.take();
    const bytes = chunk.place instanceof Uint8Array ? [chunk.place.buffer] : []; // they come back with the result
    return [{ chunk, spare: memory }, [...memory, ...bytes]];
  });
}

// For fewer bytes, several threads save less time than their start takes.
const SHARED_BYTES = 8 * 1024 * 1024;

// Some milliseconds of work. With half as many bytes, two threads take 5 % longer; with a quarter, 20 %.
const CHUNK_BYTES = 4 * 1024 * 1024;

/** A result, valid until the next one is requested. */
export interface RowsResult<T> {
  readonly value: T;
  readonly progress: Progress;
  readonly file: string;
}

/** Ends a job. */
export function fail({ error, file, input }: RejectedLine): never {
  throw error instanceof LineError ? error.in(file, { input }) : error;
}

/** Bad data in a file, if the error does not name it yet. */
function inFile(error: unknown, file: string): unknown {
  return error instanceof LineError ? error.in(file) : error;
}

/** The pieces that a source has now. What reading them throws names the file. */
function* piecesIn(source: BufferedSource, file: string): Generator<Piece> {
  try {
    yield* source.drain();
  } catch (error) {
    throw inFile(error, file);
  }
}

/**
 * Does an operation on the rows of inputs, one after the other, batch by batch. The results come in the order of the input,
 * and are the same for any number of threads. If there is no `onReject`, the first row that is refused ends the work.
 * This thread begins alone. If there is enough to read, the rest is then cut into chunks, for all threads.
 * @returns the progress at the end, when rows may have been refused after the last result
 * @throws LineError, with file and line, for bad data; Node's own errors of reading
 */
export async function* runOperation<O extends object, R, C>(
  job: Job,
  operation: Operation<O, R, C>,
  options: O,
  sharing: Sharing<O> = {},
): AsyncGenerator<RowsResult<R | C>, Progress> {
  const { inputs, format, threads = 1, signal, onReject = fail, table } = job;
  if (table !== undefined) return yield* onTable(table, operation, options, job.onReject);
  const { sharedBytes = SHARED_BYTES } = sharing;
  const isLarge = threads > 1 && (totalBytes(inputs) ?? 0) >= sharedBytes;
  const source = sourceOf(format);
  let [keys, bytes] = [0, 0];
  let rest: Remainder | undefined;
  try {
    const opened = operation.open(source.kernels, options, format);
    for (let input = 0; input < inputs.length && rest === undefined; input++) {
      const file = nameOf(inputs[input]);
      const reader = openReader(inputs[input], signal);
      const run = (batch: Batch) => opened.run(batch, input);
      const before = bytes;
      try {
        source.restart();
        for (let isMore = true; isMore && rest === undefined; ) {
          isMore = await reader.readInto(source).catch((error) => {
            throw inFile(error, file);
          });
          bytes = before + reader.bytes;
          for (const piece of piecesIn(source, file)) {
            for (const outcome of outcomesOf(piece, run)) {
              if (outcome.kind === 'invalid') {
                const { line, error, bytes } = outcome;
                await onReject({ line, error, bytes, file, input });
                continue;
              }
              if (outcome.kind === 'value') keys += outcome.rows;
              const value = outcome.kind === 'value' ? outcome.value : opened.header(outcome);
              if (value !== undefined) yield { value, progress: { keys, bytes }, file };
            }
          }
          const { table } = source;
          if (isMore && threads > 1 && table !== undefined && (isLarge || bytes >= sharedBytes)) {
            const begun = { input, rest: reader.rest, held: source.rest, lines: source.line - 1 };
            rest = { ...begun, table, keys, bytes };
          }
        }
      } finally {
        if (rest === undefined || 'at' in rest.rest) await reader.close();
      }
    }
  } finally {
    source.free();
  }
  return rest === undefined ? { keys, bytes } : yield* onThreads(job, operation, options, rest, sharing);
}

/** Does an operation on the rows of a table. They are read by DuckDB on all threads, but this one does the operation. */
async function* onTable<O extends object, R, C>(
  table: NonNullable<Job['table']>,
  operation: Operation<O, R, C>,
  options: O,
  onReject: Job['onReject'],
): AsyncGenerator<RowsResult<R>, Progress> {
  const kernels = openWorkspace();
  let last: Progress = { keys: 0, bytes: 0 };
  try {
    const opened = operation.open(kernels, options, undefined);
    for await (const { batch, input, file, progress } of table.batches(kernels)) {
      for (const outcome of outcomesOf(batch, (rows) => opened.run(rows, input))) {
        if (outcome.kind === 'value') yield { value: outcome.value, progress, file };
        else if (outcome.kind === 'invalid') {
          const { line, error, bytes } = outcome;
          if (onReject === undefined) throw error instanceof LineError ? error.inRow(file) : error;
          await onReject({ line, error, bytes, file, input });
        }
      }
      last = progress;
    }
  } finally {
    kernels.free();
  }
  return last;
}

/** Does an operation that only this thread can do. */
export function onOneThread<T>(
  job: Job,
  open: (kernels: Kernels) => OpenOperation<T>,
): AsyncGenerator<RowsResult<T>, Progress> {
  const operation = {
    name: 'one thread',
    open,
    collect(): never {
      throw new Error('on one thread nothing is collected');
    },
  };
  return runOperation<object, T, never>({ ...job, threads: 1 }, operation, {});
}

/** Where threads begin: an input of which a part has been read, and what has been found in it. */
interface Remainder extends Start, Progress, Pick<ChunkJob<unknown>, 'table'> {
  readonly rest: Rest;
  readonly held: Uint8Array;
  /** How many lines of it have been read. */
  readonly lines: number;
}

/**
 * Works on the rest of some inputs in chunks. For CSV, where a chunk begins is a guess. It is proved when the chunk before
 * it has been done: if its last record ends where the chunk ends, the next one begins with a record. If not, this thread
 * does the next chunk again, from the start of the record that was cut.
 */
async function* onThreads<O extends object, R, C>(
  { inputs, format, threads = 1, signal, onReject, isStrict = onReject === undefined }: Job,
  operation: Operation<O, R, C>,
  given: O,
  rest: Remainder,
  { share, chunkBytes = CHUNK_BYTES, start = startThreads }: Sharing<O>,
): AsyncGenerator<RowsResult<C>, Progress> {
  const job = { options: share?.() ?? given, format, isStrict, table: rest.table };
  const { chunks, reuse, stop } = chunksOf(inputs, rest, { records: format, signal, chunkBytes });
  const ahead = 2 * threads + 3; // so many chunks may be in progress or waiting to be written
  const spare = spareMemory(ahead);
  // A stream keeps this thread busy, which has to take the bytes as soon as they come. Until others are up, it does the work.
  const isStream = inputs.some(isStreamed);
  const others = start(share === undefined && !isStream ? threads - 1 : threads, operation, job, spare);
  let own: ChunkWork<O, R, C> | undefined;
  const here = () => {
    own ??= new ChunkWork(operation, job);
    return own;
  };
  const isSharing = () => share === undefined && !(isStream && others.isUp);
  const executors = [others, onThisThread(here, spare, isSharing)];
  let cut: { readonly chunk: Chunk; readonly rest: ChunkResult<C>['rest'] } | undefined;
  let { input, lines, keys, bytes } = rest;
  try {
    for await (const next of inOrder(chunks, executors, ahead)) {
      signal?.throwIfAborted();
      let { task: chunk, result } = next;
      if (result.bytes !== undefined) chunk = { ...chunk, place: result.bytes }; // sent to another thread and back
      if (cut !== undefined) {
        chunk = joined(cut.chunk, cut.rest, chunk);
        result = here().run(chunk, spare.take(), true);
      }
      if (chunk.input !== input) [input, lines] = [chunk.input, 0];
      const file = nameOf(inputs[input]);
      bytes += next.task.byteLength;
      keys += result.keys;
      yield { value: result.value, progress: { keys, bytes }, file };
      spare.keep(result.memory);
      for (const bad of result.rejected) await (onReject ?? fail)(rejectedLine(bad, lines, file, input));
      if (result.failure !== undefined) throw inFile(rejectedLine(result.failure, lines, file, input).error, file);
      lines += result.lines;
      cut = result.rest === 0 ? undefined : { chunk, rest: result.rest };
      if (cut === undefined) reuse(chunk);
    }
    return { keys, bytes };
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

type Spare = ReturnType<typeof spareMemory>;

/** Memory of results that have been used. @param most how many pieces are kept */
function spareMemory(most: number) {
  const pieces: ArrayBuffer[] = [];
  return {
    take: () => pieces.splice(0, 1),
    keep(memory: readonly ArrayBuffer[]) {
      pieces.push(...memory.filter(({ byteLength }) => byteLength >= SPARE_BYTES));
      pieces.splice(0, pieces.length - most);
    },
  };
}

/** @param before how many lines of the input come before the chunk */
function rejectedLine(bad: BadLine, before: number, file: string, input: number): RejectedLine {
  const { bytes, message, details } = bad;
  const line = before + bad.line;
  const { line: inChunk, file: _, expected, got, ...others } = detailsOf(details);
  const isLine = inChunk !== undefined && expected !== undefined;
  const error = isLine ? new LineError(line, expected, got, undefined, others) : new RangeError(message);
  return { line, bytes, file, input, error: isLine ? error : Object.assign(error, details) };
}

/** Works on chunks on this thread, between other work such as writing the results of other threads. */
function onThisThread<C>(
  work: () => ChunkWork<any, any, C>,
  spare: Spare,
  isSharing: () => boolean,
): Executor<Chunk, ChunkResult<C>> {
  let isFree = true;
  return {
    get hasRoom() {
      return isFree && isSharing();
    },
    async run(chunk) {
      isFree = false;
      await setImmediate();
      try {
        return work().run(chunk, spare.take());
      } finally {
        isFree = true;
      }
    },
  };
}
