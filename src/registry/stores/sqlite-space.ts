import { StoreConflictError } from '../../errors.js';
import { letOthersRun } from '../event-loop.js';
import { type Block, contradicts, type Entries } from '../store.js';
import type { SqliteConnection } from './sqlite-connection.js';
import type { SqliteRow } from './sqlite-driver.js';
import { addKeys, findKeys, type HashedKeys, hashKeys, missingRows, textOf, timer } from './sqlite-keys.js';
import type { SqliteKeyStatements } from './sqlite-tables.js';
import type { HashKey } from './string-hashes.js';

const ROWS_A_READ = 10_000;
const READ_MS = 5; // at a time, so that timers run at least every 10 ms
const ENTRIES_A_PAGE = 5000n; // a few MB at most
const ALL_IDS = -(1n << 63n);

// A piece of a large batch is sized so that its commit takes about PIECE_MS.
const PIECE_MS = 50;
const FIRST_PIECE = 2000;
const SMALLEST_PIECE = 100;
const LARGEST_PIECE = 20_000;

export interface SpaceOptions {
  readonly hashKey: HashKey;
  /** How many numbers every counter has skipped. */
  readonly skipped: () => bigint;
}

/** The keys of one space, in an open database. */
export class SqliteSpace {
  readonly #connection: SqliteConnection;
  readonly #statements: SqliteKeyStatements;
  readonly #hashKey: HashKey;
  readonly #skipped: () => bigint;
  #pieceRows = FIRST_PIECE;
  /** Keys of which the last look-up found none. Usually they are assigned next, and need not be looked up again. */
  #unknown: { readonly hashed: HashedKeys; readonly state: string } | undefined;

  constructor(connection: SqliteConnection, statements: SqliteKeyStatements, { hashKey, skipped }: SpaceOptions) {
    this.#connection = connection;
    this.#statements = statements;
    this.#hashKey = hashKey;
    this.#skipped = skipped;
  }

