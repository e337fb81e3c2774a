import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { wrongKind } from '../../arguments.js';
import { named, naming } from './naming.js';

/** Where bytes go. What is passed to `write` may change once it has resolved. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the output complete. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): void;
}

export function checkOutput(out: string | Writable): string | Writable {
  const isStream = typeof out === 'object' && out !== null && typeof out.write === 'function';
  if ((typeof out !== 'string' || out === '') && !isStream) throw wrongKind('out', 'a path or a stream', out);
  return out;
}

/**
 * A path, or a stream such as standard output. A file appears under its name only when it is complete,
 * a link then still links to it; until then it is `<name>.<random>.tmp` beside it. What is no file (a
 * device, a named pipe) is written to as it is.
 */
export function openOutput(to: string | Writable, signal?: AbortSignal): Output {
  if (typeof to !== 'string') return new StreamOutput(to, signal);
  const fd = descriptorOf(to);
  if (fd !== undefined) return new StreamOutput(createWriteStream('', { fd, autoClose: false }), signal, to);
  const stats = statSync(to, { throwIfNoEntry: false });
  if (stats?.isFile() === false) return new StreamOutput(createWriteStream(to), signal, to);
  if (stats === undefined) return new FileOutput(to);
  naming(to, () => accessSync(to, constants.W_OK));
  return new FileOutput(realpathSync(to), stats.mode);
}

/** Which of this process's open files a path stands for: another file in its place would cut off what it is open for. */
function descriptorOf(path: string): number | undefined {
  const [, name] = /^\/(?:dev|dev\/fd|proc\/self\/fd)\/(stdout|stderr|\d+)$/.exec(path) ?? [];
  return name === undefined ? undefined : name === 'stdout' ? 1 : name === 'stderr' ? 2 : Number(name);
}

/** Whether two paths are those of one file, also of one that is not there yet. */
export function areOneFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return resolve(a) === resolve(b);
  return one.isFile() && one.ino === other.ino && one.dev === other.dev;
}

/** Outputs that are neither complete nor discarded. */
const unfinished = new Set<{ discard(): void }>();

/** Keeps track of an output for {@link discardUnfinished}. */
export function track(output: { discard(): void }, isUnfinished: boolean): void {
  if (isUnfinished) unfinished.add(output);
  else unfinished.delete(output);
}

/** Takes away all files that are half-written: for a process that a signal is about to end. */
export function discardUnfinished(): void {
  for (const output of unfinished) output.discard();
}

/** A name beside another that nothing has yet. */
export function temporaryName(name: string): string {
  return `${name}.${randomBytes(6).toString('hex')}.tmp`;
}

class FileOutput implements Output {
  readonly #path: string;
  readonly #temporary: string;
  #file: number | undefined;

  /** @param mode of the file that it replaces, if it does */
  constructor(path: string, mode?: number) {
    this.#path = path;
    this.#temporary = temporaryName(path);
    const file = naming(path, () => openSync(this.#temporary, 'wx'));
    this.#file = file;
    track(this, true);
    try {
      if (mode !== undefined) naming(path, () => fchmodSync(file, mode & 0o7777));
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    naming(this.#path, () => {
      for (let from = 0; from < bytes.length; ) from += writeSync(this.#file as number, bytes, from);
    });
  }

  async finish(): Promise<void> {
    naming(this.#path, () => {
      fsyncSync(this.#file as number); // the name must not reach the disk before the bytes
      this.#close();
      renameSync(this.#temporary, this.#path);
    });
    track(this, false);
  }

  discard(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
    track(this, false);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

class StreamOutput implements Output {
  readonly #stream: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #path: string | undefined;
  // A failure is told by the write that meets it; unheard, the event would end the process.
  readonly #onError = (): void => {};

  /** @param path of a stream that is this output's own */
  constructor(stream: Writable, signal: AbortSignal | undefined, path?: string) {
    this.#stream = stream.on('error', this.#onError);
    this.#signal = signal;
    this.#path = path;
  }

  write(bytes: Uint8Array): Promise<void> {
    // A stream of a file descriptor has written what it says it has taken; another may hold on to it.
    return this.#send('fd' in this.#stream ? bytes : Buffer.from(bytes));
  }

  async finish(): Promise<void> {
    await this.#send(Buffer.alloc(0)); // also with nothing to write, the stream has to have opened
    if (this.#path !== undefined) this.#stream.end();
    else this.#stream.off('error', this.#onError);
  }

  discard(): void {
    if (this.#path !== undefined) this.#stream.destroy();
  }

  /** Writes and waits until the stream has taken it. */
  #send(bytes: Uint8Array): Promise<void> {
    const stream = this.#stream;
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      stream.write(bytes, (error) => {
        signal?.removeEventListener('abort', onAbort);
        if (error) reject(this.#path === undefined ? error : named(this.#path, error));
        else resolve();
      });
    });
  }
}
