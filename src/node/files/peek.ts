import { createReadStream, statSync } from 'node:fs';
import { newlinesIn } from '../../lines/batch.js';
import { decompressed } from './compression.js';
import { bytesOf, type Input, nameOf, streamOf } from './input.js';
import { named } from './naming.js';

// Whoever writes to a pipe may wait for an answer to so many lines, and no more.
const MOST_LINES = 1000;
const MOST_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/** An input of which something has been read. */
export interface PeekedInput {
  /** Its first lines, decompressed: all if there are few. */
  readonly start: Input;
  /** All of it, to be read in place of it: what has been read, and the rest. */
  readonly whole: Input;
}

/**
 * Reads the first lines of an input ahead: up to 1,000, or those of the first 256 KiB. A file is read again from its
 * start later; of a stream the bytes are kept.
 * @throws what reading it throws, if that comes before its first byte. Later it comes to whoever reads `whole`, in its place
 */
export async function peek(input: Input): Promise<PeekedInput> {
  const isFile = typeof input === 'string' && statSync(input).isFile();
  const stream = typeof input === 'string' ? createReadStream(input) : input;
  const chunks = chunksOf(
    input,
    decompressed(
      bytesOf(stream, () => {}),
      nameOf(input),
    ),
  );
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
    stream.destroy(); // or it keeps the process alive until its writer is done
  });
  return { start, whole };
}

/** What comes from a path, with the path in its errors. */
async function* chunksOf(input: Input, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw typeof input === 'string' ? named(input, error) : error;
  }
}

interface ReadAhead {
  readonly chunks: Uint8Array[];
  readonly isAll: boolean;
  /** Why no more could be read. */
  readonly failure: unknown;
}

async function readAhead(source: AsyncGenerator<Uint8Array>): Promise<ReadAhead> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0, lines = 0; bytes < MOST_BYTES && lines < MOST_LINES; ) {
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
  while (chunks.length > 0) yield chunks.shift() as Uint8Array; // they are not kept longer than it takes
  if (failure !== undefined) throw failure;
  yield* rest;
}

/** As many lines as are looked at, without one that goes on in what has not been read. */
function firstLines(bytes: Uint8Array, isAll: boolean): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < MOST_LINES; lines++) {
    const next = bytes.indexOf(NEWLINE, end) + 1;
    if (next === 0) return isAll || end === 0 ? bytes : bytes.subarray(0, end);
    end = next;
  }
  return bytes.subarray(0, end);
}
