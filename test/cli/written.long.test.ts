import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

describe('--max-rows-per-file', () => {
  it('is the same for threads', async () => {
    const cwd = temporaryFolder();
    const args = ['route', '--shards', '2', '--out-dir', 'parts', '--max-rows-per-file', '200000', '--threads', '2'];
    expect((await runHere(args, { input: ['key\n'.repeat(3_000_000)], cwd })).code).toBe(0);
    const sizes = readdirSync(join(cwd, 'parts')).map((name) => readFileSync(join(cwd, 'parts', name)).length);
    expect(sizes.sort()).toEqual([0, ...new Array(15).fill(800_000)]);
  });
});
