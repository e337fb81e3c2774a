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
export class CompressedOutput implements Output {
  readonly #written: Promise<void>;

  constructor(
    private readonly to: Output,
    private readonly stream: Transform,
  ) {
    this.#written = this.#writeAll();
    this.#written.catch(() => {}); // thrown by the next call
  }

  async write(bytes: Uint8Array): Promise<void> {
    const taken = new Promise<void>((resolve, reject) => {
      this.stream.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([taken, this.#written]);
  }

  async finish(): Promise<void> {
    this.stream.end();
    await this.#written;
    await this.to.finish();
  }

  discard(): void {
    this.stream.destroy();
    this.to.discard();
  }

  async #writeAll(): Promise<void> {
    for await (const bytes of this.stream) await this.to.write(bytes);
  }
}

/** Replaces a file by a compressed one, beside this thread. @returns how many bytes that has */
export async function compressFile(path: string, compress: Compression): Promise<number> {
  const to = `${path}.${ENDINGS[compress]}`;
  await pipeline(createReadStream(path), compressor(compress), createWriteStream(to, { flags: 'wx' }));
  rmSync(path);
  return statSync(to).size;
}
