import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Writable } from 'node:stream';
import { wrongKind } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import { ignoreUnsupported, isWritable, realPath, rename, syncFile, temporaryName } from '../../file-system.js';
import { type Compression, compressedOutput, compressor, type Output } from './compressed.js';
import { named, naming } from './input.js';

export function checkOutput(out: string | Writable): string | Writable {
  const isStream = typeof out === 'object' && out !== null && typeof out.write === 'function';
  if ((typeof out !== 'string' || out === '') && !isStream) throw wrongKind('out', 'a path or a stream', out);
  return out;
}

export interface OutputOptions {
  /** Compresses what is written. zstd needs Node 22.15, 23.8 or later. */
  compress?: Compression | undefined;
  /** Ends a write that waits. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens a path, or a stream such as standard output. A file appears under its name only when it is complete; until then
 * it is `<name>.<random>.tmp` beside it, or in the folder for temporary files if a file that exists lies in a folder that
 * cannot be written. A link stays a link to the file. A device or a named pipe is written to directly. A stream stays open.
 * @throws TypeError or RangeError for arguments of the wrong kind or value; Node's own errors
 * @example
 * const output = openOutput('ids.txt.gz', { compress: 'gzip' });
 * await output.write(Buffer.from('1\n'));
 * await output.finish();
 */
export function openOutput(to: string | Writable, { compress, signal }: OutputOptions = {}): Output {
  const out = checkOutput(to);
  if (compress !== undefined) compressor(compress).destroy(); // throws what it refuses, before a file is opened
  const plain = openPlain(out, signal);
  return compress === undefined ? plain : compressedOutput(plain, compressor(compress));
}

function openPlain(to: string | Writable, signal: AbortSignal | undefined): Output {
  if (typeof to !== 'string') return streamOutput(to, signal);
  const fd = descriptorOf(to);
  if (fd !== undefined) return streamOutput(createWriteStream('', { fd, autoClose: false }), signal, to);
  const stats = statSync(to, { throwIfNoEntry: false });
  if (stats?.isFile() === false) return streamOutput(createWriteStream(to), signal, to);
  return fileOutput(to, stats?.mode);
}

/** The descriptor of this process's open file that a path such as /dev/stdout names. Such a path must not be replaced. */
function descriptorOf(path: string): number | undefined {
  const [, name] = /^\/(?:dev|dev\/fd|proc\/self\/fd)\/(stdout|stderr|\d+)$/.exec(path) ?? [];
  return name === undefined ? undefined : name === 'stdout' ? 1 : name === 'stderr' ? 2 : Number(name);
}

/**
 * Whether two names are those of one file, even if it does not exist yet, so that writing to one would destroy what is read
 * from the other. Devices and pipes are never one file, but two names of one open file of this process are.
 * @param a a path, or the descriptor of an open file: 1 is standard output. So is `b`
 * @throws Node's own errors
 * @example
 * areOneFile('ids.txt', './ids.txt'); // true
 */
export function areOneFile(a: string | number, b: string | number): boolean {
  const [open, another] = [a, b].map((file) => (typeof file === 'number' ? file : descriptorOf(file)));
  if (open !== undefined && open === another) return true;
  const [one, other] = [a, b].map((file) => {
    return typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, STAT);
  });
  if ((one === undefined) !== (other === undefined) || one?.isFile() === false || other?.isFile() === false) {
    return false;
  }
  if (one !== undefined && one.ino === other?.ino && one.dev === other.dev) return true;
  return typeof a === 'string' && typeof b === 'string' && areOneName(a, b);
}

const STAT = { bigint: true, throwIfNoEntry: false } as const;

/**
 * Whether two paths lead to one name in one directory. Only the file system knows: it may ignore case or the form of
 * Unicode, and some (exfat-fuse) number the inode of a file anew for each of its names.
 */
function areOneName(a: string, b: string): boolean {
  let paths: string[];
  try {
    paths = [a, b].map(realPath);
  } catch {
    return resolve(a) === resolve(b); // there is no such directory
  }
  const [one, other] = paths;
  if (one === other) return true;
  if (folded(one) !== folded(other)) return false;
  let trial: TemporaryDirectory | undefined;
  try {
    trial = temporaryDirectory(dirname(one));
    const here = join(dirname(other), basename(trial.path)); // if it is the same directory
    return firstClash([join(trial.path, basename(one)), join(here, basename(other))]) !== undefined;
  } catch {
    return false; // it is another directory, or one in which nothing can be written
  } finally {
    trial?.discard();
  }
}

/** A form that all names share which some file system takes for one: without case, dots and spaces. */
function folded(path: string): string {
  return basename(path).normalize('NFKC').replace(/[. ]/g, '').toUpperCase().toLowerCase();
}

/**
 * Makes an empty file for each path, in a directory that has no others.
 * @returns the numbers of two paths that are one file here; undefined if each is a file of its own
 * @throws Node's own errors for a name that a file cannot have, with its path
 */
export function firstClash(paths: readonly string[]): readonly [number, number] | undefined {
  for (const [number, path] of paths.entries()) {
    try {
      closeSync(openSync(path, 'wx'));
    } catch (error) {
      if (detailsOf(error).code !== 'EEXIST') throw error;
      return [paths.findIndex((other) => folded(other) === folded(path)), number];
    }
  }
  return undefined;
}

