import { describe, expect, it } from 'vitest';
import { partitioner, partitionerFrom, partitionerNamed, systems } from '../../src/partitioners/index.js';
import { KEY_KINDS } from '../../src/partitioners/keys.js';
import { SYSTEM_NAMES } from '../../src/partitioners/systems.js';
import { testWrongArguments } from '../support/argument-table.js';
import { NO_OPTIONS, NO_STRING } from '../support/wrong-values.js';

const all = Object.values(systems);
/** What a variant needs beside its own options. */
const placed = (hasServers: boolean) => (hasServers ? { servers: [{ name: 'a' }, { name: 'b' }] } : { shards: 2 });

describe('the table of systems', () => {
  it('has every system and every variant by its word, and says which words are short', () => {
    expect(new Set(all.map(({ system }) => system))).toEqual(new Set(SYSTEM_NAMES));
    expect(Object.keys(systems).filter((word) => /^(kafka|spark|clickhouse|ketama|redis)/.test(word))).toEqual([
      ...['kafka', 'kafka:unsigned', 'redis', 'spark', 'spark:hash', 'spark:rdd', 'clickhouse:sipHash64'],
      ...['clickhouse:murmurHash3_64', 'clickhouse:xxHash64', 'clickhouse:cityHash64', 'clickhouse:farmHash64'],
      ...['clickhouse:murmurHash2_64', 'clickhouse:javaHash', 'clickhouse:intHash64', 'clickhouse:intHash32'],
      'clickhouse:none',
      ...['ketama', 'ketama:plain', 'ketama:hashring'],
    ]);
    expect(all.filter(({ isShort }) => isShort).map(({ word }) => word)).toEqual([
      'rdkafka',
      'spark',
      'vitess',
      'pulsar',
      'hive',
    ]);
  });

  it('is plain data that says what a form has to ask for', () => {
    expect({ ...systems['kafka:unsigned'] }).toEqual({
      word: 'kafka:unsigned',
      system: 'kafka',
      options: { variant: 'unsigned' },
      isShort: false,
      count: 'partitions',
      most: 2 ** 31 - 1,
      noun: 'partition',
      hasServers: false,
      keys: ['text', 'bytes', 'int16', 'int32', 'int64', 'u64', 'uuid'],
      columns: 1,
    });
    expect(systems.redis).toMatchObject({ count: undefined, noun: 'slot', hasServers: false });
    expect(systems.ketama).toMatchObject({
      count: undefined,
      noun: 'server',
      hasServers: true,
      keys: ['text', 'bytes'],
    });
    expect(systems.couchbase).toMatchObject({ count: 'vbuckets', most: 65_536, noun: 'vBucket' });
    expect(systems.discord.keys.slice(0, 3)).toEqual(['int64', 'int8', 'int16']);
    expect(systems.postgres.columns).toBe(255);
  });

  it.each(all.map((variant) => [variant.word, variant] as const))('has the kinds of keys of %s', (word, variant) => {
    const { hasServers, keys } = variant;
    for (const key of KEY_KINDS) {
      const make = () => partitionerNamed(word, { ...placed(hasServers), key });
      if (keys.includes(key)) expect(make().key).toBe(key);
      else expect(make).toThrow(expect.objectContaining({ argument: 'key', got: key }));
    }
    expect(partitionerNamed(word, placed(hasServers)).key).toBe(keys[0]);
  });
});

describe('a partitioner by its word', () => {
  it.each(all)('is the one with the options of the variant: $word', ({
    word,
    system,
    options,
    count,
    hasServers,
    keys,
  }) => {
    const given = placed(hasServers);
    const made = partitionerNamed(word, given);
    const counted = hasServers ? given : count === undefined ? {} : { [count]: 2 };
    expect(made.toJSON()).toEqual(partitionerFrom({ system, ...options, ...counted, key: keys[0] }).toJSON());
  });

  it('has the default number of shards, if the system has one', () => {
    expect(partitionerNamed('couchbase').shards).toBe(partitioner('couchbase').shards);
    expect(partitionerNamed('redis', { shards: 5 }).shards).toBe(16_384);
  });

  it.each([
    ['kafka', { shards: 0 }, 'partitions'],
    ['kafka', {}, 'partitions'],
    ['ketama', { shards: 3 }, 'servers'],
    ['kafka', { shards: 3, servers: [{ name: 'a' }] }, 'options'],
  ])('is refused in the words of the system: %s %j', (word, options, argument) => {
    expect(() => partitionerNamed(word, options)).toThrow(expect.objectContaining({ argument }));
  });

  testWrongArguments({
    partitionerNamed: [
      [
        'word',
        (word) => partitionerNamed(word),
        NO_STRING,
        ['', 'Kafka', 'clickhouse', 'kafka:', 'spark:x', 'toString'],
      ],
      ['options', (options) => partitionerNamed('kafka', options), NO_OPTIONS],
      ['options', (name) => partitionerNamed('kafka', { [name]: 1 } as never), [], ['partitions', 'Shards', 'seed']],
    ],
  });
});
