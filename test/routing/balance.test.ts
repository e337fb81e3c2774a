import { expect, it } from 'vitest';
import { balanceOf } from '../../src/routing/plan.js';

it.each<[counts: ArrayLike<number>, balance: object]>([
  [[3, 1, 2], { min: 1, max: 3, mean: 2, deviation: Math.sqrt(2 / 3) }],
  [[1, 5], { min: 1, max: 5, mean: 3, deviation: 2 }],
  [Float64Array.of(7, 7, 7, 7), { min: 7, max: 7, mean: 7, deviation: 0 }],
  [Uint32Array.of(0, 0), { min: 0, max: 0, mean: 0, deviation: 0 }],
  [[9], { min: 9, max: 9, mean: 9, deviation: 0 }],
])('the balance of shards with %o keys', (counts, balance) => {
  expect(balanceOf(counts)).toEqual(balance);
});
