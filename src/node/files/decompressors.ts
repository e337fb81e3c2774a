import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** Decompresses bytes. The reader gets the errors of the source and of the decompressor. */
export type Decompressor = (compressed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export function gunzip(compressed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const decompressor = zlib.createGunzip();
  pipeline(Readable.from(compressed), decompressor, () => {});
  return decompressor;
}

type ZstdDecompress = Transform & { readonly bytesWritten: number };

/**
 * Node's decompressor ends after a frame if more bytes follow in the same chunk. Another one then continues.
 * @throws Error if this version of Node.js has no zstd
 */
export async function* unzstd(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => ZstdDecompress };
  if (createZstdDecompress === undefined) {
    throw new Error(`zstd needs Node.js 22.15 or later, this is ${process.version}: decompress the file with zstd -dc`);
  }
  const chunks = compressed[Symbol.asyncIterator]();
  try {
    for (let rest: Uint8Array | undefined = new Uint8Array(0); rest !== undefined; ) {
      const decompressor = createZstdDecompress();
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
  const write = (bytes: Uint8Array) =>
    new Promise<void>((done, failed) => {
      decompressor.write(bytes, (error) => (error ? failed(error) : done()));
    });
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
