// Keys in lines and records, with partitioners for them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Routing } from '../../src/index.js';
import { type RecordFormat, routeFile, routeStream } from '../../src/node/index.js';
import { type Partitioner, type PartitionKeys, partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { all, chunked } from '../support/streams.js';

/** So many keys of each kind. */
export function keysOf(rows: number) {
  const texts = Array.from(randomU64s(rows), (value, i) => `${['', 'é{a}', '{b}c', '😀'][i % 4]}${value % 5000n}`);
  const int32s = Int32Array.from(randomU64s(rows), (value, i) => Number(BigInt.asIntN(32, value >> BigInt(i % 32))));
  const int64s = new BigInt64Array(randomU64s(rows).buffer).map((value, i) => value >> BigInt(i % 64));
  int32s.set([0, -1, 2 ** 31 - 1, -(2 ** 31)]);
  int64s.set([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 32n), 2n ** 32n, -(2n ** 31n), 2n ** 31n]);
  const uuids = Array.from({ length: rows }, (_, i) => {
    const hex = Buffer.from(randomBytes(16, i)).toString('hex');
    const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return i % 2 === 0 ? uuid : uuid.toUpperCase();
  });
  return { texts, int32s, int64s, uuids };
}

export const ROWS = scaled(1500, 2.5);

export const { texts, int32s, int64s, uuids } = keysOf(ROWS);

/** A partitioner, its keys, and the same keys as text. */
export interface Sample {
  readonly by: Partitioner;
  readonly keys: PartitionKeys;
  readonly texts: readonly string[];
}

export const kafka = partitioner('kafka', { partitions: 12 });
export const byInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });
export const byInt32 = partitioner('spark', { partitions: 9, key: 'int32' });
export const byUuid = partitioner('postgres', { modulus: 11, key: 'uuid' });

/** A partitioner for each kind of keys. */
export function samplesOf({ texts, int32s, int64s, uuids }: ReturnType<typeof keysOf>) {
  const samples: readonly (readonly [name: string, sample: Sample])[] = [
    ['text', { by: partitioner('redis'), keys: texts, texts }],
    ['text in UTF-16', { by: partitioner('elasticsearch', { shards: 7 }), keys: texts, texts }],
    ['int32', { by: byInt32, keys: int32s, texts: Array.from(int32s, String) }],
    ['int64', { by: byInt64, keys: int64s, texts: Array.from(int64s, String) }],
    ['uuid', { by: byUuid, keys: uuids, texts: uuids }],
  ];
  return samples;
}

export const SAMPLES = samplesOf({ texts, int32s, int64s, uuids });

/** A table of records with such keys, without its last newline, and a record with its shard. */
export interface TableForm {
  readonly rows: RecordFormat;
  readonly header: string;
  record(text: string, i: number): string;
  withShard(record: string, shard: number): string;
}

export const TABLES: readonly TableForm[] = [
  {
    rows: { format: 'csv', key: 'user' },
    header: 'id,user',
    record: (text, i) => `${i},${i % 3 === 0 ? `"${text}"` : text}`,
    withShard: (record, shard) => `${record},${shard}`,
  },
  {
    rows: { format: 'ndjson', key: 'user.id' },
    header: '',
    record: (text, i) =>
      `{"user":{"id":${/^-?[1-9]\d*$/.test(text) && i % 2 ? text : JSON.stringify(text)},"no":${i}}}`,
    withShard: (record, shard) => `${record.slice(0, -1)},"shard":${shard}}`,
  },
];

export const linesOf = (lines: Iterable<unknown>): string => Array.from(lines, (line) => `${line}\n`).join('');

export function file(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, content);
  return path;
}

type RouteOptions = Omit<Parameters<typeof routeFile>[1], 'out'>;

/** What `routeFile` writes. */
export async function routed(content: string | Uint8Array, options: RouteOptions): Promise<Buffer> {
  const out = join(temporaryFolder(), 'out');
  await routeFile(file(content), { ...options, out });
  return readFileSync(out);
}

export async function streamed(
  content: string | Uint8Array,
  ...args: Parameters<typeof routeStream>
): Promise<number[]> {
  const shards = await all(chunked(Buffer.from(content), 7, 50_000, 333).pipeThrough(routeStream(...args)));
  return shards.flatMap((some) => [...some]);
}

/** Texts are the same; without a long message if not. */
export function expectSame(got: unknown, expected: string): void {
  const text = String(got);
  expect(text.slice(0, 500)).toBe(expected.slice(0, 500));
  expect(text === expected).toBe(true);
}

/** The same shards from a Routing of somebody else, which gives arrays of its own. */
export function ownRouting(routing: Routing, more: Partial<Routing> = {}): Routing {
  const { shards } = routing;
  return {
    shards,
    route: (key) => routing.route(key),
    routeMany: (keys) => routing.routeMany(keys),
    toJSON: () => ({ mine: shards }),
    ...more,
  };
}
