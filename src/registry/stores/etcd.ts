// `shardbits/stores/etcd`
import type { IKeyValue, IOptions } from 'etcd3';
import {
  checkInteger,
  checkOptions,
  checkRecord,
  checkString,
  outOfRange,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { type Block, type Space, type Store, StoreConflictError } from '../store.js';
import { EtcdKeys, isLong } from './etcd-keys.js';
import { acquireLease, releaseLease, renewLease } from './etcd-leases.js';
import { EtcdMembers } from './etcd-members.js';
import { get, isAbsent, isAtRevision, MAX_OPERATIONS, put, revisionOf } from './etcd-requests.js';

export interface EtcdStoreOptions {
  /** Of all keys in etcd; `shardbits/` unless given. Stores of different prefixes have nothing to do with each other. */
  prefix?: string | undefined;
  /** How long a call may go on asking members that do not answer, before it fails; 10,000 unless given. */
  timeoutMs?: number | undefined;
  /** For TLS, as etcd3 takes it. */
  credentials?: IOptions['credentials'] | undefined;
  /** User and password, as etcd3 takes them. */
  auth?: IOptions['auth'] | undefined;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1; // that of a timer
const LONGEST_PREFIX = 1000;

// etcd takes requests of 1.5 MiB, unless configured.
const LONGEST_STRING = 1_500_000;
// A string is two entries, and the counter one; of short strings there are 190 KB more in keys and comparisons.
const STRINGS_A_COMMIT = Math.floor((MAX_OPERATIONS - 1) / 2);
const BYTES_A_COMMIT = 1_000_000;

/**
 * A store in an etcd cluster (npm `etcd3`, to be installed beside shardbits), for many machines: made for leases
 * and types; it interns 63 strings a commit at most, of 1,500,000 bytes each at most. Leases are etcd's own, in
 * whole seconds and of 2 at least: a shard whose holder is gone is free some seconds later than `ttlMs` says.
 * @param hosts of the members, as `http://10.0.0.1:2379`
 * @throws TypeError or RangeError for arguments of the wrong kind or value; calls throw etcd3's errors
 * @example
 * const store = await etcdStore(['http://10.0.0.1:2379', 'http://10.0.0.2:2379', 'http://10.0.0.3:2379']);
 */
export async function etcdStore(hosts: string | readonly string[], options?: EtcdStoreOptions): Promise<Store> {
  const list = typeof hosts === 'string' ? [hosts] : hosts;
  if (!Array.isArray(list)) throw wrongKind('hosts', 'strings', hosts);
  if (list.length === 0) throw wrongValue('hosts', 'one at least', hosts);
  for (const host of list) checkString('hosts', host);
  const known = checkOptions(options, ['prefix', 'timeoutMs', 'credentials', 'auth']);
  const { prefix = 'shardbits/', timeoutMs = 10_000, credentials, auth } = known;
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS);
  const bytes = Buffer.byteLength(checkString('prefix', prefix));
  if (bytes > LONGEST_PREFIX) throw outOfRange('prefix', `at most ${LONGEST_PREFIX} bytes`, bytes);
  if (credentials !== undefined) checkRecord('credentials', credentials);
  if (auth !== undefined) checkRecord('auth', auth);
  const members = new EtcdMembers(list, {
    timeoutMs,
    ...(credentials && { credentials }),
    ...(auth && { auth }),
  });
  return new EtcdStore(members, new EtcdKeys(prefix));
}

class EtcdStore implements Store {
  readonly #members: EtcdMembers;
  readonly #keys: EtcdKeys;

  constructor(members: EtcdMembers, keys: EtcdKeys) {
    this.#members = members;
    this.#keys = keys;
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    return this.#idsOf(space, keys, await this.#members.read(keys.map((key) => this.#keys.idOf(space, key))));
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const read = await this.#members.read(Array.from(ids, (id) => this.#keys.keyOf(space, id)));
    return read.map((found) => found?.value.toString());
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    for (const key of keys) checkLength(key);
    const counter = this.#keys.counter(space, block.prefix);
    const idKeys = keys.map((key) => this.#keys.idOf(space, key));
    const [readCounter, ...read] = await this.#members.read([counter, ...idKeys]);
    const ids = await this.#idsOf(space, keys, read);
    const missing = [...keys.keys()].filter((row) => ids[row] === 0n);
    let last = numberOf(readCounter);
    let revision = revisionOf(readCounter);
    if (last + BigInt(missing.length) > block.max) return undefined;
    for (const rows of commitsOf(missing, keys)) {
      for (const row of rows) ids[row] = block.base + ++last;
      const { succeeded, header } = await this.#members.commit({
        compare: [isAtRevision(counter, revision), ...rows.map((row) => isAbsent(idKeys[row] as Buffer))],
        success: [
          put(counter, Buffer.from(String(last))),
          ...rows.flatMap((row) => {
            const id = ids[row] as bigint;
            const key = Buffer.from(keys[row] as string);
            return [put(idKeys[row] as Buffer, Buffer.from(String(id))), put(this.#keys.keyOf(space, id), key)];
          }),
        ],
      });
      if (!succeeded) throw new StoreConflictError('others were at the same strings or counter');
      revision = header.revision;
    }
    return ids;
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    const [read] = await this.#members.read([this.#keys.counter(space, prefix)]);
    return numberOf(read);
  }

  async remember(name: string, value: string): Promise<string> {
    const key = this.#keys.setting(name);
    const { succeeded, responses } = await this.#members.commit({
      compare: [isAbsent(key)],
      success: [put(key, Buffer.from(value))],
      failure: [get(key)],
    });
    return succeeded ? value : String(responses[0]?.response_range.kvs[0]?.value);
  }

  acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    return acquireLease(this.#members, this.#keys, request);
  }

  renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    return renewLease(this.#members, this.#keys, request);
  }

  releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    return releaseLease(this.#members, this.#keys, holder);
  }

  async close(): Promise<void> {
    this.#members.close();
  }

  /** Ids that have been read; those of long strings when they are found to be of these very strings. */
  async #idsOf(space: Space, keys: readonly string[], read: readonly (IKeyValue | undefined)[]) {
    const ids = BigUint64Array.from(read, numberOf);
    const long = [...keys.keys()].filter((row) => ids[row] !== 0n && isLong(keys[row] as string));
    const strings = await this.resolve(
      space,
      BigUint64Array.from(long, (row) => ids[row] as bigint),
    );
    if (long.some((row, i) => strings[i] !== keys[row])) throw new Error('two strings with one SHA-256');
    return ids;
  }
}

/** Rows in pieces that each fit into a commit. */
function* commitsOf(rows: readonly number[], keys: readonly string[]): Generator<readonly number[]> {
  let piece: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    const length = Buffer.byteLength(keys[row] as string);
    if (piece.length === STRINGS_A_COMMIT || (piece.length > 0 && bytes + length > BYTES_A_COMMIT)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(row);
    bytes += length;
  }
  if (piece.length > 0) yield piece;
}

function checkLength(key: string): void {
  const length = Buffer.byteLength(key);
  if (length > LONGEST_STRING) throw outOfRange('keys', `strings of at most ${LONGEST_STRING} bytes`, length);
}

function numberOf(read: IKeyValue | undefined): bigint {
  return BigInt(read?.value.toString() ?? 0);
}
