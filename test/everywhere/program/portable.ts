import * as core from 'shardbits';
import * as kernels from 'shardbits/kernels';
import { splitMix64 } from '../../support/split-mix.js';
import { Checks, type Outcome } from './checks.js';
import { bothTheSame, errors, minting, publishedValues } from './core.js';
import { detected } from './detect.js';
import { placedAlike, placedKeys } from './partitioners.js';
import { lines, records } from './streams.js';
import { wideIds } from './wide-ids.js';

/** What every platform has to do; others add to it. `source` is core.wasm, as the platform has it. */
export async function portable(
  version: string,
  source?: () => Parameters<typeof core.loadBackend>[0],
  more: (checks: Checks) => Promise<void> = async () => {},
): Promise<Outcome> {
  const checks = new Checks();
  const backend = core.getBackend();
  publishedValues(checks, core);
  await errors(checks, core);
  await minting(checks, core);
  await lines(checks);
  await records(checks);
  await placedKeys(checks);
  await wideIds(checks);
  detected(checks);
  if (backend === 'wasm') await withWebAssembly(checks, source);
  else await withoutWebAssembly(checks);
  await more(checks);
  return { version, backend, checks: checks.count, failures: checks.failures };
}

async function withWebAssembly(checks: Checks, source?: () => Parameters<typeof core.loadBackend>[0]): Promise<void> {
  bothTheSame(checks, core);
  placedAlike(checks);
  core.setBackend('bigint');
  publishedValues(checks, core);
  await records(checks);
  await placedKeys(checks);
  for (const from of [undefined, source]) {
    core.setBackend('bigint');
    await core.loadBackend(from?.());
    checks.same(from ? 'loaded from core.wasm' : 'loaded', core.getBackend(), 'wasm');
  }
  core.setBackend('auto');
  const keys = kernels.wasm.column('u64', 1001);
  keys.array.set(splitMix64(1001));
  const hashes = new BigUint64Array(1001);
  kernels.bigint.xxh64U64Column(splitMix64(1001), 0n, hashes);
  checks.same('a resident column, hashed in place', core.xxh64Many(keys.array, { out: keys.array }), hashes);
  keys.free();
}

async function withoutWebAssembly(checks: Checks): Promise<void> {
  const named = ['CompileBlockedError', 'ERR_COMPILE_BLOCKED'] as const;
  await checks.fails('WebAssembly asked for', () => core.setBackend('wasm'), core.CompileBlockedError, ...named);
  await checks.fails('WebAssembly loaded', () => core.loadBackend(), core.CompileBlockedError, ...named);
  checks.same('the backend still in use', [core.getBackend(), core.xxh64('abc')], ['bigint', 0x44bc2cf5ad770999n]);
}
