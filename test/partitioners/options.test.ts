import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { configurationOf, systems } from '../../src/partitioners/variants.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { randomU64s } from '../support/random.js';
import { ROUTING_SHARDS } from '../vectors/partitioners/databases.js';
import { bigints, bytesColumn, columnsOf, make, SAMPLES, uuidBytes } from './samples.js';

const texts = Array.from({ length: 500 }, (_, row) => `user:${row}`);

/** The bytes of an integer, little-endian. */
const littleEndian = (size: number, value: unknown): Uint8Array =>
  new Uint8Array(BigInt64Array.of(BigInt(value as bigint)).buffer, 0, size);
const bigEndian = (size: number, value: unknown): Uint8Array => littleEndian(size, value).toReversed();

onBothBackends('a partitioner', () => {
  it.each([
    ['kafka', { partitions: 12 }, 12, Int32Array],
    ['kafka', { partitions: 12, variant: 'unsigned' }, 12, Int32Array],
    ['rdkafka', { partitions: 12 }, 12, Uint32Array],
    ['rdkafka', { partitions: 12, variant: 'murmur2' }, 12, Int32Array],
    ['rdkafka', { partitions: 12, variant: 'fnv1a' }, 12, Int32Array],
    ['rdkafka', { partitions: 12, variant: 'fnv1a-positive' }, 12, Int32Array],
    ['redis', undefined, 16384, Uint32Array],
    ['ragedb', { shards: 12 }, 12, BigUint64Array],
    ['spark', { partitions: 12 }, 12, Int32Array],
    ['spark', { partitions: 12, variant: 'rdd' }, 12, Int32Array],
    ['iceberg', { buckets: 12 }, 12, Int32Array],
    ['postgres', { modulus: 12 }, 12, BigUint64Array],
    ['citus', { shards: 12 }, 12, Int32Array],
    ['cassandra', undefined, 0, BigInt64Array],
    ['cassandra', { tokens: BigInt64Array.of(1n, 2n, 3n) }, 3, BigInt64Array],
    ['vitess', { shards: 12 }, 12, BigUint64Array],
    ['vitess', { ranges: ['-40', '40-'] }, 2, BigUint64Array],
    ['elasticsearch', { shards: 12 }, 12, Int32Array],
    ['elasticsearch', { shards: 12, before: '9.4' }, 12, Int32Array],
    ['couchbase', undefined, 1024, Uint32Array],
    ['flink', { maxParallelism: 128 }, 128, Int32Array],
    ['flink', { maxParallelism: 128, parallelism: 7 }, 7, Int32Array],
    ['clickhouse', { hash: 'sipHash64', shards: 12 }, 12, BigUint64Array],
    ['clickhouse', { hash: 'xxHash64', weights: [1, 2, 3] }, 3, BigUint64Array],
    ['nats', { partitions: 12 }, 12, Uint32Array],
    ['pulsar', { partitions: 12 }, 12, Int32Array],
    ['pulsar', { partitions: 12, variant: 'murmur3' }, 12, Int32Array],
    ['hive', { buckets: 12 }, 12, Int32Array],
    ['hive', { buckets: 12, version: 1 }, 12, Int32Array],
    ['kinesis', { shards: 12 }, 12, BigUint64Array],
    ['kinesis', { startingHashKeys: ['0', '7'] }, 2, BigUint64Array],
    ['ketama', { servers: [{ name: 'a' }, { name: 'b', weight: 2 }] }, 2, Uint32Array],
    ['ketama', { servers: [{ name: 'a' }], variant: 'hashring' }, 1, Uint32Array],
    ['ketama', { servers: [{ name: 'a' }], variant: 'plain' }, 1, Uint32Array],
    ['nginx', { servers: [{ name: 'a:80' }, { name: 'b:80' }] }, 2, Uint32Array],
  ] as const)('of %s with %o says what it is, and has its type of tokens', (system, options, shards, Tokens) => {
    const made = make(system, options);
    expect(made).toMatchObject({ system, key: 'text', shards });
    expect(made.tokens(texts)).toBeInstanceOf(Tokens);
    expect(made.tokens(texts)).toHaveLength(texts.length);
  });

  it('of discord has ids as keys, if no other kind is named', () => {
    const made = make('discord', { shards: 12 });
    expect(made).toMatchObject({ system: 'discord', key: 'int64', shards: 12 });
    expect(made.tokens(BigInt64Array.of(41771983423143937n))).toEqual(BigUint64Array.of(9959216934n));
  });

  const SHORT: readonly [system: string, short: object | undefined, full: object][] = [
    ['rdkafka', { partitions: 12 }, { partitions: 12, variant: 'consistent' }],
    ['spark', { partitions: 12 }, { partitions: 12, variant: 'hash' }],
    ['pulsar', { partitions: 12 }, { partitions: 12, variant: 'java' }],
    ['hive', { buckets: 12 }, { buckets: 12, version: 2 }],
    ['redis', undefined, { key: 'text' }],
    ['couchbase', {}, { vbuckets: 1024 }],
    ['flink', { parallelism: 1 }, { parallelism: 1, maxParallelism: 128 }],
    ['flink', { parallelism: 85 }, { parallelism: 85, maxParallelism: 128 }],
    ['flink', { parallelism: 86 }, { parallelism: 86, maxParallelism: 256 }],
    ['flink', { parallelism: 32768 }, { parallelism: 32768, maxParallelism: 32768 }],
    ['vitess', { shards: 3 }, { ranges: ['-55', '55-aa', 'aa-'] }],
    ['vitess', { shards: 1 }, { ranges: ['-'] }],
    ['clickhouse', { hash: 'sipHash64', shards: 3 }, { hash: 'sipHash64', weights: [1, 1, 1] }],
    ...ROUTING_SHARDS.flatMap((full): [string, object, object][] => {
      const before = { shards: full.shards, before: '9.4' };
      return [
        ['elasticsearch', before, full],
        ['elasticsearch', { ...full, before: '9.4' }, full],
      ];
    }),
  ];

  it.each(SHORT)('of %s with %o is one with %o', (system, short, full) => {
    expect(make(system, short).routeMany(texts)).toEqual(make(system, full).routeMany(texts));
  });

  it('does not change when its options do', () => {
    const tokens = BigInt64Array.of(-(2n ** 62n), 0n, 2n ** 62n);
    const [ranges, weights] = [
      ['-40', '40-'],
      [1, 2, 3],
    ];
    const all = [
      make('cassandra', { tokens }),
      make('vitess', { ranges }),
      make('clickhouse', { hash: 'sipHash64', weights }),
    ];
    const [shards, json] = [all.map((made) => made.routeMany(texts)), JSON.stringify(all)];
    tokens.fill(5n);
    ranges.push('50-');
    weights.fill(0);
    expect(all.map((made) => made.routeMany(texts))).toEqual(shards);
    expect(JSON.stringify(all)).toBe(json);
    expect(() => Object.assign(all[0] as object, { shards: 4 })).toThrow(TypeError);
  });
});

