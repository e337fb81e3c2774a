import { checkOneOf, checkOptions, checkRecord, wrongKind, wrongValue } from '../arguments.js';
import { checkOut, type KeyColumn, type RowValues, type TextColumn } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { type HashColumn, PIECE_ROWS, viewOf } from '../kernels/types.js';
import type { Abilities, Routing } from '../routing/routing.js';
import { encoder } from '../utf8.js';
import type { HashedKeys, Hashes } from './columns.js';
import type { KeyHasher } from './hash.js';
import {
  checkPartitionKey,
  checkPartitionKeys,
  columnOfKey,
  KEY_KINDS,
  type KeyKind,
  type KeyOf,
  keysInRows,
  type PartitionKey,
  type PartitionKeys,
} from './keys.js';
import { type Configuration, TOKEN_ARRAYS, type Tokens, type TokenType } from './system.js';
import { definitionOf, SYSTEM_NAMES, type SystemName, type Systems, type UsualKind } from './systems.js';

/**
 * Places keys as another system does: in the partition, bucket, slot, vnode or shard that it would choose. A partitioner
 * is a {@link Routing}, so it can be used wherever a Router can. Immutable.
 * @typeParam K what a key is
 * @typeParam T the column of its tokens
 */
export interface Partitioner<K = PartitionKey, T extends Tokens = Tokens> extends Routing<K> {
  readonly system: SystemName;
  /** The kind of keys, or that of each of their columns. */
  readonly key: KeyKind | readonly KeyKind[];
  /** The number of partitions, buckets, slots, vBuckets, key groups or shards; 0 without Cassandra's ring or MongoDB's chunks. */
  readonly shards: number;
  /**
   * The shard of one key.
   * @param key what its kind is: see {@link KeyKind}. `null`, if the system has a rule for it. Of several columns, an array
   * @throws TypeError if the key is of another kind
   * @throws RangeError if the key is out of range or not as its kind is written
   */
  route(key: K): number;
  /**
   * The shard of every key of a column.
   * @param keys an array of keys; for text, UUIDs and decimals also a BytesColumn of UTF-8, in which a UUID may have 16 bytes;
   *   for bytes a BytesColumn; for integers a typed array of their kind, such as an Int32Array. Of several columns, an array of
   *   them
   * @param options.out where the shards go, as long as `keys`
   * @returns `out`, or a new array
   * @throws TypeError if an argument or a row is of the wrong kind
   * @throws RangeError if a row is not a key of its kind, or is not UTF-8 although the system hashes UTF-16, or columns differ in
   *   length, or `out` has another length or overlaps `keys`; nothing has been written then
   */
  routeMany(keys: PartitionKeys, options?: { out?: Uint32Array | undefined }): Uint32Array;
  /**
   * The hash or token of every key, which determines its shard.
   * @param keys as for `routeMany`
   * @throws the errors of `routeMany`
   */
  tokens(keys: PartitionKeys): T;
  /** The JSON that {@link partitionerFrom} takes: the system and its options, with 64-bit numbers as decimal text. */
  toJSON(): PartitionerJson;
}

/** The JSON of a partitioner, with all its options. */
export interface PartitionerJson {
  readonly system: SystemName;
  readonly key: KeyKind | readonly KeyKind[];
  readonly [option: string]: unknown;
}

/** The kind of keys, or of each of their columns. */
export type KeyKinds = KeyKind | readonly KeyKind[];

/** A key of a kind, or of several columns. */
export type KeyOfKinds<K extends KeyKinds> = K extends readonly KeyKind[]
  ? { readonly [column in keyof K]: K[column] extends KeyKind ? KeyOf<K[column]> | null : never }
  : K extends KeyKind
    ? KeyOf<K>
    : never;

