import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { wrongKind } from '../arguments.js';
import { checkBytes } from '../hash/keys.js';
import type { Kernels } from '../kernels/contract.js';
import { LineBatches, type Lines } from '../lines/line-batches.js';
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
 * into the kernels' memory; between reads other work gets its turn.
 * @param onRead is told how many more bytes have come
 */
export async function* readLines(
  input: Input,
  kernels: Kernels,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Lines> {
  const batches = new LineBatches(kernels);
  const chunks = (typeof input === 'string' ? fromPath : fromStream)(input as string & Readable, batches, signal);
  try {
    for await (const byteLength of chunks) {
      onRead(byteLength);
      batches.filled(byteLength);
      for (let lines = batches.next(); lines !== undefined; lines = batches.next()) yield lines;
    }
    const last = batches.last();
    if (last !== undefined) yield last;
  } finally {
    batches.free();
  }
}

async function* fromPath(path: string, batches: LineBatches, signal?: AbortSignal): AsyncGenerator<number> {
  // What is no plain file may keep its reader waiting; a stream does that without holding up the thread.
  if (!statSync(path).isFile()) return yield* fromStream(createReadStream(path), batches, signal, path);
  const file = openSync(path, 'r');
  try {
    for (;;) {
      signal?.throwIfAborted();
      const byteLength = naming(path, () => readSync(file, batches.room()));
      if (byteLength === 0) return;
      yield byteLength;
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* fromStream(
  stream: Readable,
  batches: LineBatches,
  signal?: AbortSignal,
  path?: string,
): AsyncGenerator<number> {
  if (signal !== undefined) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : checkBytes('input', chunk);
      for (let from = 0; from < bytes.length; ) {
        const room = batches.room();
        const piece = bytes.subarray(from, from + room.length);
        room.set(piece);
        from += piece.length;
        yield piece.length;
      }
    }
  } catch (error) {
    throw path === undefined ? error : named(path, error);
  }
}
