import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Gunzip } from 'node:zlib';
import { type FormatName, formatOf, isUndecided } from '../../formats.js';
import { NO_ZSTD, zlib } from './compressed.js';

/** A piece of decompressed bytes. With 16 KiB, Node's default, a file of 370 MB takes twice as long. */
const CHUNK_BYTES = 256 * 1024;

/** Decompresses bytes. The reader gets the errors of the source and of the decompressor. */
async function* gunzip(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decompressor = zlib().createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from(compressed), decompressor, () => {});
  yield* decompressor;
}

/**
 * Node's decompressor ends after a frame if more bytes follow in the same chunk. Another one then continues.
 * @throws Error if this version of Node.js has no zstd
 */
async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createZstdDecompress } = zlib();
  if (createZstdDecompress === undefined) throw new Error(`${NO_ZSTD}: decompress the file with zstd -dc`);
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
  decompressor: Gunzip,
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
async function* asUtf8(
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

interface Handling {
  readonly decompress?: typeof gunzip;
  /** How its characters are written, if it is text. */
  readonly encoding?: TextEncoding | undefined;
  /** What people can do with a format that cannot be read. */
  readonly hint?: string;
}

const HANDLING: { readonly [name in FormatName]: Handling } = {
  gzip: { decompress: gunzip },
  zstd: { decompress: unzstd },
  'utf-16le': { encoding: 'utf-16le' },
  'utf-16be': { encoding: 'utf-16be' },
  xz: { hint: 'decompress it first: xz -dc FILE | shardbits …' },
  bzip2: { hint: 'decompress it first: bzip2 -dc FILE | shardbits …' },
  'Office document': { hint: 'save its table as CSV first' },
  zip: { hint: 'decompress it first: unzip -p FILE | shardbits …' },
  lz4: { hint: 'decompress it first: lz4 -dc FILE | shardbits …' },
  tar: { hint: 'take the file out of it first: tar -xOf FILE NAME | shardbits …' },
  'UTF-32': { hint: 'convert it first: iconv -f UTF-32 -t UTF-8 FILE | shardbits …' },
  Parquet: {
    hint: 'route, hash, plan, decode, detect and audit read it from a file, by its name, and not from a pipe',
  },
  Arrow: { hint: 'write it as CSV or lines first, or route its columns with shardbits/arrow' },
  Avro: { hint: 'write it as JSON lines first: java -jar avro-tools.jar tojson FILE | shardbits … --ndjson' },
  ORC: { hint: 'write it as Parquet or CSV first, such as with Spark or Trino' },
  PNG: { hint: 'it is a picture' },
  PDF: { hint: 'write its text first: pdftotext FILE - | shardbits …' },
};

/** A file has a format that is recognised but cannot be read. */
export class UnsupportedFormatError extends Error {
  override readonly name = 'UnsupportedFormatError';
  readonly code = 'ERR_UNSUPPORTED_FORMAT';
  readonly expected = 'lines of text, plain or compressed by gzip or zstd';

  /**
   * @param got the name of the format
   * @param file the path of the file; `-` for a stream
   * @param hint what to do about it
   */
  constructor(
    readonly got: FormatName,
    readonly file: string,
    readonly hint: string,
  ) {
    super(`${file}: expected lines of text, got ${got}; ${hint}`);
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
    const all = chain(head, source);
    const handling: Handling = format === undefined ? { encoding } : HANDLING[format];
    const { decompress, hint } = handling;
    if (decompress !== undefined) yield* decompressed(decompress(all), file, encoding, depth + 1);
    else if (format !== undefined && hint !== undefined) throw new UnsupportedFormatError(format, file, hint);
    else if (handling.encoding !== undefined) yield* asUtf8(all, handling.encoding, file);
    else yield* all;
  } finally {
    source.return(undefined).catch(() => {}); // not awaited: it would wait for the next chunk, which may never come
  }
}

export async function* chain(
  head: Uint8Array,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  if (head.length > 0) yield head;
  yield* rest;
}
