/**
 * A store in an etcd cluster.
 * @module shardbits/stores/etcd
 */

import { randomUUID } from 'node:crypto';
import type { IKeyValue, IOptions } from 'etcd3';
import {
  checkInteger,
  checkOptions,
  checkRecord,
  checkString,
  MAX_TIMER_MS,
  wrongKind,
  wrongValue,
} from '../../../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../../../errors.js';
import { checkOpening, expectedStore } from '../../identity.js';
import { contradicts, type OpenOptions, type Space, type Store, skippedSetting, unavailable } from '../../store.js';
import { piecesOf } from '../shared/pieces.js';
import {
  END_OF_PREFIX,
  type EtcdKeys,
  firstIn,
  get,
  isAbsent,
  isEqual,
  isLong,
  isUnchanged,
  keysUnder,
  MAX_NUMBER,
  MAX_OPERATIONS,
  MAX_PREFIX_NUMBER,
  numberAtEnd,
  numberOf,
  put,
  type Revision,
  textOf,
} from './keys.js';
import { leasesOf } from './leases.js';
import { EtcdMembers, importEtcd3 } from './members.js';
import { checkParts, checkValues } from './whole.js';

export { type EtcdUrl, parseEtcdUrl } from './url.js';

export interface EtcdStoreOptions extends OpenOptions {
  /**
   * The prefix of all keys in etcd, text without `#`; `shardbits/` by default. Stores with different prefixes are independent.
   */
  prefix?: string | undefined;
  /** How long a request waits for members that do not answer, in milliseconds; 10,000 by default. */
  timeoutMs?: number | undefined;
  /** The option `credentials` of etcd3, for TLS. */
  credentials?: IOptions['credentials'] | undefined;
  /** The option `auth` of etcd3: user and password. */
  auth?: IOptions['auth'] | undefined;
}

const MAX_PREFIX = 1000;

// etcd takes requests of up to 1.5 MiB by default.
const MAX_STRING = 1_500_000;
// A string takes two operations and the counter one. The keys and comparisons of short strings add up to 190 KB.
const STRINGS_A_COMMIT = Math.floor((MAX_OPERATIONS - 1) / 2);
const BYTES_A_COMMIT = 1_000_000;
// Each takes a comparison, and the state of the store one more.
const COUNTERS_A_COMMIT = MAX_OPERATIONS - 1;

/**
 * A store in an etcd cluster, for many machines. It needs the package `etcd3`. It is made for leases and types; it
 * interns at most 63 strings a commit, of at most 1,500,000 bytes each.
 *
 * Leases are etcd's own and last whole seconds, at least 2. The shard of a holder that has died becomes free a second
 * or two after `ttlMs`. etcd's clock cannot be read through etcd3. Marks are therefore compared with the clock of the
 * machine that asks, which does not notice if that clock is wrong. The times at which leases end are estimates, up to a
 * second too late.
 * @param hosts the members, such as `http://10.0.0.1:2379`
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @throws StoreUnavailableError if the package `etcd3` is not installed; with `mustExist`, if there is no store, or the
 *   cluster does not answer
 * @example
 * const store = await etcdStore(['http://10.0.0.1:2379', 'http://10.0.0.2:2379', 'http://10.0.0.3:2379']);
 */