/** Options of a system, and the kind of its keys. */
export type PartitionerOptions<S extends SystemName, K extends KeyKinds = KeyKinds> = Systems[S]['options'] & {
  /**
   * The kind of keys: `text` by default, `int64` for discord and mysql. No system has all kinds. A list of kinds for keys of
   * several columns, which PostgreSQL, ClickHouse, Cassandra, Spark, Hive, MySQL, Prometheus and Vitess have.
   */
  key?: K | undefined;
};

/**
 * Makes a partitioner with the same results as a system.
 * @param system the name of the system
 * @param options the options of the system: see their type
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an option is out of range or unknown, or the system does not have this kind of key, or keys of several
 *   columns
 * @example
 * partitioner('kafka', { partitions: 12 }).route('abc'); // 3
 * partitioner('redis').routeMany(['foo', 'bar']);
 * partitioner('postgres', { modulus: 1000, key: ['int64', 'text'] }).route([1n, 'a']); // 317
 */
export function partitioner<const S extends SystemName, const K extends KeyKinds = UsualKind<S>>(
  system: S,
  ...[options]: undefined extends Systems[S]['options']
    ? [options?: PartitionerOptions<S, K> | { key?: K | undefined }]
    : [options: PartitionerOptions<S, K>]
): Partitioner<KeyOfKinds<K>, Systems[S]['tokens']> {
  const made: Partitioner<any, any> = partitionerOf(system, options);
  return made;
}

/** The same for a system that is known only when the program runs. */
export function partitionerOf(system: SystemName, options: object | undefined): Partitioner {
  checkOneOf('system', system, SYSTEM_NAMES);
  const definition = definitionOf(system);
  const { key = definition.key ?? 'text', ...rest } = checkOptions<any>(options, [...definition.options, 'key']);
  return new SystemPartitioner(system, key, definition.configure(rest));
}

/**
 * Makes a partitioner from its JSON.
 * @param json the parsed JSON of a partitioner
 * @throws TypeError or RangeError as {@link partitioner}
 * @example
 * partitionerFrom(JSON.parse(JSON.stringify(partitioner('redis')))).route('foo'); // 12182
 */
export function partitionerFrom(json: object): Partitioner {
  checkRecord('json', json);
  const { system, ...options } = json as { system: SystemName; tokens?: unknown; chunks?: unknown };
  for (const name of ['tokens', 'chunks'] as const) {
    if (options[name] !== undefined) options[name] = tokensOf(name, options[name]);
  }
  return partitionerOf(system, options);
}

/** The tokens of a ring, or bounds of chunks, from JSON. */
function tokensOf(name: string, texts: unknown): BigInt64Array {
  if (!Array.isArray(texts)) throw wrongKind(name, 'an array of decimal integers as text', texts);
  const tokens = texts.map((text, row) => {
    if (typeof text !== 'string') throw wrongKind(name, 'a decimal integer as text', text, row);
    const token = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
    if (token === undefined || BigInt.asIntN(64, token) !== token) {
      throw wrongValue(name, 'a decimal integer from -2^63 to 2^63 - 1', text, row);
    }
    return token;
  });
  return BigInt64Array.from(tokens);
}

/** Memory for one token, in the kernels' type and in the system's, and for its shard. */
const one = /* @__PURE__ */ new BigUint64Array(1);
const oneShard = /* @__PURE__ */ new Uint32Array(1);

class SystemPartitioner implements Partitioner {
  readonly key: KeyKinds;
  readonly shards: number;
  readonly #configuration: Configuration;
  readonly #kinds: readonly KeyKind[];
  readonly #hashers: readonly KeyHasher[];
  /** Memory for single keys. */
  readonly #oneToken: Tokens;
  readonly #oneHash: Hashes;

