import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

interface Format {
  readonly name: string;
  /** What every file of it starts with. */
  readonly magic: readonly number[];
  decompressor(): Transform;
}

const FORMATS: readonly Format[] = [
  { name: 'gzip', magic: [0x1f, 0x8b, 0x08], decompressor: () => zlib.createGunzip() },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], decompressor: zstd },
];

/** As many bytes as it takes to tell formats apart. */
export const MAGIC_BYTES = 4;

function zstd(): Transform {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };
  if (createZstdDecompress === undefined) {
    throw new Error(`zstd needs Node.js 22.15 or later, this is ${process.version}: decompress it with zstd -dc`);
  }
  return createZstdDecompress();
}

/** The format that some bytes start in, if it is any. */
export function compressionOf(head: Uint8Array): Format | undefined {
  return FORMATS.find(({ magic }) => head.length >= magic.length && magic.every((byte, i) => head[i] === byte));
}

/** Bytes as they are, or decompressed if they start as gzip or zstd does. */
export async function* decompressed(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array(0);
  // Not a byte more than it takes: whoever writes may be waiting for an answer to the first line.
  while (FORMATS.some((format) => mayBecome(format, head))) {
    const { value, done } = await source.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const format = compressionOf(head);
  if (format === undefined) {
    if (head.length > 0) yield head;
    yield* source;
    return;
  }
  const decompressor = format.decompressor();
  pipeline(Readable.from(chain(head, source)), decompressor, () => {}); // a failure is met by whoever reads
  yield* decompressor as AsyncIterable<Uint8Array>;
}

function mayBecome({ magic }: Format, head: Uint8Array): boolean {
  return head.length < magic.length && head.every((byte, i) => byte === magic[i]);
}

async function* chain(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}
