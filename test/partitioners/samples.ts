// Keys of every kind, in every form that a partitioner takes.
import type { BytesColumn } from '../../src/index.js';
import { partitioner, partitionerFrom } from '../../src/partitioners/index.js';
import { utf8 } from '../support/bytes.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { UUID, type VectorKind } from '../vectors/partitioner-vector.js';
import { TEXT_CHECKSUMS } from '../vectors/partitioners.js';

/** A partitioner without the types of its keys, for tests that try every kind. */
export interface AnyPartitioner {
  readonly system: string;
  readonly key: string;
  readonly shards: number;
  route(key: unknown): number;
  routeMany(keys: unknown, options?: unknown): Uint32Array;
  tokens(keys: unknown): BigUint64Array | BigInt64Array | Int32Array | Uint32Array;
  toJSON(): object;
}

export const make = partitioner as unknown as (system: unknown, options?: unknown) => AnyPartitioner;
export const makeFrom = partitionerFrom as unknown as (json: unknown) => AnyPartitioner;

/** Rows one after the other, the first of them at `start`. */
export function bytesColumn(rows: readonly Uint8Array[], start = 0): BytesColumn {
  const offsets = new Uint32Array(rows.length + 1).fill(start);
  for (const [i, row] of rows.entries()) offsets[i + 1] = offsets[i] + row.length;
  const data = new Uint8Array(offsets[rows.length] + 3).fill(0xa5);
  for (const [i, row] of rows.entries()) data.set(row, offsets[i]);
  return { data, offsets };
}

/** The 16 bytes of a uuid. */
export function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** One key in every form that it can have. */
export function formsOf(kind: VectorKind, key: unknown): unknown[] {
  if (kind === 'uuid') {
    const uuid = key as string;
    const bytes = uuidBytes(uuid);
    return [uuid, uuid.toUpperCase(), bytes, bytes.buffer, new DataView(bytes.buffer)];
  }
  if (key === 0) return [0, -0];
  if (kind !== 'bytes') return [key];
  const bytes = Uint8Array.from(key as Uint8Array);
  const within = Uint8Array.of(1, 2, 3, ...bytes.subarray(0, 1000), 4, 5);
  return [
    key,
    bytes.buffer,
    new DataView(bytes.buffer),
    ...(bytes.length <= 1000
      ? [within.subarray(3, 3 + bytes.length), new Int8Array(within.buffer, 3, bytes.length)]
      : []),
  ];
}

/** A column of keys: strings, typed integers, or a BytesColumn of bytes. */
export function columnOf(kind: VectorKind, keys: readonly unknown[]): unknown {
  if (kind === 'int32') return Int32Array.from(keys as number[]);
  if (kind === 'int64') return BigInt64Array.from(keys as bigint[]);
  return kind === 'bytes' ? bytesColumn(keys as Uint8Array[]) : keys;
}

/** A column in every form that it can have, {@link columnOf} first. Text must be without lone surrogates. */
export function columnsOf(kind: VectorKind, keys: readonly unknown[]): unknown[] {
  return [columnOf(kind, keys), ...otherColumns(kind, keys)];
}

function otherColumns(kind: VectorKind, keys: readonly unknown[]): unknown[] {
  switch (kind) {
    case 'text': {
      const rows = (keys as string[]).map(utf8);
      return [bytesColumn(rows), bytesColumn(rows, 5)];
    }
    case 'bytes':
      return [bytesColumn(keys as Uint8Array[], 5)];
    case 'int32':
      return [Int32Array.of(7, ...(keys as number[]), 7).subarray(1, -1)];
    case 'int64':
      return [BigInt64Array.of(7n, ...(keys as bigint[]), 7n).subarray(1, -1)];
    case 'uuid': {
      const lower = keys as string[];
      const upper = lower.map((uuid) => uuid.toUpperCase());
      const rows = lower.map(uuidBytes);
      const mixed = [lower.map(utf8), rows, upper.map(utf8)];
      return [
        upper,
        bytesColumn(rows),
        bytesColumn(
          rows.map((_, row) => mixed[row % 3]?.[row] as Uint8Array),
          5,
        ),
      ];
    }
  }
}

/** Tokens of any type as bigints. */
export const bigints = (tokens: Iterable<number | bigint>): bigint[] => Array.from(tokens, BigInt);

