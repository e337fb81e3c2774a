// Whether a log (`ids.db-wal`) belongs to the file beside it. SQLite does not know: it writes any log with right checksums
// back into any file, and so mixes the pages of two files if a backup was put in the place of a file whose log was left.
//
// Two numbers in the header of the first page tell. `application_id` identifies the file: each new store and each backup
// gets another one. `user_version` counts commits. So programs that keep tables of their own in the file must not set them.
// Every commit counts, so every log has a copy of the first page for each of its commits, and the first of these follows
// the last commit that the file itself has, or one before that.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { StoreCorruptError } from '../../../errors.js';
import { openSqlite, prepare, type SqliteDatabase } from './driver.js';

// The first byte of an application_id says that it was made here: other programs may count versions in user_version.
const MARK = 0x53;

// https://sqlite.org/fileformat2.html: 4.1, the header of a log and of its frames, and 1.3, the header of a file
const LOG_MAGIC = 0x377f0682;
const MAX_PAGE_BYTES = 65_536;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const FILE_HEADER_BYTES = 100;

/** The two numbers, as signed integers of 32 bits. */
type Stamp = { readonly file: number; readonly commits: number };

/** Gives a database that nobody else has open an identity of its own. */
export function identify(database: SqliteDatabase): void {
  const random = crypto.getRandomValues(new Uint32Array(1))[0];
  database.exec(`pragma application_id = ${(MARK << 24) | (random >>> 8)}`);
}

/** Whether a database has an identity of its own, which only those have that were made here. */
export function isIdentified(database: SqliteDatabase): boolean {
  return isOurs(stampOf(database).file);
}

/** Returns what counts a commit, to be called within its transaction; undefined for a file that was not made here. */
export function commitCounter(database: SqliteDatabase): (() => void) | undefined {
  if (!isIdentified(database)) return undefined;
  const version = prepare<{ user_version: bigint }>(database, 'pragma user_version');
  return () => {
    database.exec(`pragma user_version = ${(Number(version.get()?.user_version) + 1) | 0}`);
  };
}

/**
 * Checks that the log beside a file belongs to it. It can tell with `node:sqlite` of Node.js 22.15, 23.10 or later.
 * @throws StoreCorruptError if the log is that of another file, or of a later state of it
 */
export async function checkLog(path: string): Promise<void> {
  for (let before = await stampInFile(path); before !== undefined; ) {
    if (!isOurs(before.file) || belongs(stampsInLog(`${path}-wal`, false), before)) return;
    // A process that was killed may have left half a frame, so checksums decide, which take 1 ns a byte.
    if (belongs(stampsInLog(`${path}-wal`, true), before)) return;
    // Others may have written the log back meanwhile, and begun it anew.
    const after = await stampInFile(path);
    if (after?.file === before.file && after.commits === before.commits) {
      throw new StoreCorruptError(
        `${path}-wal does not belong to ${path}: a backup seems to have replaced the file. ` +
          `Move the log away, then run: shardbits store restore --store ${path}`,
      );
    }
    before = after;
  }
}

function belongs(log: Stamps | undefined, { file, commits }: Stamp): boolean {
  if (log === undefined) return true;
  const [first, last] = log;
  if (first.file !== file || last.file !== file) return false;
  // The numbers may have wrapped around.
  return ((first.commits - 1 - commits) | 0) <= 0 && ((commits - last.commits) | 0) <= 0;
}

function isOurs(file: number): boolean {
  return file >>> 24 === MARK;
}

function stampOf(database: SqliteDatabase): Stamp {
  const number = (name: string) =>
    Number(prepare<{ [name: string]: bigint }>(database, `pragma ${name}`).get()?.[name]);
  return { file: number('application_id'), commits: number('user_version') };
}

/**
 * The stamp in the file itself, without what its log adds: `immutable` keeps SQLite from looking at the log. It is SQLite
 * that reads the file, because closing another handle could release its locks (see file.ts).
 * @returns undefined if this SQLite does not know `immutable`, or the file cannot be read or is damaged. Opening it as a
 *   store then tells the reason
 */
