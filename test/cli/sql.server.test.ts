import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { placingSql, routingSql } from '../../src/engines/sql/index.js';
import { ShardMap } from '../../src/map/index.js';
import { partitionerNamed, systems } from '../../src/partitioners/index.js';
import { shardbits } from '../support/cli.js';

const folder = mkdtempSync(join(tmpdir(), 'shardbits-sql-'));
const mapFile = join(folder, 'map.json');
const map = ShardMap.create({ shards: 5000, nodes: [{ name: 'db1' }, { name: "o'db" }], replicas: 2 });
writeFileSync(mapFile, JSON.stringify(map));
afterAll(() => rmSync(folder, { recursive: true }));

// test/engines/sql/ and bench/peers/printed-sql.ts run the statements.

describe('sql', () => {
  it('takes the module for ClickHouse from the package', async () => {
    const readModule = () => readFileSync('dist/clickhouse.wasm');
    const run = async (...args: string[]) =>
      (await shardbits(['sql', '--dialect', 'clickhouse', ...args])).stdout.toString();
    expect(await run('--seed', '7')).toBe(routingSql('clickhouse', { seed: 7n, shards: 10, readModule }));
    expect(await run('--down', '3,7', '--strategy', 'modulo', '--shards', '9')).toBe(
      routingSql('clickhouse', { strategy: 'modulo', down: [3, 7], shards: 9, readModule }),
    );
    expect(await run('--as', 'redis')).toBe(placingSql(systems.redis, partitionerNamed('redis'), readModule));
  });
});