export async function etcdStore(hosts: string | readonly string[], options?: EtcdStoreOptions): Promise<Store> {
  const list = typeof hosts === 'string' ? [hosts] : hosts;
  if (!Array.isArray(list)) throw wrongKind('hosts', 'strings', hosts);
  if (list.length === 0) throw wrongValue('hosts', 'at least one host', hosts);
  for (const host of list) checkString('hosts', host);
  const known = checkOptions(options, ['prefix', 'mustExist', 'expect', 'timeoutMs', 'credentials', 'auth']);
  const { prefix = 'shardbits/', timeoutMs = 10_000, credentials, auth } = known;
  const { mustExist, guard } = checkOpening(known);
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  const bytes = Buffer.byteLength(checkString('prefix', prefix));
  if (prefix.includes(END_OF_PREFIX)) throw wrongValue('prefix', `text without "${END_OF_PREFIX}"`, prefix);
  if (bytes > MAX_PREFIX) throw wrongValue('prefix', `at most ${MAX_PREFIX} bytes`, bytes);
  if (credentials !== undefined) checkRecord('credentials', credentials);
  if (auth !== undefined) checkRecord('auth', auth);
  const keys = keysUnder(prefix);
  const members = new EtcdMembers(await importEtcd3(), list, {
    timeoutMs,
    keys,
    guard,
    checkFirst: (opened) => checkParts(opened, keys),
    ...(credentials && { credentials }),
    ...(auth && { auth }),
  });
  return expectedStore(storeOver(members, keys), guard, async () => {
    if (!mustExist || (await members.check())) return;
    throw unavailable(`etcd has no store under the prefix "${prefix}"`);
  });
}

