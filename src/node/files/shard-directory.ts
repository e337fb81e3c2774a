import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { wrongValue } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import { rename, temporaryName, whenFree } from '../../file-system.js';
import { type Compression, ENDINGS } from './compressed.js';
import { naming } from './input.js';
import { firstClash, removeTemporary, unfinished } from './output.js';

export interface ShardFileNames {
  readonly shards: number;
  /** The names of the files, instead of the numbers of shards. */
  readonly names?: readonly string[] | undefined;
  /** The ending of the names of files. */
  readonly type: string;
  /** A shard with more rows has several files. */
  readonly maxRows?: number | undefined;
  /** The path of a temporary directory of the caller, which may lie in the directory. */
  readonly ignored?: string | undefined;
  /** Files are compressed in the end, and then have one more ending. */
  readonly compress?: Compression | undefined;
  /** The files lie in directories such as `shard=3`, as for Hive. This is the name before `=`. */
  readonly hive?: string | undefined;
}

export const MAX_FILES = 1 << 18;
/** The names of parts have five digits. */
export const MAX_PARTS = 100_000;
const MAX_NAME = 255; // bytes
/** What a directory says about its files. */
export const MANIFEST = 'manifest.json';

/** A file of a shard, which may have several. */
export interface ShardFile {
  readonly shard: number;
  readonly part: number;
  readonly name: string;
  readonly rows: number;
  /** Changes when the file is compressed. */
  bytes: number;
}

/**
 * The directory of the files of all shards. Until they are complete they lie in a temporary directory: beside the final one
 * if that is new, and otherwise in it, so that it stays the same directory.
 */
export class ShardDirectory {
  readonly path: string;
  /** Where the files are until they are complete. */
  readonly #temporary: string;
  readonly #isNew: boolean;

