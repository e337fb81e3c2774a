import {
  checkGiven,
  checkInteger,
  checkOneOf,
  checkOptions,
  checkSeed,
  checkString,
  checkU64,
  MAX_BUCKETS,
  namesIn,
  u64,
  wordsOf,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { checkKeys, checkOut, type HashedColumn, type Key, type Keys } from '../columns/keys.js';
import { hashKey, hashRows } from '../hash/xxh64.js';
import { kernels } from '../kernels/active.js';
import { PIECE_ROWS, viewOf } from '../kernels/types.js';
import type { Abilities, Routing } from './routing.js';

/** How a hash becomes a shard. */
export type Strategy = 'jump' | 'fastrange' | 'modulo';

interface StrategyKernels {
  one(hash: bigint, shards: number): number;
  column(hashes: BigUint64Array, shards: number, out: Uint32Array): void;
}

export const STRATEGIES: Record<Strategy, StrategyKernels> = {
  jump: {
    one: (hash, shards) => kernels().jumpHash(hash, shards),
    column: (hashes, shards, out) => kernels().jumpHashColumn(hashes, shards, out),
  },
  fastrange: {
    one: (hash, shards) => kernels().fastRange(hash, shards),
    column: (hashes, shards, out) => kernels().fastRangeColumn(hashes, shards, out),
  },
  modulo: {
    one: (hash, shards) => Number(hash % BigInt(shards)),
    column: (hashes, shards, out) => kernels().moduloColumn(hashes, shards, out),
  },
};

export interface RouterOptions {
  /** How many shards there are, 1 to 2^31 - 1; they are numbered from 0. */
  shards: number;
  /**
   * `jump` (default): growing from n to n + 1 shards moves 1 key in n + 1. `fastrange` (multiply-high) is the fastest
   * and moves half of the keys. `modulo` moves nearly all of them.
   */
  strategy?: Strategy | undefined;
  /** `xxh64` (default), or `none` for u64 keys that are already evenly spread (`jump` does not need that). */
  hash?: 'xxh64' | 'none' | undefined;
  /** The seed of the hash: a bigint, taken modulo 2^64. 0 by default. */
  seed?: bigint | undefined;
  /**
   * Shards that get no keys for now. Only their keys move, and they return when the shard is up again. For a
   * key whose shard is down, SplitMix64 starts at its hash, and the first output whose shard is up decides.
   * After 256 outputs, the key goes to the shard s that is up with the highest
   * mix(mix(s + 0x9e3779b97f4a7c15) + hash), where mix is SplitMix64's finalizer.
   */
  down?: Iterable<number> | undefined;
}

/**
 * The JSON of a router. The seed is decimal text, because JSON has no bigints.
 * @inline
 */
interface RouterJson {
  shards: number;
  strategy: Strategy;
  hash: 'xxh64' | 'none';
  seed: string;
  down: readonly number[];
}

const OPTIONS = ['shards', 'strategy', 'hash', 'seed', 'down'] as const;

/**
 * Routes keys to shards. Immutable: the same options always give the same shards, on either backend. The
 * defaults give those of ClickHouse's `jumpConsistentHash(xxHash64(key), shards)`.
 * @example
 * const router = new Router({ shards: 1024 });
 * router.route('user:42');
 * router.routeMany(['user:42', 'user:43']); // Uint32Array(2)
 */
export class Router implements Routing {
  readonly shards: number;
  readonly strategy: Strategy;
  readonly hash: 'xxh64' | 'none';
  readonly seed: bigint;
  /** The shards that are down, ascending. */
  readonly down: readonly number[];
  readonly #failover: Failover | undefined;

  /**
   * Makes a router. Routers with the same options give the same shards, in any process.
   * @throws TypeError if an option is of the wrong kind
   * @throws RangeError if an option is out of range or unknown, or all shards are down
   */
  constructor(options: RouterOptions) {
    const { shards, strategy = 'jump', hash = 'xxh64', seed, down = [] } = checkGiven(options, OPTIONS);
    this.shards = checkInteger('shards', shards, 1, MAX_BUCKETS);
    this.strategy = checkOneOf('strategy', strategy, namesIn(STRATEGIES));
    this.hash = checkOneOf('hash', hash, ['xxh64', 'none']);
    this.seed = checkSeed(seed);
    this.down = Object.freeze(checkDown(down, shards));
    const { column } = STRATEGIES[this.strategy];
    if (this.down.length > 0) this.#failover = new Failover(shards, new Set(this.down), column);
    Object.freeze(this);
  }

  /**
   * Makes a router from its JSON.
   * @param json the parsed JSON of a router; missing options have the defaults of {@link RouterOptions}
   * @throws TypeError or RangeError as the constructor, or if the seed is not a u64 in decimal
   * @example
   * Router.from(JSON.parse(JSON.stringify(router)));
   */
  static from(json: object): Router {
    const { seed, ...options } = checkGiven(json as Partial<RouterJson>, OPTIONS, 'json');
    if (seed !== undefined && !/^\d{1,20}$/.test(checkString('seed', seed))) {
      throw wrongValue('seed', 'a decimal integer from 0 to 2^64 - 1', seed);
    }
    const given = seed === undefined ? undefined : checkU64('seed', BigInt(seed));
    return makeRouter({ ...(options as RouterOptions), seed: given });
  }

  /**
   * The shard of one key.
   * @param key a string, bytes or a u64; with `hash: 'none'` a u64
   * @returns 0 to shards - 1, never a shard that is down
   * @throws TypeError if the key is of another kind
   * @throws RangeError if a bigint key is not a u64
   * @example
   * router.route('user:42');
   */
  route(key: Key): number {
    const hash = this.hash === 'none' ? checkU64('key', key as bigint) : hashKey('key', key, this.seed);
    const shard = STRATEGIES[this.strategy].one(hash, this.shards);
    if (!this.#failover?.isDown(shard)) return shard;
    const shards = Uint32Array.of(shard);
    this.#failover.avoid(BigUint64Array.of(hash), shards);
    return shards[0];
  }

  /**
   * The shard of every key of a column.
   * @param keys strings, a BytesColumn or u64s; with `hash: 'none'` u64s
   * @param options.out where the shards go, as long as `keys`
   * @returns `out`, or a new array
   * @throws TypeError if an argument or a row is of the wrong kind
   * @throws RangeError if offsets descend or point beyond the data, or `out` has another length or overlaps
   *   `keys`; nothing has been written then
   * @example
   * router.routeMany(new BigUint64Array([1n, 2n, 3n]));
   */
  routeMany(keys: Keys, options?: { out?: Uint32Array | undefined }): Uint32Array {
    const column = checkKeys('keys', keys);
    if (this.hash === 'none' && column.kind !== 'u64') {
      throw wrongKind('keys', "a BigUint64Array with hash 'none'", keys);
    }
    const shards = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
    this.#routeColumn(column, shards);
    return shards;
  }

  /**
   * A router with some options changed. The other options stay, including `down`, which must fit a smaller
   * number of shards.
   * @throws TypeError or RangeError as the constructor
   * @example
   * router.with({ down: [3] }).route('user:42');
   */
  with(changes: Partial<RouterOptions>): Router {
    const given = Object.entries(checkGiven(changes, OPTIONS, 'changes')).filter(([, value]) => value !== undefined);
    return makeRouter({ ...this, ...Object.fromEntries(given) });
  }

  /** The JSON that {@link Router.from} takes. */
  toJSON(): RouterJson {
    return { ...this, seed: `${this.seed}` };
  }

  /** @internal */
  get 'shardbits.abilities'(): object {
    const { hash, seed, down } = this;
    const kinds = hash === 'none' ? (['u64'] as const) : undefined;
    return { kinds, down, hashing: { hash, seed, ofHashes: () => this.with({ hash: 'none' }) } } satisfies Abilities;
  }

  /** How messages and `console.log` name it. */
  get [Symbol.toStringTag](): string {
    return 'Router';
  }

  /** Hashes pass from one kernel to the next in the kernels' own memory, a piece at a time. */
  #routeColumn(column: HashedColumn, shards: Uint32Array): void {
    const { column: place } = STRATEGIES[this.strategy];
    for (let from = 0; from < column.rows; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, column.rows);
      const out = viewOf(shards, from, to);
      const hashes = this.#hashes(column, from, to);
      place(hashes, this.shards, out);
      this.#failover?.avoid(hashes, out);
    }
  }

  #hashes(column: HashedColumn, from: number, to: number): BigUint64Array {
    if (this.hash === 'none' && column.kind === 'u64') return viewOf(column.keys, from, to);
    const hashes = viewOf(kernels().scratch, 0, to - from);
    hashRows(column, from, to, this.seed, hashes);
    return hashes;
  }
}

