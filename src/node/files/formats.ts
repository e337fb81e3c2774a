import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** A piece of decompressed bytes. With 16 KiB, Node's default, a file of 370 MB takes twice as long. */
const CHUNK_BYTES = 256 * 1024;

/** Decompresses bytes. The reader gets the errors of the source and of the decompressor. */
type Decompressor = (compressed: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>;

async function* gunzip(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decompressor = zlib.createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from(compressed), decompressor, () => {});
  yield* decompressor;
}

type ZstdDecompress = Transform & { readonly bytesWritten: number };

/**
 * Node's decompressor ends after a frame if more bytes follow in the same chunk. Another one then continues.
 * @throws Error if this version of Node.js has no zstd
 */
async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createZstdDecompress } = zlib as {
    createZstdDecompress?: (options: { chunkSize: number }) => ZstdDecompress;
  };
  if (createZstdDecompress === undefined) {
    throw new Error(
      `zstd needs Node.js 22.15, 23.8 or later, this is ${process.version}: decompress the file with zstd -dc`,
    );
  }
  const chunks = compressed[Symbol.asyncIterator]();
  try {
    for (let rest: Uint8Array | undefined = new Uint8Array(0); rest !== undefined; ) {
      const decompressor = createZstdDecompress({ chunkSize: CHUNK_BYTES });
      const fed = feed(decompressor, rest, chunks);
      fed.catch((error) => decompressor.destroy(error));
      yield* decompressor;
      rest = await fed;
    }
  } finally {
    chunks.return?.().catch(() => {}); // not awaited, as in decompressed()
  }
}

/** @returns the bytes after the frame with which the decompressor has ended; undefined at the end of the input */
async function feed(
  decompressor: ZstdDecompress,
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const write = promisify((bytes: Uint8Array, done: (error?: Error | null) => void) => decompressor.write(bytes, done));
  for (let chunk: Uint8Array | undefined = first; chunk !== undefined; ) {
    const before = decompressor.bytesWritten;
    await write(chunk);
    const taken = decompressor.bytesWritten - before;
    if (taken < chunk.length) return chunk.subarray(taken);
    const next = await chunks.next();
    chunk = next.done ? undefined : next.value;
  }
  decompressor.end();
  return undefined;
}

/** How many times bytes may be compressed. There are files of gzip that contain themselves. */
const MAX_DEPTH = 4;

/** How characters are written, as `TextDecoder` names it: `latin1` is Windows-1252. */
export type TextEncoding = 'utf-16le' | 'utf-16be' | 'latin1';

/**
 * Text in UTF-8, without the byte order mark that it may begin with.
 * @param file the name of the file, for errors
 * @throws RangeError if it is not text in this encoding
 */
