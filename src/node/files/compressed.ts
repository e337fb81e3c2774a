import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { Module } from 'node:module';
import { resolve } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkOneOf } from '../../arguments.js';
import { whenFree } from '../../file-system.js';

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

export const ENDINGS: { readonly [C in Compression]: string } = { gzip: 'gz', zstd: 'zst' };

/**
 * Node's compressors, which take 6 ms to load in Node.js 24. Not by `import()`, which Jest and single executables refuse in
 * CommonJS, and not by a plain `createRequire`, which webpack leaves out.
 */
export function zlib(): Zlib {
  return Module.createRequire(resolve('/'))('node:zlib'); // which folder does not matter
}

/** Zstandard is there from Node.js 22.15 and 23.8 on. */
type Zlib = typeof import('node:zlib') & {
  readonly createZstdCompress?: typeof import('node:zlib').createGzip;
  readonly createZstdDecompress?: typeof import('node:zlib').createGunzip;
};

export const NO_ZSTD = `zstd needs Node.js 22.15, 23.8 or later, this is ${process.version}`;

/** @throws TypeError or RangeError for another name; Error if this version of Node.js has no zstd */
export function compressor(compress: Compression): Transform {
  checkOneOf('compress', compress, COMPRESSIONS);
  const { createGzip, createZstdCompress } = zlib();
  if (compress === 'gzip') return createGzip();
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
  whenFree(() => rmSync(path));
  return statSync(to).size;
}
