// `shardbits/stores/lmdb`
import { createHash } from 'node:crypto';
import { checkString } from '../../arguments.js';
import { chooseShard, heldRecord, isHeldBy, type ShardRecord } from '../shard-records.js';
import type { Block, Space, Store } from '../store.js';
import { LmdbFile } from './lmdb-file.js';
import type { LmdbDatabase } from './lmdb-open.js';

/**
 * A store in a file, for several processes on one machine: LMDB (npm `lmdb`, to be installed beside shardbits). Beside
 * the file lie `path-lock`, and `path-turn` with `path-turn-lock`: empty, but they belong to it while it is in use, and
 * no other program may open the file then.
 * @param path of the file
 * @throws TypeError if `path` is not a string; LMDB's own errors
 * @example
 * const store = await lmdbStore('./ids.lmdb');
 */
export async function lmdbStore(path: string): Promise<Store> {
  checkString('path', path);
  return new LmdbStore(await LmdbFile.open(path));
}

// What entries are of, the first byte of their keys.
const IDS = 1; // space, key: id
const KEYS = 2; // space, id: key
const COUNTERS = 3; // space, prefix: last number
const SETTINGS = 4; // name: value
const SHARDS = 5; // number: ShardRecord

const SPACES: { [S in Space]: number } = { strings: 0, types: 1 };

// LMDB's keys end at 1,978 bytes: longer strings are found by their digest, and compared in full.
const LONGEST_KEY = 1024;
const SHORT = 0;
const DIGEST = 1;

class LmdbStore implements Store {
  readonly #file: LmdbFile;
  readonly #db: LmdbDatabase;

  constructor(file: LmdbFile) {
    this.#file = file;
    this.#db = file.db;
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    this.#db.resetReadTxn(); // also what other processes have committed since
    return BigUint64Array.from(keys, (key) => this.#idOf(space, key));
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    this.#db.resetReadTxn();
    return Array.from(ids, (id) => this.#db.get(keyOfId(space, id))?.toString());
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const db = this.#db;
    const counter = counterKey(space, block.prefix);
    return this.#file.commit(() => {
      const ids = BigUint64Array.from(keys, (key) => this.#idOf(space, key));
      const missing = ids.reduce((count, id) => (id === 0n ? count + 1 : count), 0);
      let last = this.#number(counter);
      if (last + BigInt(missing) > block.max) return undefined;
      for (const [i, key] of keys.entries()) {
        if (ids[i] !== 0n) continue;
        const id = block.base + ++last;
        ids[i] = id;
        db.put(idKey(space, key), u64Bytes(id));
        db.put(keyOfId(space, id), Buffer.from(key));
      }
      if (missing > 0) db.put(counter, u64Bytes(last));
      return ids;
    });
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    this.#db.resetReadTxn();
    return this.#number(counterKey(space, prefix));
  }

  async remember(name: string, value: string): Promise<string> {
    const key = Buffer.concat([Buffer.of(SETTINGS), Buffer.from(name)]);
    return this.#file.commit(() => {
      const kept = this.#db.get(key);
      if (kept === undefined) this.#db.put(key, Buffer.from(value));
      return kept?.toString() ?? value;
    });
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    return this.#file.commit(() => {
      const now = Date.now();
      const grant = chooseShard(request.shards, (shard) => this.#record(shard), now, request.mintFrom);
      if (grant !== undefined) this.#keep(grant.shard, heldRecord(request, grant, now));
      return grant;
    });
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    return this.#file.commit(() => {
      const now = Date.now();
      const record = this.#record(request.shard);
      if (!isHeldBy(record, request, now)) return false;
      this.#keep(request.shard, heldRecord(request, record, now));
      return true;
    });
  }

  async releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    await this.#file.commit(() => {
      const record = this.#record(holder.shard);
      if (isHeldBy(record, holder, Date.now())) this.#keep(holder.shard, { ...record, expires: 0 });
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #idOf(space: Space, key: string): bigint {
    const id = this.#number(idKey(space, key));
    if (id !== 0n && Buffer.byteLength(key) > LONGEST_KEY && this.#db.get(keyOfId(space, id))?.toString() !== key) {
      throw new Error('two strings with one SHA-256');
    }
    return id;
  }

  #number(key: Buffer): bigint {
    return this.#db.getBinaryFast(key)?.readBigUInt64BE() ?? 0n;
  }

  #record(shard: number): ShardRecord | undefined {
    const bytes = this.#db.get(shardKey(shard));
    if (bytes === undefined) return undefined;
    const { token, ...record } = JSON.parse(bytes.toString());
    return { ...record, token: BigInt(token) };
  }

  #keep(shard: number, record: ShardRecord): void {
    this.#db.put(shardKey(shard), Buffer.from(JSON.stringify({ ...record, token: String(record.token) })));
  }
}

function idKey(space: Space, key: string): Buffer {
  const bytes = Buffer.from(key);
  const isShort = bytes.length <= LONGEST_KEY;
  const rest = isShort ? bytes : createHash('sha256').update(bytes).digest();
  return Buffer.concat([Buffer.of(IDS, SPACES[space], isShort ? SHORT : DIGEST), rest]);
}

function keyOfId(space: Space, id: bigint): Buffer {
  return Buffer.concat([Buffer.of(KEYS, SPACES[space]), u64Bytes(id)]);
}

function counterKey(space: Space, prefix: number): Buffer {
  return Buffer.concat([Buffer.of(COUNTERS, SPACES[space]), u64Bytes(BigInt(prefix))]);
}

function shardKey(shard: number): Buffer {
  return Buffer.concat([Buffer.of(SHARDS), u64Bytes(BigInt(shard))]);
}

function u64Bytes(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
