import { describeValue, wrongValue } from '../../../arguments.js';
import { utf8ColumnOf } from '../../../columns/keys.js';
import { detailsOf, StoreConflictError, StoreCorruptError } from '../../../errors.js';
import { type Block, contradicts, type Space, type Store } from '../../store.js';
import { piecesOf } from '../shared/pieces.js';
import { HASH_KEY_SETTING, type HashKey, newHashKey, sipHashes } from '../shared/string-hashes.js';
import type { Connection } from './connection.js';
import { codeOf } from './errors.js';
import { DURABLY, reading, selectAnswer, writing } from './guarded-statements.js';
import {
  type AssignAnswer,
  COLLISION,
  KNOWN,
  keyStatements,
  MAX_ROWS_READ,
  OUTRUN,
  type SentKeys,
} from './key-statements.js';
import type { Tables } from './schema.js';

/** The most rows and bytes in one statement, which takes 0.1 s with 5,000 strings of 70 characters. */
const MAX_ROWS = 5000;
const MAX_BYTES = 2 ** 23;

/** Splits keys into pieces for one statement each. A character has three bytes at most. */
const statementsOf = (keys: readonly string[]) =>
  piecesOf(keys.length, MAX_ROWS, (row) => 3 * keys[row].length, MAX_BYTES);

/** Ids from the database, which stores them as signed integers. */
function idsOf(signed: readonly string[]): BigUint64Array {
  return BigUint64Array.from(signed, (id) => BigInt.asUintN(64, BigInt(id)));
}

// In PostgreSQL a value, and the text of a parameter, have at most 1 GiB.
const MAX_KEY = 2 ** 26;

/** Whether a key is longer than a store can keep; such a key has no id. */
const isTooLong = (key: string) => 3 * key.length > MAX_KEY && Buffer.byteLength(key) > MAX_KEY;

function checkLengths(keys: readonly string[]): void {
  const row = keys.findIndex(isTooLong);
  if (row < 0) return;
  throw wrongValue('keys', `strings of at most ${MAX_KEY} bytes`, Buffer.byteLength(keys[row]), row);
}

const MAX_ROWS_COUNTED = 1_000_000;
const MIN_SIGNED = -(2n ** 63n); // the least bigint of the database
const RESTORES_TRIED = 3;

const MAX_IDS = 5000;
const CALLS_WHEN_OUTRUN = 16;

