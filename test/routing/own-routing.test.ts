import { describe, expect, it } from 'vitest';
import { type Key, type Keys, planReshard, Router, type Routing } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { shardsOf } from '../../src/routing/routing.js';
import { onBothBackends } from '../support/backends.js';

const texts = Array.from({ length: 1000 }, (_, i) => `user:${i}`);
const router = new Router({ shards: 10 });

/** Places texts by their length. It keeps its number of shards in private, so its methods need their `this`. */
class ByLength implements Routing {
  readonly #shards: number;

  constructor(shards: number) {
    this.#shards = shards;
  }

  get shards(): number {
    return this.#shards;
  }

  route(key: Key): number {
    return String(key).length % this.#shards;
  }

  routeMany(keys: Keys): Uint32Array {
    return Uint32Array.from(keys as string[], (key) => this.route(key));
  }

  toJSON(): object {
    return { shards: this.#shards };
  }
}

/** One that gives a result of any kind. */
function giving(result: unknown, shards = 10): Routing {
  return { shards, route: () => 0, routeMany: () => result as Uint32Array, toJSON: () => ({}) };
}

function failure(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

onBothBackends('planReshard takes a Routing of your own', () => {
  it('as an object of a class', () => {
    const [from, to] = [new ByLength(4), new ByLength(5)];
    const plan = planReshard(texts, from, to);
    // user:0 to user:9 have 6 characters, user:10 to user:99 have 7, and the others 8.
    expect(plan).toMatchObject({ total: 1000, moved: 1000 });
    expect(plan.ideal).toBeCloseTo(200, 9);
    expect(plan.flows).toEqual([
      { from: 0, to: 3, count: 900 },
      { from: 2, to: 1, count: 10 },
      { from: 3, to: 2, count: 90 },
    ]);
    expect(plan.rows).toEqual(Uint32Array.from(texts.keys()));
  });

  it('of fewer shards, of which all count as up', () => {
    expect(planReshard(texts, new ByLength(5), new ByLength(4)).ideal).toBeCloseTo(200, 9);
  });

  it('as a plain object, beside a Router or a partitioner', () => {
    const same: Routing = {
      shards: 10,
      route: (key) => router.route(key),
      routeMany: (keys, options) => router.routeMany(keys, options),
      toJSON: () => ({}),
    };
    expect(planReshard(texts, same, router)).toMatchObject({ total: 1000, moved: 0, ideal: 0, flows: [] });
    const kafka = partitioner('kafka', { partitions: 12 });
    expect(planReshard(texts, same, kafka)).toEqual(planReshard(texts, router, kafka));
    expect(planReshard(texts, kafka, same)).toEqual(planReshard(texts, kafka, router));
  });

  it('with any column of keys, of which it gets the one that was given', () => {
    const columns = [
      texts,
      { data: new Uint8Array(9), offsets: Uint32Array.of(0, 3, 3, 9) },
      new BigUint64Array(5),
      new BigInt64Array(3),
      new Int32Array(7),
    ];
    for (const column of columns) {
      const rows = 'offsets' in column ? 3 : column.length;
      const seen: unknown[] = [];
      const routing: Routing = {
        ...giving(undefined),
        routeMany(keys) {
          seen.push(keys);
          return new Uint32Array(rows).fill(9);
        },
      };
      expect(planReshard(column, routing, giving(new Uint32Array(rows)))).toMatchObject({ total: rows, moved: rows });
      expect(seen).toEqual([column]);
      expect(seen[0]).toBe(column);
    }
  });

  it('also of no keys', () => {
    const none = giving(new Uint32Array(0));
    expect(planReshard([], none, none)).toMatchObject({ total: 0, moved: 0 });
    expect(planReshard({ data: new Uint8Array(0), offsets: new Uint32Array(0) }, none, none).total).toBe(0);
  });

  it('and hands on what it throws', () => {
    const error = new Error('mine');
    const broken: Routing = {
      ...giving(undefined),
      routeMany() {
        throw error;
      },
    };
    expect(failure(() => planReshard(texts, broken, router))).toBe(error);
    expect(failure(() => planReshard(texts, router, broken))).toBe(error);
  });
});

describe('shardsOf', () => {
  const keys = ['a', 'b'];

  it('gives what a Routing of your own gives, or copies it to the column that is asked for', () => {
    const shards = Uint32Array.of(3, 9);
    expect(shardsOf(giving(shards), keys)).toBe(shards);
    const out = new Uint32Array(2);
    expect(shardsOf(giving(shards), keys, out)).toBe(out);
    expect(out).toEqual(Uint32Array.of(3, 9));
  });

  it('hands on the column, for the routing to fill, and no options if there is none', () => {
    const given: unknown[] = [];
    const routing: Routing = {
      ...giving(undefined),
      routeMany(_, options) {
        given.push(options);
        return (options?.out ?? new Uint32Array(2)).fill(4);
      },
    };
    const out = new Uint32Array(2);
    expect(shardsOf(routing, keys, out)).toBe(out);
    expect(out).toEqual(Uint32Array.of(4, 4));
    expect(shardsOf(routing, keys)).toEqual(Uint32Array.of(4, 4));
    expect(given).toEqual([{ out }, undefined]);
    expect(shardsOf(router, keys, out)).toBe(out);
    expect(out).toEqual(router.routeMany(keys));
  });
});

describe('planReshard refuses a result that is', () => {
  const WRONG: readonly (readonly [what: string, result: unknown, Kind: typeof TypeError | typeof RangeError])[] = [
    ['not there', undefined, TypeError],
    ['null', null, TypeError],
    ['an Array', [0, 1, 2], TypeError],
    ['an Int32Array', new Int32Array(3), TypeError],
    ['a BigUint64Array', new BigUint64Array(3), TypeError],
    ['a Float64Array', new Float64Array(3), TypeError],
    ['a Promise', Promise.resolve(new Uint32Array(3)), TypeError],
    ['a row short', new Uint32Array(2), RangeError],
    ['a row long', new Uint32Array(4), RangeError],
    ['without rows', new Uint32Array(0), RangeError],
    ['a shard too high', Uint32Array.of(0, 10, 9), RangeError],
    ['a shard below 0', Uint32Array.of(0, 1, -1), RangeError],
  ];

  it.each(WRONG)('%s', (_, result, Kind) => {
    const keys = ['a', 'b', 'c'];
    const code = Kind === TypeError ? 'ERR_INVALID_ARG_TYPE' : 'ERR_OUT_OF_RANGE';
    for (const [from, to] of [
      [giving(result), router],
      [router, giving(result)],
    ] as const) {
      const error = failure(() => planReshard(keys, from, to));
      expect(error).toBeInstanceOf(Kind);
      expect(error).toMatchObject({ code, message: expect.stringContaining('from routeMany') });
    }
  });

  it('wrong, by the name of the argument that gave it', () => {
    const short = giving(new Uint32Array(2));
    expect(failure(() => planReshard(['a'], short, router))).toMatchObject({ argument: 'from' });
    expect(failure(() => planReshard(['a'], router, short))).toMatchObject({ argument: 'to' });
  });

  it('too high, whichever row has it', () => {
    for (const row of [0, 500, 999]) {
      const shards = new Uint32Array(1000);
      shards[row] = 10;
      expect(failure(() => planReshard(texts, router, giving(shards)))).toMatchObject({
        name: 'RangeError',
        expected: 'shards from 0 to 9 from routeMany',
        got: 10,
      });
    }
  });
});

describe('planReshard refuses what is not a Routing', () => {
  const whole = giving(new Uint32Array(1));

  it.each<[what: string, routing: unknown]>([
    ['null', null],
    ['a function', () => 0],
    ['one without a number of shards', { ...whole, shards: undefined }],
    ['one whose number of shards is text', { ...whole, shards: '10' }],
    ['one without route', { ...whole, route: undefined }],
    ['one without routeMany', { ...whole, routeMany: undefined }],
    ['one whose routeMany is no function', { ...whole, routeMany: [] }],
  ])('%s', (_, routing) => {
    for (const [argument, from, to] of [
      ['from', routing as Routing, router],
      ['to', router, routing as Routing],
    ] as const) {
      expect(failure(() => planReshard(['a'], from, to))).toMatchObject({
        name: 'TypeError',
        argument,
        expected: 'a Router, a Partitioner or another Routing',
      });
    }
  });

  it('but leaves it to a partitioner that has no shards to say why', () => {
    const ringless = partitioner('cassandra');
    expect(failure(() => planReshard(['a'], router, ringless))).toMatchObject({
      argument: 'tokens',
      expected: 'the tokens of the ring in a BigInt64Array',
    });
  });

  it.each([0, -1, 1.5, 2 ** 31, Number.NaN])('one with %f shards', (shards) => {
    const error = failure(() => planReshard(['a'], router, { ...whole, shards }));
    expect(error).toMatchObject({ name: 'RangeError', argument: 'to.shards', got: shards });
  });
});
