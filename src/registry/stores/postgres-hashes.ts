import { describeValue } from '../../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { type PostgresStatement, selectAnswer } from './postgres-answers.js';
import type { Connection } from './postgres-connection.js';
import type { Tables } from './postgres-schema.js';
import { DURABLY } from './postgres-settings.js';

/** The setting with the two seeds of a store's hashes. */
export const HASH_SEEDS = 'hashSeeds';

/**
 * Two seeds as they are stored: 32 hexadecimal digits. They are random and differ from store to store, so that nobody
 * can choose strings with the same hash.
 */
export type Seeds = string;

/** The hashes of keys, as the text of an array of uuid: each is 128 bits, 64 from XXH64 with each seed. */
export function hashesOf(keys: readonly string[], seeds: Seeds): string {
  const bytes = Buffer.alloc(16 * keys.length);
  for (const [half, digits] of [seeds.slice(0, 16), seeds.slice(16)].entries()) {
    const hashes = xxh64Many(keys, { seed: BigInt(`0x${digits}`) });
    for (let row = 0; row < hashes.length; row++) bytes.writeBigUInt64BE(hashes[row] as bigint, 16 * row + 8 * half);
  }
  const digits = bytes.toString('hex');
  return `{${keys.map((_, row) => digits.slice(32 * row, 32 * row + 32))}}`;
}

/** The seeds of a store. The first writer chooses them at random, and all later ones use the same. */
export class HashSeeds {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof seedStatements>;
  #known: Seeds | undefined;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#statements = seedStatements(tables);
  }

  /** @returns undefined if the store has no seeds; it is empty then */
  async find(): Promise<Seeds | undefined> {
    if (this.#known === undefined) this.#keep(await this.#connection.ask<FoundSeeds>(this.#statements.find));
    return this.#known;
  }

  async findOrMake(): Promise<Seeds> {
    if ((await this.find()) === undefined) {
      const made = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
      this.#keep(await this.#connection.ask<FoundSeeds>(this.#statements.make, made));
    }
    if (this.#known === undefined)
      throw new StoreConflictError("another process is making the seeds of the store's hashes");
    return this.#known;
  }

  /**
   * Checks that a statement found the seeds that its hashes were made with: the tables may have been emptied or
   * replaced.
   * @throws StoreConflictError if they differ; the next call reads them again
   */
  check(used: Seeds, found: Seeds | null): void {
    if (used === found) return;
    if (this.#known === used) this.#known = undefined;
    throw new StoreConflictError("the seeds of the store's hashes have been replaced");
  }

  #keep({ seeds, isEmpty }: FoundSeeds): void {
    if (seeds === null && !isEmpty) {
      throw new StoreCorruptError(
        `shardbits_settings has lost "${HASH_SEEDS}"; restore it, because strings cannot be found without it`,
      );
    }
    this.#known = seeds ?? undefined;
  }
}

interface FoundSeeds {
  readonly seeds: Seeds | null;
  readonly isEmpty: boolean;
}

function seedStatements({ settings, strings, types }: Tables) {
  const kept = `(select value from ${settings} where name = '${HASH_SEEDS}')`;
  const isEmpty = `not exists (select from ${strings}) and not exists (select from ${types})`;
  return {
    find: {
      isRead: true,
      text: selectAnswer(`json_build_object('seeds', ${kept}, 'isEmpty', ${isEmpty})`),
    },
    /**
     * $1 seeds, stored if the store has no seeds and no strings. Seeds that others make at the same time are not seen.
     */
    make: {
      isRead: false,
      text: `
        with made as (
          insert into ${settings} (name, value) select '${HASH_SEEDS}', $1::text where ${isEmpty}
          on conflict (name) do nothing
          returning value, ${DURABLY} as durably
        )
        ${selectAnswer(`json_build_object(
          'seeds', coalesce((select value from made), ${kept}), 'isEmpty', ${isEmpty})`)}`,
    },
  } satisfies { readonly [name: string]: PostgresStatement };
}

/** The error of a key whose hash is that of another key. */
export function collision(key: string): StoreCorruptError {
  return new StoreCorruptError(
    `another string has the same 128-bit hash as ${describeValue(key)}, so it cannot get an id in this store`,
  );
}
