import { createHash } from 'node:crypto';
import type { ShardRecord, Space } from '../../store.js';
import type { KeyedContents } from '../shared/local-store.js';
import { madeBeforeRelease } from '../shared/string-hashes.js';
import type { LmdbDatabase } from './open.js';
import { damaged } from './open.js';

// The first byte of a key says what is stored under it.
const IDS = 1; // space, key: id
const KEYS = 2; // space, id: key
const COUNTERS = 3; // space, prefix: last number
const SETTINGS = 4; // name: value
const SHARDS = 5; // number: ShardRecord

const SPACES: { [S in Space]: number } = { strings: 0, types: 1 };

// LMDB's keys have at most 1,978 bytes. Longer strings are found by their digest and compared in full.
const MAX_KEY = 1024;
const SHORT = 0;
const DIGEST = 1;

const ROWS_A_PIECE = 10_000;
const BYTES_A_PIECE = 4_000_000;

interface LmdbEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Keys from `start` on, before `end`. */
interface KeyRange {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly limit?: number;
}

/** The contents of a file of LMDB, read and written within one transaction. */
export class Contents implements KeyedContents {
  readonly #db: LmdbDatabase;
  readonly #path: string;

  constructor(db: LmdbDatabase, path: string) {
    this.#db = db;
    this.#path = path;
  }

  setting(name: string): string | undefined {
    return this.#text(settingKey(name));
  }

  set(name: string, value: string): void {
    this.#db.put(settingKey(name), Buffer.from(value));
  }

  shard(shard: number): ShardRecord | undefined {
    const bytes = this.#db.get(shardKey(shard));
    return bytes && recordIn(bytes);
  }

  putShard(shard: number, record: ShardRecord): void {
    this.#db.put(shardKey(shard), recordBytes(record));
  }

  shards(): ReturnType<KeyedContents['shards']> {
    return this.#rows(startingWith(SHARDS)).map(({ key, value }) => ({
      shard: Number(numberIn(key)),
      ...recordIn(value),
    }));
  }

  idOf(space: Space, key: string): bigint {
    const id = this.#number(idKey(space, key));
    if (id !== 0n && Buffer.byteLength(key) > MAX_KEY && this.keyOf(space, id) !== key) {
      throw damaged(this.#path, 'two strings have the same SHA-256');
    }
    return id;
  }

  keyOf(space: Space, id: bigint): string | undefined {
    return this.#text(keyOfId(space, id));
  }

  putEntry(space: Space, key: string, id: bigint): void {
    this.#db.put(idKey(space, key), u64Bytes(id));
    this.#db.put(keyOfId(space, id), Buffer.from(key));
  }

  count(space: Space): number {
    const range = entriesOf(space);
    // If lmdb-js cannot read, it counts 0 keys; only iterating throws the error.
    return this.#rows({ ...range, limit: 1 }).length === 0 ? 0 : this.#db.getKeysCount(range);
  }

  last(space: Space, prefix: number): bigint {
    return this.#number(counterKey(space, prefix));
  }

  raise(space: Space, prefix: number, last: bigint): void {
    if (last > this.last(space, prefix)) this.#db.put(counterKey(space, prefix), u64Bytes(last));
  }

  counters(space: Space): Map<number, bigint> {
    const rows = this.#rows(startingWith(COUNTERS, SPACES[space]));
    return new Map(rows.map(({ key, value }) => [Number(numberIn(key)), value.readBigUInt64BE()] as const));
  }

  /** The first entries from a key on, as many as fit into memory; at least one if there is one. */
  piece(space: Space, start = entriesOf(space).start): LmdbEntry[] {
    const range = { ...entriesOf(space), start };
    const rows: LmdbEntry[] = [];
    let bytes = 0;
    for (const row of this.#db.getRange({ ...range, limit: ROWS_A_PIECE })) {
      rows.push(row);
      bytes += row.value.length;
      if (bytes > BYTES_A_PIECE) break;
    }
    return rows;
  }

  #text(key: Buffer): string | undefined {
    return this.#db.get(key)?.toString();
  }

  /** The number under a key; 0 if the key is missing. */
  #number(key: Buffer): bigint {
    return this.#db.getBinaryFast(key)?.readBigUInt64BE() ?? 0n;
  }

  #rows(range: KeyRange): LmdbEntry[] {
    return [...this.#db.getRange(range)];
  }
}

/** The range of the keys of all ids of a space. */
const entriesOf = (space: Space): KeyRange => startingWith(KEYS, SPACES[space]);

function keyOfId(space: Space, id: bigint): Buffer {
  return Buffer.concat([Buffer.of(KEYS, SPACES[space]), u64Bytes(id)]);
}

function counterKey(space: Space, prefix: number): Buffer {
  return Buffer.concat([Buffer.of(COUNTERS, SPACES[space]), u64Bytes(BigInt(prefix))]);
}

function settingKey(name: string): Buffer {
  return Buffer.concat([Buffer.of(SETTINGS), Buffer.from(name)]);
}

/** The id, prefix or shard that a key ends with. */
export const numberIn = (key: Buffer): bigint => key.readBigUInt64BE(key.length - 8);

/** The first key after another. */
export const keyAfter = (key: Buffer): Buffer => Buffer.concat([key, Buffer.of(0)]);

function u64Bytes(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function idKey(space: Space, key: string): Buffer {
  const bytes = Buffer.from(key);
  const isShort = bytes.length <= MAX_KEY;
  const rest = isShort ? bytes : createHash('sha256').update(bytes).digest();
  return Buffer.concat([Buffer.of(IDS, SPACES[space], isShort ? SHORT : DIGEST), rest]);
}

function shardKey(shard: number): Buffer {
  return Buffer.concat([Buffer.of(SHARDS), u64Bytes(BigInt(shard))]);
}

function startingWith(...bytes: readonly [...number[], number]): KeyRange {
  const end = Buffer.from(bytes);
  end[end.length - 1] = bytes[bytes.length - 1] + 1;
  return { start: Buffer.from(bytes), end };
}

function recordIn(bytes: Buffer): ShardRecord {
  const { token, ...record } = JSON.parse(bytes.toString());
  if (record.ttlMs === undefined) throw madeBeforeRelease('the file');
  return { ...record, token: BigInt(token) };
}

function recordBytes(record: ShardRecord): Buffer {
  return Buffer.from(JSON.stringify({ ...record, token: String(record.token) }));
}
