import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { checkOneOf } from '../../arguments.js';

/** A target of bytes. The bytes that `write` gets may change when it has resolved. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the output complete. */
  finish(): Promise<void>;
  /** Removes what was written. */
  discard(): void;
}

export type Compression = 'gzip' | 'zstd';
export const COMPRESSIONS: readonly Compression[] = ['gzip', 'zstd'];

/** The endings of the names of compressed files. */
export const ENDINGS: { readonly [C in Compression]: string } = { gzip: 'gz', zstd: 'zst' };

export const NO_ZSTD = `zstd needs Node.js 22.15, 23.8 or later, this is ${process.version}`;

/** @throws TypeError or RangeError for another name; Error if this version of Node.js has no zstd */
export function compressor(compress: Compression): Transform {
  checkOneOf('compress', compress, COMPRESSIONS);
  if (compress === 'gzip') return zlib.createGzip();
  const { createZstdCompress } = zlib as { createZstdCompress?: typeof zlib.createGzip };
  if (createZstdCompress !== undefined) return createZstdCompress();
  throw new Error(NO_ZSTD);
}

/** An output whose bytes are compressed on their way, beside this thread. */
export function compressedOutput(to: Output, stream: Transform): Output {
  const writeAll = async () => {
    for await (const bytes of stream) await to.write(bytes);
  };
  const written = writeAll();
  written.catch(() => {}); // thrown by the next call
  return {
    async write(bytes) {
      const taken = new Promise<void>((resolve, reject) => {
        stream.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve()));
      });
      await Promise.race([taken, written]);
    },
    async finish() {
      stream.end();
      await written;
      await to.finish();
    },
    discard() {
      stream.destroy();
      to.discard();
    },
  };
}

/** Replaces a file by a compressed one, beside this thread. @returns how many bytes that has */
export async function compressFile(path: string, compress: Compression): Promise<number> {
  const to = `${path}.${ENDINGS[compress]}`;
  await pipeline(createReadStream(path), compressor(compress), createWriteStream(to, { flags: 'wx' }));
  rmSync(path);
  return statSync(to).size;
}
