import { describe, expect, it } from 'vitest';
import { detectRouting } from '../../src/detect/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { Router } from '../../src/routing/router.js';
import { randomU64s } from '../support/random.js';
import { swept } from '../support/scale.js';

const TIMES = swept(1000);

/** Keys of several forms: texts, decimal integers of two sizes, UUIDs. */
const FORMS: readonly ((dice: bigint) => string)[] = [
  (dice) => `user:${dice % 1_000_000n}`,
  (dice) => `${dice % 2_000_000_000n}`,
  (dice) => `${dice}`,
  (dice) =>
    dice
      .toString(16)
      .padStart(32, '0')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
];

const keysOf = (time: number, rows: number) => Array.from(randomU64s(rows, time), FORMS[time % FORMS.length]);
const rowsOf = (time: number) => [20, 100, 300, 1000][(time >> 2) % 4];

describe(`${TIMES} times in ${TIMES}, there is no verdict`, { timeout: 600_000 }, () => {
  it('of rows that were placed at random', () => {
    for (let time = 1; time <= TIMES; time++) {
      const rows = rowsOf(time);
      const n = 2 + (time % 100);
      const shards = Uint32Array.from(randomU64s(rows, -time), (dice) => Number(dice % BigInt(n)));
      for (const first of [0, 1]) {
        const numbered = shards.map((shard) => shard + first);
        const { verdict } = detectRouting(keysOf(time, rows), numbered, time % 2 === 0 ? {} : { shards: n });
        expect(verdict, `of ${rows} rows in ${n} shards from ${first}, time ${time}`).toBeUndefined();
      }
    }
  });

  it('for a wrong number of shards', () => {
    for (let time = 1; time <= TIMES; time++) {
      const rows = 1000;
      const n = 3 + (time % 100);
      const keys = keysOf(time, rows);
      const router = [
        partitioner('kafka', { partitions: n }),
        new Router({ shards: n }),
        new Router({ shards: n, strategy: 'fastrange' }),
        partitioner('postgres', { modulus: n }),
      ][(time >> 4) % 4];
      const wrong = [n - 1, n + 1, 2 * n, Math.ceil(n / 2)][(time >> 2) % 4];
      const { verdict } = detectRouting(keys, router.routeMany(keys), { shards: wrong });
      expect(verdict, `of ${wrong} instead of ${n} shards, time ${time}`).toBeUndefined();
    }
  });
});