async function* inUtf8(
  source: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
  file: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  const encoded = (bytes?: Uint8Array) => {
    try {
      return encoder.encode(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch (cause) {
      throw new RangeError(`${file}: expected text in ${encoding}, got other bytes`, { cause });
    }
  };
  for await (const bytes of source) yield encoded(bytes);
  yield encoded();
}

/** A format other than lines of text. It is decompressed, or refused. */
export interface Format {
  readonly name: string;
  /** The starts of files of this format. Text never starts like this. */
  readonly starts: readonly Start[];
  /** Only for a format that can be read. */
  readonly decompress?: Decompressor;
  /** Only for text: how its characters are written. */
  readonly encoding?: TextEncoding;
  /** What to do with a format that cannot be read. */
  readonly hint?: string;
}

/** The first bytes: each is a byte, or a condition on a byte. */
type Start = readonly (number | ((byte: number) => boolean))[];

const any = (): boolean => true;
const isBlockSize = (byte: number): boolean => byte >= 0x31 && byte <= 0x39; // 1 to 9, times 100 kB
const isSkippable = (byte: number): boolean => byte >= 0x50 && byte <= 0x5f; // RFC 8878, 3.1.2
const isMultipleOf8 = (byte: number): boolean => byte % 8 === 0;
/** A byte that is neither text nor white space. Parquet has a Thrift field there: 0x15. */
const isControl = (byte: number): boolean => byte < 0x09 || (byte > 0x0d && byte < 0x20);

export const PARQUET = 'Parquet';

// A start is long enough that it cannot be text: `PAR1`, `BZh9` and `PK` can be keys. The first format that fits is taken,
// because UTF-32 starts like UTF-16.
const FORMATS: readonly Format[] = [
  { name: 'gzip', starts: [[0x1f, 0x8b, 0x08]], decompress: gunzip },
  {
    name: 'zstd',
    starts: [
      [0x28, 0xb5, 0x2f, 0xfd],
      [isSkippable, 0x2a, 0x4d, 0x18], // a frame that readers skip
    ],
    decompress: unzstd,
  },
  {
    name: 'xz',
    starts: [[0xfd, ...ascii('7zXZ'), 0x00]],
    hint: 'decompress it first: xz -dc FILE | shardbits …',
  },
  {
    name: 'bzip2',
    starts: [
      [...ascii('BZh'), isBlockSize, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], // a block: pi
      [...ascii('BZh'), isBlockSize, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90], // the end, of no bytes: its square root
    ],
    hint: 'decompress it first: bzip2 -dc FILE | shardbits …',
  },
  {
    name: 'zip',
    starts: [
      [...ascii('PK'), 0x03, 0x04], // a file
      [...ascii('PK'), 0x05, 0x06], // the end, of no files
    ],
    hint: 'decompress it first: unzip -p FILE | shardbits …',
  },
  {
    name: 'UTF-32',
    starts: [
      [0xff, 0xfe, 0x00, 0x00],
      [0x00, 0x00, 0xfe, 0xff],
    ],
    hint: 'convert it first: iconv -f UTF-32 -t UTF-8 FILE | shardbits …',
  },
  { name: 'UTF-16', starts: [[0xff, 0xfe]], encoding: 'utf-16le' },
  { name: 'UTF-16', starts: [[0xfe, 0xff]], encoding: 'utf-16be' },
  {
    name: PARQUET,
    starts: [[...ascii('PAR1'), isControl]],
    hint: 'route, hash, plan, decode, detect and audit read it from a file, by its name, and not from a pipe',
  },
  {
    name: 'Arrow',
    starts: [
      [...ascii('ARROW1'), 0x00, 0x00], // a file
      [0xff, 0xff, 0xff, 0xff, isMultipleOf8, any, any, 0x00], // a stream: the length of a schema below 16 MB
    ],
    hint: 'write it as CSV or lines first, or route its columns with shardbits/arrow',
  },
];

/** How many bytes are needed to tell formats apart. */
export const START_BYTES = Math.max(...FORMATS.flatMap(({ starts }) => starts.map(({ length }) => length)));

/** The format of a file, from its first bytes; undefined for text. */
export function formatOf(head: Uint8Array): Format | undefined {
  return FORMATS.find(({ starts }) => starts.some((start) => head.length >= start.length && startsLike(start, head)));
}

/** Whether more bytes are needed to tell the format. */
function isUndecided(head: Uint8Array): boolean {
  return FORMATS.some(({ starts }) => starts.some((start) => head.length < start.length && startsLike(start, head)));
}

/** Whether the bytes agree with a start, up to the end of the shorter one. */
function startsLike(start: Start, head: Uint8Array): boolean {
  return start.every((expected, i) => {
    const byte = head[i];
    return byte === undefined || (typeof expected === 'number' ? byte === expected : expected(byte));
  });
}

function ascii(text: string): number[] {
  return [...Buffer.from(text, 'latin1')];
}

/** A file has a format that is recognised but cannot be read. */
export class UnsupportedFormatError extends Error {
  override readonly name = 'UnsupportedFormatError';
  readonly code = 'ERR_UNSUPPORTED_FORMAT';
  readonly expected = 'lines of text, plain or compressed by gzip or zstd';
  /** The name of the format. */
  readonly got: string;
  /** What to do about it. */
  readonly hint: string;

  /** @param file the path of the file; `-` for a stream */
  constructor(
    { name, hint = '' }: Format,
    readonly file: string,
  ) {
    super(`${file}: expected lines of text, got ${name}; ${hint}`);
    this.got = name;
    this.hint = hint;
  }
}

/**
 * Decompresses bytes that start like gzip or zstd, also if they are compressed several times, and makes UTF-8 of UTF-16 with
 * a byte order mark. Other bytes stay as they are.
 * @param file the name of the file, for errors
 * @param encoding how text without a byte order mark is written; UTF-8 by default
 * @throws UnsupportedFormatError for a format that cannot be read; RangeError for bytes that are compressed too many times
 */
export async function* decompressed(
  source: AsyncGenerator<Uint8Array>,
  file: string,
  encoding?: TextEncoding,
  depth = 0,
): AsyncGenerator<Uint8Array> {
  try {
    if (depth > MAX_DEPTH) throw new RangeError(`${file}: expected text compressed at most ${MAX_DEPTH} times`);
    let head = new Uint8Array(0);
    // Read no more bytes than necessary, because the writer may be waiting for an answer to the first line.
    while (isUndecided(head)) {
      const { value, done } = await source.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    const format = formatOf(head);
    const all = head.length > 0 ? chain(head, source) : source;
    const textEncoding = format === undefined ? encoding : format.encoding;
    if (textEncoding !== undefined) yield* inUtf8(all, textEncoding, file);
    else if (format === undefined) yield* all;
    else if (format.decompress === undefined) throw new UnsupportedFormatError(format, file);
    else yield* decompressed(format.decompress(all), file, encoding, depth + 1);
  } finally {
    source.return(undefined).catch(() => {}); // not awaited: it would wait for the next chunk, which may never come
  }
}

async function* chain(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}