  /**
   * @throws RangeError for names that files cannot have, or too many shards; Error if the directory is not empty; Node's own
   *   errors
   */
  constructor(
    directory: string,
    private readonly options: ShardFileNames,
  ) {
    const { shards, names, hive } = options;
    this.path = resolve(directory);
    if (names !== undefined && hive !== undefined) checkHiveNames(names);
    if (names !== undefined) checkFileNames(names, options);
    if (hive !== undefined && !/^(?!\.{1,2}$)[^/\\=%\0]+$/.test(hive)) {
      throw wrongValue('asColumn', 'a name for directories, without slashes, % and =', hive);
    }
    if (hive !== undefined && !isName(`${hive}=0`)) throw wrongValue('asColumn', ON_WINDOWS, hive);
    if (shards > MAX_FILES) throw wrongValue('shards', `at most ${MAX_FILES}, because each has a file`, shards);
    const stats = statSync(this.path, { throwIfNoEntry: false });
    this.#isNew = stats === undefined;
    if (stats !== undefined && !(stats.isDirectory() && this.#isEmpty()))
      throw new Error(`${directory}: expected a new or an empty directory`);
    this.#temporary = temporaryName(this.#isNew ? this.path : join(this.path, 'shards'));
    if (this.#isNew) naming(directory, () => mkdirSync(dirname(this.path), { recursive: true }));
    naming(directory, () => mkdirSync(this.#temporary));
    unfinished.set(this.#temporary, undefined);
    try {
      if (names !== undefined) this.#tryNames(names);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /**
   * Makes empty files with the names of all shards, and removes them.
   * @throws RangeError for two names that the file system takes for one, as where case is ignored; Node's own errors
   */
  #tryNames(names: readonly string[]): void {
    const trial = this.pathOf('names');
    mkdirSync(trial);
    // In Hive's form the names are those of directories.
    const paths = names.map((_, shard) => join(trial, this.nameOf(shard, 0).split('/')[0]));
    const clash = naming(this.path, () => firstClash(paths));
    removeTemporary(trial);
    if (clash === undefined) return;
    const [one, other] = clash.map((shard) => JSON.stringify(names[shard]));
    throw wrongValue(
      'placement.labels',
      `names of different files, but ${one} and ${other} are one file here`,
      names[clash[1]],
      clash[1],
    );
  }

  /** The name of a file. Names that are numbers sort as the numbers do. */
  nameOf(shard: number, part: number): string {
    const { shards, names, hive, type } = this.options;
    if (hive !== undefined) return `${hive}=${encodeURIComponent(names?.[shard] ?? shard)}/data_${part}.${type}`;
    return (names?.[shard] ?? digits(shard, shards - 1)) + endingOf(this.options, part);
  }

  /** The path of a file until all are complete. */
  pathOf(name: string): string {
    return join(this.#temporary, name);
  }

  /** Makes an empty file, which nothing else writes to. @returns its path until all are complete */
  create(name: string): string {
    const path = this.pathOf(name);
    naming(join(this.path, name), () => {
      if (this.options.hive !== undefined) mkdirSync(dirname(path), { recursive: true });
      closeSync(openSync(path, 'wx'));
    });
    return path;
  }

  /** Has all files appear, those of an existing directory one after the other. @param manifest written last */
  complete(manifest?: object): void {
    if (manifest !== undefined) {
      const text = `${JSON.stringify(manifest)}\n`;
      naming(join(this.path, MANIFEST), () => writeFileSync(this.pathOf(MANIFEST), text, { flag: 'wx' }));
    }
    naming(this.path, () => {
      if (this.#isNew) return rename(this.#temporary, this.path);
      // A file that came meanwhile must not be replaced.
      if (!this.#isEmpty()) throw new Error(`${this.path}: expected an empty directory, got files meanwhile`);
      const names = readdirSync(this.#temporary).sort((a, b) => Number(a === MANIFEST) - Number(b === MANIFEST));
      this.#moveHere(names);
      try {
        whenFree(() => rmdirSync(this.#temporary));
      } catch {} // all files have appeared, and what is left is empty
    });
    unfinished.delete(this.#temporary);
  }

  /**
   * Moves files to the directory, without pauses in which a signal handler could remove some of them. If one cannot be
   * moved, those before it are taken back, or the error names them.
   */
  #moveHere(names: readonly string[]): void {
    const left: string[] = [];
    try {
      for (const name of names) {
        rename(this.pathOf(name), join(this.path, name));
        left.unshift(name);
      }
    } catch (cause) {
      try {
        for (const name of [...left]) {
          rename(join(this.path, name), this.pathOf(name));
          left.shift();
        }
      } catch {
        throw new Error(`${detailsOf(cause).message}; these are left without the others: ${left.join(', ')}`, {
          cause,
        });
      }
      throw cause;
    }
  }

  discard(): void {
    removeTemporary(this.#temporary);
  }

  /** Whether it has nothing in it but temporary files of this run, and what a new file system of Linux has. */
  #isEmpty(): boolean {
    const ignored = [this.options.ignored, this.#temporary, join(this.path, 'lost+found')];
    return naming(this.path, () => readdirSync(this.path)).every((name) => ignored.includes(join(this.path, name)));
  }
}

/** What `manifest.json` says. @param options how rows were routed */
export function manifestOf(all: readonly ShardFile[], options: object): object {
  const files = all.map(({ name, rows, bytes }) => ({ name, rows, bytes }));
  const sum = (of: 'rows' | 'bytes') => files.reduce((total, file) => total + file[of], 0);
  return { rows: sum('rows'), bytes: sum('bytes'), options, files };
}

/** What the name of a file has after that of its shard. */
function endingOf({ maxRows, type }: ShardFileNames, part: number): string {
  return `${maxRows === undefined ? '' : `-${digits(part, MAX_PARTS - 1)}`}.${type}`;
}

/** What it has then, once it is compressed. */
export function compressedEnding({ compress }: ShardFileNames): string {
  return compress === undefined ? '' : `.${ENDINGS[compress]}`;
}

export function tooManyFiles(maxRows: number | undefined): Error {
  const expected = `a larger number, as a shard may have ${MAX_PARTS} files, and all shards ${MAX_FILES}`;
  return wrongValue('maxRowsPerFile', expected, maxRows);
}

/** A number with as many digits as the greatest one has. */
function digits(value: number, greatest: number): string {
  return String(value).padStart(String(greatest).length, '0');
}

/** What a reader of Hive's directories takes for NULL, in any case. */
const NULLS = /^(?:null|__hive_default_partition__)$/i;
/**
 * What some take for a number or a date, if all names are such, and write as another text. DuckDB also takes an underscore
 * between digits, white space around numbers, even around a sign or `2e`, and a date with spaces.
 */
const NUMBERS = new RegExp(
  [
    String.raw`[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?[dfl]?`,
    String.raw`[+-]?0[xb][\da-f_]+`,
    '[+-]?(?:nan|inf|infinity|epoch)',
    String.raw`(?=\s|.*\s$)[\s\d+\-._edfl]+`,
    String.raw`\s*-?\d+[-/\s]+\d+[-/\s]+\d+.*`,
  ]
    .map((form) => `^(?:${form})$`)
    .join('|'),
  'is',
);
const AS_THEY_ARE = /^(?:0|-?[1-9]\d{0,17}|\d{4}-\d\d-\d\d)$/;

/** @throws RangeError for a name that DuckDB, Spark or pyarrow would read as another value */
function checkHiveNames(names: readonly string[]): void {
  const row = names.findIndex((name) => NULLS.test(name) || (NUMBERS.test(name) && !AS_THEY_ARE.test(name)));
  if (row < 0) return;
  throw wrongValue(
    'placement.labels',
    'names that readers of --hive directories do not take for others',
    names[row],
    row,
  );
}

/** @throws RangeError for a name that a file, or for Hive a directory, cannot have */
function checkFileNames(names: readonly string[], options: ShardFileNames): void {
  const { hive } = options;
  const around = hive === undefined ? endingOf(options, 0) + compressedEnding(options) : `${hive}=`;
  for (const [row, name] of names.entries()) {
    const isAny = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
    const written = hive === undefined ? name + around : around + encodeURIComponent(name);
    if (!isAny || Buffer.byteLength(written) > MAX_NAME) {
      throw wrongValue('placement.labels', `names of files, without / and \\, of at most ${MAX_NAME} bytes`, name, row);
    }
    if (!isName(written)) throw wrongValue('placement.labels', ON_WINDOWS, name, row);
  }
}

const ON_WINDOWS = 'names of files on Windows: no < > : " | ? *, no dot or space at the end, no device such as CON';
// Windows refuses these, removes their end, or takes them for a device or a hidden part of a file:
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
const NOT_ON_WINDOWS = /[<>:"|?*\p{Cc}]|[. ]$|^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/iu;

/** Whether a file can have this name here; slashes are looked for elsewhere. */
function isName(name: string): boolean {
  return process.platform !== 'win32' || !NOT_ON_WINDOWS.test(name);
}