/** The strings and types of a store. A call without rows runs no statement, but still needs an open store. */
export function keysOf(connection: Connection, tables: Tables) {
  const hashes = storeHashKey(connection, tables);
  const statements = { strings: keyStatements('strings', tables), types: keyStatements('types', tables) };
  /** For how many more calls others are likely to insert the same keys of a space at the same time. */
  const outrun = { strings: 0, types: 0 };

  async function lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    connection.checkOpen();
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of statementsOf(keys)) {
      if (isTooLong(keys[from])) continue; // it is alone in its piece, and has no id
      const hashKey = await hashes.find();
      if (hashKey === undefined) continue; // nothing has an id yet
      ids.set(await lookupPiece(space, hashKey, keys.slice(from, to)), from);
    }
    return ids;
  }

  async function lookupPiece(space: Space, hashKey: HashKey, keys: readonly string[]): Promise<BigUint64Array> {
    const found = await connection.ask(statements[space].lookup, ...parametersOf(keys, hashKey));
    hashes.check(hashKey, found.hashKey);
    if (found.ids.includes(COLLISION)) throw collision(keys[found.ids.indexOf(COLLISION)]);
    return idsOf(found.ids);
  }

  /** Like `assign`, but counts all keys after the first piece as new when it checks for room. */
  async function assignPieces(space: Space, block: Block, keys: readonly string[]): ReturnType<Store['assign']> {
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of statementsOf(keys)) {
      const given = await assignPiece(space, block, keys.slice(from, to), keys.length - to);
      if (given === undefined && from > 0) throw passed();
      if (given === undefined) return undefined;
      ids.set(given, from);
    }
    return ids;
  }

  /** @param rest how many more numbers the other pieces need */
  async function assignPiece(space: Space, block: Block, keys: readonly string[], rest: number) {
    const hashKey = await hashes.findOrMake();
    const numbers = [block.prefix, BigInt.asIntN(64, block.base), block.max, rest];
    const done = await assignOnce(space, [...parametersOf(keys, hashKey), hashKey, ...numbers]);
    if (done.verdict === 'full') return undefined;
    if (done.verdict === 'rekeyed') hashes.check(hashKey, null);
    if (done.verdict === 'passed') throw passed();
    if (done.verdict === 'assigned' || done.verdict === 'known') {
      const ids = new BigUint64Array(keys.length);
      for (const [row, id] of done.known ?? []) ids[row - 1] = BigInt(id); // stored as unsigned
      let next = block.base + BigInt(done.last ?? 0);
      return ids.map((id) => id || ++next);
    }
    const found = await lookupPiece(space, hashKey, keys);
    if (found.includes(0n)) throw new StoreConflictError('another process is inserting the same keys');
    return found;
  }

  /** Takes the keys for new ones, unless some of them are likely to have ids, or there is no room unless they have. */
  async function assignOnce(space: Space, params: readonly (string | number | bigint)[]): Promise<AssignAnswer> {
    const { assign, assignNew } = statements[space];
    try {
      if (outrun[space] > 0) outrun[space]--;
      else {
        const done = await connection.ask(assignNew, ...params);
        if (done.verdict !== 'full') return done;
      }
    } catch (error) {
      if (codeOf(detailsOf(error).cause) !== KNOWN) throw error;
      outrun[space] = CALLS_WHEN_OUTRUN;
    }
    try {
      return await connection.ask(assign, ...params);
    } catch (error) {
      // The server repeats what it could not read, in quotation marks of its language. It may also be a setting that
      // is damaged.
      const { cause } = detailsOf(error);
      if (codeOf(cause) !== OUTRUN || !detailsOf(cause).message.includes('outrun: ')) throw error;
      throw new StoreConflictError('another process is inserting the same types', { cause: error });
    }
  }

  async function restorePiece(space: Space, keys: readonly string[], ids: BigUint64Array): Promise<void> {
    const signed = `{${new BigInt64Array(ids)}}`;
    for (let tries = 0; tries < RESTORES_TRIED; tries++) {
      const hashKey = await hashes.findOrMake();
      const params = [...parametersOf(keys, hashKey), hashKey, signed];
      const done = await connection.ask(statements[space].restore, ...params);
      hashes.check(hashKey, done.hashKey);
      if (done.collision !== null) throw collision(keys[done.collision - 1]);
      if (done.other !== null) throw contradicts(ids[done.other - 1]);
      if (done.inserted + done.kept === keys.length) return;
    }
    throw new StoreConflictError('another process is inserting the same keys or ids');
  }

  return {
    lookup,

    async resolve(space, ids) {
      connection.checkOpen();
      const keys = new Array<string | undefined>(ids.length).fill(undefined);
      for (let from = 0; from < ids.length; ) {
        const some = new BigInt64Array(ids.slice(from, from + MAX_IDS));
        const page = await connection.ask(statements[space].resolve, `{${some}}`, MAX_BYTES);
        const rows = page.rows ?? [];
        for (const [i, key] of keysIn(page).entries()) keys[from + rows[i] - 1] = key;
        from += rows.length < page.found ? rows[rows.length - 1] : some.length;
      }
      return keys;
    },

    async assign(space, block, keys) {
      connection.checkOpen();
      checkLengths(keys);
      const ids = await assignPieces(space, block, keys);
      if (ids !== undefined || keys.length === 1) return ids;
      // There may be room after all, if some of the keys have ids already.
      const known = await lookup(space, keys);
      const missing = keys.filter((_, row) => known[row] === 0n);
      if (missing.length === keys.length) return undefined;
      const assigned = await assignPieces(space, block, missing);
      let next = 0;
      return assigned && known.map((id) => id || assigned[next++]);
    },

    counter: async (space, prefix) => BigInt(await connection.ask(statements[space].counter, prefix)),

    async count(space) {
      const lastOf = (page: { count: number; last: string | null }) =>
        page.count < MAX_ROWS_COUNTED ? null : page.last;
      let all = 0;
      const pages = connection.pages(statements[space].count, MIN_SIGNED, lastOf, MAX_ROWS_COUNTED);
      for await (const { count } of pages) all += count;
      return all;
    },

    async *entries(space) {
      const lastOf = ({ ids }: { ids: string[] | null }) => ids?.at(-1);
      const pages = connection.pages(statements[space].entries, MIN_SIGNED, lastOf, MAX_ROWS_READ, MAX_BYTES);
      for await (const page of pages) if (page.ids !== null) yield { keys: keysIn(page), ids: idsOf(page.ids) };
    },

    async counters(space) {
      const all = new Map<number, bigint>();
      const lastOf = ({ prefixes }: { prefixes: number[] | null }) => prefixes?.[MAX_ROWS_READ - 1];
      for await (const page of connection.pages(statements[space].counters, 0n, lastOf, MAX_ROWS_READ)) {
        for (const [i, prefix] of (page.prefixes ?? []).entries()) all.set(prefix, BigInt(page.last[i]));
      }
      return all;
    },

    async restore(space, { keys, ids }) {
      connection.checkOpen();
      checkLengths(keys);
      for (const [from, to] of statementsOf(keys)) await restorePiece(space, keys.slice(from, to), ids.slice(from, to));
    },

    async restoreCounters(space, counters) {
      connection.checkOpen();
      const rows = Array.from(counters, ([prefix, last]) => ({ prefix, last: String(last) }));
      for (let from = 0; from < rows.length; from += MAX_ROWS_READ) {
        const some = JSON.stringify(rows.slice(from, from + MAX_ROWS_READ));
        await connection.ask(statements[space].restoreCounters, some);
      }
    },
  } satisfies Partial<Store>;
}

