import { describe, expect, it } from 'vitest';
import { Router, type RouterOptions } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

onBothBackends('a Router never changes', () => {
  const keys = randomU64s(50);
  const routes = (router: Router): string =>
    [...router.routeMany(keys), ...Array.from(keys, (key) => router.route(key))].join(' ');

  it('when another is made from it', () => {
    const router = new Router({ shards: 10, seed: 4n, down: [3] });
    const before = routes(router);
    const changed = router.with({ shards: 11 });
    expect(changed).toBeInstanceOf(Router);
    expect(changed).not.toBe(router);
    expect(router).toMatchObject({ shards: 10, strategy: 'jump', hash: 'xxh64', seed: 4n, down: [3] });
    expect(routes(router)).toBe(before);
  });

  it('when its options are changed afterwards', () => {
    const down = [3];
    const options: RouterOptions = { shards: 10, down };
    const router = new Router(options);
    const before = routes(router);
    down.push(7);
    options.shards = 20;
    expect(routes(router)).toBe(before);
    expect(router.down).toEqual([3]);
  });

  it('when somebody tries to add to its list of shards that are down', () => {
    const router = new Router({ shards: 10, down: [3] });
    expect(Object.isFrozen(router.down)).toBe(true);
    expect(() => (router.down as number[]).push(5)).toThrow(TypeError);
    expect(Object.isFrozen(new Router({ shards: 10 }).down)).toBe(true);
  });

  it.each([
    ['shards', 3],
    ['strategy', 'modulo'],
    ['hash', 'none'],
    ['seed', 77n],
    ['down', []],
  ])('when somebody assigns to its %s, whether or not that throws', (name, value) => {
    const router = new Router({ shards: 10, down: [3] });
    const before = routes(router);
    try {
      (router as unknown as Record<string, unknown>)[name] = value;
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
    expect(routes(router)).toBe(before);
    expect(router).toMatchObject({ shards: 10, strategy: 'jump', hash: 'xxh64', seed: 0n, down: [3] });
  });
});

onBothBackends('Router.with', () => {
  const router = new Router({ shards: 10, strategy: 'fastrange', hash: 'none', seed: 9n, down: [3, 5] });
  const same = { shards: 10, strategy: 'fastrange', hash: 'none', seed: 9n, down: [3, 5] };

  it.each<[Partial<RouterOptions>]>([
    [{ shards: 12 }],
    [{ strategy: 'jump' }],
    [{ hash: 'xxh64' }],
    [{ seed: 1n }],
    [{ down: [] }],
    [{ down: [1] }],
    [{ shards: 20, strategy: 'modulo', hash: 'xxh64', seed: 0n, down: [19] }],
  ])('changes what it is given and keeps the rest: %o', (changes) => {
    const changed = router.with(changes);
    expect(changed).toMatchObject({ ...same, ...changes });
    const keys = randomU64s(300);
    expect(changed.routeMany(keys)).toEqual(new Router({ ...(same as RouterOptions), ...changes }).routeMany(keys));
  });

  it('gives an equal router for no changes', () => {
    const keys = randomU64s(300);
    expect(router.with({})).toMatchObject(same);
    expect(router.with({}).routeMany(keys)).toEqual(router.routeMany(keys));
  });

  it('checks the result as a whole', () => {
    expect(() => router.with({ shards: 5 })).toThrow(RangeError); // 5 is down, and no longer there
    expect(router.with({ shards: 5, down: [3] }).down).toEqual([3]);
  });
});

describe('the JSON of a Router', () => {
  it.each<[RouterOptions, object]>([
    [{ shards: 4 }, { shards: 4, strategy: 'jump', hash: 'xxh64', seed: '0', down: [] }],
    [
      { shards: 10, strategy: 'modulo', hash: 'none', seed: 2n ** 64n - 1n, down: [5, 3] },
      { shards: 10, strategy: 'modulo', hash: 'none', seed: '18446744073709551615', down: [3, 5] },
    ],
  ])('of %o gives the same router again', (options, json) => {
    const router = new Router(options);
    expect(JSON.parse(JSON.stringify(router))).toEqual(json);
    const again = Router.from(json);
    expect(again).toBeInstanceOf(Router);
    expect(again).toMatchObject({ ...options, down: router.down });
  });

  it.each([['18446744073709551616'], ['99999999999999999999']])('is refused with the seed %s', (seed) => {
    expect(() => Router.from({ shards: 4, seed })).toThrow(
      expect.objectContaining({ name: 'RangeError', argument: 'seed' }),
    );
  });
});

it('a Router is named as what it is, also where its class is of another copy of the package', () => {
  expect(Object.prototype.toString.call(new Router({ shards: 1 }))).toBe('[object Router]');
});