/** The temporary files and directories of outputs that are neither complete nor discarded, and what closes those. */
export const unfinished = new Map<string, (() => void) | undefined>();

/** Removes all half-written files, before a signal ends the process. */
export function discardUnfinished(): void {
  for (const [path, close] of unfinished) {
    close?.();
    removeTemporary(path);
  }
}

/** Removes a file or a directory, in which another thread may still be writing until that fails. */
export function removeTemporary(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  unfinished.delete(path);
}

/**
 * Makes a directory that is removed by the caller, or before a signal ends the process.
 * @param place the directory in which it is made, which has to exist
 */
export function temporaryDirectory(place: string) {
  const path = temporaryName(join(place, 'shardbits'));
  naming(place, () => mkdirSync(path, { mode: 0o700 })); // rows may lie in it
  unfinished.set(path, undefined);
  return { path, discard: () => removeTemporary(path) };
}
export type TemporaryDirectory = ReturnType<typeof temporaryDirectory>;

/**
 * A file that something else writes, under the temporary name that it has until it is complete.
 * @throws Error for a path that is not that of a regular file
 */
export function outputPath(to: string) {
  const stats = statSync(to, { throwIfNoEntry: false });
  if (descriptorOf(to) !== undefined || stats?.isFile() === false) {
    throw new Error(`${to}: expected the path of a regular file`);
  }
  const output = fileOutput(to, stats?.mode);
  output.close(); // on Windows, what writes it may want it alone
  return output;
}

/** Gives a file that replaces another one its mode, where files have modes. */
function giveMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode & 0o7777);
  } catch (error) {
    ignoreUnsupported(error);
  }
}

// Writes of 4 MiB to a file of ext4 take up to six times as long.
const WRITE_BYTES = 512 * 1024;

// A file that is mounted alone, or lies in a folder that cannot be written, fails to be replaced with these.
const NO_RENAME = ['EACCES', 'EBUSY', 'EPERM', 'EXDEV'];

/** @param mode the mode of the file that it replaces, if there is one */
function fileOutput(to: string, mode: number | undefined) {
  if (mode !== undefined) naming(to, () => accessSync(to, constants.W_OK));
  if (to.endsWith('/') || to.endsWith(sep))
    throw named(to, new Error('expected the name of a file, got that of a folder'));
  const path = naming(to, () => realPath(to));
  const isInPlace = mode !== undefined && !isWritable(dirname(path));
  const temporary = temporaryName(isInPlace ? join(tmpdir(), basename(path)) : path);
  const closed = -1;
  let file = naming(to, () => openSync(temporary, 'wx'));
  const close = () => {
    if (file !== closed) closeSync(file);
    file = closed; // another file may have its number from now on
  };
  const discard = () => {
    close();
    removeTemporary(temporary);
  };
  unfinished.set(temporary, close);
  try {
    if (mode !== undefined) naming(to, () => giveMode(temporary, mode));
  } catch (error) {
    discard();
    throw error;
  }
  const putInPlace = async () => {
    try {
      rename(temporary, path);
    } catch (error) {
      // On Windows another program has it open, which would read a part of what is written.
      const isFixed = isInPlace || (mode !== undefined && process.platform !== 'win32');
      if (!isFixed || !NO_RENAME.includes(String(detailsOf(error).code))) throw error;
      // Such a file can only get other contents, so a full disk may leave a part of them.
      copyFileSync(temporary, path);
      await syncFile(path);
      rmSync(temporary);
    }
  };
  return {
    temporary,
    close,
    discard,
    async write(bytes: Uint8Array) {
      naming(to, () => {
        for (let from = 0; from < bytes.length; ) {
          from += writeSync(file, bytes, from, Math.min(WRITE_BYTES, bytes.length - from));
        }
      });
    },
    async finish() {
      try {
        await syncFile(temporary); // the name must not reach the disk before the bytes
        close();
        await putInPlace();
      } catch (error) {
        throw named(to, error);
      }
      unfinished.delete(temporary);
    },
  };
}

/** @param path the path of a stream that this output has opened itself */
function streamOutput(stream: Writable, signal: AbortSignal | undefined, path?: string): Output {
  // The write that fails reports the error. Without a listener, the event would end the process.
  const onError = () => {};
  stream.on('error', onError);
  /** Writes, and resolves when the stream has taken the bytes. */
  const send = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      stream.write(bytes, (error) => {
        signal?.removeEventListener('abort', onAbort);
        if (error) reject(path === undefined ? error : named(path, error));
        else resolve();
      });
    });
  return {
    async write(bytes) {
      // A stream of a file descriptor has written the bytes when it calls back. Other streams may keep them.
      const all = 'fd' in stream ? bytes : Buffer.from(bytes);
      for (let from = 0; from < all.length; from += WRITE_BYTES) await send(all.subarray(from, from + WRITE_BYTES));
    },
    async finish() {
      await send(Buffer.alloc(0)); // the stream must have opened, even if there is nothing to write
      if (path !== undefined) stream.end();
      else stream.off('error', onError);
    },
    discard() {
      if (path !== undefined) stream.destroy();
    },
  };
}
