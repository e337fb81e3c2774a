import { checkOneOf, checkOptions, checkRecord, wrongKind, wrongValue } from '../arguments.js';
import { checkOut, type KeyColumn, type TextColumn } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { type HashColumn, PIECE_ROWS, type Spans, viewOf } from '../kernels/types.js';
import type { Abilities, Routing } from '../routing/routing.js';
import type { KeyHasher } from './hash.js';
import {
  checkPartitionKey,
  checkPartitionKeys,
  KEY_KINDS,
  type KeyKind,
  type KeyOf,
  keysInText,
  type PartitionKey,
  type PartitionKeys,
  textOfSpan,
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
  /** The kind of keys. */
  readonly key: KeyKind;
  /** The number of partitions, buckets, slots, vBuckets, key groups or shards; 0 for Cassandra without a ring. */
  readonly shards: number;
  /**
   * The shard of one key.
   * @param key text: a string; bytes: bytes; int32: a number; int64: a bigint from -2^63 to 2^63 - 1; uuid: text of 36
   *   characters, or 16 bytes
   * @throws TypeError if the key is of another kind
   * @throws RangeError if the key is out of range or not a UUID
   */
  route(key: K): number;
  /**
   * The shard of every key of a column.
   * @param keys text: strings, or a BytesColumn of UTF-8; bytes: a BytesColumn; int32: an Int32Array; int64: a BigInt64Array;
   *   uuid: strings, or a BytesColumn with 16 bytes or 36 characters a row
   * @param options.out where the shards go, as long as `keys`
   * @returns `out`, or a new array
   * @throws TypeError if an argument or a row is of the wrong kind
   * @throws RangeError if a row is not a UUID, or is not UTF-8 although the system hashes UTF-16, or `out` has another length
   *   or overlaps `keys`; nothing has been written then
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
  readonly key: KeyKind;
  readonly [option: string]: unknown;
}

/** Options of a system, and the kind of its keys. */
export type PartitionerOptions<S extends SystemName, K extends KeyKind = KeyKind> = Systems[S]['options'] & {
  /** The kind of keys: `text` (default), `bytes`, `int32`, `int64` (default of discord) or `uuid`. Some systems do not have all kinds. */
  key?: K | undefined;
};

/**
 * Makes a partitioner with the same results as a system, for keys that are not null.
 * @param system the name of the system
 * @param options the options of the system: see their type
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an option is out of range or unknown, or the system does not have this kind of key
 * @example
 * partitioner('kafka', { partitions: 12 }).route('abc'); // 3
 * partitioner('redis').routeMany(['foo', 'bar']);
 */
export function partitioner<const S extends SystemName, const K extends KeyKind = UsualKind<S>>(
  system: S,
  ...[options]: undefined extends Systems[S]['options']
    ? [options?: PartitionerOptions<S, K> | { key?: K | undefined }]
    : [options: PartitionerOptions<S, K>]
): Partitioner<KeyOf<K>, Systems[S]['tokens']> {
  checkOneOf('system', system, SYSTEM_NAMES);
  const definition = definitionOf(system);
  const names = [...definition.options, 'key'] as ['key'];
  const { key = definition.key ?? 'text', ...rest } = checkOptions<{ key?: KeyKind | undefined }>(options, names);
  checkOneOf('key', key, KEY_KINDS);
  const made: Partitioner<any, any> = new SystemPartitioner(system, key, definition.configure(rest));
  return made;
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
  const { system, ...options } = json as { system: SystemName; tokens?: unknown };
  if (options.tokens !== undefined) options.tokens = tokensOf(options.tokens);
  return partitioner(system, options as never);
}

/** The tokens of a ring from JSON. */
function tokensOf(texts: unknown): BigInt64Array {
  if (!Array.isArray(texts)) throw wrongKind('tokens', 'an array of decimal integers as text', texts);
  const tokens = texts.map((text, row) => {
    if (typeof text !== 'string') throw wrongKind('tokens', 'a decimal integer as text', text, row);
    const token = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
    if (token === undefined || BigInt.asIntN(64, token) !== token) {
      throw wrongValue('tokens', 'a decimal integer from -2^63 to 2^63 - 1', text, row);
    }
    return token;
  });
  return BigInt64Array.from(tokens);
}

/** Memory for one token, in the kernels' type and in the system's, and for its shard. */
const one = /* @__PURE__ */ new BigUint64Array(1);
const oneShard = /* @__PURE__ */ new Uint32Array(1);

class SystemPartitioner implements Partitioner {
  readonly shards: number;
  readonly #configuration: Configuration;
  readonly #hasher: KeyHasher;
  /** Memory for single keys. */
  readonly #oneToken: Tokens;
  readonly #oneHash: HashColumn;

  constructor(
    readonly system: SystemName,
    readonly key: KeyKind,
    configuration: Configuration,
  ) {
    const hasher = configuration.hashers[key];
    if (hasher === undefined) {
      const kinds = KEY_KINDS.filter((kind) => kind in configuration.hashers).map((kind) => `'${kind}'`);
      throw wrongValue('key', `one of ${kinds.join(', ')}, which are the keys of ${system}`, key);
    }
    this.shards = configuration.shards;
    this.#configuration = configuration;
    this.#hasher = hasher;
    this.#oneToken = tokensIn(configuration.tokens, one);
    this.#oneHash = bitsOf(this.#oneToken);
    Object.freeze(this);
  }

  route(key: PartitionKey): number {
    const checked = checkPartitionKey(this.key, key);
    this.#oneHash[0] = this.#hasher.one(checked) as never;
    const { finalize, toShard, settle } = this.#configuration;
    finalize?.(this.#oneToken);
    if (toShard.one) return toShard.one(this.#oneToken[0]);
    toShard.column(this.#oneToken, oneShard);
    settle?.(this.#oneToken, oneShard, () => (typeof checked === 'string' ? utf8Of(checked) : (checked as Uint8Array)));
    return oneShard[0];
  }

  routeMany(keys: PartitionKeys, options?: { out?: Uint32Array | undefined }): Uint32Array {
    const column = checkPartitionKeys(this.key, keys);
    const { out } = checkOptions(options, ['out']);
    const shards = checkOut(out, Uint32Array, column.rows, column.memory);
    // A row may be refused after others have been routed.
    const isSafe = column.kind !== 'bytes' || !this.#hasher.refuses || out === undefined;
    const routed = isSafe ? shards : new Uint32Array(column.rows);
    this.#route(column, routed);
    if (!isSafe) shards.set(routed);
    return shards;
  }

  tokens(keys: PartitionKeys): Tokens {
    const column = checkPartitionKeys(this.key, keys);
    const tokens = new TOKEN_ARRAYS[this.#configuration.tokens](column.rows);
    for (let from = 0; from < column.rows; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, column.rows);
      this.#hash(column, from, to, tokens.subarray(from, to));
    }
    return tokens;
  }

  toJSON(): PartitionerJson {
    const { system, key } = this;
    return { system, ...this.#configuration.json, key };
  }

  get 'shardbits.abilities'(): Abilities {
    const routeText = (rows: Spans, shards: Uint32Array) => this.#route(keysInText(this.key, rows), shards);
    return { keys: this.key, servers: this.#configuration.json.servers, routeText };
  }

  /** How messages and `console.log` name it. */
  get [Symbol.toStringTag](): string {
    return 'Partitioner';
  }

  /** Tokens become shards in the kernels' own memory, a piece at a time. */
  #route(column: KeyColumn, shards: Uint32Array): void {
    let from = 0;
    do {
      const to = Math.min(from + PIECE_ROWS, column.rows);
      const tokens = tokensIn(this.#configuration.tokens, viewOf(kernels().scratch, 0, to - from));
      this.#hash(column, from, to, tokens);
      const piece = viewOf(shards, from, to);
      this.#configuration.toShard.column(tokens, piece);
      const start = from;
      this.#configuration.settle?.(tokens, piece, (row) => bytesOf(column as TextColumn, start + row));
      from = to;
    } while (from < column.rows);
  }

  #hash(column: KeyColumn, from: number, to: number, tokens: Tokens): void {
    const bad = this.#hasher.column(column, from, to, bitsOf(tokens));
    if (bad >= 0) throw notUtf8(column, from + bad);
    this.#configuration.finalize?.(tokens);
  }
}

const utf8Of = (text: string): Uint8Array => new TextEncoder().encode(text);

function bytesOf(column: TextColumn, row: number): Uint8Array {
  if (column.kind === 'text') return utf8Of(column.texts[row]);
  const { data, starts, ends } = column.spans;
  return data.subarray(starts[row], ends[row]);
}

/** Memory as tokens of a type. */
function tokensIn(type: TokenType, { buffer, byteOffset, length }: BigUint64Array): Tokens {
  return new TOKEN_ARRAYS[type](buffer as ArrayBuffer, byteOffset, length);
}

/** Tokens as unsigned integers of the same bits. */
function bitsOf(tokens: Tokens): HashColumn {
  const { buffer, byteOffset, length } = tokens;
  const type = tokens.BYTES_PER_ELEMENT === 4 ? Uint32Array : BigUint64Array;
  return new type(buffer as ArrayBuffer, byteOffset, length);
}

function notUtf8(column: KeyColumn, row: number): RangeError {
  return wrongValue('keys', 'text in UTF-8', column.kind === 'bytes' ? textOfSpan(column.spans, row) : column, row);
}
