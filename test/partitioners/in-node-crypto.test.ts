// MongoDB and Vitess by MD5 and DES of OpenSSL, which Node.js has, and bytes that are put together here.
import { createCipheriv, createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type KeyKind, partitioner, systems } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { randomKeys, uuidText } from './random-keys.js';
import { keysOf, randomRows, signaturesOf } from './random-rows.js';
import { expectSame } from './real-systems.js';
import { make, uuidBytes } from './samples.js';

const KEYS = scaled(100_000, 50);
const DAY_MS = 86_400_000n;

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const int64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
};
const md5 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Keys as values of one kind. Those that need no column of their own have one as strings. */
interface OfKind {
  readonly kind: KeyKind;
  readonly values: readonly unknown[];
  readonly column: unknown;
  /** The bytes of each, to name a key that fails. */
  readonly rows: readonly Uint8Array[];
}

function ofKind(kind: KeyKind): OfKind {
  if (kind === 'text' || kind === 'bytes') {
    const { keys, rows } = randomKeys(kind, KEYS);
    return { kind, values: rows, column: keys, rows };
  }
  const values = kind === 'objectid' ? objectIds() : valuesOf(kind);
  const column = kind === 'objectid' ? values : (keysOf({ kinds: [kind], columns: [values] } as never) as unknown[])[0];
  return { kind, values, column, rows: values.map((value) => Buffer.from(String(value))) };
}

/** Random ones, or integers of 64 bits as they fit into fewer. MongoDB has none of 2^63 and above. */
function valuesOf(kind: KeyKind): readonly unknown[] {
  if (['date', 'timestamp'].includes(kind)) return randomRows([kind], KEYS).columns[0];
  if (kind === 'uuid') return randomKeys(kind, KEYS).rows.map(uuidText);
  const integers = Array.from(randomKeys('int64', KEYS).keys as BigInt64Array);
  if (kind === 'int64') return integers;
  if (kind === 'u64') return integers.map((value) => BigInt.asUintN(63, value));
  const wrap = kind.startsWith('u') ? BigInt.asUintN : BigInt.asIntN;
  return integers.map((value) => Number(wrap(Number(/\d+/.exec(kind)), value)));
}

const objectIds = (): readonly string[] =>
  randomKeys('uuid', KEYS).rows.map((row) => Buffer.from(row.subarray(0, 12)).toString('hex'));

/** hasher.cpp: the type of a value in the order of BSON, and the value as in BSON. */
function inMongodb(kind: KeyKind, value: unknown): bigint {
  const [type, ...parts] = bson(kind, value);
  return md5(int32(0), int32(type), ...parts).readBigInt64LE(0);
}

function bson(kind: KeyKind, value: unknown): [type: number, ...parts: Uint8Array[]] {
  switch (kind) {
    case 'text':
      return [15, int32((value as Uint8Array).length + 1), value as Uint8Array, Uint8Array.of(0)];
    case 'bytes':
      return [30, int32((value as Uint8Array).length), Uint8Array.of(0), value as Uint8Array];
    case 'uuid':
      return [30, int32(16), Uint8Array.of(4), uuidBytes(value as string)];
    case 'objectid':
      return [35, Buffer.from(value as string, 'hex')];
    case 'date':
      return [45, int64(BigInt(value as number) * DAY_MS)];
    case 'timestamp':
      return [45, int64(((value as bigint) - ((((value as bigint) % 1000n) + 1000n) % 1000n)) / 1000n)];
    default:
      return [10, int64(BigInt(value as number))];
  }
}

/** initial_split_policy.cpp, calculateHashedSplitPoints. */
function boundsOf(chunks: number): bigint[] {
  const size = ((2n ** 63n - 1n) / BigInt(chunks)) * 2n;
  const bounds = chunks % 2 === 0 ? [0n] : [];
  let current = chunks % 2 === 0 ? size : size / 2n;
  for (let i = 0; i < Math.trunc((chunks - 1) / 2); i++) {
    bounds.push(current, -current);
    current += size;
  }
  return bounds.sort((a, b) => (a < b ? -1 : 1));
}

/** How many bounds are not above a token: a chunk begins with its lower bound. */
function chunkOf(token: bigint, bounds: readonly bigint[]): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bounds[middle] <= token) low = middle + 1;
    else high = middle;
  }
  return low;
}

describe.each(systems.mongodb.keys.map((kind) => [kind] as const))('MongoDB: %s keys', (kind) => {
  const keys = ofKind(kind);
  const tokens = BigInt64Array.from(keys.values, (value) => inMongodb(kind, value));

  onBothBackends('have the hashes of hasher.cpp', () => {
    it('all of them', () => {
      expectSame(keys as never, make('mongodb', { key: kind }).tokens(keys.column) as BigInt64Array, tokens);
    });

    it.each([1, 2, 3, 12, 1001])('are in the same of %i chunks of an empty collection', (shards) => {
      const bounds = boundsOf(shards);
      expect(bounds).toHaveLength(shards - 1);
      const theirs = Uint32Array.from(tokens, (token) => chunkOf(token, bounds));
      expectSame(keys as never, make('mongodb', { shards, key: kind }).routeMany(keys.column), theirs);
      const chunks = BigInt64Array.from(bounds);
      expectSame(keys as never, make('mongodb', { chunks, key: kind }).routeMany(keys.column), theirs);
    });
  });

  it('are told from the chunks of an empty collection, with some of another hash', () => {
    if (kind !== 'text') return;
    const bounds = boundsOf(12);
    const chunks = Uint32Array.from(tokens, (token) => chunkOf(token, bounds));
    const others = partitioner('kafka', { partitions: 12 }).routeMany(keys.column as string[]);
    expectDetected(keys.column as string[], chunks, others, '--as mongodb --shards 12');
  });
});

