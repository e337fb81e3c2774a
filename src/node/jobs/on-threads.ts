import { setImmediate } from 'node:timers/promises';
import { detailsOf } from '../../errors.js';
import { LineError } from '../../rows/batch.js';
import type { Operation } from '../../rows/operations/operation.js';
import { type Chunk, chunksOf, joined, type Start } from '../files/chunks.js';
import { isStreamed, nameOf, type Rest, totalBytes } from '../files/input.js';
import { type BadLine, type ChunkJob, type ChunkResult, ChunkWork, sent } from '../threads/chunk-work.js';
import { type Executor, inOrder, Workers } from '../threads/workers.js';
import { fail, inFile, type Job, type Progress, type RejectedLine, type RowsResult } from './job.js';

export interface Sharing<O> {
  /** Called when other threads begin. @returns the options for what is left; undefined if this thread has to go on alone */
  readonly share?: (() => O | undefined) | undefined;
  /** So many bytes are read before other threads are started, unless it is known that there are more. */
  readonly sharedBytes?: number;
  /** The most bytes that a thread gets at once. */
  readonly chunkBytes?: number;
  /** Starts the other threads: by default real ones. */
  readonly start?: typeof startThreads;
}

/** Other threads that work on chunks, once they are told of what job. */
type Threads<C> = Executor<Chunk, ChunkResult<C>> & Pick<Workers<'chunks', Chunk>, 'isUp' | 'begin' | 'close'>;

/** @param spare memory for results */
function startThreads<C>(count: number, { name }: Operation<any, any, C>, spare: SpareMemory): Threads<C> {
  return new Workers(count, 'chunks', name, (chunk: Chunk) => {
    const memory = spare.take();
    const bytes = chunk.place instanceof Uint8Array ? [chunk.place.buffer] : []; // they come back with the result
    return [{ chunk, spare: memory }, [...memory, ...bytes]];
  });
}

// Some milliseconds of work. With half as many bytes, two threads take 5 to 10 % longer; with a quarter, 20 %.
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Chunks of streams lie in memory. */
const STREAM_CHUNK_BYTES = 4 * 1024 * 1024;
/** So many chunks of files a thread has at least, so that all end at about the same time. */
const CHUNKS_A_THREAD = 8;

/**
 * The least, and enough for results that are as long as the input, or longer: decoding ids on two threads then takes 99 MB
 * instead of 195, and a seventh less time.
 */
export const SMALL_CHUNK_BYTES = 1024 * 1024;

/** Where threads begin: an input of which a part has been read, and what has been found in it. */
export interface Remainder<O> extends Start, Progress, Pick<ChunkJob<O>, 'options' | 'table'> {
  readonly rest: Rest;
  readonly held: Uint8Array;
  /** How many lines of it have been read. */
  readonly lines: number;
}

/** The other threads of a job, and how work is shared with them. */
export type Team<C> = ReturnType<typeof startTeam<C>>;

/** Starts the other threads of a job. That takes a while, in which this one begins. */
export function startTeam<C>(
  { inputs, threads = 1 }: Job,
  operation: Operation<any, any, C>,
  { start = startThreads, chunkBytes: mostBytes = CHUNK_BYTES }: Sharing<any>,
) {
  const total = totalBytes(inputs);
  const fair = total === undefined ? STREAM_CHUNK_BYTES : Math.floor(total / (CHUNKS_A_THREAD * threads));
  const chunkBytes = Math.min(mostBytes, Math.max(SMALL_CHUNK_BYTES, fair));
  // A stream keeps this thread busy, which has to take the bytes as soon as they come. Until others are up, it does the work.
  const isStream = inputs.some(isStreamed);
  const ahead = 2 * threads + 3; // so many chunks may be in progress or waiting to be written
  const spare = spareMemory(ahead);
  return { others: start(isStream ? threads : threads - 1, operation, spare), isStream, ahead, spare, chunkBytes };
}

/**
 * Works on the rest of some inputs in chunks. For CSV, where a chunk begins is a guess. It is proved when the chunk before
 * it has been done: if its last record ends where the chunk ends, the next one begins with a record. If not, this thread
 * does the next chunk again, from the start of the record that was cut.
 */
export async function* onThreads<O extends object, R, C>(
  { inputs, format, signal, onReject, isStrict = onReject === undefined }: Job,
  operation: Operation<O, R, C>,
  { others, isStream, ahead, spare, chunkBytes }: Team<C>,
  rest: Remainder<O>,
): AsyncGenerator<RowsResult<C>, Progress> {
  const job = { options: rest.options, format, isStrict, table: rest.table };
  const { chunks, reuse, stop } = chunksOf(inputs, rest, { records: format, signal, chunkBytes });
  let own: ChunkWork<O, R, C> | undefined;
  let isOver = false;
  const here = () => {
    if (isOver) throw new Error('the job is over');
    own ??= new ChunkWork(operation, job);
    return own;
  };
  const executors: Executor<Chunk, ChunkResult<C> | (() => ChunkResult<C>)>[] = [
    others,
    onThisThread(here, spare, () => !(isStream && others.isUp)),
  ];
  let cut: { readonly chunk: Chunk; readonly rest: ChunkResult<C>['rest'] } | undefined;
  let { input, lines, keys, bytes } = rest;
  try {
    others.begin({ ...job, options: sent(job.options) });
    for await (const next of inOrder(chunks, executors, ahead)) {
      signal?.throwIfAborted();
      let { task: chunk } = next;
      let result = typeof next.result === 'function' ? next.result() : next.result;
      if (result.bytes !== undefined) chunk = { ...chunk, place: result.bytes }; // sent to another thread and back
      if (cut !== undefined) {
        chunk = joined(cut.chunk, cut.rest, chunk);
        result = here().run(chunk, spare.take())(true);
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
    isOver = true;
    stop();
    await others.close();
    own?.free();
  }
}

// Less is not worth sending. The collector frees sent memory late: with four times as many bytes, u32 on two threads takes 16 MB
// more.
const SPARE_BYTES = 64 * 1024;

type SpareMemory = ReturnType<typeof spareMemory>;

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

/** So many chunks wait on this thread for those before them, which other threads have. */
const MOST_DONE = 3;

/**
 * Works on chunks on this thread, between other work such as writing the results of other threads. What it has done is
 * finished when its turn comes.
 */
function onThisThread<C>(
  work: () => ChunkWork<any, any, C>,
  spare: SpareMemory,
  isSharing: () => boolean,
): Executor<Chunk, () => ChunkResult<C>> {
  let isFree = true;
  let done = 0;
  return {
    get hasRoom() {
      return isFree && done < MOST_DONE && isSharing();
    },
    async run(chunk) {
      isFree = false;
      await setImmediate();
      try {
        const finish = work().run(chunk, spare.take());
        done++;
        return () => {
          done--;
          return finish();
        };
      } finally {
        isFree = true;
      }
    },
  };
}
