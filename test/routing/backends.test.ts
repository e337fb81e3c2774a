import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  fastRange,
  fastRangeMany,
  jumpHash,
  jumpHashMany,
  Router,
  type RouterOptions,
  setBackend,
} from '../../src/index.js';
import '../support/equality.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

/** Something computed on each backend. */
function onEach<T>(compute: () => T): [wasm: T, bigint: T] {
  setBackend('wasm');
  const wasm = compute();
  setBackend('bigint');
  return [wasm, compute()];
}

const allBut = (shards: number, up: readonly number[]): number[] =>
  [...new Array(shards).keys()].filter((shard) => !up.includes(shard));

describe('WebAssembly and BigInt route alike', () => {
  afterEach(() => setBackend('auto'));
  const keys = randomU64s(scaled(20_000));
  const u64 = fc.bigInt({ min: 0n, max: 0xffffffffffffffffn });

  it('by jumpHash and fastRange of whatever key and n', () => {
    fc.assert(
      fc.property(
        u64,
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        (key, n, m) => {
          const [wasm, bigint] = onEach(() => [jumpHash(key, n), fastRange(key, m)]);
          expect(wasm).toEqual(bigint);
        },
      ),
      { numRuns: scaled(1000) },
    );
  });

  it('by jumpHashMany and fastRangeMany of a column', () => {
    for (const n of [1, 10, 1024, 65537, 2 ** 31 - 1]) {
      const [wasm, bigint] = onEach(() => [jumpHashMany(keys, n), fastRangeMany(keys, n)]);
      expect(wasm).toEqual(bigint);
    }
  });

  describe.each(['jump', 'fastrange', 'modulo'] as const)('by a router with %s', (strategy) => {
    it.each<[string, RouterOptions]>([
      ['all up', { shards: 1000 }],
      ['a seed', { shards: 1000, seed: -5n }],
      ['the most shards', { shards: 2 ** 31 - 1 }],
      ['some down', { shards: 10, down: [0, 3, 9] }],
      ['no hash', { shards: 10, hash: 'none', down: [4] }],
    ])('with %s', (_, options) => {
      const [wasm, bigint] = onEach(() => {
        const router = new Router({ ...options, strategy });
        return [router.routeMany(keys), Array.from(keys.subarray(0, 500), (key) => router.route(key))];
      });
      expect(wasm).toEqual(bigint);
    });

    it.each([
      [1000, [421]],
      [300, [17, 250]],
      [300, [1, 2, 3, 150, 299]],
    ])('of %i of which only %j are up', (shards, up) => {
      const router = new Router({ shards, strategy, hash: 'none', down: allBut(shards, up) });
      const [wasm, bigint] = onEach(() => router.routeMany(keys.subarray(0, 500)));
      expect(wasm).toEqual(bigint);
    });

    it('when the backend changes under it', () => {
      const router = new Router({ shards: 10, strategy, down: [2] });
      const [wasm, bigint] = onEach(() => router.routeMany(['a', 'b', 'ж', 'd'.repeat(300_000)]));
      expect(wasm).toEqual(bigint);
    });
  });
});
