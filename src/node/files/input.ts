import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { wrongKind } from '../../arguments.js';
import { checkBytes } from '../../columns/keys.js';
import type { Kernels } from '../../kernels/contract.js';
import type { Batch } from '../../lines/batch.js';
import { LineBatches } from '../../lines/line-batches.js';
import { LineError } from '../../lines/line-hasher.js';
import { decompressed } from './compression.js';
import { formatOf, START_BYTES } from './formats.js';
import { named, naming } from './naming.js';

/** Where bytes come from: a path, or a stream such as standard input. */
export type Input = string | Readable;

/** One input or several, as a list. */
export function checkInputs(input: Input | readonly Input[]): readonly Input[] {
  const inputs = Array.isArray(input) ? input : [input];
  for (const one of inputs) {
    const isStream = typeof one === 'object' && one !== null && Symbol.asyncIterator in one;
    if (typeof one !== 'string' && !isStream) throw wrongKind('input', 'a path or a stream of bytes', one);
  }
  return inputs;
}

/**
 * The lines of an input, in batches, each good until the next is asked for. A file is read straight
 * into the kernels' memory; between reads other work gets its turn. What is compressed by gzip or zstd is
 * decompressed. A UTF-8 byte order mark at the start is left out.
 * @param onRead is told how many more bytes have come, compressed ones if they are
 * @throws LineError, with file and line, for a line that memory cannot hold; UnsupportedFormatError for what is not lines of text
 */
export async function* readLines(
  input: Input,
  kernels: Kernels,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch> {
  const batches = new LineBatches(kernels);
  try {
    for await (const byteLength of fill(batches, input, onRead, signal)) {
      batches.filled(byteLength);
      for (let lines = batches.next(); lines !== undefined; lines = batches.next()) yield lines;
    }
    const last = batches.last();
    if (last !== undefined) yield last;
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new LineError(error.line, error.expected, error.got, typeof input === 'string' ? input : '-');
  } finally {
    batches.free();
  }
}

async function* fill(
  batches: LineBatches,
  input: Input,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<number> {
  if (typeof input !== 'string') yield* fromStream(input, '-', batches, onRead, signal);
  else if (isPlainFile(input)) yield* fromFile(input, batches, onRead, signal);
  else {
    try {
      yield* fromStream(createReadStream(input), input, batches, onRead, signal);
    } catch (error) {
      throw named(input, error);
    }
  }
}

/**
 * Whether a path is that of a file of lines as they are: not compressed or in another format, and not one that may
 * keep its reader waiting, as a pipe does. A stream waits without holding up the thread.
 */
export function isPlainFile(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  return naming(path, () => {
    const file = openSync(path, 'r');
    try {
      const head = new Uint8Array(START_BYTES);
      return formatOf(head.subarray(0, readSync(file, head))) === undefined;
    } finally {
      closeSync(file);
    }
  });
}

async function* fromFile(
  path: string,
  batches: LineBatches,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<number> {
  const file = naming(path, () => openSync(path, 'r'));
  try {
    for (;;) {
      signal?.throwIfAborted();
      const byteLength = naming(path, () => readSync(file, batches.room()));
      if (byteLength === 0) return;
      onRead(byteLength);
      yield byteLength;
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* fromStream(
  stream: Readable,
  file: string,
  batches: LineBatches,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<number> {
  if (signal !== undefined) addAbortSignal(signal, stream);
  try {
    for await (const bytes of decompressed(bytesOf(stream, onRead), file)) {
      for (let from = 0; from < bytes.length; ) {
        const room = batches.room();
        const piece = bytes.subarray(from, from + room.length);
        room.set(piece);
        from += piece.length;
        yield piece.length;
      }
    }
  } finally {
    // A stream that is read no further keeps the process alive until its writer is done.
    stream.destroy?.(); // other iterables may pass for streams, and have none
  }
}

async function* bytesOf(stream: Readable, onRead: (byteLength: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : checkBytes('input', chunk);
    onRead(bytes.length);
    yield bytes;
  }
}
