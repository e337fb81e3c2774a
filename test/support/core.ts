import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const CORE = 'src/kernels/core.generated.ts';

/** Compiles the kernels if they are missing or have changed since, so that tests of src/ need no build. */
export default function setup(): void {
  const sources = ['asconfig.json', ...readdirSync('assembly').map((name) => join('assembly', name))];
  const changed = Math.max(...sources.map((path) => statSync(path).mtimeMs));
  if (existsSync(CORE) && statSync(CORE).mtimeMs >= changed) return;
  console.log('compiling the kernels, because they have changed');
  execFileSync(process.execPath, ['assembly/build.mjs'], { stdio: 'inherit' });
}