  constructor(
    readonly system: SystemName,
    key: KeyKinds,
    configuration: Configuration,
  ) {
    const { hashers, columns, json } = configuration;
    const name = 'variant' in json ? `${system}:${json.variant}` : system;
    const kinds = [key].flat();
    const most = columns?.most ?? 1;
    if (most === 1 && typeof key !== 'string') {
      throw wrongKind('key', `one kind, because ${name} hashes one column`, key);
    }
    if (kinds.length === 0) throw wrongKind('key', 'a kind of keys, or a list of them', key);
    if (kinds.length > most) throw wrongValue('key', `1 to ${most} kinds`, key);
    for (const kind of kinds) checkOneOf('key', kind, KEY_KINDS);
    this.#hashers = kinds.map((kind, i) => {
      const ofColumn = columns?.hashersOf?.(i, kinds.length) ?? hashers;
      const hasher = ofColumn[kind];
      if (hasher !== undefined) return hasher;
      const known = KEY_KINDS.filter((kind) => kind in ofColumn).map((kind) => `'${kind}'`);
      throw wrongValue('key', `one of ${known.join(', ')}, which are the keys of ${name}`, kind);
    });
    this.shards = configuration.shards;
    this.#configuration = configuration;
    this.#kinds = kinds;
    this.#oneToken = tokensIn(configuration.tokens, one);
    this.#oneHash = bitsOf(this.#oneToken);
    this.key = typeof key === 'string' ? key : Object.freeze(kinds);
    Object.freeze(this);
  }

  route(key: PartitionKey): number {
    const { columns: combination } = this.#configuration;
    const isCombined = typeof this.key !== 'string' || combination?.isAlways || (key === null && this.#takesNull);
    if (isCombined) return this.#routeOne(key);
    const checked = checkPartitionKey(this.key, key);
    this.#oneHash[0] = this.#hashers[0].one(checked);
    const { finalize, toShard, settle } = this.#configuration;
    finalize?.(this.#oneToken);
    if (toShard.one) return toShard.one(this.#oneToken[0]);
    toShard.column(this.#oneToken, oneShard);
    settle?.(this.#oneToken, oneShard, () => (ArrayBuffer.isView(checked) ? checked : utf8Of(String(checked))));
    return oneShard[0];
  }

  /** The shard of a key of several columns, or of NULL. */
  #routeOne(key: PartitionKey): number {
    const values = typeof this.key === 'string' ? [key] : key;
    const { length } = this.#kinds;
    if (!Array.isArray(values)) throw wrongKind('key', `an array of ${length} values`, key);
    if (values.length !== length) throw wrongValue('key', `${length} values`, key);
    const columns = values.map((value, i) => columnOfKey(this.#kinds[i], value, this.#takesNull, `key[${i}]`));
    this.#route(columns, oneShard);
    return oneShard[0];
  }

  get #takesNull(): boolean {
    return this.#configuration.columns?.takesNull ?? false;
  }

  #columnsOf(keys: PartitionKeys): readonly KeyColumn[] {
    const kinds = this.#kinds;
    const isOne = typeof this.key === 'string';
    const arrays = this.#takesNull ? 'with null' : isOne ? 'of texts' : 'of any kind';
    if (isOne) return [checkPartitionKeys(kinds[0], keys, arrays)];
    if (!Array.isArray(keys) || keys.length !== kinds.length) {
      throw wrongKind('keys', `an array of ${kinds.length} columns`, keys);
    }
    const columns = kinds.map((kind, i) => checkPartitionKeys(kind, keys[i], arrays, `keys[${i}]`));
    for (const [i, { rows }] of columns.entries()) {
      if (rows !== columns[0].rows) throw wrongValue(`keys[${i}]`, `${columns[0].rows} rows, as in keys[0]`, rows);
    }
    return columns;
  }

  routeMany(keys: PartitionKeys, options?: { out?: Uint32Array | undefined }): Uint32Array {
    const columns = this.#columnsOf(keys);
    const [{ rows }] = columns;
    const { out } = checkOptions(options, ['out']);
    const memory = columns.flatMap((column) => column.memory);
    const shards = checkOut(out, Uint32Array, rows, memory);
    // A row may be refused after others have been routed.
    const refuses = this.#configuration.refuses || this.#hashers[0].refuses?.(columns[0]);
    const isSafe = out === undefined || (columns.length === 1 && !refuses);
    const routed = isSafe ? shards : new Uint32Array(rows);
    this.#route(columns, routed);
    if (!isSafe) shards.set(routed);
    return shards;
  }

  tokens(keys: PartitionKeys): Tokens {
    const columns = this.#columnsOf(keys);
    const [{ rows }] = columns;
    const tokens = new TOKEN_ARRAYS[this.#configuration.tokens](rows);
    for (let from = 0; from < rows; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, rows);
      this.#hash(columns, from, to, tokens.subarray(from, to));
    }
    return tokens;
  }

  toJSON(): PartitionerJson {
    const { system, key } = this;
    return { system, ...this.#configuration.json, key };
  }

  get 'shardbits.abilities'(): Abilities {
    const routeRows = (columns: readonly RowValues[], shards: Uint32Array) => {
      const isOne = typeof this.key === 'string';
      const read = this.#kinds.map((kind, i) => keysInRows(kind, columns[i], isOne ? 'keys' : `keys[${i}]`));
      this.#route(read, shards);
    };
    const checkKeys = (keys: PartitionKeys) => checkPartitionKeys(this.#kinds[0], keys);
    const { servers } = this.#configuration.json;
    return { kinds: this.#kinds, takesNull: this.#takesNull, servers, checkKeys, routeRows };
  }

  /** How messages and `console.log` name it. */
  get [Symbol.toStringTag](): string {
    return 'Partitioner';
  }

  /** Tokens become shards in the kernels' own memory, a piece at a time. */
  #route(columns: readonly KeyColumn[], shards: Uint32Array): void {
    const [first] = columns;
    const { tokens: type, toShard, settle } = this.#configuration;
    const isOne = columns.length === 1 && first.nulls === undefined;
    let from = 0;
    do {
      const to = Math.min(from + PIECE_ROWS, first.rows);
      // Hashing several columns may grow the memory of the kernels.
      const memory = isOne ? viewOf(kernels().scratch, 0, to - from) : new BigUint64Array(to - from);
      const tokens = tokensIn(type, memory);
      this.#hash(columns, from, to, tokens);
      const piece = viewOf(shards, from, to);
      toShard.column(tokens, piece);
      const start = from;
      settle?.(tokens, piece, (row) => bytesOf(first as TextColumn, start + row), start);
      from = to;
    } while (from < first.rows);
  }

  #hash(columns: readonly KeyColumn[], from: number, to: number, tokens: Tokens): void {
    const { columns: combination, finalize } = this.#configuration;
    const [first] = columns;
    const isNeeded =
      columns.length > 1 || combination?.isAlways || (combination?.takesNull && first.nulls !== undefined);
    if (combination !== undefined && isNeeded) {
      const hashed = columns.map((column, i): HashedKeys => ({ hasher: this.#hashers[i], column }));
      combination.hash(hashed, from, to, bitsOf(tokens));
    } else this.#hashers[0].column(first, from, to, bitsOf(tokens));
    finalize?.(tokens);
  }
}

const utf8Of = (text: string): Uint8Array => encoder().encode(text);

function bytesOf(column: TextColumn, row: number): Uint8Array {
  if (column.kind === 'text') return utf8Of(column.texts[row]);
  const { data, starts, ends } = column.spans;
  return data.subarray(starts[row], ends[row]);
}

/** Memory as tokens of a type. */
function tokensIn(type: TokenType, { buffer, byteOffset, length }: BigUint64Array): Tokens {
  return new TOKEN_ARRAYS[type](buffer, byteOffset, length);
}

/** Tokens as unsigned integers of the same bits. */
function bitsOf({ BYTES_PER_ELEMENT, buffer, byteOffset, length }: Tokens): HashColumn {
  return new TOKEN_ARRAYS[BYTES_PER_ELEMENT === 4 ? 'u32' : 'u64'](buffer, byteOffset, length) as HashColumn;
}
