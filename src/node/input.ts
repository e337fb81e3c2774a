import { closeSync, openSync, readSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { LineBatches, type Lines } from '../lines/line-batches.js';
import { naming } from './naming.js';

/** Where bytes come from: a path, or a stream such as standard input. */
export type Input = string | Readable;

/**
 * The lines of an input, in batches, each good until the next is asked for. A file is read straight
 * into the kernels' memory; between reads other work gets its turn.
 * @param onRead is told how many more bytes have come
 */
export async function* readLines(
  input: Input,
  onRead: (byteLength: number) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Lines> {
  const batches = new LineBatches();
  const chunks = typeof input === 'string' ? fromFile(input, batches, signal) : fromStream(input, batches, signal);
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

async function* fromFile(path: string, batches: LineBatches, signal?: AbortSignal): AsyncGenerator<number> {
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

async function* fromStream(stream: Readable, batches: LineBatches, signal?: AbortSignal): AsyncGenerator<number> {
  if (signal !== undefined) addAbortSignal(signal, stream);
  for await (const chunk of stream) {
    const bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let from = 0; from < bytes.length; ) {
      const room = batches.room();
      const piece = bytes.subarray(from, from + room.length);
      room.set(piece);
      from += piece.length;
      yield piece.length;
    }
  }
}
