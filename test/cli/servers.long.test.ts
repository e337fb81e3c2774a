import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { shardbits } from '../support/cli.js';
import { folderWith } from './maps.js';

const FILE = '10.0.0.1:11211\r\n\n  10.0.0.2:11211,2\nc \t3\n';
const NEXT = `${FILE}d, 2\n`;

const KEYS = Array.from({ length: 2000 }, (_, i) => `é${i}`);
const INPUT = KEYS.map((key) => `${key}\n`).join('');

const folder = () => folderWith({ 'servers.txt': FILE, 'next.txt': NEXT, 'map.json': MAP });
const MAP = ShardMap.create({ shards: 64, nodes: [{ name: 'c', weight: 2 }, { name: 'd' }] });

describe('plan from another system', () => {
  it('is the same on several threads', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'large'), INPUT.repeat(700));
    const args = ['plan', 'large', '--as', 'nginx', '--servers', 'servers.txt', '--to-map', 'map.json', '--json'];
    const [one, two] = await Promise.all(
      ['1', '2'].map((threads) => shardbits([...args, '--threads', threads], { cwd })),
    );
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout.toString()).total).toBe(1_400_000);
    expect(two.stdout.equals(one.stdout)).toBe(true);
  });
});