/** Outside the class, because bundlers rename a class that refers to itself, and `console.log` would show that name. */
function makeRouter(options: RouterOptions): Router {
  return new Router(options);
}

function checkDown(down: Iterable<number>, shards: number): number[] {
  if (typeof down !== 'object' || down === null || !(Symbol.iterator in down)) {
    throw wrongKind('down', 'an iterable of shards', down);
  }
  const unique = new Set<number>();
  for (const shard of down) unique.add(checkInteger('down', shard, 0, shards - 1));
  if (unique.size === shards) throw wrongValue('down', 'at least one shard to be up', down);
  return [...unique].sort((a, b) => a - b);
}

// SplitMix64's increment: probe a of a hash is the a-th output of the generator started at it.
const GOLDEN_GAMMA = 0x9e3779b97f4a7c15n;

// With `live` of n shards up, the probability that this many probes find none that is up is
// (1 - live / n)^256: it happens only if nearly all shards are down.
const MAX_PROBES = 256;

/**
 * Routes around shards that are down. Every hash has one fixed order of preference: its usual shard, then the shards of
 * its SplitMix64 outputs, then all shards by rendezvous. It goes to the first one that is up. So only the keys of a shard
 * that goes down move, they return when it comes back, and the order of events does not matter.
 */
class Failover {
  #live: { shards: Uint32Array; marks: BigUint64Array } | undefined;

