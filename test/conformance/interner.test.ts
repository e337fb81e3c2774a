import { describe, expect, it, onTestFinished } from 'vitest';
import { setBackend, xxh64Many } from '../../src/index.js';
import { InternExhaustedError, Interner, memoryStore, StoreConflictError } from '../../src/registry/index.js';
import { collidingStrings } from '../support/colliding.js';
import { overriding } from '../support/overriding.js';
import { randomU64s } from '../support/random.js';
import { wrong } from '../support/wrong-argument.js';
import { everyStore } from './stores.js';

const STORES = everyStore();

describe.each(STORES)('an Interner over $name', ({ open }) => {
  const interner = async (prefixBits?: number) => new Interner({ store: (await open()).store, prefixBits });

  it('gives equal strings equal ids and others others, in the order of the keys, and strings back', async () => {
    const strings = await interner();
    const keys = ['b', 'a', 'b', '', 'a', 'c'];
    const ids = await strings.internMany(keys);
    expect(new Set(ids).size).toBe(4);
    expect([ids[0], ids[1]]).toEqual([ids[2], ids[4]]);
    expect(await strings.internMany([...keys].reverse())).toEqual(ids.slice().reverse());
    expect(await strings.resolveMany(ids)).toEqual(keys);
    expect(await strings.intern('c')).toBe(ids[5]);
    expect(await strings.resolve(ids[3])).toBe('');
    expect(await strings.internMany([])).toEqual(new BigUint64Array(0));
  });

  it('takes any string, of any length, and gives it back as it is', async () => {
    const strings = await interner();
    const long = 'long '.repeat(2000);
    const keys = [
      '\0',
      'a\0b',
      '\u{10ffff}',
      'e\u0301',
      'é',
      ...['\ufeff', 'a\ufeff', '\ufffd', '\ufffe', '\uffff', 'a\ufffea', '\u{1fffe}', '\u{10fffe}'],
      ' ',
      "'; drop table",
      long,
      `${long}1`,
      `1${long}`,
    ];
    keys.push(...[1023, 1024, 1025, 1977, 1978, 1979, 70_000].map((length) => 'x'.repeat(length)));
    keys.push(...[511, 512, 513].map((length) => 'é'.repeat(length)));
    const ids = await strings.internMany(keys);
    expect(new Set(ids).size).toBe(keys.length);
    expect(await strings.resolveMany(ids)).toEqual(keys);
    expect(await strings.internMany(keys)).toEqual(ids);
    expect(await strings.lookupMany(keys)).toEqual(ids);
  });

  it('gives each an id of its own, if strings are chosen so that they have one XXH64 with any seed', async () => {
    const keys = collidingStrings(4);
    for (const seed of randomU64s(1000)) expect(new Set(xxh64Many(keys, { seed })).size).toBe(1);
    const strings = await interner();
    const ids = await strings.internMany(keys);
    expect(new Set(ids).size).toBe(keys.length);
    expect(await strings.resolveMany(ids)).toEqual(keys);
    expect(await strings.lookupMany(keys)).toEqual(ids);
  });

  it('finds on one backend what was interned on the other', async () => {
    const { store, again } = await open();
    onTestFinished(() => setBackend('auto'));
    const keys = Array.from(randomU64s(200), (n, row) => `${'é'.repeat(row % 3)}${n}`);
    setBackend('bigint');
    const ids = await new Interner({ store }).internMany(keys);
    setBackend('wasm');
    expect(await new Interner({ store: await again() }).lookupMany(keys)).toEqual(ids);
  });

  it('gives ids of a prefix and a number from 1 on, those of a batch in a row', async () => {
    const strings = await interner(14);
    const ids = await strings.internMany(Array.from(randomU64s(1000), String));
    expect(new Set(Array.from(ids, (id) => id >> 50n)).size).toBe(1);
    expect(Array.from(ids, (id) => Number(id & (2n ** 50n - 1n)))).toEqual(Array.from(ids, (_, i) => i + 1));
  });

  it('looks up without giving ids', async () => {
    const strings = await interner();
    const id = await strings.intern('a');
    expect(await strings.lookupMany(['b', 'a'])).toEqual(BigUint64Array.of(0n, id));
    expect(await strings.lookupMany(['b'])).toEqual(BigUint64Array.of(0n));
    expect(await strings.resolveMany([id, id + 1n, 0n, 2n ** 64n - 1n])).toEqual([
      'a',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keeps ids across openings, and knows what others have interned since', async () => {
    const { store, again } = await open();
    const one = new Interner({ store });
    const ids = await one.internMany(['a', 'b']);
    const two = new Interner({ store: await again() });
    expect(await two.internMany(['b', 'a', 'c'])).toEqual(BigUint64Array.of(ids[1], ids[0], await two.intern('c')));
    expect(await one.lookupMany(['c'])).toEqual(await two.lookupMany(['c']));
    expect(await one.resolve(await two.intern('d'))).toBe('d');
  });

  it('gives one id to one string, however many ask at once', async () => {
    const { store, again } = await open();
    const interners = [new Interner({ store, prefixBits: 1 }), new Interner({ store: await again(), prefixBits: 1 })];
    const keys = Array.from({ length: 200 }, (_, i) => `key ${i}`);
    const jobs = Array.from({ length: 20 }, (_, job) => {
      const some = keys.filter((_, i) => (i * 7 + job) % 3 !== 0);
      return interners[job % 2].internMany(some).then((ids) => [some, ids] as const);
    });
    const idOf = new Map<string, bigint>();
    for (const [some, ids] of await Promise.all(jobs)) {
      for (const [i, key] of some.entries()) {
        expect(idOf.get(key) ?? ids[i]).toBe(ids[i]);
        idOf.set(key, ids[i]);
      }
    }
    expect(new Set(idOf.values()).size).toBe(200);
  });

  it('skips prefixes that have no room, and says so when none has; nothing has been done then', async () => {
    const { store } = await open();
    const strings = new Interner({ store, prefixBits: 32 });
    await strings.intern('first');
    const tried: number[] = [];
    let full = 4;
    const nearlyFull = new Interner({
      prefixBits: 32,
      store: overriding(store, {
        assign: (...[space, block, keys]: Parameters<typeof store.assign>) => {
          tried.push(block.prefix);
          return store.assign(space, { ...block, max: full-- > 0 ? BigInt(keys.length) - 1n : block.max }, keys);
        },
      }),
    });
    const ids = await nearlyFull.internMany(['a', 'b']);
    expect(tried.length).toBe(5);
    expect(Number(ids[0] >> 32n)).toBe(tried[4]);
    full = 5;
    await expect(nearlyFull.internMany(['c', 'd'])).rejects.toThrow(InternExhaustedError);
    expect(await strings.lookupMany(['a', 'b', 'c', 'd'])).toEqual(BigUint64Array.of(...ids, 0n, 0n));
  });

  it('never passes the last number of a prefix', async () => {
    const { store } = await open();
    const block = { prefix: 7, base: 7n << 3n, max: 5n };
    expect(await store.assign('strings', block, ['a', 'b', 'c'])).toEqual(BigUint64Array.of(57n, 58n, 59n));
    expect(await store.assign('strings', block, ['d', 'e', 'f'])).toBeUndefined();
    expect(await store.assign('strings', block, ['a', 'd', 'e'])).toEqual(BigUint64Array.of(57n, 60n, 61n));
    expect(await store.assign('strings', block, ['f'])).toBeUndefined();
    expect(await store.assign('strings', block, ['e', 'a'])).toEqual(BigUint64Array.of(61n, 57n));
    expect(await store.counter('strings', 7)).toBe(5n);
    expect(await store.lookup('strings', ['f'])).toEqual(BigUint64Array.of(0n));
  });

  it('holds the largest ids there are', async () => {
    const { store } = await open();
    const block = { prefix: 2 ** 32 - 1, base: (2n ** 32n - 1n) << 32n, max: 2n ** 32n - 1n };
    const ids = (await store.assign('strings', block, ['z'])) as BigUint64Array;
    expect(ids[0]).toBe(0xffffffff00000001n);
    expect(await store.lookup('strings', ['z'])).toEqual(ids);
    expect(await store.resolve('strings', ids)).toEqual(['z']);
  });

  it('starts again after a conflict', async () => {
    const { store } = await open();
    let conflicts = 3;
    const contended = new Interner({
      store: overriding(store, {
        assign: async (...given: Parameters<typeof store.assign>) => {
          if (conflicts-- > 0) throw new StoreConflictError('others were faster');
          return store.assign(...given);
        },
      }),
    });
    const id = await contended.intern('a');
    expect(await store.lookup('strings', ['a'])).toEqual(BigUint64Array.of(id));
    expect(conflicts).toBe(-1);
  });

  it('refuses another number of prefix bits than the store was first used with', async () => {
    const { store, again } = await open();
    await new Interner({ store, prefixBits: 16 }).intern('a');
    const other = new Interner({ store: await again(), prefixBits: 14 });
    await expect(other.intern('a')).rejects.toThrow(/^"prefixBits": expected the store's 16, got 14$/);
    expect(await new Interner({ store: await again(), prefixBits: 16 }).intern('a')).toBeGreaterThan(0n);
  });

  it('refuses what is no whole string, with its row, and interns nothing then', async () => {
    const strings = await interner();
    for (const bad of ['\ud800', 'a\udc00b', '\udc00\ud800']) {
      await expect(strings.internMany(['a', 'b', bad])).rejects.toThrow(
        /^"keys" row 2: expected a string of whole characters, got a lone surrogate$/,
      );
      await expect(strings.intern(bad)).rejects.toThrow(RangeError);
    }
    await expect(strings.internMany(['a', 5 as never])).rejects.toThrow(wrong('keys', 1));
    await expect(strings.internMany('ab' as never)).rejects.toThrow(wrong('keys'));
    await expect(strings.intern(undefined as never)).rejects.toThrow(TypeError);
    await expect(strings.resolve(-1n)).rejects.toThrow(RangeError);
    await expect(strings.resolve('1' as never)).rejects.toThrow(TypeError);
    expect(await strings.lookupMany(['a', 'b'])).toEqual(BigUint64Array.of(0n, 0n));
  });
});

describe('an Interner', () => {
  it.each([0, 33, 1.5, '14', null])('is refused with prefixBits %j', async (prefixBits) => {
    const store = memoryStore();
    expect(() => new Interner({ store, prefixBits: prefixBits as never })).toThrow(
      /^"prefixBits": expected an integer from 1 to 32/,
    );
    expect(() => new Interner({} as never)).toThrow(wrong('store'));
  });
});
