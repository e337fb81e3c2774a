import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BytesColumn, Router, type Routing } from 'shardbits';
import { type PoolKeys, routeFile, WorkerPool } from 'shardbits/node';
import { type Partitioner, partitioner } from 'shardbits/partitioners';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import {
  byInt32,
  byInt64,
  file,
  givesTheShards,
  int32s,
  int64s,
  kafka,
  linesOf,
  ROWS,
  words,
} from './thread-samples.js';

// What has threads is tested as it is shipped: a thread needs its script.

const TASK_ROWS = 65_536;

const bytes = columnOf(
  Buffer.from(words.join('')),
  words.map((word) => Buffer.byteLength(word)),
);
const uuids = columnOf(randomBytes(16 * ROWS), Array(ROWS).fill(16));

const byUnits = partitioner('elasticsearch', { shards: 5 });
const byUuid = partitioner('postgres', { modulus: 10, key: 'uuid' });
const byRing = partitioner('cassandra', {
  tokens: BigInt64Array.from({ length: 256 }, (_, i) => BigInt(i - 128) << 56n),
  key: 'int64',
});

const router = new Router({ shards: 12 });
const own: Routing = {
  shards: 12,
  route: (key) => router.route(key),
  routeMany: (keys, options) => router.routeMany(keys, options),
  toJSON: () => router.toJSON(),
};

function columnOf(data: Uint8Array, byteLengths: readonly number[]): BytesColumn {
  const offsets = new Uint32Array(byteLengths.length + 1);
  for (const [row, length] of byteLengths.entries()) offsets[row + 1] = offsets[row] + length;
  return { data, offsets };
}

type Column = Uint8Array | Uint32Array | Int32Array | BigInt64Array;

function shared<T extends Column>(array: T): T {
  const copy = new Uint8Array(new SharedArrayBuffer(array.byteLength));
  copy.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  const Type = { Int32Array, BigInt64Array, Uint32Array }[array.constructor.name] ?? Uint8Array;
  return new (Type as unknown as new (buffer: ArrayBufferLike) => T)(copy.buffer);
}

const sharedBytes = ({ data, offsets }: BytesColumn): BytesColumn => ({ data: shared(data), offsets: shared(offsets) });

function expectSame(got: ArrayBufferView, expected: ArrayBufferView): void {
  const [a, b] = [got, expected].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  expect(a?.equals(b)).toBe(true); // `toEqual` takes seconds
}

describe('routeFile on two threads', () => {
  givesTheShards([
    ['text in UTF-16', byUnits, words],
    ['int64, by a ring', byRing, int64s],
  ]);

  it('gives the shards of bytes that are written in hex', async () => {
    const by = partitioner('kafka', { partitions: 12, key: 'bytes' });
    const text = linesOf(words.map((word) => Buffer.from(word).toString('hex')));
    const times = Math.ceil((10 * 1024 * 1024) / text.length); // above the 8 MiB of one thread
    const out = join(temporaryFolder(), 'out');
    await routeFile(file(text.repeat(times)), { router: by, keys: 'hex', out, format: 'u32', threads: 2 });
    const shards = Buffer.from(by.routeMany(bytes).buffer as ArrayBuffer);
    expect(readFileSync(out).equals(Buffer.concat(Array(times).fill(shards)))).toBe(true);
  });

  it('refuses a Routing of your own, also for a small file, and reads it on one', async () => {
    const [path, folder] = [file('a\nb\n'), temporaryFolder()];
    const out = join(folder, 'out');
    const refused = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE', argument: 'router' };
    await expect(routeFile(path, { router: own, out, threads: 2 })).rejects.toMatchObject(refused);
    expect(readdirSync(folder)).toEqual([]);
    await routeFile(path, { router: own, out, format: 'shard', threads: 1 });
    expect(readFileSync(out, 'utf8')).toBe(linesOf(router.routeMany(['a', 'b'])));
  });
});