const cipher = createCipheriv('des-ede3-ecb', Buffer.alloc(24), null).setAutoPadding(false);

/** hash.go: DES with a key of zeros. Three times the same key is DES once, which OpenSSL 3 has only as a legacy. */
function inHash(value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value as bigint)));
  return cipher.update(bytes);
}

/** binarymd5.go. Integers are hashed as text. */
const inMd5 = (value: unknown): Buffer => md5(value instanceof Uint8Array ? value : Buffer.from(String(value)));

const VINDEXES = { hash: inHash, binary_md5: inMd5 };

/** The shards that start at or below the first byte of each keyspace id: key.go, GenerateShardRanges. */
function shardsOf(ids: readonly Buffer[], shards: number): Uint32Array {
  const starts = Array.from({ length: shards }, (_, i) => Math.floor((i * 256) / shards));
  const ofByte = Array.from({ length: 256 }, (_, byte) => starts.filter((start) => start <= byte).length - 1);
  return Uint32Array.from(ids, (id) => ofByte[id[0]]);
}

describe.each(['hash', 'binary_md5'] as const)('Vitess: the vindex %s', (vindex) => {
  describe.each(systems[`vitess:${vindex}`].keys.map((kind) => [kind] as const))('%s keys', (kind) => {
    const keys = ofKind(kind);
    const ids = keys.values.map(VINDEXES[vindex]);

    onBothBackends('have the keyspace ids', () => {
      it('all of them', () => {
        const tokens = make('vitess', { vindex, shards: 12, key: kind }).tokens(keys.column) as BigUint64Array;
        expectSame(
          keys as never,
          tokens,
          BigUint64Array.from(ids, (id) => id.readBigUInt64BE()),
        );
      });

      it.each([1, 3, 12, 256])('are in the same of %i shards', (shards) => {
        const ours = make('vitess', { vindex, shards, key: kind }).routeMany(keys.column);
        expectSame(keys as never, ours, shardsOf(ids, shards));
      });
    });
  });
});

describe('Vitess: the vindex multicol', () => {
  const kinds = systems['vitess:multicol'].keys;
  const BYTES = [undefined, [2], [1, 3], [1, 2, 3]];
  const signatures = signaturesOf(kinds).map(
    (ofColumns, i) => [ofColumns.join(', '), ofColumns, BYTES[i % 4]] as const,
  );

  onBothBackends('puts parts of keyspace ids together', () => {
    it.each(signatures)('of (%s)', (_, ofColumns, given) => {
      const columnBytes = given?.slice(0, ofColumns.length);
      const bytes = bytesOf(columnBytes ?? [], ofColumns.length);
      const columnVindexes = ofColumns.map((_, i) => (i % 2 === 0 ? 'hash' : 'binary_md5'));
      const rows = randomRows(ofColumns, Math.ceil(KEYS / signatures.length));
      const made = make('vitess', { vindex: 'multicol', shards: 12, columnVindexes, columnBytes, key: ofColumns });
      const expected = Array.from(rows.columns[0], (_, row) => {
        const parts = bytes.map((count, i) =>
          VINDEXES[i % 2 === 0 ? 'hash' : 'binary_md5'](rows.columns[i][row]).subarray(0, count),
        );
        return Buffer.concat([...parts, Buffer.alloc(8)], 8);
      });
      expect(made.tokens(keysOf(rows))).toEqual(BigUint64Array.from(expected, (id) => id.readBigUInt64BE()));
      expect(made.routeMany(keysOf(rows))).toEqual(shardsOf(expected, 12));
    });

    it('of up to eight columns', () => {
      for (let columns = 1; columns <= 8; columns++) {
        const values = Array.from({ length: columns }, (_, i) => new BigInt64Array(randomU64s(1000, i).buffer));
        const bytes = bytesOf([], columns);
        const ids = Array.from(values[0], (_, row) => {
          return Buffer.concat(bytes.map((count, i) => inHash(values[i][row]).subarray(0, count))).readBigUInt64BE();
        });
        const made = make('vitess', { vindex: 'multicol', shards: 12, key: values.map(() => 'int64') });
        expect(made.tokens(values)).toEqual(BigUint64Array.from(ids));
      }
    });
  });
});

/** multicol.go, getColumnBytes. */
function bytesOf(given: readonly number[], columns: number): number[] {
  const bytes = [...given];
  let rest = 8 - given.reduce((sum, count) => sum + count, 0);
  for (let left = columns - given.length; left > 0; left--) {
    bytes.push(Math.ceil(rest / left));
    rest -= Math.ceil(rest / left);
  }
  return bytes;
}