function storeOver(members: EtcdMembers, keys: EtcdKeys): Store {
  const close = async () => members.close();
  return {
    timeoutMs: members.timeoutMs,
    now: async () => Date.now(),
    place: (known) => members.place(known),
    replaceState: (expected, state) => members.replaceState(expected, state),
    ...entriesOf(members, keys),
    ...leasesOf(members, keys),

    async setting(name) {
      const read = await members.readAlways(keys.setting(name));
      return read && textOf(read);
    },

    async replaceSetting(name, expected, value) {
      const [key, setter] = [keys.setting(name), keys.setter(name)];
      const call = Buffer.from(randomUUID());
      const { succeeded, responses } = await members.commit({
        compare: [isEqual(key, expected)],
        success: [put(key, value), put(setter, call)],
        failure: [get(setter)],
      });
      return succeeded || firstIn(responses[0])?.value.equals(call) === true;
    },

    async check() {
      await checkParts(members, keys);
      await checkValues(members, keys);
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

function entriesOf(members: EtcdMembers, { idOf, keyOf, counter: counterOf, setting, folder }: EtcdKeys) {
  async function lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    return idsOf(space, keys, await members.read(keys.map((key) => idOf(space, key))));
  }

  async function resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const read = await members.read(Array.from(ids, (id) => keyOf(space, id)));
    return read.map((found) => found && textOf(found));
  }

  /** The ids that were read. A long string is found by its digest, so it is compared with the string of its id. */
  async function idsOf(space: Space, keys: readonly string[], read: readonly (IKeyValue | undefined)[]) {
    const ids = BigUint64Array.from(read, numberOf);
    const long = [...keys.keys()].filter((row) => ids[row] !== 0n && isLong(keys[row]));
    const idsOfLong = BigUint64Array.from(long, (row) => ids[row]);
    const strings = await resolve(space, idsOfLong);
    if (long.some((row, i) => strings[i] !== keys[row]))
      throw new StoreCorruptError('two strings have the same SHA-256');
    return ids;
  }

  function puts(space: Space, key: string, id: bigint) {
    return [put(idOf(space, key), String(id)), put(keyOf(space, id), key)];
  }

  /** @returns false if others changed the same entries at the same time; nothing has been done then */
  async function restoreRows(space: Space, keys: readonly string[], ids: BigUint64Array): Promise<boolean> {
    const present = await lookup(space, keys);
    const keysThere = await resolve(space, ids);
    const added = new Map<string, bigint>();
    const addedIds = new Map<bigint, string>();
    for (const [i, key] of keys.entries()) {
      const id = ids[i];
      const idThere = present[i] || added.get(key);
      const keyThere = keysThere[i] ?? addedIds.get(id);
      if ((idThere ?? id) !== id || (keyThere ?? key) !== key) throw contradicts(id);
      if (present[i]) continue;
      added.set(key, id);
      addedIds.set(id, key);
    }
    const { succeeded } = await members.commit({
      compare: [...added].flatMap(([key, id]) => [isAbsent(idOf(space, key)), isAbsent(keyOf(space, id))]),
      success: [...added].flatMap(([key, id]) => puts(space, key, id)),
    });
    return succeeded;
  }

  return {
    lookup,
    resolve,

    async assign(space, { prefix, base, max }, keys) {
      for (const key of keys) checkLength(key);
      const [counter, skipping] = [counterOf(space, prefix), setting(skippedSetting(space))];
      const idKeys = keys.map((key) => idOf(space, key));
      const [readCounter, readSkipped, ...read] = await members.read([counter, skipping, ...idKeys]);
      const ids = await idsOf(space, keys, read);
      const missing = [...keys.keys()].filter((row) => ids[row] === 0n);
      const skipped = numberOf(readSkipped);
      let last = numberOf(readCounter);
      let counted: Revision | undefined = readCounter;
      if (missing.length > 0 && skipped + last + BigInt(missing.length) > max) return undefined;
      for (const rows of commitsOf(missing, keys)) {
        for (const row of rows) ids[row] = base + skipped + ++last;
        const unchanged = [isUnchanged(counter, counted), isUnchanged(skipping, readSkipped)];
        const { succeeded, header } = await members.commit({
          compare: [...unchanged, ...rows.map((row) => isAbsent(idKeys[row]))],
          success: [put(counter, String(last)), ...rows.flatMap((row) => puts(space, keys[row], ids[row]))],
        });
        if (!succeeded) throw new StoreConflictError('other callers changed the same strings or counter first');
        counted = { mod_revision: header.revision };
      }
      return ids;
    },

    async counter(space, prefix) {
      const [last, skipped] = await members.read([counterOf(space, prefix), setting(skippedSetting(space))]);
      return numberOf(last) + numberOf(skipped);
    },

    count: (space) => members.count(...folder(`${space}/key`)),

    async *entries(space) {
      // No snapshot is needed, because entries are never removed.
      for await (const piece of members.range(...folder(`${space}/key`))) {
        const ids = BigUint64Array.from(piece, ({ key }) => numberAtEnd(key, MAX_NUMBER));
        yield { keys: piece.map(textOf), ids };
      }
    },

    async counters(space) {
      const counters = new Map<number, bigint>();
      for await (const piece of members.range(...folder(`${space}/counter`))) {
        for (const read of piece) counters.set(Number(numberAtEnd(read.key, MAX_PREFIX_NUMBER)), numberOf(read));
      }
      return counters;
    },

    async restore(space, { keys, ids }) {
      for (const key of keys) checkLength(key);
      for (const rows of commitsOf([...keys.keys()], keys)) {
        const some = rows.map((row) => keys[row]);
        const theirs = BigUint64Array.from(rows, (row) => ids[row]);
        while (!(await restoreRows(space, some, theirs))); // each time, others have added some of them first
      }
    },

    async restoreCounters(space, counters) {
      const all = [...counters];
      for (let from = 0; from < all.length; ) {
        const some = all.slice(from, from + COUNTERS_A_COMMIT);
        const keys = some.map(([prefix]) => counterOf(space, prefix));
        const read = await members.read(keys);
        const raised = [...keys.keys()].filter((i) => some[i][1] > numberOf(read[i]));
        const { succeeded } = await members.commit({
          compare: raised.map((i) => isUnchanged(keys[i], read[i])),
          success: raised.map((i) => put(keys[i], String(some[i][1]))),
        });
        if (succeeded) from += some.length; // otherwise others changed the same counters, and nothing has been done
      }
    },
  } satisfies Partial<Store>;
}

function commitsOf(rows: readonly number[], keys: readonly string[]): number[][] {
  const pieces = piecesOf(rows.length, STRINGS_A_COMMIT, (i) => Buffer.byteLength(keys[rows[i]]), BYTES_A_COMMIT);
  return Array.from(pieces, ([from, to]) => rows.slice(from, to));
}

function checkLength(key: string): void {
  const length = Buffer.byteLength(key);
  if (length > MAX_STRING) throw wrongValue('keys', `strings of at most ${MAX_STRING} bytes`, length);
}
