// Builds dist/ before tests that use it, unless it is newer than all its sources.
import { execSync } from 'node:child_process';
import { isStale } from './freshness.js';

const MADE = [
  ...['index.js', 'index.d.ts', 'index.d.cts', 'core.cjs', 'ids.js', 'shardbits-worker.cjs'],
  ...['index.cjs', 'workerd/index.js', 'cli.js', 'cli/start.cjs', 'inspector.html', 'clickhouse.wasm'],
];
const SOURCES = [
  'assembly',
  'src',
  'asconfig.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'tsup.config.ts',
];

if (
  isStale(
    MADE.map((name) => `dist/${name}`),
    SOURCES,
  )
)
  execSync('npm run build', { stdio: 'inherit' });
