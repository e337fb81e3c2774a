import { describe, expect, it } from 'vitest';
import * as here from '../../src/index.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { type Api, page } from './page.js';

/** Something of everything that the two backends do. */
function results({ Router, xxh64, xxh64Many, Xxh64, layouts, formatIds, parseIds, jumpHashMany, fastRangeMany }: Api) {
  const texts = Array.from(randomU64s(1001), (value) => 'жзы😀ab'.repeat(Number(value % 9n)) + value);
  const data = randomBytes(99_999);
  const ids = randomU64s(16_387).map((value) => value & layouts.snowflake.mask);
  return {
    abc: xxh64('abc'),
    bytes: [xxh64(data, 7n), new Xxh64(7n).update(data).digest()],
    texts: xxh64Many(texts),
    shards: new Router({ shards: 1024, down: [5] }).routeMany(texts),
    jump: jumpHashMany(ids, 1_000_003),
    range: fastRangeMany(ids, 1_000_003),
    columns: layouts.snowflake.unpackMany(ids),
    ids: layouts.snowflake.packMany(layouts.snowflake.unpackMany(ids)),
    formatted: formatIds(ids, 'base62'),
    parsed: parseIds(formatIds(ids, 'base62'), 'base62'),
  };
}

/** By value, as arrays of another page are of other classes. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, each) => {
    if (typeof each === 'bigint') return `${each}n`;
    return ArrayBuffer.isView(each) ? Array.from(each as BigUint64Array, String) : each;
  });

describe("a page whose policy lacks 'wasm-unsafe-eval'", async () => {
  const api = await page('');

  it('has the BigInt backend, and the same results', () => {
    expect(api.getBackend()).toBe('bigint');
    expect(here.getBackend()).toBe('wasm');
    expect(plain(results(api))).toBe(plain(results(here)));
    expect(api.xxh64('abc')).toBe(0x44bc2cf5ad770999n);
  });

  it('is told that there is no other', async () => {
    const blocked = { name: 'CompileBlockedError', code: 'ERR_COMPILE_BLOCKED' };
    expect(() => api.setBackend('wasm')).toThrow(expect.objectContaining(blocked));
    expect(() => api.setBackend('wasm')).toThrow(api.CompileBlockedError);
    await expect(api.loadBackend()).rejects.toMatchObject(blocked);
    const bytes = await (await fetch(new URL('../../build/core.wasm', import.meta.url))).arrayBuffer();
    await expect(api.loadBackend(bytes)).rejects.toThrow(api.CompileBlockedError);
    await expect(api.loadBackend(bytes)).rejects.toThrow(/Content Security Policy/);
    expect(api.getBackend()).toBe('bigint');
    await expect(api.loadBackend(new Uint8Array(8))).rejects.toMatchObject({ name: 'RangeError' });
  });
});

describe("a page whose policy has 'wasm-unsafe-eval'", async () => {
  const api = await page("'wasm-unsafe-eval'");

  it('has WebAssembly, without more being done', () => {
    expect(api.getBackend()).toBe('wasm');
    expect(plain(results(api))).toBe(plain(results(here)));
  });
});
