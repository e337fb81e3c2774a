import { expect } from 'vitest';
import { detecting, finish } from '../../src/detect/detect.js';
import type { TriedKeys } from '../../src/detect/readings.js';
import type { RingServer } from '../../src/partitioners/systems/rings.js';

/**
 * Expects that rows are told from their shards, although another client has placed one in a hundred of them, and that
 * exactly the rows that do not fit are known.
 * @param shards those that a real system gave
 * @param others the shards of the other client
 * @param options those of `shardbits route`
 */
export function expectDetected(
  keys: TriedKeys,
  shards: ArrayLike<number>,
  others: ArrayLike<number>,
  options: string,
  servers?: readonly RingServer[],
): void {
  const mixed = Uint32Array.from(shards, (shard, row) => (row % 100 === 99 ? others[row] : shard));
  const { verdict, placed } = finish(detecting(keys, mixed, servers && { shards: servers.length }, servers));
  expect(verdict?.options).toBe(options);
  const rows = Array.from(mixed.keys());
  const foreign = rows.filter((row) => mixed[row] !== shards[row]);
  expect(rows.filter((row) => mixed[row] !== placed?.[row])).toEqual(foreign);
  expect(verdict?.agree).toBe(mixed.length - foreign.length);
  // One foreign row in n agrees by chance, and more if servers have different weights.
  expect(foreign.length).toBeGreaterThan(mixed.length / 400);
}
