import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { constants, endianness } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { RootDatabase } from 'lmdb';
import { detailsOf, hasCode, STORE_ERRORS, StoreCorruptError, StoreUnavailableError } from '../../../errors.js';
import { importPeer } from '../shared/peer.js';

const { errno } = constants;

// lmdb.h: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_VERSION_MISMATCH, MDB_INVALID
const CORRUPT = [-30797, -30796, -30794, -30793];
const PASSING: readonly unknown[] = [errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EMFILE, errno.ENFILE, errno.ENOMEM];
const PASSING_NAMES: readonly unknown[] = ['EAGAIN', 'EINTR', 'EBUSY', 'EMFILE', 'ENFILE', 'ENOMEM'];

const HINTS = new Map<unknown, string>([
  [-30790, 'too many processes have the file open'], // MDB_READERS_FULL
  [-30792, 'the address space has no room for the file'], // MDB_MAP_FULL
  [errno.ENOSPC, 'the disk is full'],
]);

/** Turns an error of LMDB or the file system into an error of the store. Errors of the store stay as they are. */
export function lmdbError(path: string, error: unknown): unknown {
  if (hasCode(error, ...STORE_ERRORS) || error instanceof RangeError || error instanceof TypeError) return error;
  const { code, message } = detailsOf(error);
  const hint = HINTS.get(code);
  const text = `${path}: ${hint === undefined ? message : `${hint} (${message})`}`;
  if (CORRUPT.includes(Number(code))) return damaged(path, String(message), error);
  const isTransient = PASSING.includes(code) || PASSING_NAMES.includes(code);
  return new StoreUnavailableError(text, { isTransient, cause: error });
}

export function unavailable(path: string, why: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`${path}: ${why}`, { isTransient: false, cause });
}

export function damaged(path: string, why: string, cause?: unknown): StoreCorruptError {
  return new StoreCorruptError(`${path}: ${why}`, { cause });
}

// A file begins with two meta pages, which commits write in turn (MDB_page_header and MDB_meta of mdb.c, data format 2
// with words of 64 bits):
//
//   0 page number    16 padding     24 magic            40 size of map    48 page size    144 last page
//   8 -              18 flags       28 data format      88, 136 roots                     152 transaction
const META_BYTES = 168;
const P_META = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_FORMAT = 2;
const NO_PAGE = 2n ** 64n - 1n;
const [MIN_PAGE, MAX_PAGE] = [256, 65536];

// On other machines words are shorter, or have the other byte order.
const IS_KNOWN_FORMAT = endianness() === 'LE' && ['x64', 'arm64', 'ppc64', 'riscv64', 'loong64'].includes(process.arch);

const TRIES = 5;
const PAUSE_MS = 20;

/**
 * Checks a file before LMDB opens it: lmdb-js 3.5.6 crashes the process if it is not a file of LMDB (`openEnv` frees
 * what `closeEnv` then uses), and LMDB itself if pages are missing at its end, which it maps into memory.
 * @throws StoreCorruptError if it is not a file of LMDB, or cut short; the file system's own errors
 */
export async function checkLmdbFile(path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const fault = faultOf(path);
    if (fault === undefined) return;
    // A commit may have been in progress while the pages were read.
    if (tries === TRIES) throw fault;
    await setTimeout(PAUSE_MS);
  }
}

function faultOf(path: string): StoreCorruptError | undefined {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size === 0) {
      return damaged(path, 'the file is empty. Delete it if nobody needs it: a new store is then created in its place');
    }
    if (!IS_KNOWN_FORMAT) return undefined;
    const first = readMeta(file, 0);
    if (first === undefined || first.magic !== MAGIC || !first.isMeta) {
      return damaged(path, 'this is not a file of LMDB. Give the path of a store, or of a file that does not exist');
    }
    if (first.dataFormat !== DATA_FORMAT) {
      return damaged(
        path,
        `expected data format ${DATA_FORMAT} of LMDB, got ${first.dataFormat}. Use the LMDB that made it`,
      );
    }
    const { pageSize } = first;
    const isPageSize = pageSize >= MIN_PAGE && pageSize <= MAX_PAGE && (pageSize & (pageSize - 1)) === 0;
    const second = isPageSize ? readMeta(file, pageSize) : undefined;
    if (second === undefined || second.magic !== MAGIC || !second.isMeta) {
      return damaged(path, `the file is damaged or cut short: it has no second meta page. ${RESTORE}`);
    }
    const { size } = fstatSync(file); // read last: a commit makes the file longer before it changes a meta page
    const newest = first.transaction >= second.transaction ? first : second;
    const needed = (newest.lastPage + 1n) * BigInt(pageSize);
    if (BigInt(size) < needed) {
      return damaged(path, `the file is cut short: expected at least ${needed} bytes, got ${size}. ${RESTORE}`);
    }
    if (newest.roots.some((page) => page !== NO_PAGE && page > newest.lastPage)) {
      return damaged(path, `the file is damaged: a root page lies beyond its end. ${RESTORE}`);
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

const RESTORE = 'Restore it from a backup';

function readMeta(file: number, at: number) {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, at) !== META_BYTES) return undefined;
  return {
    isMeta: (bytes.readUInt16LE(18) & P_META) !== 0,
    magic: bytes.readUInt32LE(24),
    dataFormat: bytes.readUInt32LE(28) & 0xffff,
    pageSize: bytes.readUInt32LE(48),
    roots: [bytes.readBigUInt64LE(88), bytes.readBigUInt64LE(136)],
    lastPage: bytes.readBigUInt64LE(144),
    transaction: bytes.readBigUInt64LE(152),
  };
}

export type LmdbDatabase = RootDatabase<Buffer, Buffer>;

// Despite its types, `openAsClass` opens the file and returns the class of the databases in it.
type DatabaseClass = new (name: null, options: object) => LmdbDatabase;

const EINVAL = 22;
const OPEN_TRIES = 20;

// Without overlapping, a commit is on disk when it resolves, and others see it only then.
const OPTIONS = { noSubdir: true, encoding: 'binary', keyEncoding: 'binary', overlappingSync: false } as const;
const ROOT = { ...OPTIONS, isRoot: true }; // closing this one closes the file

export const importLmdb = () => importPeer('lmdbStore', 'lmdb', () => import('lmdb'));

/**
 * Opens a file of LMDB. The last process that closes a file destroys its locks. A process that opens the file at that
 * moment gets the destroyed ones (EINVAL), and opens it again.
 */
export async function openLmdb(path: string): Promise<LmdbDatabase> {
  const { openAsClass } = await importLmdb();
  for (let tries = 1; ; tries++) {
    const Database = openAsClass({ path, ...OPTIONS }) as unknown as DatabaseClass;
    try {
      return new Database(null, ROOT);
    } catch (error) {
      // lmdb-js leaves the file open and returns no handle. This makes one to close it.
      await Object.assign(Object.create(Database.prototype), ROOT).close();
      if (detailsOf(error).code !== EINVAL || tries === OPEN_TRIES) throw error;
      await setTimeout(Math.random() * 10 * tries);
    }
  }
}