async function stampInFile(path: string): Promise<Stamp | undefined> {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  let database: SqliteDatabase | undefined;
  try {
    database = await openSqlite(url.href, { readOnly: true });
    return stampOf(database);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

type Stamps = readonly [first: Stamp, last: Stamp];

/**
 * The stamps of the first and the last commit in a log; undefined if it has none. Logs have no locks, so anybody may open
 * them.
 * @param isChecked whether the log ends before the first frame whose checksum is wrong, as it does for SQLite
 */
function stampsInLog(path: string, isChecked: boolean): Stamps | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined; // it has just been written back and removed
  }
  try {
    return stampsIn(file, isChecked);
  } finally {
    closeSync(file);
  }
}

function stampsIn(file: number, isChecked: boolean): Stamps | undefined {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  const byteLength = readSync(file, header, 0, header.length, 0);
  const [magic, pageBytes] = [header.readUInt32BE(0), header.readUInt32BE(8)];
  if (byteLength < header.length || (magic & ~1) >>> 0 !== LOG_MAGIC || pageBytes > MAX_PAGE_BYTES) return undefined;
  const room = Math.floor((fstatSync(file).size - LOG_HEADER_BYTES) / (FRAME_HEADER_BYTES + pageBytes));

  /** The first bytes of a frame; zeros after the end of the file, which may just have become shorter. */
  function read(frame: number, byteLength = FRAME_HEADER_BYTES): Buffer {
    const bytes = Buffer.alloc(byteLength);
    readSync(file, bytes, 0, byteLength, LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes));
    return bytes;
  }

  const hasSalt = (frame: Buffer) => frame.compare(header, 16, 24, 8, 16) === 0;
  const isFirstPage = (frame: number) => read(frame).readUInt32BE(0) === 1;
  const stamp = (frame: number): Stamp => {
    const page = read(frame, FRAME_HEADER_BYTES + FILE_HEADER_BYTES).subarray(FRAME_HEADER_BYTES);
    return { file: page.readInt32BE(APPLICATION_ID_AT), commits: page.readInt32BE(USER_VERSION_AT) };
  };

  /** How many frames the log has. Those after them are from before it was begun anew, and have another salt. */
  function frames(): number {
    let [from, to] = [0, room];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (hasSalt(read(middle))) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Like `frames`, but only those before the first one whose checksum is wrong. */
  function checkedFrames(): number {
    const isLittleEndian = magic === LOG_MAGIC;
    let sums = checksum([0, 0], header.subarray(0, 24), isLittleEndian);
    for (let frame = 0; frame < room; frame++) {
      const bytes = read(frame, FRAME_HEADER_BYTES + pageBytes);
      sums = checksum(sums, bytes.subarray(0, 8), isLittleEndian);
      sums = checksum(sums, bytes.subarray(FRAME_HEADER_BYTES), isLittleEndian);
      if (!hasSalt(bytes) || sums.some((sum, i) => bytes.readInt32BE(16 + 4 * i) !== sum)) return frame;
    }
    return room;
  }

  let end = isChecked ? checkedFrames() : frames();
  while (end > 0 && read(end - 1).readUInt32BE(4) === 0) end--; // a commit ends with a frame that says so
  let last = end - 1;
  while (last >= 0 && !isFirstPage(last)) last--;
  if (last < 0) return undefined;
  let first = 0;
  while (!isFirstPage(first)) first++;
  return [stamp(first), stamp(last)];
}

type Sums = readonly [number, number];

/**
 * The checksum of all frames of a log up to one of them: https://sqlite.org/fileformat2.html, 4.2.
 * @param sums that of what comes before
 * @param bytes a multiple of eight
 */
function checksum([first, second]: Sums, bytes: Buffer, isLittleEndian: boolean): Sums {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + words.getInt32(at, isLittleEndian) + second) | 0;
    second = (second + words.getInt32(at + 4, isLittleEndian) + first) | 0;
  }
  return [first, second];
}