onBothBackends('options of', () => {
  it('redis: keys with the same hash tag have the same slot, wherever the tag is', () => {
    const made = make('redis');
    for (let length = 1; length < 20; length++) {
      const tag = 'user:1234567890:profile'.slice(0, length);
      const keys = Array.from({ length: 20 }, (_, i) => `${'}'.repeat(i)}{${tag}}${'}{after}'.slice(0, i)}`);
      expect([...new Set(made.routeMany([tag, ...keys]))]).toEqual([made.route(tag)]);
      expect([...new Set(keys.map((key) => made.route(key)))]).toEqual([made.route(tag)]);
    }
  });

  it('elasticsearch: the shard is the hash modulo the shards, never negative', () => {
    const tokens = bigints(make('elasticsearch', { shards: 5 }).tokens(texts)).map(Number);
    for (const shards of [1, 2, 5, 12, 1000, 2 ** 30 - 1]) {
      const expected = tokens.map((token) => (token < 0 ? (shards - (-token % shards)) % shards : token % shards));
      const made = make('elasticsearch', { shards });
      expect([...made.routeMany(texts)]).toEqual(expected);
      expect(texts.map((key) => made.route(key))).toEqual(expected);
    }
  });

  it('elasticsearch: the routing shards of an older index are spread evenly over the shards', () => {
    const tokens = bigints(make('elasticsearch', { shards: 5 }).tokens(texts));
    for (const routingShards of [5, 10, 640, 1280]) {
      const expected = tokens.map((token) => {
        const routed = Number(((token % BigInt(routingShards)) + BigInt(routingShards)) % BigInt(routingShards));
        return Math.floor(routed / (routingShards / 5));
      });
      expect([...make('elasticsearch', { shards: 5, routingShards }).routeMany(texts)]).toEqual(expected);
    }
  });

  it('flink: operators share the key groups', () => {
    const groups = make('flink', { maxParallelism: 1000 }).routeMany(texts);
    const operators = make('flink', { maxParallelism: 1000, parallelism: 7 });
    expect(operators.routeMany(texts)).toEqual(groups.map((group) => Math.floor((group * 7) / 1000)));
    expect(texts.map((key) => operators.route(key))).toEqual([...operators.routeMany(texts)]);
  });

  it('cassandra: the owner is the first token of the ring at or after that of the key, or else the first of all', () => {
    const tokens = bigints(make('cassandra').tokens(texts));
    const some = tokens.toSorted((a, b) => (a < b ? -1 : 1)).filter((_, i) => i % 50 === 20);
    for (const ring of [some, [0n], [-(2n ** 63n), 2n ** 63n - 1n], some.map((token) => token - 1n)]) {
      const made = make('cassandra', { tokens: BigInt64Array.from(ring) });
      const owners = tokens.map((token) =>
        Math.max(
          0,
          ring.findIndex((owner) => owner >= token),
        ),
      );
      expect([...made.routeMany(texts)]).toEqual(owners);
      expect(texts.map((key) => made.route(key))).toEqual(owners);
    }
  });

  it.each([1, 2, 7, 12, 255, 256, 257, 1000, 65536])('vitess: %i shards have bounds of 2 or 4 digits', (shards) => {
    const digits = shards > 256 ? 4 : 2;
    const bound = (i: number) =>
      Math.floor((i * 16 ** digits) / shards)
        .toString(16)
        .padStart(digits, '0');
    const ranges = Array.from({ length: shards }, (_, i) => {
      return `${i === 0 ? '' : bound(i)}-${i === shards - 1 ? '' : bound(i + 1)}`;
    });
    const made = make('vitess', { shards });
    expect(made.routeMany(texts)).toEqual(make('vitess', { ranges }).routeMany(texts));
    for (const [row, token] of bigints(made.tokens(texts)).slice(0, 100).entries()) {
      const id = token.toString(16).padStart(16, '0');
      const [start, end] = ranges[made.route(texts[row])]?.split('-') as [string, string];
      expect(start <= id && (end === '' || id < end)).toBe(true);
    }
  });

  it('vitess: bounds may have up to 16 digits, of which missing ones are zeros', () => {
    const id = make('vitess', { shards: 1 }).tokens(['a'])[0] as bigint;
    const hex = (value: bigint) => value.toString(16).padStart(16, '0');
    for (const [bound, shard] of [
      [hex(id), 1],
      [hex(id + 1n), 0],
      [hex(id).slice(0, 8), 1],
      [hex(id).slice(0, 8).toUpperCase(), 1],
    ]) {
      expect(make('vitess', { ranges: [`-${bound}`, `${bound}-`] }).route('a')).toBe(shard);
    }
  });

  it('clickhouse: a shard has as many slots as its weight', () => {
    const hash = 'sipHash64';
    const slots = make('clickhouse', { hash, shards: 10 }).routeMany(texts);
    const made = make('clickhouse', { hash, weights: [3, 0, 1, 6] });
    expect(made.routeMany(texts)).toEqual(slots.map((slot) => [0, 0, 0, 2, 3, 3, 3, 3, 3, 3][slot]));
    expect(texts.map((key) => made.route(key))).toEqual([...made.routeMany(texts)]);
  });

  it.each([
    1, 3, 12, 63_999, 64_000,
  ])('citus: %i shards share the tokens, and the last one takes the rest', (shards) => {
    const made = make('citus', { shards, key: 'int32' });
    // The last two have the smallest and the largest token.
    const keys = Int32Array.of(...Array.from(randomU64s(500), Number), 963809240, -1686493264);
    const size = Math.floor(2 ** 32 / shards);
    const expected = bigints(made.tokens(keys)).map((token) => {
      return Math.min(shards - 1, Math.floor((Number(token) + 2 ** 31) / size));
    });
    expect([...made.routeMany(keys)]).toEqual(expected);
    expect(expected.slice(-2)).toEqual([0, shards - 1]);
  });
});

