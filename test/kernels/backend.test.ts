import { afterEach, describe, expect, it } from 'vitest';
import { getBackend, loadBackend, setBackend, xxh64 } from '../../src/index.js';
import { CORE_WASM } from '../../src/kernels/wasm/core.generated.js';
import { embedded } from '../../src/kernels/wasm/instance.js';

const core = embedded(CORE_WASM);
const ABC = 0x44bc2cf5ad770999n;

afterEach(() => setBackend('auto'));

describe('the backend', () => {
  it('is WebAssembly unless chosen otherwise', () => {
    expect(getBackend()).toBe('wasm');
    expect(xxh64('abc')).toBe(ABC);
  });

  it('can be chosen, and gives the same results', () => {
    for (const which of ['bigint', 'wasm', 'auto'] as const) {
      setBackend(which);
      expect(getBackend()).toBe(which === 'auto' ? 'wasm' : which);
      expect(xxh64('abc')).toBe(ABC);
    }
  });

  it('can be a compiled module', () => {
    setBackend('bigint');
    setBackend(new WebAssembly.Module(core));
    expect(getBackend()).toBe('wasm');
    expect(xxh64('abc')).toBe(ABC);
  });

  it.each([
    ['nothing: the embedded copy', () => undefined],
    ['a module', () => new WebAssembly.Module(core)],
    ['bytes', () => core],
    ['an ArrayBuffer', () => Uint8Array.from(core).buffer],
    ['a response', () => new Response(core, { headers: { 'content-type': 'application/wasm' } })],
    ['a response of any content type', () => new Response(core)],
    ['the promise of a response', () => Promise.resolve(new Response(core))],
  ])('can be loaded from %s', async (_, source) => {
    setBackend('bigint');
    await loadBackend(source());
    expect(getBackend()).toBe('wasm');
    expect(xxh64('abc')).toBe(ABC);
  });

  it('stays as it was when a source is refused', async () => {
    setBackend('bigint');
    await expect(loadBackend(Uint8Array.of(1, 2, 3))).rejects.toThrow(RangeError);
    await expect(loadBackend(new Response('no', { status: 404 }))).rejects.toThrow(
      '"source": expected a response that is ok, got 404',
    );
    await expect(loadBackend(Promise.reject(new Error('offline')))).rejects.toThrow('offline');
    const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    expect(() => setBackend(empty)).toThrow(RangeError);
    await expect(loadBackend(empty)).rejects.toThrow(
      '"source": expected this version\'s core.wasm, got another module',
    );
    expect(getBackend()).toBe('bigint');
  });

  it('refuses the core of another version, whatever it exports', async () => {
    // At the end there is a custom section of three bytes and the version in eight characters.
    const other = core.slice();
    other[other.length - 1] = (other.at(-1) as number) ^ 1;
    const without = core.slice(0, core.length - 11);
    setBackend('bigint');
    for (const bytes of [other, without]) {
      const module = new WebAssembly.Module(bytes);
      expect(WebAssembly.Module.exports(module)).toEqual(WebAssembly.Module.exports(new WebAssembly.Module(core)));
      expect(() => setBackend(module)).toThrow('"which": expected this version\'s core.wasm, got another module');
      for (const source of [module, bytes]) await expect(loadBackend(source)).rejects.toThrow(RangeError);
    }
    expect(getBackend()).toBe('bigint');
  });
});