describe('routeMany of a pool', () => {
  const pool = new WorkerPool({ threads: 2 });
  afterAll(() => pool.close());

  it.each<[what: string, by: Partitioner, keys: PoolKeys]>([
    ['text', kafka, bytes],
    ['text in shared memory', kafka, sharedBytes(bytes)],
    ['text in shared memory, its offsets not', kafka, { data: shared(bytes.data), offsets: bytes.offsets }],
    ['text in UTF-16', byUnits, bytes],
    ['text in UTF-16 in shared memory', byUnits, sharedBytes(bytes)],
    ['bytes', partitioner('redis', { key: 'bytes' }), bytes],
    ['int32', byInt32, int32s],
    ['int32 in shared memory', byInt32, shared(int32s)],
    ['int32, some of them', byInt32, int32s.subarray(7, 70_007)],
    ['int64', byInt64, int64s],
    ['int64 in shared memory', byInt64, shared(int64s)],
    ['int64, by a ring', byRing, int64s.subarray(1)],
    ['uuid', byUuid, uuids],
    ['uuid in shared memory', byUuid, sharedBytes(uuids)],
    ['no rows', byInt32, new Int32Array(0)],
  ])('gives what a partitioner gives: %s', async (_, by, keys) => {
    const expected = by.routeMany(keys);
    expectSame(await pool.routeMany(by, keys), expected);
    for (const out of [new Uint32Array(expected.length), shared(new Uint32Array(expected.length))]) {
      expect(await pool.routeMany(by, keys, { out })).toBe(out);
      expectSame(out, expected);
    }
  });

  it('leaves keys where they are', async () => {
    const [some, text] = [int64s.slice(), { data: new Uint8Array(bytes.data), offsets: bytes.offsets.slice() }];
    await Promise.all([pool.routeMany(byInt64, some), pool.routeMany(kafka, text)]);
    expectSame(some, int64s);
    expectSame(text.data, bytes.data);
    expectSame(text.offsets, bytes.offsets);
  });

  it('does columns of several partitioners and Routers at a time', async () => {
    const shards = await Promise.all([
      pool.routeMany(byInt64, int64s),
      pool.routeMany(router, int64s),
      pool.routeMany(byInt32, int32s),
      pool.routeMany(kafka, bytes),
    ]);
    const expected = [
      byInt64.routeMany(int64s),
      router.routeMany(int64s),
      byInt32.routeMany(int32s),
      kafka.routeMany(bytes),
    ];
    for (const [i, some] of shards.entries()) expectSame(some, expected[i]);
  });

  it('refuses a Routing of your own', async () => {
    const out = new Uint32Array(ROWS).fill(7);
    await expect(pool.routeMany(own, int64s, { out })).rejects.toMatchObject({
      name: 'TypeError',
      argument: 'router',
      code: 'ERR_INVALID_ARG_TYPE',
    });
    expectSame(out, new Uint32Array(ROWS).fill(7));
  });

  it.each<[by: Partitioner, what: string, keys: unknown]>([
    [kafka, 'an Int32Array', int32s],
    [kafka, 'a BigInt64Array', int64s],
    [kafka, 'strings', ['a']],
    [byInt32, 'a BigInt64Array', int64s],
    [byInt32, 'a Uint32Array', new Uint32Array(ROWS)],
    [byInt32, 'a BytesColumn', bytes],
    [byInt32, 'an Array', [1]],
    [byInt64, 'a BigUint64Array', new BigUint64Array(ROWS)],
    [byInt64, 'an Int32Array', int32s],
    [byInt64, 'a BytesColumn', bytes],
    [byUuid, 'strings', ['f79c3e09-677c-4bbd-a479-3f349cb785e7']],
    [byUuid, 'a BigInt64Array', int64s],
    [byUuid, 'nothing', undefined],
    [kafka, 'null', null],
  ])('refuses keys of the wrong kind, and has written nothing: %o, %s', async (by, _, keys) => {
    for (const out of [new Uint32Array(ROWS).fill(7), shared(new Uint32Array(ROWS).fill(7))]) {
      const running = pool.routeMany(by, keys as PoolKeys, { out });
      await expect(running).rejects.toMatchObject({
        name: 'TypeError',
        argument: 'keys',
        code: 'ERR_INVALID_ARG_TYPE',
      });
      expectSame(out, new Uint32Array(ROWS).fill(7));
    }
  });

  it('names what it accepts of each kind', async () => {
    const expected = async (by: Partitioner) =>
      ((await pool.routeMany(by, ['a'] as never).catch((error) => error)) as { expected: string }).expected;
    expect(await expected(byInt32)).toBe('an Int32Array');
    expect(await expected(byInt64)).toBe('a BigInt64Array');
    expect(await expected(kafka)).toMatch(/^a BytesColumn/);
    expect(await expected(byUuid)).toMatch(/BytesColumn/);
  });

  it.each([
    ['in memory of its own', (column: BytesColumn) => column],
    ['in shared memory', sharedBytes],
  ])('refuses a row that is not UTF-8 by its number, and has written nothing: %s', async (_, place) => {
    for (const row of [5, TASK_ROWS + 4464, ROWS - 1]) {
      const data = new Uint8Array(bytes.data);
      data.fill(0xff, bytes.offsets[row], bytes.offsets[row + 1]);
      const column = place({ data, offsets: bytes.offsets });
      for (const out of [new Uint32Array(ROWS).fill(7), shared(new Uint32Array(ROWS).fill(7))]) {
        const error = await pool.routeMany(byUnits, column, { out }).catch((caught) => caught);
        expect(error).toMatchObject({ name: 'RangeError', argument: 'keys', expected: 'text in UTF-8' });
        expectSame(out, new Uint32Array(ROWS).fill(7));
        expect(error).toMatchObject({ row, message: expect.stringContaining(`"keys" row ${row}: `) });
      }
    }
  });

  it('refuses a row that is not a UUID, and an array of another length', async () => {
    const out = shared(new Uint32Array(ROWS).fill(7));
    const offsets = uuids.offsets.slice();
    offsets[70_000] = offsets[70_000] - 1;
    const running = pool.routeMany(byUuid, { data: uuids.data, offsets }, { out });
    await expect(running).rejects.toMatchObject({ name: 'RangeError', argument: 'keys', row: 69_999 });
    expectSame(out, new Uint32Array(ROWS).fill(7));
    const short = pool.routeMany(byInt64, int64s, { out: new Uint32Array(5) });
    await expect(short).rejects.toMatchObject({ name: 'RangeError', argument: 'out' });
  });

  it('refuses a partitioner of Cassandra without a ring', async () => {
    const out = new Uint32Array(ROWS).fill(7);
    const running = pool.routeMany(partitioner('cassandra', { key: 'int64' }), int64s, { out });
    await expect(running).rejects.toMatchObject({ name: 'TypeError', argument: 'tokens' });
    expectSame(out, new Uint32Array(ROWS).fill(7));
  });
});
