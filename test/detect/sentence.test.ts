// What a detection says in words, above all if there is no verdict.
import { describe, expect, it } from 'vitest';
import { detecting, finish } from '../../src/detect/detect.js';
import { detectRouting } from '../../src/detect/index.js';
import type { Keys } from '../../src/index.js';
import { Router } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';

const ROWS = 1000;
const keys = Array.from({ length: ROWS }, (_, i) => `user:${i * 7919}`);
const kafka = partitioner('kafka', { partitions: 12 });
const byKafka = kafka.routeMany(keys);
const byLibrdkafka = partitioner('rdkafka', { partitions: 12 }).routeMany(keys);

const sentenceOf = (rows: Keys | Int32Array, shards: ArrayLike<number>, given?: number) =>
  detectRouting(rows, shards, { shards: given }).sentence;

/** The rows of some shards. */
function ofShards(...shards: number[]): [string[], number[]] {
  const rows = [...keys.keys()].filter((row) => shards.includes(byKafka[row]));
  return [rows.map((row) => keys[row]), rows.map((row) => byKafka[row])];
}

describe('the sentence of a detection', () => {
  it('names who placed the rows, and who placed the others', () => {
    const mixed = byKafka.map((shard, row) => (row % 25 === 7 ? byLibrdkafka[row] : shard));
    const foreign = [...keys.keys()].filter((row) => mixed[row] !== byKafka[row]);
    const others = foreign.length;
    expect(detectRouting(keys, mixed)).toMatchObject({ foreign: Uint32Array.from(foreign), placed: byKafka });
    expect(sentenceOf(keys, byKafka)).toBe("Kafka's Java client, 12 partitions: 1,000 of 1,000 rows");
    expect(sentenceOf(keys, mixed)).toBe(
      `Kafka's Java client, 12 partitions: ${(ROWS - others).toLocaleString('en')} of 1,000 rows; ${others} rows were ` +
        `placed by something else, of which ${others} fit librdkafka's default, 12 partitions`,
    );
  });

  it('says that nobody fits, and that rows may be those of some shards', () => {
    const shards = byKafka.map((shard) => (shard * 7 + 5) % 12);
    const nothing = 'No verdict: no known mapping puts most of the rows in their shards';
    expect(sentenceOf(keys, shards)).toBe(
      `${nothing}; if they are only those of some shards, give the number of shards.`,
    );
    expect(sentenceOf(keys, shards, 12)).toBe(`${nothing}.`);
  });

  it('counts different keys, not rows', () => {
    const few = Array.from({ length: 2000 }, (_, i) => `user:${i % 5}`);
    expect(sentenceOf(few, kafka.routeMany(few), 12)).toMatch(
      /^No verdict: 5 different keys are too few; at least \d\d are needed\.$/,
    );
  });

  it('asks for more keys if some do not fit', () => {
    const few = keys.slice(0, 12);
    const shards = byKafka.slice(0, 12).map((shard, row) => (row < 1 ? (shard + 1) % 12 : shard));
    const [, needed] =
      /^No verdict: 12 different keys are too few; at least (\d+) are/.exec(sentenceOf(few, shards, 12)) ?? [];
    expect(Number(needed)).toBeGreaterThan(12);
    // With more rows of the same kind there is a verdict.
    const rows = 2 * Number(needed);
    const more = byKafka.slice(0, rows).map((shard, row) => (row % 12 < 1 ? (shard + 1) % 12 : shard));
    expect(sentenceOf(keys.slice(0, rows), more, 12)).toMatch(/^Kafka's Java client, 12 partitions: /);
  });

  it('names two clients of which neither placed most of the rows', () => {
    const mixed = byKafka.map((shard, row) => (row % 10 < 6 ? shard : byLibrdkafka[row]));
    expect(sentenceOf(keys, mixed)).toMatch(
      /^No verdict: only [4-6]\d\d of 1,000 rows fit Kafka's Java client, 12 partitions; of the others, [3-5]\d\d fit librdkafka's default, 12 partitions\.$/,
    );
  });

  it('names the best mapping if a tenth of the rows or more fit nothing', () => {
    const placed = (share: number) => byKafka.map((shard, row) => (row % 100 < share ? (5 * shard + 7) % 12 : shard));
    const foreign = (share: number) => placed(share).filter((shard, row) => shard !== byKafka[row]).length;
    expect(sentenceOf(keys, placed(8))).toBe(
      `Kafka's Java client, 12 partitions: ${ROWS - foreign(8)} of 1,000 rows; ${foreign(8)} rows were placed by something else`,
    );
    for (const given of [undefined, 12]) {
      const { sentence, verdict, foreign: rows } = detectRouting(keys, placed(15), { shards: given });
      expect(sentence).toBe(
        `No verdict: no mapping for all rows was found; at best, ${ROWS - foreign(15)} of 1,000 rows fit Kafka's Java client, 12 partitions.`,
      );
      expect([verdict, rows.length]).toEqual([undefined, 0]);
    }
  });

  it('does not take another hash for one that agrees with it on most lengths of keys', () => {
    // In the keys user:10 to user:999, these 16 bits are the same multiple of 12 below Java's hash.
    const users = Array.from({ length: 1000 }, (_, i) => `user:${i}`);
    const codes = users.map((user) => [...user].reduce((code, unit) => code * 31n + BigInt(unit.charCodeAt(0)), 0n));
    const shards = codes.map((code) => Number(BigInt.asUintN(16, code) % 12n));
    expect(sentenceOf(users, shards)).toMatch(
      /^No verdict: no mapping for all rows was found; at best, 99\d of 1,000 rows fit /,
    );
  });

  it('names the few keys that are not integers or UUIDs like all others, and what fits the others', () => {
    const ids = Array.from({ length: ROWS }, (_, i) => String(i * 7919));
    const shards = partitioner('postgres', { modulus: 12, key: 'int64' }).routeMany(BigInt64Array.from(ids, BigInt));
    const others = (rows: string) => `${rows} of ${rows} rows fit PostgreSQL, 12 remainders, keys as int32`;
    const nothing =
      'No verdict: no known mapping puts most of the rows in their shards; if they are only those of some shards, give the number of shards';
    expect(sentenceOf(ids.with(17, 'N/A'), shards)).toBe(
      `${nothing}; row 17 is "N/A", not an integer like the other 999: ${others('999')}.`,
    );
    expect(sentenceOf(ids.with(17, 'N/A').with(20, ''), shards)).toBe(
      `${nothing}; row 17 is "N/A", row 20 is "", not an integer like the other 998: ${others('998')}.`,
    );
    const many = ids.map((id, row) => (row % 100 === 0 ? `x${id}` : id));
    expect(sentenceOf(many, shards)).toBe(`${nothing}.`);
    const uuids = ids.map((id) => `f79c3e09-677c-4bbd-a479-${id.padStart(12, '0')}`);
    const ofUuids = partitioner('postgres', { modulus: 12, key: 'uuid' }).routeMany(uuids);
    expect(sentenceOf(uuids.with(0, '-'), ofUuids)).toBe(
      `${nothing}; row 0 is "-", not a UUID like the other 999: 999 of 999 rows fit PostgreSQL, 12 remainders, keys as uuid.`,
    );
  });

  it.each([3, 0])('names shard %i, which is down', (shard) => {
    const shards = new Router({ shards: 12, down: [shard] }).routeMany(keys);
    for (const given of [undefined, 12]) {
      expect(sentenceOf(keys, shards, given)).toMatch(
        new RegExp(
          `^No verdict: 9\\d\\d of 1,000 rows fit jump consistent hash of xxHash64, 12 shards; it also puts rows in shard ${shard}, which has none\\.$`,
        ),
      );
    }
  });

  it('lists shards that are down', () => {
    const down = [1, 2, 5, 6, 8, 9, 10];
    const many = Array.from({ length: 3000 }, (_, i) => `user:${i}`);
    expect(sentenceOf(many, new Router({ shards: 64, down }).routeMany(many))).toMatch(
      /; it also puts rows in the shards 1, 2, 5, 6, 8 and 2 more, which have none\.$/,
    );
  });

  it.each([10, 11, 13, 16, 24])('names the right number of shards instead of %i', (given) => {
    expect(sentenceOf(keys, byKafka, given)).toBe(
      `No verdict for ${given} shards: 1,000 of 1,000 rows fit Kafka's Java client, 12 partitions.`,
    );
  });

  it('says which shard is impossible if nobody fits', () => {
    const shards = byKafka.map((shard) => (shard * 7 + 5) % 12);
    expect(sentenceOf(keys, shards, 10)).toBe('No verdict: shard 11 is not one of 10 shards.');
  });

  it('does not need the rows of all shards', () => {
    const all = /^Kafka's Java client, 12 partitions: ([\d,]+) of \1 rows$/;
    expect(sentenceOf(...ofShards(3, 7))).toMatch(all);
    expect(sentenceOf(...ofShards(0, 1), 12)).toMatch(all);
    // These fit 2, 3, 4 and 6 partitions, too, but if there were so few, they would not fit 12.
    expect(sentenceOf(...ofShards(0, 1))).toMatch(all);
    expect(sentenceOf(...ofShards(5), 12)).toBe('No verdict: all rows are in one shard.');
    expect(sentenceOf([], [])).toBe('No verdict: there are no rows.');
  });

  it('names two numbers of shards that fit as well', () => {
    const few = keys.slice(0, 15);
    const { sentence, verdict } = detectRouting(few, new Router({ shards: 64 }).routeMany(few));
    expect(verdict).toBeUndefined();
    expect(sentence).toMatch(
      /^No verdict: 15 of 15 rows fit jump consistent hash of xxHash64, \d\d shards, and \d\d shards as well: give the number, or take more rows\.$/,
    );
  });

  it.each([9, 15, 21, 27, 60])('finds %i partitions in the rows of the first third of them', (partitions) => {
    const shards = partitioner('kafka', { partitions }).routeMany(keys);
    const rows = [...keys.keys()].filter((row) => shards[row] < partitions / 3);
    const sentence = sentenceOf(
      rows.map((row) => keys[row]),
      rows.map((row) => shards[row]),
    );
    expect(sentence).toMatch(new RegExp(`^Kafka's Java client, ${partitions} partitions: ([\\d,]+) of \\1 rows$`));
  });

  it('names another number of shards of the others, as after a topic has grown', () => {
    const more = partitioner('kafka', { partitions: 24 }).routeMany(keys);
    const grown = byKafka.map((shard, row) => (row < 200 ? shard : more[row]));
    expect(sentenceOf(keys, grown)).toMatch(
      /^Kafka's Java client, 24 partitions: [7-9]\d\d of 1,000 rows; ([\d,]+) rows were placed by something else, of which \1 fit Kafka's Java client, 12 partitions$/,
    );
  });

  it('names servers by their names', () => {
    const servers = [...'abcdefgh'].map((name) => ({ name }));
    const shards = partitioner('nginx', { servers })
      .routeMany(keys)
      .map((server) => (server === 2 ? 1 : server));
    expect(finish(detecting(keys, shards, { shards: 8 }, servers)).sentence).toMatch(
      /^No verdict: [\d,]+ of 1,000 rows fit nginx, 8 servers; it also puts rows in server c, which has none\.$/,
    );
  });

  it('does not prefer a mapping that one frequent key fits by chance', () => {
    const hot = Array.from({ length: 9000 }, () => 'user:7');
    const shard = (kafka.route('user:7') + 1) % 12;
    const { sentence, candidates } = detectRouting(
      [...hot, ...keys.slice(0, 300)],
      Uint32Array.of(...hot.map(() => shard), ...byKafka.slice(0, 300)),
    );
    expect(candidates[0].name).toBe("Kafka's Java client, 12 partitions");
    expect(sentence).toMatch(/^No verdict: only 300 of 9,300 rows fit Kafka's Java client, 12 partitions/);
  });

  it('writes large numbers with separators', () => {
    const shards = partitioner('kafka', { partitions: 2000 }).routeMany(keys);
    expect(sentenceOf(keys, shards)).toBe("Kafka's Java client, 2,000 partitions: 1,000 of 1,000 rows");
  });
});

describe('the candidates', () => {
  it('calls integers modulo n a remainder first, whatever systems agree with it', () => {
    const ids = Array.from({ length: 2000 }, (_, i) => String(i * 7 + 1));
    for (const rows of [ids, Int32Array.from(ids, Number), BigInt64Array.from(ids, BigInt)]) {
      const { candidates } = detectRouting(
        rows as never,
        Uint32Array.from(ids, (id) => Number(id) % 10),
      );
      expect(candidates[0]).toMatchObject({
        name: 'the remainder of the number itself, 10 shards',
        options: '--shards 10 --strategy modulo --keys u64 --hash none',
        agree: 2000,
      });
      expect(candidates[0].also).toContain('Spark RDDs, 10 partitions, keys as int32');
    }
  });

  it('never list a mapping twice', () => {
    const shards = new Router({ shards: 12, down: [11] }).routeMany(keys);
    // The largest shards have few rows, so fewer shards are tried, too.
    const astray = shards.map((shard, row) => (row % 500 === 0 ? 40 : shard));
    for (const rows of [shards, astray, byKafka.map((shard, row) => (row % 200 === 0 ? 30 : shard))]) {
      const { candidates } = detectRouting(keys, rows);
      const names = candidates.flatMap(({ name, also }) => [name, ...also]);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
