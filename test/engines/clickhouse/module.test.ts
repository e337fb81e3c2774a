import { describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../../src/engines/sql/clickhouse/module.js';
import { type BytesColumn, type Keys, Router, type RouterOptions, xxh64Many } from '../../../src/index.js';
import { type Partitioner, partitioner } from '../../../src/partitioners/index.js';
import { randomKeys } from '../../partitioners/random-keys.js';
import { utf8 } from '../../support/bytes.js';
import '../../support/equality.js';
import { scaled } from '../../support/scale.js';
import { type Argument, array, Instance, MODULE, router, text, u32sIn, u64, u64sIn } from './module.js';

const COUNT = scaled(20_000, 20);
const LARGEST = 2n ** 64n - 1n;
const SEEDS = [0n, 7n, 42n, LARGEST];

const texts = randomKeys('text', COUNT);
const bytes = randomKeys('bytes', COUNT);
/** Every length from 0 to 300, and some whose length has three bytes in LEB128. */
const lengths = Array.from({ length: 304 }, (_, i) =>
  utf8('é漢x'.repeat(i < 300 ? i : 10_000 * (i - 299))).subarray(0, i < 300 ? i : undefined),
);
const u64s = new BigUint64Array((randomKeys('int64', COUNT).keys as BigInt64Array).buffer);

const instance = new Instance();
const argumentsOf = (rows: readonly Uint8Array[], ...more: Argument[]) => rows.map((row) => [text(row), ...more]);

/** Each kind of keys: their arguments, the keys for the library, and the end of the names of functions. */
const KINDS = [
  ['texts', texts.rows.map(text), texts.keys as Keys, ''],
  ['bytes', bytes.rows.map(text), bytes.keys as Keys, ''],
  ['u64s', Array.from(u64s, u64), u64s, '_u64'],
] as const;

describe('the module for ClickHouse', () => {
  it('exports its functions and the interface of ClickHouse, and imports what reports an error', () => {
    const names = WebAssembly.Module.exports(MODULE).map(({ name }) => name);
    const buffers = ['clickhouse_create_buffer', 'clickhouse_destroy_buffer', 'memory'];
    expect(names.sort()).toEqual([...Object.keys(FUNCTIONS), ...buffers].sort());
    expect(WebAssembly.Module.imports(MODULE)).toEqual([{ module: 'env', name: 'clickhouse_throw', kind: 'function' }]);
  });
});

describe.each(KINDS)('its functions of %s', (_, keys, column, suffix) => {
  it('hash as xxh64Many with any seed', () => {
    for (const seed of SEEDS) {
      const theirs = u64sIn(
        instance.call(
          `xxh64${suffix}`,
          keys.map((key) => [key, u64(seed)]),
        ),
      );
      expect(theirs).toEqual(xxh64Many(column, { seed }));
    }
  });

  it.each(['jump', 'fastrange', 'modulo'] as const)('route as a Router: %s', (strategy) => {
    for (const [i, shards] of [1, 2, 64, 1000, 65536, 2 ** 31 - 1].entries()) {
      const seed = SEEDS[i % SEEDS.length] as bigint;
      const to = router(shards, seed);
      const theirs = u32sIn(
        instance.call(
          strategy + suffix,
          keys.map((key) => [key, to]),
        ),
      );
      expect(theirs).toEqual(new Router({ shards, strategy, seed }).routeMany(column));
    }
  });

  it.each(['jump', 'fastrange', 'modulo'] as const)('route around shards that are down: %s', (strategy) => {
    for (const options of [
      { shards: 10, down: [] },
      { shards: 10, down: [0, 3, 9] },
      { shards: 2 ** 31 - 1, down: [5, 2 ** 31 - 2] },
      { shards: 300, down: Array.from({ length: 299 }, (_, shard) => shard + 1) }, // after 256 probes
      { shards: 2000, down: Array.from({ length: 1997 }, (_, shard) => shard + (shard > 700 ? 2 : 0)) },
    ] satisfies RouterOptions[]) {
      const count = options.shards < 300 ? COUNT : 300;
      const more = [router(options.shards, 7n), array(options.down)];
      const rows = keys.slice(0, count).map((key) => [key, ...more]);
      const theirs = u32sIn(instance.call(`${strategy}_down${suffix}`, rows));
      expect(theirs).toEqual(new Router({ ...options, strategy, seed: 7n }).routeMany(rowsOf(column, 0, count)));
    }
  });

  it('take other arguments in each row', () => {
    const some = keys.slice(0, 1000);
    const each = some.map((_, i) => {
      const down = i % 3 === 0 ? [i % 5] : i % 3 === 1 ? [1, 2] : [];
      return { shards: 5 + (i >>> 9), seed: BigInt(i % 7 === 0 ? i : 3), down };
    });
    const routed = each.map(({ shards, seed, down }, i) => [some[i] as Argument, router(shards, seed), array(down)]);
    const ours = each.map((options, i) => new Router(options).routeMany(rowsOf(column, i, i + 1))[0]);
    expect(Array.from(u32sIn(instance.call(`jump_down${suffix}`, routed)))).toEqual(ours);
    const hashed = u64sIn(
      instance.call(
        `xxh64${suffix}`,
        some.map((key, i) => [key, u64(BigInt(i))]),
      ),
    );
    expect(Array.from(hashed)).toEqual(some.map((_, i) => xxh64Many(rowsOf(column, i, i + 1), { seed: BigInt(i) })[0]));
  });

  it('take no rows, and one', () => {
    expect(instance.call(`jump${suffix}`, [])).toHaveLength(0);
    const [key] = keys;
    expect(u32sIn(instance.call(`jump${suffix}`, [[key as Argument, router(10, 0n)]]))).toHaveLength(1);
  });

  it('refuse numbers of shards and shards that no router has', () => {
    const key = keys[0] as Argument;
    const call = (name: string, ...more: Argument[]) => new Instance().call(name + suffix, [[key, ...more]]);
    for (const shards of [0n, 2n ** 31n, LARGEST]) {
      const message = `shards: expected an integer from 1 to 2147483647, got ${shards}`;
      for (const strategy of ['jump', 'fastrange', 'modulo']) {
        expect(() => call(strategy, router(shards, 0n))).toThrow(message);
        expect(() => call(`${strategy}_down`, router(shards, 0n), array([0]))).toThrow(message);
      }
    }
    const expected = 'down: expected ascending shards from 0 to 9, got ';
    expect(() => call('jump_down', router(10, 0n), array([3, 10]))).toThrow(`${expected}10`);
    expect(() => call('jump_down', router(10, 0n), array([3, 2]))).toThrow(`${expected}2`);
    expect(() => call('jump_down', router(10, 0n), array([3, 3]))).toThrow(`${expected}3`);
    expect(() => call('jump_down', router(2, 0n), array([0, 1]))).toThrow('down: expected at least one shard to be up');
  });
});

function columnOf(rows: readonly Uint8Array[]): BytesColumn {
  let end = 0;
  const ends = rows.map((row) => {
    end += row.length;
    return end;
  });
  return { data: Buffer.concat(rows), offsets: Uint32Array.from([0, ...ends]) };
}

function rowsOf(keys: Keys, from: number, to: number): Keys {
  if (Array.isArray(keys) || keys instanceof BigUint64Array) return keys.slice(from, to);
  const { data, offsets } = keys as BytesColumn;
  return { data, offsets: offsets.slice(from, to + 1) };
}

describe('its hashes of partitioners', () => {
  const make = partitioner as unknown as (system: string, options: object) => Partitioner;

  it.each([
    ['fnv1a', 'nats', { partitions: 3 }],
    ['crc16', 'redis', {}],
    ['murmur2_kafka', 'kafka', { partitions: 3 }],
    ['murmur3_spark', 'spark', { partitions: 3 }],
    ['murmur3_hive', 'hive', { buckets: 3 }],
    ['lookup3_citus', 'citus', { shards: 3 }],
    ['lookup3_postgres', 'postgres', { modulus: 3 }],
    ['java_hash', 'spark', { partitions: 3, variant: 'rdd' }],
    ['murmur3_utf16', 'elasticsearch', { shards: 3 }],
  ])('%s is that of %s', (name, system, options) => {
    const isWide = name === 'lookup3_postgres';
    for (const rows of [texts.rows, lengths.map((row) => new TextDecoder().decode(row)).map(utf8)]) {
      const tokens = make(system, options).tokens(columnOf(rows));
      const theirs = instance.call(name, argumentsOf(rows));
      const ours = new Uint8Array(tokens.buffer as ArrayBuffer);
      expect(isWide ? u64sIn(theirs) : u32sIn(theirs)).toEqual(isWide ? u64sIn(ours) : u32sIn(ours));
    }
  });

  it('refuse bytes that are not text, if they hash UTF-16', () => {
    for (const name of ['java_hash', 'murmur3_utf16']) {
      const rows = argumentsOf([utf8('a'), Uint8Array.of(0xff)]);
      expect(() => new Instance().call(name, rows)).toThrow('key: expected text in UTF-8, got other bytes');
    }
  });
});

describe('its memory', () => {
  const rows = argumentsOf(lengths, router(64, 7n));
  const units = argumentsOf(texts.rows.slice(0, 5000));

  it('does not grow with the number of blocks', () => {
    const own = new Instance();
    const first = own.memoryBytes;
    for (let block = 0; block < 3; block++) {
      own.call('jump', rows);
      own.call('java_hash', units);
    }
    const after = own.memoryBytes;
    expect(after).toBeGreaterThanOrEqual(first);
    for (let block = 0; block < 100; block++)
      own.call(block % 2 === 0 ? 'jump' : 'java_hash', block % 2 === 0 ? rows : units);
    expect(own.memoryBytes).toBe(after);
  });

  it('grows for a larger block, which leaves smaller ones as they are', () => {
    const own = new Instance();
    const small = own.call('jump', rows);
    own.call('xxh64', [[text(new Uint8Array(5_000_000)), u64(0n)]]);
    expect(own.memoryBytes).toBeGreaterThan(5_000_000);
    expect(own.call('jump', rows)).toEqual(small);
  });

  it('ends a query that needs more than there is', () => {
    const message = 'no memory for a block of 4294967326 bytes: raise webassembly_udf_max_memory, or set';
    expect(() => new Instance().createBuffer(2 ** 32 - 1)).toThrow(message);
  });
});

describe('other arguments than those of the function', () => {
  it.each([
    ['jump', [u64(1n)]],
    ['jump', [text(utf8('a')), u64(1n)]],
    ['jump_u64', [u64(1n), u64(1n)]],
    ['jump_u64', [u64(1n), router(1, 1n), u64(1n)]],
    ['jump_down', [text(utf8('a')), router(1, 1n), Uint8Array.of(200, 1)]],
    ['crc16', [Uint8Array.of(255, 255, 255, 255, 255, 255)]],
    ['crc16', [Uint8Array.of(255)]],
    ['crc16', [Uint8Array.of(5, 1)]],
    ['crc16', []],
    ['xxh64', [text(utf8('a'))]],
  ])('are refused: %s, case %#', (name, row) => {
    const message = 'arguments: expected those of the function in the module';
    expect(() => new Instance().call(name, [row])).toThrow(message);
    expect(() => new Instance().call(name, [row, row, row])).toThrow(message);
  });
});