  /** @param place gives the usual shards of hashes */
  constructor(
    private readonly shards: number,
    private readonly down: ReadonlySet<number>,
    private readonly place: StrategyKernels['column'],
  ) {}

  isDown(shard: number): boolean {
    return this.down.has(shard);
  }

  /** Replaces every shard in `out` that is down; `out[i]` is the usual shard of `hashes[i]`. */
  avoid(hashes: BigUint64Array, out: Uint32Array): void {
    let rows = new Uint32Array(out.length);
    let count = 0;
    for (let row = 0; row < out.length; row++) {
      if (this.down.has(out[row])) rows[count++] = row;
    }
    rows = rows.subarray(0, count);
    for (let probe = 1; rows.length > 0 && probe <= MAX_PROBES; probe++) {
      const probes = gather(hashes, rows);
      const placed = new Uint32Array(rows.length);
      kernels().splitMix64Column(probes, u64(GOLDEN_GAMMA * BigInt(probe)), probes);
      this.place(probes, this.shards, placed);
      rows = rows.filter((row, i) => {
        out[row] = placed[i];
        return this.down.has(placed[i]);
      });
    }
    for (const row of rows) out[row] = this.#rendezvous(hashes[row]);
  }

  /** The live shard with the highest score for this hash. */
  #rendezvous(hash: bigint): number {
    this.#live ??= this.#listLive();
    const { shards, marks } = this.#live;
    const scores = new BigUint64Array(marks.length);
    kernels().splitMix64Column(marks, hash, scores);
    let best = 0;
    for (let i = 1; i < scores.length; i++) {
      if (scores[i] > scores[best]) best = i;
    }
    return shards[best];
  }

  /** The live shards, and for each one a mark to mix with a hash. */
  #listLive(): { shards: Uint32Array; marks: BigUint64Array } {
    const shards = new Uint32Array(this.shards - this.down.size);
    for (let shard = 0, i = 0; shard < this.shards; shard++) {
      if (!this.down.has(shard)) shards[i++] = shard;
    }
    const marks = BigUint64Array.from(shards, (shard) => BigInt(shard));
    kernels().splitMix64Column(marks, GOLDEN_GAMMA, marks);
    return { shards, marks };
  }
}

/** Some rows of a column. Halves are copied, because reading a bigint would allocate it. */
function gather(column: BigUint64Array, rows: Uint32Array): BigUint64Array {
  const from = wordsOf(column);
  const to = new Uint32Array(2 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    to[2 * i] = from[2 * row];
    to[2 * i + 1] = from[2 * row + 1];
  }
  return new BigUint64Array(to.buffer);
}
