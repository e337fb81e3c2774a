import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { wrongKind, wrongValue } from '../../arguments.js';
import { checkBytes } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { LineError, type Piece } from '../../rows/batch.js';
import type { BufferedSource } from '../../rows/sources/lines.js';
import { decompressed, formatOf, START_BYTES, type TextEncoding } from './formats.js';

/** Runs work on a file. If it fails, the error names this path instead of a temporary one or none. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(path, error);
  }
}

/** Adds the path of a file to the error of a system call. */
export function named(path: string, error: unknown): unknown {
  return Object.assign(Object(error), { path });
}

/** How many bytes of a file that is read as a stream are read at a time. */
const STREAM_BYTES = 256 * 1024;

/** A source of bytes: a path, or a stream such as standard input. */
export type Input = string | Readable;

/** What may be given as an input: also the URL of a file, or a Web stream of bytes such as the body of a response. */
export type GivenInput = Input | URL | ReadableStream<Uint8Array>;

/** The names of the streams of {@link streamOf}. */
const names = new WeakMap<Readable, string>();

/** The name of an input in errors: its path, or `-` for a stream. */
export function nameOf(input: Input): string {
  return typeof input === 'string' ? input : (names.get(input) ?? '-');
}

/** A stream that replaces an input, and has its name in errors. */
export function streamOf(input: Input, bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Readable {
  const stream = Readable.from(bytes);
  names.set(stream, nameOf(input));
  return stream;
}

/** Checks one or more inputs and returns a list. */
export function checkInputs(input: GivenInput | readonly GivenInput[]): readonly Input[] {
  const inputs: readonly GivenInput[] = Array.isArray(input) ? input : [input];
  return inputs.map((one) => {
    if (typeof one === 'string') return one;
    if (one instanceof URL) return pathOf(one);
    if (one instanceof ReadableStream) return Readable.fromWeb(one as WebStream);
    const isStream = typeof one === 'object' && one !== null && Symbol.asyncIterator in one;
    if (!isStream) throw wrongKind('input', 'a path or a stream of bytes', one);
    return one;
  });
}

function pathOf(url: URL): string {
  if (url.protocol !== 'file:') throw wrongValue('input', 'the URL of a file', url.href);
  return fileURLToPath(url);
}

/** How the text of inputs may be written. */
export type Encoding = 'utf-8' | 'utf-16' | 'latin1';
export const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16', 'latin1'];

/**
 * An input as UTF-8. UTF-16 with a byte order mark is recognised; without one it is little-endian, as Windows writes it.
 * @param encoding how its text is written
 */
export function inUtf8(input: Input, encoding: Encoding | undefined): Input {
  if (encoding === undefined || encoding === 'utf-8') return input;
  return streamOf(input, decoded(input, encoding === 'utf-16' ? 'utf-16le' : encoding));
}

async function* decoded(input: Input, encoding: TextEncoding): AsyncGenerator<Uint8Array> {
  const { bytes, stop } = openBytes(input, { onRead() {}, signal: undefined }, encoding);
  try {
    yield* bytes;
  } finally {
    stop();
  }
}

/** Where the bytes of inputs go. */
export interface Reading {
  readonly source: BufferedSource;
  /** Called with the number of bytes of each read, before decompression. */
  onRead(byteLength: number): void;
  readonly signal: AbortSignal | undefined;
  /** Asked between reads: whether the rest of the input is read in another way. */
  isEnough?(): boolean;
}

/** What has not been read of an input: from a place of a plain file on, or the further bytes of a stream. */
export type Rest = { readonly at: number } | ByteStream;

/**
 * The lines or records of an input, in batches, each valid until the next is requested. A file is read directly into the
 * kernels' memory; other work can run between reads. gzip and zstd are decompressed. A UTF-8 byte order mark at the start
 * is left out.
 * @returns the rest, if `isEnough` said so; the source still has the bytes of an incomplete line or record
 * @throws LineError, with file and line, for a line that is too long; UnsupportedFormatError if it is not lines of text
 */
export async function* readLines(input: Input, reading: Reading): AsyncGenerator<Piece, Rest | undefined> {
  const { source } = reading;
  try {
    source.restart();
    const isPlain = typeof input === 'string' && isPlainFile(input);
    const rest = isPlain ? yield* fromFile(input, reading) : yield* fromStream(input, reading);
    if (rest !== undefined) return rest;
    source.ended();
    yield* source.drain();
    return undefined;
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new LineError(error.line, error.expected, error.got, nameOf(input));
  }
}

/** The size of all inputs in bytes, if all are files. */
export function totalBytes(inputs: readonly Input[]): number | undefined {
  let total = 0;
  for (const input of inputs) {
    const stats = typeof input === 'string' ? statSync(input, { throwIfNoEntry: false }) : undefined;
    if (!stats?.isFile()) return undefined;
    total += stats.size;
  }
  return total;
}

/**
 * Whether a path is that of a file with plain lines, which can be read without waiting: not compressed, not in another
 * format, and not a pipe. (Pipes are read as streams, which do not block the thread.)
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

async function* fromFile(path: string, reading: Reading): AsyncGenerator<Piece, Rest | undefined> {
  const { source, onRead, signal } = reading;
  const file = naming(path, () => openSync(path, 'r'));
  try {
    for (let at = 0; ; ) {
      signal?.throwIfAborted();
      const byteLength = naming(path, () => readSync(file, source.room()));
      if (byteLength === 0) return undefined;
      at += byteLength;
      onRead(byteLength);
      source.filled(byteLength);
      yield* source.drain();
      if (reading.isEnough?.()) return { at };
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* fromStream(input: Input, reading: Reading): AsyncGenerator<Piece, Rest | undefined> {
  const stream = openBytes(input, reading);
  const { bytes } = stream;
  let isLeft = false;
  try {
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
      yield* reading.source.add(next.value);
      isLeft = reading.isEnough?.() === true;
      if (isLeft) return stream;
    }
    return undefined;
  } finally {
    if (!isLeft) await bytes.return();
  }
}

export function openStream(input: Input): Readable {
  return typeof input === 'string' ? createReadStream(input, { highWaterMark: STREAM_BYTES }) : input;
}

/** The bytes of an input, decompressed. */
export interface ByteStream {
  /** The stream is destroyed at its end. */
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** Destroys the stream, also while its next bytes are awaited. */
  stop(): void;
}

/** Opens an input that is read as a stream. */
export function openBytes(
  input: Input,
  { onRead, signal }: Pick<Reading, 'onRead' | 'signal'>,
  encoding?: TextEncoding,
): ByteStream {
  const stream = openStream(input);
  if (signal !== undefined) addAbortSignal(signal, stream);
  // A stream that is not read to its end keeps the process alive until its writer is done.
  const stop = () => void stream.destroy?.(); // an iterable that is not a stream has no `destroy`
  return { bytes: ending(bytesOf(input, stream, onRead, encoding), stop), stop };
}

async function* ending(bytes: AsyncGenerator<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array, void> {
  try {
    yield* bytes;
  } finally {
    end();
  }
}

/** The bytes of an input, decompressed. An error names the path of a file, and so does one of decompressing a stream. */
export async function* bytesOf(
  input: Input,
  stream: Readable,
  onRead: (byteLength: number) => void,
  encoding?: TextEncoding,
): AsyncGenerator<Uint8Array> {
  try {
    yield* decompressed(chunksOf(stream, onRead), nameOf(input), encoding);
  } catch (error) {
    const isOfZlib = /^(Z|ZSTD)_/.test(String(detailsOf(error).code));
    throw typeof input === 'string' || isOfZlib ? named(nameOf(input), error) : error;
  }
}

async function* chunksOf(stream: Readable, onRead: (byteLength: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : checkBytes('input', chunk);
    onRead(bytes.length);
    yield bytes;
  }
}
