// Who may write a high-water file, and why no two holders ever mint the same id.
//
// Every holder has its own folder beside the file, <file>.<tag>.holder, and writes the file in only one way: it writes a
// new file in its folder, and renames that over the old one. A newcomer
//   1. makes its folder,
//   2. removes the folders of all other holders,
//   3. reads the mark, and writes it again with its own tag.
// A holder whose folder is gone cannot write any more: nothing can be created in a removed folder or renamed out of it,
// and the system never runs a removal and a rename in one folder at the same time. So there is no moment between a check
// and a write at which a process could be paused, and no lock that could be left behind:
//
// - The old holder renames before the newcomer removes its folder: the newcomer, which reads later, reads that mark
//   and starts after it. The old holder may still mint up to it.
// - The old holder renames after that: the rename fails, and so does the save, before any id of the new mark is given.
//   This is also so if the old holder was stopped for an hour in the middle of its save.
// - Two newcomers at once: the one that looks for folders later sees that of the other and removes it before it reads
//   the mark. If each sees the other's, both are removed, and both try again.
// - A process that ends without closing leaves a folder, which the next newcomer removes.
//
// Others may be able to make files beside this one. So only what a holder has made is removed: a directory with at most
// the file `mark` in it. A link or a file that has the name of a holder's folder is not one, and stays with all that it
// leads to; a directory with other files in it is refused.
//
// The tag in the file is a second line of defence: it finds a file that was replaced by something else, such as a
// backup. All this holds on a file system of one machine, whatever containers its processes run in.

import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkString, wrongValue } from '../../arguments.js';
import { detailsOf, LeaseLostError } from '../../errors.js';
import { pause, realPath, rename, syncDirectoryNow, syncFileNow, whenFree } from '../../file-system.js';
import { checkInstant, type HighWater } from '../../minting/lease.js';
import { naming } from './input.js';

const TEXT = /^([0-9]{1,15})(?: [0-9a-f]{16})?\n$/; // the mark, and the tag of its holder
const MAX_MARK = 999_999_999_999_999;
const MAX_ATTEMPTS = 100;
const HOLDER = /\.([0-9a-f]{16})\.holder$/;
/** The file in a holder's folder. */
const MARK = 'mark';

/**
 * A high-water mark for `SnowflakeGenerator` in a file. The file is replaced as a whole, and is on disk before ids are
 * given. It holds one line: the instant in Unix milliseconds up to which ids may have been minted, and, while a
 * generator holds the mark, a space and the holder's random tag.
 *
 * One generator at a time may hold the mark. A newer one, in this process or another one on the machine, takes it over
 * and starts after it; the older one may mint up to the mark as it was, and then fails with LeaseLostError. While a
 * generator holds the mark, there is a folder `<file>.<tag>.holder` beside the file; `close()` removes it, and after a
 * crash the next holder does. The file must be on a local disk.
 * @param path the path of the file, which is made if it is missing; links are followed
 * @throws TypeError if `path` is not a string. Later, in use: LeaseLostError if another holder has taken the mark over
 *   or it has been closed; Error if the file does not hold a mark; Node's own errors
 * @example
 * const generator = new SnowflakeGenerator({ shard: 5, highWater: highWaterFile('./minted-until') });
 * // …
 * generator.close(); // a restart can then continue at once
 */
export function highWaterFile(path: string): HighWater {
  checkString('path', path);
  let holder: MarkHolder | undefined;
  let isClosed = false;
  const load = () => {
    holder = takeOver(path);
    isClosed = false;
    return holder.mark || undefined;
  };
  return {
    load,
    save(unixMs) {
      checkInstant('unixMs', unixMs);
      if (unixMs > MAX_MARK) throw wrongValue('unixMs', `Unix milliseconds of at most ${MAX_MARK}`, unixMs);
      if (isClosed) throw new LeaseLostError(`${path}: this high-water mark has been closed`);
      if (holder === undefined) load();
      holder?.raise(Math.ceil(unixMs));
    },
    close(mintedUntil) {
      isClosed = true;
      const held = holder;
      holder = undefined;
      held?.giveUp(mintedUntil);
    },
  };
}

/** Becomes the holder of a file. The previous holder cannot write it any more. */
function takeOver(path: string): MarkHolder {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const holder = naming(path, () => MarkHolder.of(path));
    if (holder) return holder;
    // Another newcomer came at the same time. A random pause decides which one is first.
    pause(1 + 19 * Math.random());
  }
  throw new LeaseLostError(`${path}: other generators keep taking over this high-water mark`);
}