/** Every system and variant, with options that all kinds of keys can be tried with. */
export const SYSTEMS: readonly { readonly system: string; readonly options: object }[] = [
  // farmHash64 refuses long keys: vectors.test.ts has it.
  ...TEXT_CHECKSUMS.filter(({ options }) => !('hash' in options && options.hash === 'farmHash64')),
  { system: 'cassandra', options: { tokens: BigInt64Array.from({ length: 256 }, (_, i) => BigInt(i - 128) << 56n) } },
  { system: 'discord', options: { shards: 12 } },
  { system: 'mysql', options: { partitions: 12 } },
];

export const titleOf = ({ system, options }: { system: string; options: object }): string =>
  `${system} ${Object.entries(options).map(([name, value]) => `${name}=${typeof value === 'object' ? '...' : value}`)}`;

/** Systems that hash the UTF-16 code units of a text. All others hash its UTF-8 bytes. */
export function isUtf16({ system, options }: { system: string; options: object }): boolean {
  const { variant } = options as { variant?: string };
  return (
    ['elasticsearch', 'flink'].includes(system) || variant === 'rdd' || (system === 'pulsar' && variant !== 'murmur3')
  );
}

const MD5_OR_NAMES = ['kinesis', 'ketama', 'nginx']; // their keys are text
const ONLY_STRINGS = ['redis', 'ragedb', 'couchbase', 'elasticsearch', 'nats', 'pulsar', 'bigquery', 'eventhubs'];

/** The kinds of keys that a system has. */
export function kindsOf(system: string, options: object): readonly VectorKind[] {
  if (system === 'discord') return ['int64', 'int32'];
  if (system === 'mysql') return ['int64', 'int32', 'bytes'];
  if (system === 'prometheus') return ['text'];
  const hasBytes = !isUtf16({ system, options }) && !['pulsar', 'hive'].includes(system);
  const hasIntegers = ![...ONLY_STRINGS, ...MD5_OR_NAMES].includes(system);
  const hasUuids = ['kafka', 'iceberg', 'postgres', 'citus', 'cassandra', 'flink', 'clickhouse', 'mongodb'].includes(
    system,
  );
  const kinds: readonly [VectorKind, boolean][] = [
    ['text', true],
    ['bytes', hasBytes],
    ['int32', hasIntegers],
    ['int64', hasIntegers],
    ['uuid', hasUuids],
  ];
  return kinds.filter(([, has]) => has).map(([kind]) => kind);
}

/** Keys of each kind: edges, every length from 0 to 300, and random ones. */
export const SAMPLES: { readonly [kind in VectorKind]: readonly unknown[] } = {
  text: [
    ...['{a}b', '{}', 'a{b}{c}', '\ufeff', '\ufeffabc', 'é', 'жук', '你好', '😀', 'a😀é你', '\u{10ffff}', '\uffff'],
    ...lengths((length) => String.fromCharCode(...randomBytes(length, length).map((byte) => 32 + (byte % 95)))),
    ...lengths((length) =>
      String.fromCodePoint(...Array.from(randomBytes(length >> 1, length), (byte) => codePoint(byte))),
    ),
  ],
  bytes: lengths((length) => randomBytes(length, length)),
  int32: [
    ...[0, 1, -1, 42, 127, 128, 255, 256, 65535, 65536, 2 ** 31 - 1, -(2 ** 31)],
    ...[...powersOfTen(9), ...integers(32)].map(Number),
  ],
  int64: [
    ...[0n, 1n, -1n, 42n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n), -(2n ** 31n) - 1n, 2n ** 32n, 2n ** 53n + 1n],
    ...[2n ** 63n - 1n, -(2n ** 63n), ...powersOfTen(18), ...integers(64)],
  ],
  uuid: [
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    UUID,
    ...Array.from({ length: 100 }, (_, i) => uuidOf(randomBytes(16, i))),
  ],
};

function lengths<Key>(make: (length: number) => Key): Key[] {
  return Array.from({ length: 301 }, (_, length) => make(length));
}

/** A code point of 1 to 4 bytes in UTF-8, and no surrogate. */
function codePoint(byte: number): number {
  return [0x20 + (byte >> 2), 0x80 + byte, 0x800 + 100 * byte, 0x10000 + 1000 * byte][byte % 4];
}

/** 10, 100, … and the integers before them, of either sign. */
function powersOfTen(most: number): bigint[] {
  const powers = Array.from({ length: most }, (_, i) => 10n ** BigInt(i + 1));
  return powers.flatMap((power) => [power, power - 1n, -power, 1n - power]);
}

function integers(bits: number): bigint[] {
  return Array.from(randomU64s(100), (value, i) => BigInt.asIntN(bits, value >> BigInt(i % bits)));
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
