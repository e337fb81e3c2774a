import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'shardbits';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

export const router = new Router({ shards: 1000, seed: 3n, down: [1] });
export const words = Array.from(randomU64s(60_000), (value, i) => `${'key '.repeat(i % 40)}${value}`).join('\n');
export const MB = 1024 * 1024;

export function file(...contents: (string | Uint8Array)[]): string {
  const path = join(temporaryFolder(), 'keys');
  for (const content of contents) appendFileSync(path, content);
  return path;
}
