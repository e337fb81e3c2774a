import { createRequire } from 'node:module';
import type * as Arrow from 'apache-arrow';
import { Binary, Int64, LargeUtf8, makeVector, Uint64, Vector, vectorFromArray } from 'apache-arrow';
import { expect, it } from 'vitest';
import { routeVector, xxh64Vector } from '../../src/arrow/index.js';
import { Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { chunked, lengths, texts, utf8 } from './samples.js';

const router = new Router({ shards: 1000, seed: 5n, down: [3] });

onBothBackends('routeVector and xxh64Vector', () => {
  it.each([1, 100, scaled(16_385)])('of %i texts in three chunks: as of the texts', (rows) => {
    const chunks = [texts(rows), [], texts(9, rows)];
    const vector = utf8(...chunks);
    const shards = routeVector(router, vector);
    expect(String(shards.type)).toBe('Uint32');
    expect(lengths(shards)).toEqual(lengths(vector));
    expect(shards.toArray()).toEqual(router.routeMany(chunks.flat()));
    const hashes = xxh64Vector(vector, { seed: 7n });
    expect(String(hashes.type)).toBe('Uint64');
    expect(lengths(hashes)).toEqual(lengths(vector));
    expect(hashes.toArray()).toEqual(xxh64Many(chunks.flat(), { seed: 7n }));
    expect(xxh64Vector(vector).toArray()).toEqual(xxh64Many(chunks.flat()));
  });

  it.each([
    [0, 0],
    [3, 8],
    [12, 34],
    [25, 60],
    [0, 60],
  ])('of rows %i to %i', (from, to) => {
    const all = texts(60);
    for (const vector of [
      utf8(all.slice(0, 20), all.slice(20, 22), all.slice(22)),
      chunked([all.slice(0, 33), all.slice(33)], new LargeUtf8()),
      vectorFromArray(
        all.map((text) => new TextEncoder().encode(text)),
        new Binary(),
      ),
    ]) {
      const slice = vector.slice(from, to);
      expect(routeVector(router, slice).toArray()).toEqual(router.routeMany(all.slice(from, to)));
      expect(xxh64Vector(slice).toArray()).toEqual(xxh64Many(all.slice(from, to)));
    }
  });

  it('of u64s, signed or not, hashed or not', () => {
    const ids = randomU64s(500);
    const signed = new BigInt64Array(ids.buffer);
    const plain = router.with({ hash: 'none' });
    for (const vector of [makeVector([ids.slice(0, 99), ids.slice(99)]), makeVector(signed)] as Vector[]) {
      expect(routeVector(router, vector).toArray()).toEqual(router.routeMany(ids));
      expect(routeVector(plain, vector).toArray()).toEqual(plain.routeMany(ids));
      expect(xxh64Vector(vector).toArray()).toEqual(xxh64Many(ids));
      expect(xxh64Vector(vector.slice(90, 120)).toArray()).toEqual(xxh64Many(ids.slice(90, 120)));
    }
  });

  it('of nothing', () => {
    for (const type of [new Uint64(), new Int64(), new Binary()]) {
      const vector = vectorFromArray([], type);
      expect([...routeVector(router, vector)]).toEqual([]);
      expect([...xxh64Vector(vector)]).toEqual([]);
    }
  });

  it('of a vector of another copy of apache-arrow', () => {
    const other: typeof Arrow = createRequire(import.meta.url)('apache-arrow');
    expect(other.Vector).not.toBe(Vector);
    const vector = other.vectorFromArray(['a', 'b'], new other.Utf8());
    expect(routeVector(router, vector).toArray()).toEqual(router.routeMany(['a', 'b']));
    const indexed = other.vectorFromArray(['a', 'b', 'a']);
    expect(routeVector(router, indexed).toArray()).toEqual(router.routeMany(['a', 'b', 'a']));
  });

  it('leaves its input as it is', () => {
    const vector = utf8(['a', 'b'], ['c']);
    routeVector(router, vector);
    xxh64Vector(vector);
    expect([...vector]).toEqual(['a', 'b', 'c']);
  });
});
