import { openWorkspace } from '../../kernels/active.js';
import type { Kernels } from '../../kernels/types.js';
import { type Batch, LineError, outcomesOf, type Piece } from '../../rows/batch.js';
import { sourceOf } from '../../rows/format.js';
import type { OpenOperation, Operation } from '../../rows/operations/operation.js';
import type { BufferedSource } from '../../rows/sources/lines.js';
import { nameOf, openReader, totalBytes } from '../files/input.js';
import { fail, inFile, type Job, type Progress, type RowsResult } from './job.js';
import { onThreads, type Remainder, type Sharing, startTeam, type Team } from './on-threads.js';

// With fewer bytes, other threads would have nothing left to do when they have started.
const SHARED_BYTES = 8 * 1024 * 1024;

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
 * If there is enough to read, the other threads are started, and the rest is cut into chunks for all when they can begin.
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
  const { share = () => options, sharedBytes = SHARED_BYTES } = sharing;
  let mayShare = threads > 1;
  const isLarge = mayShare && (totalBytes(inputs) ?? 0) >= sharedBytes;
  let team: Team<C> | undefined;
  const source = sourceOf(format);
  let [keys, bytes] = [0, 0];
  let rest: Remainder<O> | undefined;
  try {
    const opened = operation.open(source.kernels, options, format);
    if (isLarge) team = startTeam(job, operation, sharing); // they get the modules of WebAssembly that are compiled by now
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
          if (isMore && mayShare && table !== undefined && (isLarge || bytes >= sharedBytes)) {
            const optionsOfAll = share();
            const begun = { input, rest: reader.rest, held: source.rest, lines: source.line - 1 };
            if (optionsOfAll !== undefined) {
              team ??= startTeam(job, operation, sharing);
              rest = { ...begun, options: optionsOfAll, table, keys, bytes };
            } else {
              mayShare = false;
              await team?.others.close();
              team = undefined;
            }
          }
        }
      } finally {
        if (rest === undefined || 'at' in rest.rest) await reader.close(); // a stream goes on
      }
    }
  } finally {
    source.free();
    if (rest === undefined) await team?.others.close();
  }
  if (rest === undefined || team === undefined) return { keys, bytes };
  return yield* onThreads(job, operation, team, rest);
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
