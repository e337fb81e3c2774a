import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { keysIn, shardbits } from '../support/cli.js';
import { words } from './keys.js';
import { folderWith, map } from './maps.js';

const router = new Router({ shards: map.shards });
const nodeOf = (key: string, by: Router = router): string => map.nodesOf(by.route(key))[0];

/** What `route --map` writes for keys. */
function rowsOf(keys: readonly string[], by?: Router): string {
  return keys.map((key) => `${nodeOf(key, by)}\t${key}\n`).join('');
}

const keys = keysIn(words).map((key) => Buffer.from(key).toString());

describe('route --map writes nodes', () => {
  it('as a process, on any number of threads, and without WebAssembly', async () => {
    const cwd = folderWith({ 'map.json': map, keys: words });
    const large = Buffer.concat(Array.from({ length: 50 }, () => words));
    writeFileSync(join(cwd, 'large'), large);
    const expected = rowsOf(keys);
    for (const [args, node] of [
      [['keys'], []],
      [['keys'], ['--jitless']],
      [['large', '--threads', '1'], []],
      [['large', '--threads', '3'], []],
    ] as const) {
      const run = await shardbits(['route', ...args, '--map', 'map.json'], { cwd, node: [...node] });
      const isLarge = args[0] === 'large';
      expect(run.code).toBe(0); // Node.js may warn that --jitless leaves it without WebAssembly
      expect(run.stdout.toString() === (isLarge ? expected.repeat(50) : expected)).toBe(true);
    }
  });
});
