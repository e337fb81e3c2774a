// Keys of several columns, in every combination of kinds that the columns can be read as.
import { describe, expect, it } from 'vitest';
import { detectRouting } from '../../src/detect/index.js';
import { Router, typedKey } from '../../src/index.js';
import { type KeyKind, partitionerNamed } from '../../src/partitioners/index.js';
import { bytesColumn } from '../partitioners/samples.js';

const ROWS = 400;
const tenants = BigInt64Array.from({ length: ROWS }, (_, i) => BigInt((i * i) % 97));
const names = Array.from({ length: ROWS }, (_, i) => `user ${i}`);
const uuids = Array.from({ length: ROWS }, (_, i) => `f79c3e09-677c-4bbd-a479-${String(i * 7919).padStart(12, '0')}`);
const decimals = Array.from(tenants, String);
const SYSTEMS = [
  'postgres',
  'spark',
  'hive:1',
  'hive',
  ...['sipHash64', 'cityHash64', 'murmurHash3_64', 'xxHash64'].map((name) => `clickhouse:${name}`),
];

describe('keys of several columns', () => {
  it.each(SYSTEMS)('are those of %s', (word) => {
    for (const kinds of [
      ['int64', 'text'],
      ['int32', 'text'],
      ['text', 'text'],
    ] as KeyKind[][]) {
      const [kind] = kinds;
      const first = kind === 'text' ? decimals : kind === 'int32' ? Int32Array.from(tenants, Number) : tenants;
      const made = partitionerNamed(word, { shards: 12, key: kinds });
      const shards = made.routeMany([first, names]);
      for (const keys of [
        [tenants, names],
        [decimals, bytesColumn(names.map((name) => Buffer.from(name)))],
      ]) {
        const { verdict, foreign } = detectRouting(keys, shards);
        const options = [verdict?.options].concat(verdict?.also);
        const expected = `keys as ${kinds.join(' and ')}`;
        expect(
          [verdict?.name, ...(verdict?.also ?? [])].some((name) => name?.endsWith(expected)),
          expected,
        ).toBe(true);
        expect([options[0], foreign.length]).toEqual([
          expect.stringMatching(/^--as \S+ --shards 12 --keys \w+,text$/),
          0,
        ]);
        expect(verdict?.routing.shards).toBe(12);
      }
    }
  });

  it('may be UUIDs, and three', () => {
    const key = ['uuid', 'int64', 'text'] as const;
    const shards = partitionerNamed('postgres', { shards: 7, key }).routeMany([uuids, tenants, names]);
    const { verdict, sentence } = detectRouting([uuids, decimals, names], shards);
    expect(verdict?.options).toBe('--as postgres --shards 7 --keys uuid,int32,text');
    expect(sentence).toBe('PostgreSQL, 7 remainders, keys as uuid and int32 and text: 400 of 400 rows');
    expect(verdict?.routing.route(['f79c3e09-677c-4bbd-a479-000000000000', 0, 'user 0'] as never)).toBe(shards[0]);
  });

  it('are also one text, as a Router hashes them', () => {
    const joined = names.map((name, row) => typedKey(decimals[row], name));
    const shards = new Router({ shards: 12 }).routeMany(joined);
    expect(detectRouting([tenants, names], shards).verdict?.options).toBe('--shards 12');
    expect(
      detectRouting(
        [decimals, names],
        shards.map((shard) => shard + 1),
      ),
    ).toMatchObject({ first: 1, shards: 12 });
  });

  it('leave the rows that others placed', () => {
    const [shards, others] = [12, 13].map((modulus) =>
      partitionerNamed('postgres', { shards: modulus, key: ['int64', 'text'] }).routeMany([tenants, names]),
    );
    const mixed = shards.map((shard, row) => (row % 5 === 0 ? others[row] : shard));
    expect(detectRouting([tenants, names], mixed, { shards: 13 }).sentence).toMatch(
      /^No verdict for 13 shards: 3\d\d of 400 rows fit PostgreSQL, 12 remainders, keys as int32 and text/,
    );
  });

  it('get no verdict at random', () => {
    const shards = Uint32Array.from(names, (_, i) => ((i * i * 31) % 97) % 12);
    expect(detectRouting([tenants, names], shards).verdict).toBeUndefined();
  });

  it('have as many rows, and are at most four', () => {
    const wrong = (keys: unknown) => () => detectRouting(keys as never, [0, 1]);
    expect(wrong([['a', 'b'], ['c']])).toThrow('"keys[1]": expected 2 rows, as in keys[0], got 1');
    expect(wrong([['a', 'b'], 5])).toThrow(TypeError);
    expect(
      wrong([
        ['a', 'b'],
        ['c', 5],
      ]),
    ).toThrow('"keys[1]" row 1');
    expect(wrong(new Array(5).fill(['a', 'b']))).toThrow('"keys": expected at most 4 columns, got 5');
  });
});