class MarkHolder {
  mark = 0;
  readonly #file: string; // with links followed, so that two names of a file have the same folders beside it
  readonly #tag = crypto.getRandomValues(new BigUint64Array(1))[0].toString(16).padStart(16, '0');
  readonly #folder: string;
  /** The mark when this holder took over: up to it, others may have minted. */
  #loaded = 0;
  #text: string | undefined;

  /** A new holder; undefined if another newcomer has just removed it. */
  static of(path: string): MarkHolder | undefined {
    const holder = new MarkHolder(path);
    parseMark(path, readText(holder.#file)); // before anything is changed
    mkdirSync(holder.#folder);
    try {
      holder.#removeOthers();
      holder.#loaded = parseMark(path, readText(holder.#file));
      return holder.#write(holder.#loaded, ` ${holder.#tag}`) ? holder : undefined;
    } catch (error) {
      removeFolder(holder.#folder);
      throw error;
    }
  }

  private constructor(private readonly path: string) {
    this.#file = realPath(path);
    this.#folder = `${this.#file}.${this.#tag}.holder`;
  }

  /** Raises the mark; never lowers it. */
  raise(mark: number): void {
    const isOurs = naming(this.path, () => {
      if (readText(this.#file) !== this.#text) return false;
      return mark <= this.mark || this.#write(mark, ` ${this.#tag}`);
    });
    if (!isOurs) {
      throw new LeaseLostError(
        `${this.path}: this generator no longer holds the high-water mark, because another one has taken it over or the file was replaced`,
      );
    }
  }

  /** Leaves the exact mark, without a tag, if the file is still this holder's. */
  giveUp(mintedUntil = this.mark): void {
    naming(this.path, () => {
      try {
        const mark = Math.max(this.#loaded, Math.ceil(mintedUntil));
        if (readText(this.#file) === this.#text) this.#write(mark, '');
      } finally {
        removeFolder(this.#folder);
      }
    });
  }

  /** Writes the file durably. @returns false if another holder has taken over */
  #write(mark: number, tag: string): boolean {
    const text = `${mark}${tag}\n`;
    const temporary = join(this.#folder, MARK);
    try {
      writeFileSync(temporary, text, { flag: 'wx' });
      syncFileNow(temporary); // the name must not reach the disk before the bytes
      rename(temporary, this.#file);
    } catch (error) {
      if (isDirectory(this.#folder)) whenFree(() => rmSync(temporary, { force: true }));
      if (isMissing(error)) return false; // the folder has been removed, or what was in it
      throw error;
    }
    this.mark = mark;
    this.#text = text;
    syncDirectoryNow(dirname(this.#file));
    return true;
  }

  /** A file system may take several spellings for one name, so it says itself which folders are of this file. */
  #removeOthers(): void {
    for (const name of readdirSync(dirname(this.#file))) {
      const [, tag] = HOLDER.exec(name) ?? [];
      if (tag !== undefined && tag !== this.#tag) removeFolder(`${this.#file}.${tag}.holder`);
    }
  }
}

/**
 * Removes a holder's folder, even while the holder is writing in it. Does nothing to what is not a folder, such as a link.
 * @throws Error if the folder holds anything that no holder has made
 */
function removeFolder(folder: string): void {
  for (let attempt = 1; isDirectory(folder); attempt++) {
    try {
      const other = readdirSync(folder).find((name) => name !== MARK);
      if (other !== undefined)
        throw new Error(`${folder}: expected at most a file ${MARK}, got ${other}. Move it away`);
      whenFree(() => rmSync(join(folder, MARK), { force: true }));
      whenFree(() => rmdirSync(folder));
    } catch (error) {
      const { code } = detailsOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return;
      if ((code !== 'ENOTEMPTY' && code !== 'EEXIST') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Whether it is a directory itself, not a link to one. */
function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function parseMark(path: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const mark = TEXT.exec(text)?.[1];
  if (mark === undefined) throw new Error(`${path}: expected a line with Unix milliseconds`);
  return Number(mark);
}

function readText(path: string): string | undefined {
  try {
    return whenFree(() => readFileSync(path, 'latin1'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return detailsOf(error).code === 'ENOENT';
}
