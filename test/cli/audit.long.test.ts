import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { shardbits } from '../support/cli.js';
import { folderWith } from './maps.js';

const router = new Router({ shards: 12 });

describe('audit on several threads', () => {
  it('has the same report and the same rows as on one', async () => {
    const cwd = folderWith({ 'map.json': ShardMap.create({ shards: 64, nodes: [{ name: 'db1' }, { name: 'db2' }] }) });
    const keys = Array.from({ length: 600_000 }, (_, i) => `user:${i}`);
    const shards = router.routeMany(keys);
    writeFileSync(join(cwd, 'rows.tsv'), keys.map((key, i) => `${i % 1000 === 3 ? 11 : shards[i]}\t${key}\n`).join(''));
    const names = keys.map((key, i) => `${i % 1000 === 3 ? `db${i % 7}` : 'db1'}\t${key}\n`).join('');
    writeFileSync(join(cwd, 'nodes.tsv'), names);
    for (const args of [
      ['rows.tsv', '--shards', '12'],
      ['nodes.tsv', '--map', 'map.json'],
    ]) {
      const runs = [1, 2].map(async (threads) => {
        const out = `out-${threads}.tsv`;
        const { code, stdout } = await shardbits(
          ['audit', ...args, '--threads', `${threads}`, '--json', '--out', out],
          { cwd },
        );
        return [code, JSON.parse(stdout.toString()), readFileSync(join(cwd, out), 'utf8')] as const;
      });
      const [one, two] = await Promise.all(runs);
      expect(one[1].rows).toBe(600_000);
      expect(two[1]).toEqual(one[1]);
      expect(two[0]).toBe(1);
      expect(two[2] === one[2]).toBe(true);
    }
  });
});
