import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { naming } from './naming.js';

/** Where bytes go. What is passed to `write` may change once it has resolved. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the output complete. */
  finish(): void;
  /** Leaves nothing behind. */
  discard(): void;
}

/**
 * A path, or a stream such as standard output. A file appears under its name only when it is
 * complete; until then it is `<name>.<process>.tmp` beside it. What is not a file (a device, a named
 * pipe) is written to as it is.
 */
export function openOutput(to: string | Writable): Output {
  if (typeof to !== 'string') return new StreamOutput(to);
  return isOther(to) ? new FileOutput(to, to) : new FileOutput(to, `${to}.${process.pid}.tmp`);
}

function isOther(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

class FileOutput implements Output {
  readonly #path: string;
  readonly #temporary: string;
  #file: number | undefined;

  constructor(path: string, temporary: string) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = naming(path, () => openSync(temporary, 'w'));
  }

  async write(bytes: Uint8Array): Promise<void> {
    naming(this.#path, () => {
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#file as number, bytes, from);
    });
  }

  finish(): void {
    const renamed = this.#path !== this.#temporary;
    if (renamed) fsyncSync(this.#file as number); // the name must not reach the disk before the bytes
    this.#close();
    if (renamed) renameSync(this.#temporary, this.#path);
  }

  discard(): void {
    this.#close();
    if (this.#path !== this.#temporary) rmSync(this.#temporary, { force: true });
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

class StreamOutput implements Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(bytes: Uint8Array): Promise<void> {
    // A copy, as a stream may hold on to it; it is small beside the work on it.
    return writeTo(this.#stream, Buffer.from(bytes));
  }

  finish(): void {}

  discard(): void {}
}

/** Writes to a stream and waits until it has taken it. */
export function writeTo(stream: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error ? reject(error) : resolve()));
  });
}
