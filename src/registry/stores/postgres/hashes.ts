import { describeValue } from '../../../arguments.js';
import { utf8ColumnOf } from '../../../columns/keys.js';
import { StoreConflictError, StoreCorruptError } from '../../../errors.js';
import { HASH_KEY_SETTING, type HashKey, newHashKey, sipHashes } from '../shared/string-hashes.js';
import type { Connection } from './connection.js';
import { DURABLY, reading, selectAnswer, type Tables, writing } from './statements.js';

// How keys are sent: the bytes of all of them in one column in base64, and where each key starts.

export function parametersOf(keys: readonly string[], hashKey: HashKey) {
  const { data, offsets } = utf8ColumnOf(keys);
  const starts = keys.map((_, row) => offsets[row] + 1); // SQL counts from 1
  const lengths = keys.map((_, row) => offsets[row + 1] - offsets[row]);
  return [hashesOf(keys, hashKey), Buffer.from(data).toString('base64'), `{${starts}}`, `{${lengths}}`] as const;
}

/** Keys in an answer; null if there are none. */
export interface SentKeys {
  readonly bytes: string | null;
  readonly lengths: readonly number[] | null;
}

export function keysIn({ bytes, lengths }: SentKeys): string[] {
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
export function storeHashKey(connection: Connection, tables: Tables) {
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

interface FoundHashKey {
  readonly hashKey: HashKey | null;
  readonly isEmpty: boolean;
}

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

export function collision(key: string): StoreCorruptError {
  return new StoreCorruptError(
    `another string has the same 128-bit hash as ${describeValue(key)}, so it cannot get an id in this store`,
  );
}
