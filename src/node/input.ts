import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { LineBatches, type Lines } from '../lines/line-batches.js';

/** Where bytes come from: a path, or a stream such as standard input. */
export type Input = string | Readable;

/**
 * The lines of an input, in batches, each good until the next is asked for. A file is read straight
 * into the kernels' memory; between batches other work gets its turn.
 * @param onRead is told how many more bytes have come
 */
export async function* readLines(input: Input, onRead: (byteLength: number) => void = () => {}): AsyncGenerator<Lines> {
  const batches = new LineBatches();
  try {
    for await (const byteLength of typeof input === 'string' ? fromFile(input, batches) : fromStream(input, batches)) {
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

async function* fromFile(path: string, batches: LineBatches): AsyncGenerator<number> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const byteLength = readSync(file, batches.room());
      if (byteLength === 0) return;
      yield byteLength;
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* fromStream(stream: Readable, batches: LineBatches): AsyncGenerator<number> {
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
