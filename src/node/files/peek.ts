import { statSync } from 'node:fs';
import { newlinesIn } from '../../rows/batch.js';
import { bytesOf, type Input, openStream, streamOf } from './input.js';

// The writer of a pipe may wait for an answer, so no more lines than this are read ahead.
const MAX_LINES = 1000;
const MAX_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/** An input that has been read in part. */
interface PeekedInput {
  /** The first lines, decompressed; all lines if there are few. */
  readonly start: Input;
  /** Replaces the input: the bytes that have been read, and the rest. */
  readonly whole: Input;
}

/**
 * Reads the first lines of an input ahead: up to 1,000, or those of the first 256 KiB. A file is later read again from its
 * start; the bytes of a stream are kept.
 * @throws the error of reading, if there is no byte before it. A later error is thrown while `whole` is read
 */
export async function peek(input: Input): Promise<PeekedInput> {
  const isFile = typeof input === 'string' && statSync(input).isFile();
  const stream = openStream(input);
  const chunks = bytesOf(input, stream, () => {});
  const read = await readAhead(chunks);
  const start = streamOf(input, [firstLines(Buffer.concat(read.chunks), read.isAll)]);
  if (isFile) {
    await chunks.return(undefined);
    stream.destroy();
    return { start, whole: input };
  }
  const whole = streamOf(input, putBack(read, chunks));
  whole.once('close', () => {
    chunks.return(undefined).catch(() => {}); // not awaited, as in decompressed()
    stream.destroy(); // otherwise it keeps the process alive until its writer is done
  });
  return { start, whole };
}

interface ReadAhead {
  readonly chunks: Uint8Array[];
  readonly isAll: boolean;
  /** Why no more could be read. */
  readonly failure: unknown;
}

async function readAhead(source: AsyncGenerator<Uint8Array>): Promise<ReadAhead> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0, lines = 0; bytes < MAX_BYTES && lines < MAX_LINES; ) {
    try {
      const { value, done } = await source.next();
      if (done) return { chunks, isAll: true, failure: undefined };
      chunks.push(value);
      bytes += value.length;
      lines += newlinesIn(value, 0, value.length);
    } catch (failure) {
      if (chunks.length === 0) throw failure;
      return { chunks, isAll: false, failure };
    }
  }
  return { chunks, isAll: false, failure: undefined };
}

async function* putBack({ chunks, failure }: ReadAhead, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Each chunk is dropped when it has been read.
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
  if (failure !== undefined) throw failure;
  yield* rest;
}

/** The first MAX_LINES lines, without one that is not complete yet. */
function firstLines(bytes: Uint8Array, isAll: boolean): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const next = bytes.indexOf(NEWLINE, end) + 1;
    if (next === 0) return isAll || end === 0 ? bytes : bytes.subarray(0, end);
    end = next;
  }
  return bytes.subarray(0, end);
}
