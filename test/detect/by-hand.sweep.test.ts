import { expect, it } from 'vitest';
import { BY_HAND, BY_HAND_OF_INTEGERS, routingByHand } from '../../src/detect/by-hand.js';
import { detectRouting } from '../../src/detect/index.js';
import { randomU64s } from '../support/random.js';
import { swept } from '../support/scale.js';

const ROWS = 300;
/** Keys of several lengths, from the shortest to those of several blocks of a hash, and beyond ASCII. */
const FORMS: readonly ((dice: bigint, row: number) => string)[] = [
  (dice) => `user:${dice % 1_000_000n}`,
  (dice) => `${dice}@example.com`,
  (dice, row) => `Zoë/日本/${dice}`.slice(0, 6 + (row % 20)),
  (dice, row) => `${dice}`.repeat(1 + (row % 80)),
];
const NUMBERS = [100, 7].slice(0, swept(10) === 10 ? 2 : 1);

it.each(BY_HAND)('rows placed by $name are named', { timeout: 60_000 }, (byHand) => {
  for (const n of NUMBERS) {
    for (const [form, keyOf] of FORMS.entries()) {
      const keys = Array.from(randomU64s(ROWS, 1000 * n + form), keyOf);
      const shards = routingByHand(byHand, n).routeMany(keys);
      const { verdict, sentence } = detectRouting(keys, shards, { most: 20 });
      // Another mapping may agree about all of these rows.
      expect(verdict?.routing.routeMany(keys), `${n} shards, form ${form}: ${sentence}`).toEqual(shards);
      if (n >= 10 && form === 3) {
        expect([verdict?.name, ...(verdict?.also ?? [])]).toContain(byHand.name.replaceAll(/\bn\b/g, String(n)));
      }
    }
  }
});

it.each(BY_HAND_OF_INTEGERS)('rows of integers placed by $name are named', (byHand) => {
  for (const n of NUMBERS) {
    for (const kind of ['int32', 'int64'] as const) {
      const ids = BigInt64Array.from(randomU64s(ROWS, n), (dice) => BigInt.asIntN(kind === 'int32' ? 32 : 64, dice));
      const column = kind === 'int32' ? Int32Array.from(ids, Number) : ids;
      const shards = routingByHand(byHand, n, kind).routeMany(column as never);
      expect(detectRouting(ids, shards).verdict?.agree, `${n} shards, ${kind}`).toBe(ROWS);
    }
  }
});