  async lookup(keys: readonly string[]): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of piecesOf(keys.length)) {
      const hashed = hashKeys(keys.slice(from, to), this.#hashKey);
      const found = ids.subarray(from, to);
      const states = new Set<string>();
      for (let next = 0; next < found.length; ) {
        next = await this.#connection.read(() => {
          states.add(this.#connection.state());
          return findKeys(this.#statements, hashed, found, next, READ_MS);
        });
        await letOthersRun();
      }
      const [state = '', ...others] = states;
      const isUnknown = others.length === 0 && found.every((id) => id === 0n);
      this.#unknown = isUnknown ? { hashed, state } : undefined;
    }
    return ids;
  }

  async resolve(ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = new Array(ids.length).fill(undefined);
    for (let row = 0; row < ids.length; ) {
      await this.#connection.read(() => {
        for (const isOver = timer(READ_MS); row < ids.length && !isOver(); row++) {
          keys[row] = this.#keyOf(ids[row] as bigint);
        }
      });
      await letOthersRun();
    }
    return keys;
  }

  async assign(block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const all = new BigUint64Array(keys.length);
    // If there is more than one piece, the first one has to know whether there is room for all.
    let needed = 0;
    if (keys.length > this.#pieceRows) needed = missingRows(await this.lookup(keys)).length;
    for (let from = 0; from < keys.length; ) {
      const some = keys.slice(from, from + this.#pieceRows);
      const ids = await this.#assignPiece(block, some, needed);
      if (ids === undefined && from === 0) return undefined;
      if (ids === undefined) throw new StoreConflictError('another process took the last numbers of the prefix');
      all.set(ids, from);
      from += some.length;
      needed = 0;
    }
    return all;
  }

  counter(prefix: number): Promise<bigint> {
    return this.#connection.read(() => this.#last(prefix) + this.#skipped());
  }

  async count(): Promise<number> {
    return Number((await this.#connection.read(() => this.#statements.count.get()))?.count);
  }

  async *entries(): AsyncGenerator<Entries, void> {
    for (let from = ALL_IDS; ; ) {
      const rows = await this.#connection.read(() => this.#statements.page.all(from, ENTRIES_A_PAGE));
      if (rows.length > 0) yield entriesOf(rows);
      if (rows.length < ENTRIES_A_PAGE) return;
      from = (rows.at(-1)?.id as bigint) + 1n;
      await letOthersRun();
    }
  }

  async counters(): Promise<Map<number, bigint>> {
    const rows = await this.#connection.read(() => this.#statements.counters.all());
    return new Map(rows.map(({ prefix, last }) => [Number(prefix), last as bigint]));
  }

  async restore({ keys, ids }: Entries): Promise<void> {
    for (const [from, to] of piecesOf(keys.length)) {
      const hashed = hashKeys(keys.slice(from, to), this.#hashKey);
      await this.#connection.commit(() => this.#restorePiece(hashed, ids.subarray(from, to)));
    }
  }

  restoreCounters(counters: ReadonlyMap<number, bigint>): Promise<void> {
    return this.#connection.commit(() => {
      for (const [prefix, last] of counters) this.#statements.raise.run(BigInt(prefix), last);
    });
  }

  async #assignPiece(block: Block, keys: readonly string[], needed: number): Promise<BigUint64Array | undefined> {
    const unknown = this.#unknown && areSame(this.#unknown.hashed.keys, keys) ? this.#unknown : undefined;
    this.#unknown = undefined; // it is needed once, and may be large
    const hashed = unknown?.hashed ?? hashKeys(keys, this.#hashKey);
    return this.#connection.commit(() => {
      const began = performance.now();
      const isUnknown = unknown !== undefined && unknown.state === this.#connection.state();
      const ids = new BigUint64Array(keys.length);
      if (!isUnknown) findKeys(this.#statements, hashed, ids);
      const missing = missingRows(ids);
      const last = this.#last(block.prefix);
      const skipped = this.#skipped();
      const most = Math.max(missing.length, needed);
      if (most > 0 && skipped + last + BigInt(most) > block.max) return undefined;
      if (missing.length > 0) {
        let next = block.base + skipped + last;
        for (const row of missing) ids[row] = ++next;
        addKeys(this.#statements, hashed, ids, missing);
        this.#statements.raise.run(BigInt(block.prefix), last + BigInt(missing.length));
      }
      this.#adapt(ids.length, performance.now() - began);
      return ids;
    });
  }

  #restorePiece(hashed: HashedKeys, ids: BigUint64Array): void {
    const known = new BigUint64Array(ids.length);
    findKeys(this.#statements, hashed, known);
    for (const [row, id] of ids.entries()) {
      const isSame = known[row] === 0n ? this.#keyOf(id) === undefined : known[row] === id;
      if (!isSame) throw contradicts(id);
    }
    addKeys(this.#statements, hashed, ids, missingRows(known));
  }

  #keyOf(id: bigint): string | undefined {
    const found = this.#statements.keyOf.get(BigInt.asIntN(64, id));
    return found && textOf(found.key ?? null);
  }

  #last(prefix: number): bigint {
    return (this.#statements.counter.get(BigInt(prefix))?.last as bigint | undefined) ?? 0n;
  }

  /** Sets the size of pieces by how long the last one took. */
  #adapt(rows: number, ms: number): void {
    if (rows < this.#pieceRows / 2) return; // too few to tell
    const fitting = Math.round((rows * PIECE_MS) / Math.max(ms, 1));
    this.#pieceRows = Math.min(Math.max(fitting, SMALLEST_PIECE), LARGEST_PIECE, 2 * this.#pieceRows);
  }
}

/** Splits rows into pieces that are hashed at a time. */
function* piecesOf(rows: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < rows; from += ROWS_A_READ) yield [from, Math.min(rows, from + ROWS_A_READ)];
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((key, row) => key === others[row]);
}

function entriesOf(rows: readonly SqliteRow[]): Entries {
  return {
    keys: rows.map(({ key }) => textOf(key ?? null)),
    ids: BigUint64Array.from(rows, ({ id }) => BigInt.asUintN(64, id as bigint)),
  };
}