const passed = () => new StoreConflictError('others have taken numbers of the prefix');

// How keys are sent: the bytes of all of them in one column in base64, and where each key starts.

function parametersOf(keys: readonly string[], hashKey: HashKey) {
  const { data, offsets } = utf8ColumnOf(keys);
  const starts = keys.map((_, row) => offsets[row] + 1); // SQL counts from 1
  const lengths = keys.map((_, row) => offsets[row + 1] - offsets[row]);
  return [hashesOf(keys, hashKey), Buffer.from(data).toString('base64'), `{${starts}}`, `{${lengths}}`] as const;
}

function keysIn({ bytes, lengths }: SentKeys): string[] {
  const column = Buffer.from(bytes ?? '', 'base64');
  let next = 0;
  return (lengths ?? []).map((length) => {
    const start = next;
    next += length;
    return column.toString('utf8', start, next);
  });
}

/** The hashes of keys in 128 bits, as the text of an array of uuid. */
export function hashesOf(keys: readonly string[], hashKey: HashKey): string {
  const digits = Buffer.from(sipHashes(keys, hashKey, 2)).toString('hex');
  return `{${keys.map((_, row) => digits.slice(32 * row, 32 * row + 32))}}`;
}

/** The key of the hashes of a store. The first writer chooses it at random, and all later ones use the same. */
function storeHashKey(connection: Connection, tables: Tables) {
  const statements = hashKeyStatements(tables);
  let known: HashKey | undefined;

  /** @returns undefined if the store has no key; it is empty then */
  async function find(): Promise<HashKey | undefined> {
    if (known === undefined) keep(await connection.ask(statements.find));
    return known;
  }

  async function findOrMake(): Promise<HashKey> {
    if ((await find()) === undefined) keep(await connection.ask(statements.make, newHashKey()));
    if (known === undefined) throw new StoreConflictError("another process is making the key of the store's hashes");
    return known;
  }

  /**
   * Checks that a statement found the key that its hashes were made with: the tables may have been emptied or replaced.
   * @throws StoreConflictError if they differ; the next call reads it again
   */
  function check(used: HashKey, found: HashKey | null): void {
    if (used === found) return;
    if (known === used) known = undefined;
    throw new StoreConflictError("the key of the store's hashes has been replaced");
  }

  function keep({ hashKey, isEmpty }: FoundHashKey): void {
    if (hashKey === null && !isEmpty) {
      throw new StoreCorruptError(
        `shardbits_settings has lost "${HASH_KEY_SETTING}"; restore it, because strings cannot be found without it`,
      );
    }
    known = hashKey ?? undefined;
  }

  return { find, findOrMake, check };
}

type FoundHashKey = { readonly hashKey: HashKey | null; readonly isEmpty: boolean };

function hashKeyStatements({ settings, strings, types }: Tables) {
  const kept = `(select value from ${settings} where name = '${HASH_KEY_SETTING}')`;
  const isEmpty = `not exists (select from ${strings}) and not exists (select from ${types})`;
  const found = (hashKey: string) => `json_build_object('hashKey', ${hashKey}, 'isEmpty', ${isEmpty})`;
  return {
    find: reading<FoundHashKey>(selectAnswer(found(kept))),
    /** $1 key, stored if the store has no key and no strings. A key that others make at the same time is not seen. */
    make: writing<FoundHashKey>(`
      with made as (
        insert into ${settings} (name, value) select '${HASH_KEY_SETTING}', $1::text where ${isEmpty}
        on conflict (name) do nothing
        returning value, ${DURABLY} as durably
      )
      ${selectAnswer(found(`coalesce((select value from made), ${kept})`))}`),
  };
}

function collision(key: string): StoreCorruptError {
  return new StoreCorruptError(
    `another string has the same 128-bit hash as ${describeValue(key)}, so it cannot get an id in this store`,
  );
}
