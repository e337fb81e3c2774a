import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Piece } from '../../rows/batch.js';
import type { CheckedFormat } from '../../rows/format.js';
import { startIn } from '../../rows/sources/cut.js';
import { type BufferedSource, MAX_LINE } from '../../rows/sources/lines.js';
import { type ByteStream, type Input, isPlainFile, nameOf, openBytes, type Rest } from './input.js';

/** A part of an input, from the start of a line or record on, as far as {@link startIn} can tell; plain data. */
export interface Chunk {
  /** Its place among all chunks, from 0. */
  readonly number: number;
  /** Which input it is of, counted from 0. */
  readonly input: number;
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** Its bytes, or where they are in a plain file. `to` of the last chunk is infinite, for lines that are appended. */
  readonly place: Uint8Array<ArrayBuffer> | FilePart;
  /** How many bytes of the input it is, before decompression. */
  readonly byteLength: number;
}

interface FilePart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** How long the file has to be. */
  readonly size: number;
}

export interface Cutting {
  readonly records: CheckedFormat | undefined;
  readonly signal: AbortSignal | undefined;
  /** About how many bytes a chunk has. */
  readonly chunkBytes: number;
}

/** Where inputs are cut from: the first one may have been read in part. */
export interface Start {
  readonly input: number;
  readonly rest?: Rest | undefined;
  /** The last bytes that have been read of it, which do not make a complete record. */
  readonly held?: Uint8Array | undefined;
}

export function chunksOf(inputs: readonly Input[], start: Start, cutting: Cutting) {
  let open = start.rest !== undefined && 'bytes' in start.rest ? start.rest : undefined;
  let count = 0;
  const { signal } = cutting;
  const spare: ArrayBuffer[] = [];

  async function* all(): AsyncGenerator<Chunk, void> {
    for (let number = start.input; number < inputs.length; number++) {
      const input = inputs[number];
      const { rest, held = new Uint8Array(0) }: Partial<Start> = number === start.input ? start : {};
      const name = { input: number, isStart: rest === undefined };
      const from = rest ?? (typeof input === 'string' && isPlainFile(input) ? { at: 0 } : openBytes(input, signal));
      if ('bytes' in from) open = from;
      const chunks =
        'at' in from
          ? ofFile(nameOf(input), from.at - held.length, held.length, name, cutting)
          : ofStream(from, held, name, cutting, spare);
      for await (const chunk of chunks) yield { ...chunk, number: count++ };
    }
  }

  /** Takes the bytes of a chunk that are not needed any more. */
  const reuse = ({ place }: Chunk) => {
    if (place instanceof Uint8Array) spare.push(place.buffer);
  };
  /** Ends the reading, also while bytes are awaited. */
  const stop = () => open?.stop();
  return { chunks: all(), reuse, stop };
}

type Name = Pick<Chunk, 'input' | 'isStart'>;
type Unnumbered = Omit<Chunk, 'number'>;

// Enough to see quotes. To read so many takes a few microseconds.
const PROBE_BYTES = 64 * 1024;

/** @param counted how many bytes from `start` on have been counted as read */
function* ofFile(
  path: string,
  start: number,
  counted: number,
  { input, isStart }: Name,
  { records, chunkBytes }: Cutting,
): Generator<Unnumbered, void> {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  const probe = Buffer.allocUnsafe(PROBE_BYTES);
  let from = start;
  const chunkTo = (to: number): Unnumbered => {
    const isFirst = from === start;
    const place = { path, from, to, size: Math.min(to, Math.max(size, start + counted)) };
    const byteLength = Math.max(0, Math.min(to, size) - from) - (isFirst ? counted : 0);
    from = to;
    return { input, isStart: isStart && isFirst, isEnd: to === Number.POSITIVE_INFINITY, place, byteLength };
  };
  try {
    for (let place = start + chunkBytes; place < size; place += chunkBytes) {
      const bytes = probe.subarray(0, readSync(file, probe, 0, probe.length, place - 1));
      const next = startIn(bytes, 1, 'first', records);
      // A record that is longer than the probe is left to the chunk that it begins in.
      if (next < 0 || place - 1 + next >= size) continue;
      const to = place - 1 + next;
      yield chunkTo(to);
      place = Math.max(place, to);
    }
  } finally {
    closeSync(file);
  }
  yield chunkTo(Number.POSITIVE_INFINITY);
}

// If no more bytes come for so long, what is there is worked on: the writer may wait for an answer.
const PAUSE_MS = 20;

/** So many bytes without the start of a further line are a line that is too long, whatever its line end. */
const TOO_LONG = MAX_LINE + 3;

