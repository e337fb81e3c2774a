import { afterEach, describe, expect, it } from 'vitest';
import { getBackend, loadBackend, setBackend, xxh64 } from '../../src/index.js';
import { CORE_WASM } from '../../src/kernels/wasm/core.generated.js';
import { embedded } from '../../src/kernels/wasm/instance.js';
import { page } from './page.js';

const ABC = 0x44bc2cf5ad770999n;
const core = embedded(CORE_WASM);
const coreUrl = new URL('../../build/core.wasm', import.meta.url);

afterEach(() => setBackend('auto'));

describe("on a page's main thread", () => {
  it('WebAssembly is compiled at first use: the core is far below the 8 MB that Chromium takes there', async () => {
    expect(self).toBe(window);
    const padding = (length: number) =>
      Uint8Array.of(0, ...[0, 7, 14, 21].map((by) => ((length >> by) & 127) | (by < 21 ? 128 : 0)));
    const length = 2 ** 23;
    const padded = new Blob([core, padding(length), new Uint8Array(length)]);
    const large = await padded.arrayBuffer();
    expect(() => new WebAssembly.Module(large)).toThrow(RangeError);
    expect(WebAssembly.Module.exports(await WebAssembly.compile(large))).not.toEqual([]);
    expect(new WebAssembly.Module(core)).toBeInstanceOf(WebAssembly.Module);
    expect(core.length * 500).toBeLessThan(length);
    setBackend('wasm');
    expect(xxh64('abc')).toBe(ABC);
  });

  it('it can be loaded over the network', async () => {
    setBackend('bigint');
    await loadBackend(fetch(coreUrl));
    expect(getBackend()).toBe('wasm');
    expect(xxh64('abc')).toBe(ABC);
  });
});

describe('a page that may not compile on its main thread, as in Chromium with a limit of 4 KB', () => {
  const forbid = `
    for (const name of ['Module', 'Instance']) {
      WebAssembly[name] = new Proxy(WebAssembly[name], { construct() { throw new RangeError(name + ' is disallowed on the main thread'); } });
    }`;

  it.each([
    ['the embedded copy', undefined],
    ['a response', () => fetch(coreUrl)],
    ['bytes', async () => (await fetch(coreUrl)).arrayBuffer()],
  ])('begins with BigInt, and goes on with WebAssembly once it is loaded: %s', async (_, source) => {
    const api = await page("'wasm-unsafe-eval'", forbid);
    expect(api.getBackend()).toBe('bigint');
    expect(api.xxh64('abc')).toBe(ABC);
    expect(() => api.setBackend('wasm')).toThrow(api.CompileBlockedError);
    await api.loadBackend((await source?.()) as Response);
    expect(api.getBackend()).toBe('wasm');
    expect(api.xxh64('abc')).toBe(ABC);
    api.setBackend('bigint');
    api.setBackend('auto');
    expect(api.getBackend()).toBe('wasm');
  });
});
