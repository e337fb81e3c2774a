import { execFileSync } from 'node:child_process';
import { isStale } from './freshness.js';

/** Compiles the kernels if they are missing or have changed, so that tests of src/ need no build. */
export default function setup(): void {
  const made = ['core', 'records', 'partitioners'].map((module) => `src/kernels/wasm/${module}.generated.ts`);
  made.push('build/clickhouse.wasm');
  if (!isStale(made, ['assembly', 'asconfig.json'])) return;
  console.log('compiling the kernels, because they have changed');
  execFileSync(process.execPath, ['assembly/build.mjs'], { stdio: 'inherit' });
}