/**
 * @param held bytes before the others
 * @param spare memory that is not needed any more
 */
async function* ofStream(
  stream: ByteStream,
  held: Uint8Array,
  { input, isStart }: Name,
  { records, chunkBytes }: Cutting,
  spare: ArrayBuffer[],
): AsyncGenerator<Unnumbered, void> {
  const { bytes } = stream;
  let read = isStart ? 0 : stream.read();
  const room = chunkBytes + PROBE_BYTES;
  let buffer = new Uint8Array(Math.max(room, 2 * held.length));
  buffer.set(held);
  let length = held.length;
  let isFirst = isStart;
  let enough = chunkBytes; // how many bytes are cut
  let pending: Promise<IteratorResult<Uint8Array, void>> | undefined;
  const take = (to: number, isEnd: boolean): Unnumbered => {
    const place = buffer.subarray(0, to);
    const rest = buffer.subarray(to, length);
    const byteLength = Math.max(room, rest.length);
    const found = spare.pop();
    buffer = new Uint8Array(
      found !== undefined && found.byteLength >= byteLength ? found : new ArrayBuffer(byteLength),
    );
    buffer.set(rest);
    length = rest.length;
    const chunk = { input, isStart: isFirst, isEnd, place, byteLength: stream.read() - read };
    read += chunk.byteLength;
    isFirst = false;
    enough = chunkBytes;
    return chunk;
  };
  try {
    for (;;) {
      pending ??= bytes.next();
      const next = await before(pending, PAUSE_MS);
      if (next?.done) break;
      if (next !== undefined) {
        pending = undefined;
        const { value } = next;
        if (length + value.length > buffer.length) buffer = enlarged(buffer, length, 2 * (length + value.length));
        buffer.set(value, length);
        length += value.length;
      }
      if (next === undefined || length >= enough) {
        const to = lastStart(buffer.subarray(0, length), records);
        if (to > 0) yield take(to, false);
        else enough = Math.max(enough, Math.min(2 * length, TOO_LONG)); // so that the time is not quadratic
      }
      if (next === undefined) await pending;
    }
    yield take(length, true);
  } finally {
    bytes.return().catch(() => {}); // not awaited: it would wait for bytes, which may never come
  }
}

/** The start of the last record, or -1; the end of a line that is too long, which its thread refuses. */
function lastStart(bytes: Uint8Array, records: CheckedFormat | undefined): number {
  for (let back = PROBE_BYTES; ; back *= 2) {
    const start = startIn(bytes, Math.max(1, bytes.length - back), 'last', records);
    if (start > 0) return start;
    if (back >= bytes.length) return bytes.length >= TOO_LONG ? bytes.length : start;
  }
}

function enlarged(buffer: Uint8Array, length: number, byteLength: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(byteLength);
  larger.set(buffer.subarray(0, length));
  return larger;
}

/** The result if it comes in time; otherwise undefined. */
async function before<T>(result: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The pieces of a chunk, as far as its records are complete. The source has the rest. */
export function* readChunk({ place, isStart, isEnd }: Chunk, source: BufferedSource): Generator<Piece> {
  source.restart(isStart);
  yield* place instanceof Uint8Array ? source.add(place) : readPart(place, source);
  if (!isEnd) return;
  source.ended();
  yield* source.drain();
}

/** @throws Error if the file has become shorter, so that no row is missing without a word */
function* readPart({ path, from, to, size }: FilePart, source: BufferedSource): Generator<Piece> {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size < size) throw new Error(`${path}: the file has become shorter while it was read`);
    for (let at = from; at < to; ) {
      const room = source.room();
      const byteLength = readSync(file, room, 0, Math.min(room.length, to - at), at);
      if (byteLength === 0) break;
      at += byteLength;
      source.filled(byteLength);
      yield* source.drain();
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The last bytes of a chunk, which made no complete record, and the chunk after them.
 * @param rest how many bytes they are; `all` if the chunk has no complete record
 */
export function joined(chunk: Chunk, rest: number | 'all', next: Chunk): Chunk {
  const { place } = chunk;
  const { place: after } = next;
  const isStart = chunk.isStart && rest === 'all';
  if (place instanceof Uint8Array && after instanceof Uint8Array) {
    const left = rest === 'all' ? place : place.subarray(place.length - rest);
    const bytes = enlarged(left, left.length, left.length + after.length);
    bytes.set(after, left.length);
    return { ...next, isStart, place: bytes };
  }
  if (place instanceof Uint8Array || after instanceof Uint8Array) throw new Error('chunks of two inputs');
  return { ...next, isStart, place: { ...after, from: rest === 'all' ? place.from : place.to - rest } };
}
