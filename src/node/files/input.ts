import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { wrongKind, wrongValue } from '../../arguments.js';
import { checkBytes } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { firstBytes } from '../../file-system.js';
import { type FormatName, formatOf, START_BYTES } from '../../formats.js';
import type { BufferedSource } from '../../rows/sources/lines.js';
import { chain, decompressed, type TextEncoding } from './decompress.js';

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

/** One input, or several, one after the other. @inline */
export type Inputs = GivenInput | readonly GivenInput[];

export interface Progress {
  /** How many keys have been read. */
  readonly keys: number;
  /** How many bytes have been read. */
  readonly bytes: number;
}

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

export function checkInputs(input: Inputs): readonly Input[] {
  const inputs: readonly GivenInput[] = Array.isArray(input) ? input : [input];
  return inputs.map((one) => {
    if (typeof one === 'string') return one;
    if (one instanceof URL && one.protocol !== 'file:') throw wrongValue('input', 'the URL of a file', one.href);
    if (one instanceof URL) return fileURLToPath(one);
    if (one instanceof ReadableStream) return Readable.fromWeb(one as WebStream);
    const isStream = typeof one === 'object' && one !== null && Symbol.asyncIterator in one;
    if (!isStream) throw wrongKind('input', 'a path or a stream of bytes', one);
    return one;
  });
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
  const decoded = async function* () {
    yield* openBytes(input, undefined, encoding === 'utf-16' ? 'utf-16le' : encoding).bytes; // opened when it is read
  };
  return streamOf(input, decoded());
}

/** What has not been read of an input: from a place of a plain file on, or the further bytes of a stream. */
export type Rest = { readonly at: number } | ByteStream;

/** Reads an input piece by piece into a source of rows. */
export interface InputReader {
  /** How many bytes have been read, before decompression. */
  readonly bytes: number;
  /** Reads the next bytes, or tells the source that there are none. @returns whether there were any */
  readInto(source: BufferedSource): Promise<boolean>;
  /** What has not been read. It is read in another way from now on. */
  readonly rest: Rest;
  close(): Promise<unknown>;
}

/**
 * Opens an input. A file is read directly into the kernels' memory; other work can run between reads. gzip and zstd are
 * decompressed.
 * @throws UnsupportedFormatError if it is not lines of text, here or at the first read
 */
export function openReader(input: Input, signal: AbortSignal | undefined): InputReader {
  const isPlain = typeof input === 'string' && isPlainFile(input);
  return isPlain ? fileReader(input, signal) : streamReader(openBytes(input, signal));
}

function fileReader(path: string, signal: AbortSignal | undefined): InputReader {
  const file = naming(path, () => openSync(path, 'r'));
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    get rest() {
      return { at: bytes };
    },
    async readInto(source) {
      if (bytes > 0) await setImmediate();
      signal?.throwIfAborted();
      const byteLength = naming(path, () => readSync(file, source.room()));
      bytes += byteLength;
      if (byteLength === 0) source.ended();
      else source.filled(byteLength);
      return byteLength > 0;
    },
    close: async () => closeSync(file),
  };
}

function streamReader(stream: ByteStream): InputReader {
  /** Bytes that have come and did not fit the source. */
  let waiting: Uint8Array = new Uint8Array(0);
  return {
    get bytes() {
      return stream.read();
    },
    get rest() {
      return { ...stream, bytes: chain(waiting, stream.bytes) };
    },
    async readInto(source) {
      if (waiting.length === 0) {
        const { value, done } = await stream.bytes.next();
        if (done) {
          source.ended();
          return false;
        }
        waiting = value;
      }
      const room = source.room();
      const piece = waiting.subarray(0, room.length);
      room.set(piece);
      source.filled(piece.length);
      waiting = waiting.subarray(piece.length);
      return true;
    },
    close: () => stream.bytes.return(),
  };
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
  return statSync(path).isFile() && formatOfFile(path) === undefined;
}

/** Whether an input is read as a stream. One that cannot be opened is not: the error comes when it is read. */
export function isStreamed(input: Input): boolean {
  if (typeof input !== 'string') return true;
  try {
    return !isPlainFile(input);
  } catch {
    return false;
  }
}

/** What is in a file, if not text in UTF-8. */
export function formatOfFile(path: string): FormatName | undefined {
  return naming(path, () => formatOf(firstBytes(path, START_BYTES)));
}

/** The bytes of an input, decompressed. */
export type ByteStream = ReturnType<typeof openBytes>;

/**
 * Opens an input that is read as a stream. An error names the path of a file, and so does one of decompressing a stream.
 * @returns its bytes, at whose end the stream is destroyed; how many have been read, before decompression; and what
 *   destroys the stream, also while its next bytes are awaited
 */
export function openBytes(input: Input, signal?: AbortSignal, encoding?: TextEncoding) {
  const stream = typeof input === 'string' ? createReadStream(input, { highWaterMark: STREAM_BYTES }) : input;
  let read = 0;
  if (signal !== undefined) addAbortSignal(signal, stream);
  // A stream that is not read to its end keeps the process alive until its writer is done.
  const stop = () => void stream.destroy?.(); // an iterable that is not a stream has no `destroy`

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : checkBytes('input', chunk);
      read += bytes.length;
      yield bytes;
    }
  }

  async function* all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* decompressed(chunks(), nameOf(input), encoding);
    } catch (error) {
      const isOfZlib = /^(Z|ZSTD)_/.test(String(detailsOf(error).code));
      throw typeof input === 'string' || isOfZlib ? named(nameOf(input), error) : error;
    } finally {
      stop();
    }
  }

  return { bytes: all(), read: () => read, stop };
}
