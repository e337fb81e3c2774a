import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import chromium from '@sparticuz/chromium';

const executablePath = await chromium.executablePath();

/** For Playwright: Chromium from an npm package, so that a machine needs only Node.js. */
export const chromiumOptions = {
  executablePath,
  headless: true,
  args: [
    ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    '--disable-component-update',
  ],
  env: environment(),
};

/** Chromium needs NSS, which few systems without a browser have. The package contains it for Lambda. */
function environment(): NodeJS.ProcessEnv {
  if (spawnSync(executablePath, ['--version']).status === 0) return process.env;
  const folder = join(tmpdir(), 'chromium-libraries');
  mkdirSync(folder, { recursive: true });
  const input = brotliDecompressSync(readFileSync('node_modules/@sparticuz/chromium/bin/al2023.tar.br'));
  spawnSync('tar', ['-x', '-C', folder], { input });
  return { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') };
}