onBothBackends('integers and uuids are hashed as their system writes them', () => {
  /** The bytes of an integer or a uuid, by system. */
  const WRITTEN: { readonly [system: string]: { readonly [kind: string]: (value: unknown) => Uint8Array } } = {
    kafka: { int32: (v) => bigEndian(4, v), int64: (v) => bigEndian(8, v), uuid: (v) => utf8(v as string) },
    rdkafka: { int32: (v) => bigEndian(4, v), int64: (v) => bigEndian(8, v) },
    cassandra: {
      int32: (v) => bigEndian(4, v),
      int64: (v) => bigEndian(8, v),
      uuid: (v) => uuidBytes(v as string),
    },
    spark: { int32: (v) => littleEndian(4, v), int64: (v) => littleEndian(8, v) },
    iceberg: {
      int32: (v) => littleEndian(8, v),
      int64: (v) => littleEndian(8, v),
      uuid: (v) => uuidBytes(v as string),
    },
    vitess: { int32: (v) => utf8(`${v}`), int64: (v) => utf8(`${v}`) },
    postgres: { uuid: (v) => uuidBytes(v as string) },
    citus: { uuid: (v) => uuidBytes(v as string) },
    clickhouse: {
      int32: (v) => littleEndian(4, v),
      int64: (v) => littleEndian(8, v),
      uuid: (v) => {
        const bytes = uuidBytes(v as string);
        return Uint8Array.of(...bytes.slice(0, 8).reverse(), ...bytes.slice(8).reverse());
      },
    },
  };
  const OPTIONS: { readonly [system: string]: readonly object[] } = {
    kafka: [{ partitions: 12 }, { partitions: 12, variant: 'unsigned' }],
    rdkafka: [{ partitions: 12 }, { partitions: 12, variant: 'murmur2' }, { partitions: 12, variant: 'fnv1a' }],
    cassandra: [{}],
    spark: [{ partitions: 12 }],
    iceberg: [{ buckets: 12 }],
    vitess: [{ shards: 12 }],
    postgres: [{ modulus: 12 }],
    citus: [{ shards: 12 }],
    clickhouse: ['sipHash64', 'murmurHash3_64', 'xxHash64'].map((hash) => ({ hash, shards: 12 })),
  };

  describe.each(Object.entries(WRITTEN))('%s', (system, kinds) => {
    it.each(Object.entries(kinds))('%s', (kind, write) => {
      const keys = SAMPLES[kind as 'int32' | 'int64' | 'uuid'];
      for (const options of OPTIONS[system] as object[]) {
        const written = make(system, { ...options, key: 'bytes' }).tokens(bytesColumn(keys.map(write)));
        const made = make(system, { ...options, key: kind });
        expect(made.tokens(columnsOf(kind as 'int32', keys)[0])).toEqual(written);
      }
    });
  });

  const small = SAMPLES.int32 as number[];
  const [int32s, int64s] = [Int32Array.from(small), BigInt64Array.from(small, BigInt)];

  it.each([
    ['postgres', { modulus: 12 }],
    ['citus', { shards: 12 }],
  ])('%s: an int32 and an int64 of the same value are the same', (system, options) => {
    const [int32, int64] = ['int32', 'int64'].map((key) => make(system, { ...options, key }));
    expect(int32?.tokens(int32s)).toEqual(int64?.tokens(int64s));
  });

  it.each([
    ['flink', { maxParallelism: 128 }],
    ['spark', { partitions: 12, variant: 'rdd' }],
    ['clickhouse', { hash: 'cityHash64', shards: 12 }],
  ])('%s with %j: an int32 and an int64 of the same value are the same if not negative', (system, options) => {
    const [int32, int64] = ['int32', 'int64'].map((key) => make(system, { ...options, key }));
    const [narrow, wide] = [int32?.tokens(int32s) ?? [], int64?.tokens(int64s) ?? []];
    expect(small.map((_, row) => narrow[row] === wide[row])).toEqual(small.map((value) => value >= 0));
  });

  it("java's hash codes: of text, of integers and of the halves of uuids", () => {
    const rdd = { partitions: 12, variant: 'rdd' };
    expect([...make('spark', rdd).tokens(['', 'a', 'abc', 'é', '😀', '\ud800', 'Aa', 'BB'])]).toEqual([
      0, 97, 96354, 233, 1772899, 55296, 2112, 2112,
    ]);
    expect([...make('spark', { ...rdd, key: 'int32' }).tokens(int32s)]).toEqual(small);
    const flink = (key: string) => make('flink', { maxParallelism: 128, key });
    const codes = Int32Array.from(SAMPLES.uuid as string[], (uuid) => {
      const words = new DataView(uuidBytes(uuid).buffer);
      return words.getInt32(0) ^ words.getInt32(4) ^ words.getInt32(8) ^ words.getInt32(12);
    });
    expect(flink('uuid').tokens(SAMPLES.uuid)).toEqual(flink('int32').tokens(codes));
    expect(flink('text').tokens(['abc', '\ud800'])).toEqual(flink('int32').tokens(Int32Array.of(96354, 55296)));
  });

  it('pulsar: the hashes of others without their sign bits', () => {
    const positive = (tokens: Iterable<number | bigint>) => Array.from(tokens, (token) => Number(token) & 0x7fffffff);
    const keys = SAMPLES.text;
    const [java, murmur3] = ['java', 'murmur3'].map((variant) => make('pulsar', { partitions: 12, variant }));
    expect([...(java?.tokens(keys) ?? [])]).toEqual(
      positive(make('spark', { partitions: 12, variant: 'rdd' }).tokens(keys)),
    );
    expect([...(murmur3?.tokens(keys) ?? [])]).toEqual(positive(make('iceberg', { buckets: 12 }).tokens(keys)));
  });

  it("hive: the bytes of integers, big-endian, and java's hash codes in version 1", () => {
    for (const [key, integers, size] of [
      ['int32', int32s, 4],
      ['int64', int64s, 8],
    ] as const) {
      const written = bytesColumn(Array.from<number | bigint, Uint8Array>(integers, (value) => bigEndian(size, value)));
      expect(make('hive', { buckets: 12, key }).tokens(integers)).toEqual(
        make('hive', { buckets: 12 }).tokens(written),
      );
      const rdd = make('spark', { partitions: 12, variant: 'rdd', key }).tokens(integers);
      expect(make('hive', { buckets: 12, version: 1, key }).tokens(integers)).toEqual(rdd);
    }
    const [version1, rdd] = [
      make('hive', { buckets: 12, version: 1 }),
      make('spark', { partitions: 12, variant: 'rdd' }),
    ];
    expect(version1.tokens(texts)).toEqual(rdd.tokens(texts));
    expect([...version1.tokens(['é'])]).toEqual([31 * (0xc3 - 256) + 0xa9 - 256]);
  });

  it('discord: the id, an unsigned number, without its last 22 bits', () => {
    const ids = BigInt64Array.from(SAMPLES.int64 as bigint[]);
    const times = BigUint64Array.from(ids, (id) => BigInt.asUintN(64, id) >> 22n);
    for (const shards of [1, 16, 1000, 2 ** 31 - 1]) {
      const made = make('discord', { shards });
      expect(made.tokens(ids)).toEqual(times);
      const expected = Uint32Array.from(times, (time) => Number(time % BigInt(shards)));
      expect(made.routeMany(ids)).toEqual(expected);
      expect(Uint32Array.from(ids, (id) => made.route(id))).toEqual(expected);
    }
  });

  it('kinesis: the hash key decides, in all of its 128 bits', () => {
    const keys = SAMPLES.text as string[];
    const hashKeys = keys.map((key) => BigInt(`0x${createHash('md5').update(key).digest('hex')}`));
    const starts = [0n, ...new Set(hashKeys.slice(0, 20).flatMap((hashKey) => [hashKey, hashKey + 1n]))].sort((a, b) =>
      a < b ? -1 : 1,
    );
    const made = make('kinesis', { startingHashKeys: starts.map(String) });
    const expected = hashKeys.map((hashKey) => starts.findLastIndex((start) => start <= hashKey));
    expect([...made.routeMany(keys)]).toEqual(expected);
    expect(keys.map((key) => made.route(key))).toEqual(expected);
    const bytes = make('kinesis', { startingHashKeys: starts.map(String), key: 'bytes' });
    expect([...bytes.routeMany(bytesColumn(keys.map(utf8)))]).toEqual(expected);
    // New streams have shards of equal length, and the last one also has the remainder.
    for (const shards of [1, 3, 1000, 100_000]) {
      const size = 2n ** 128n / BigInt(shards);
      const even = hashKeys.map((hashKey) => Math.min(Number(hashKey / size), shards - 1));
      expect([...make('kinesis', { shards }).routeMany(keys)]).toEqual(even);
    }
  });

  it('kinesis: the whole hash key decides if its upper half is just below one that begins a shard', () => {
    const keys = ['a', 'b', 'c'];
    const whole = (key: string) => BigInt(`0x${createHash('md5').update(key).digest('hex')}`);
    for (const shards of [3, 12, 99_999, 100_000]) {
      const { toShard, settle } = configurationOf(systems.kinesis, { shards });
      const size = 2n ** 128n / BigInt(shards);
      // Upper halves next to a bound: with the lower half of one of the keys, as the keys themselves cannot be chosen.
      const bounds = [1n, 2n, BigInt(shards - 1)].map((shard) => shard * size);
      const tokens = BigUint64Array.from(bounds, (bound) => bound >> 64n);
      const placed = new Uint32Array(tokens.length);
      toShard.column(tokens, placed);
      settle?.(tokens, placed, (row) => utf8(keys[row]));
      expect([...placed]).toEqual(keys.map((key) => Math.min(Number(whole(key) / size), shards - 1)));
      // Other upper halves decide.
      const below = -(2n ** 34n) / BigInt(shards);
      for (const [offset, before] of [
        [1n, 0],
        [below, 1],
      ] as const) {
        const near = tokens.map((token) => token + offset);
        toShard.column(near, placed);
        settle?.(near, placed, () => expect.fail('no key is read'));
        expect([...placed]).toEqual([1 - before, 2 - before, shards - 1 - before]);
      }
    }
  });

  it('ketama and nginx: the first point at or above the hash, or the first of all', () => {
    const keys = SAMPLES.text as string[];
    for (const system of ['ketama', 'nginx']) {
      const servers = ['a:1', 'b:2', 'c:3'].map((name) => ({ name }));
      const made = make(system, { servers });
      const shards = made.routeMany(keys);
      expect(keys.map((key) => made.route(key))).toEqual([...shards]);
      expect(new Set(shards).size).toBe(3);
      // Without one of the servers, only its keys move. In ketama, shares are of the average, so there others move, too.
      const fewer = make(system, { servers: servers.slice(0, 2) }).routeMany(keys);
      const stayed = keys.filter((_, row) => shards[row] < 2 && shards[row] === fewer[row]).length;
      expect(stayed).toBe(keys.filter((_, row) => shards[row] < 2).length);
    }
  });

  it('elasticsearch: the UTF-16 of text, little-endian', () => {
    const keys = SAMPLES.text as string[];
    const units = keys.map((key) => {
      const codes = Uint16Array.from({ length: key.length }, (_, i) => key.charCodeAt(i));
      return new Uint8Array(codes.buffer);
    });
    const iceberg = make('iceberg', { buckets: 16, key: 'bytes' }).tokens(bytesColumn(units)); // the same hash
    expect(make('elasticsearch', { shards: 5 }).tokens(keys)).toEqual(iceberg);
  });
});
