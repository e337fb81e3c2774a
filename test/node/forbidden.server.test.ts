import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const ABC = 0x44bc2cf5ad770999n;

describe('where WebAssembly is forbidden', () => {
  const script = `
    const { getBackend, setBackend, loadBackend, xxh64, Router } = await import('./dist/index.js');
    const seen = [getBackend(), String(xxh64('abc')), new Router({ shards: 1024 }).route('abc')];
    const names = [];
    try { setBackend('wasm'); } catch (error) { names.push([error.name, error.code, error instanceof Error]); }
    try { await loadBackend(); } catch (error) { names.push([error.name, error.code, error instanceof Error]); }
    console.log(JSON.stringify([...seen, names, getBackend()]));`;

  it('BigInt takes over, says so, and gives the same results; asking for WebAssembly throws', () => {
    // --jitless leaves no WebAssembly at all.
    const out = execFileSync(process.execPath, ['--jitless', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    const blocked = ['CompileBlockedError', 'ERR_COMPILE_BLOCKED', true];
    const shard = execFileSync(process.execPath, ['dist/cli.js', 'route', '--shards', '1024', '--format', 'shard'], {
      input: 'abc',
      encoding: 'utf8',
    });
    expect(JSON.parse(out)).toEqual(['bigint', String(ABC), Number(shard), [blocked, blocked], 'bigint']);
  });
});
