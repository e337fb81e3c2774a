import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type DialectName, layoutSql, mapSql, routingSql } from '../../src/engines/sql/index.js';
import { type Layout, layouts, parseLayout } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { runHere } from '../support/run-here.js';

const DIALECTS: readonly DialectName[] = ['clickhouse', 'duckdb', 'postgres', 'mysql', 'sqlite', 'spark'];
const folder = mkdtempSync(join(tmpdir(), 'shardbits-sql-'));
const mapFile = join(folder, 'map.json');
const map = ShardMap.create({ shards: 5000, nodes: [{ name: 'db1' }, { name: "o'db" }], replicas: 2 });
writeFileSync(mapFile, JSON.stringify(map));
afterAll(() => rmSync(folder, { recursive: true }));

async function sql(...args: string[]) {
  const { code, stdout, stderr } = await runHere(['sql', ...args]);
  return { code, text: stdout.toString(), stderr };
}

// test/engines/sql/ and bench/peers/printed-sql.ts run the statements.
describe.each(DIALECTS)('sql --dialect %s', (dialect) => {
  it('writes the functions of a routing', async () => {
    expect(await sql('--dialect', dialect)).toEqual({ code: 0, stderr: '', text: routingSql(dialect, { shards: 10 }) });
    const { text } = await sql('--dialect', dialect, '--shards', '1000');
    expect(text).toBe(routingSql(dialect, { shards: 1000 }));
    expect(text).toMatch(/-- To check it: select shard_of\('user:42', 1000\); gives \d+\.\n$/);
  });

  it('writes the functions of a layout, and the table of a map', async () => {
    const ofLayout = layoutSql(dialect, layouts.discord as unknown as Layout, 'discord');
    const ofMap = [...mapSql(dialect, map)].join('');
    expect((await sql('--dialect', dialect, '--layout', 'discord')).text).toBe(ofLayout);
    expect((await sql('--dialect', dialect, '--map', mapFile)).text).toBe(ofMap);
    const both = await sql('--dialect', dialect, '--layout', 'discord', '--map', mapFile);
    expect(both.text).toBe(ofLayout + ofMap);
  });
});

describe('sql', () => {
  it('takes a strategy and a seed', async () => {
    const { text } = await sql('--dialect', 'postgres', '--strategy', 'modulo', '--seed', '-1');
    expect(text).toBe(routingSql('postgres', { strategy: 'modulo', seed: 2n ** 64n - 1n, shards: 10 }));
    expect(text).toContain('seed bigint default -1');
  });

  it('takes fields, whose functions begin with id_, and an epoch', async () => {
    const { text } = await sql('--dialect', 'duckdb', '--layout', 'timestamp:41,machineId:10', '--epoch', '2024-01-01');
    expect(text).not.toBe(layoutSql('duckdb', parseLayout('timestamp:41,machineId:10') as Layout, 'id'));
    expect(text).toContain('create or replace macro id_machine_id(id)');
    expect(text).toContain(String(Date.UTC(2024, 0)));
  });

  it('writes to a file, and reads a map from standard input', async () => {
    const out = join(folder, 'out.sql');
    expect(await sql('--dialect', 'mysql', '--out', out)).toEqual({ code: 0, stderr: '', text: '' });
    expect(readFileSync(out, 'utf8')).toBe(routingSql('mysql', { shards: 10 }));
    const { stdout } = await runHere(['sql', '--dialect', 'mysql', '--map', '-'], { input: [JSON.stringify(map)] });
    expect(stdout.toString()).toBe([...mapSql('mysql', map)].join(''));
  });

  it('places keys as another system does, with the functions of ClickHouse if it has them', async () => {
    expect((await sql('--dialect', 'clickhouse', '--as', 'kafka', '--shards', '12')).text).toBe(`\
-- kafka_partition(key, shards) for ClickHouse: the partition of a key, as with \`shardbits route --as kafka\`.
-- A key is a String.
create or replace function kafka_partition as (key, shards) -> toUInt32(kafkaMurmurHash(key) % shards
    + throwIf(shards < 1 or shards > 2147483647, 'shards: expected an integer from 1 to 2147483647'));

-- To check it: select kafka_partition('user:42', 12); gives 1.
`);
    const { text } = await sql('--dialect', 'clickhouse', '--as', 'clickhouse:sipHash64');
    expect(text).toContain('create or replace function clickhouse_siphash64_shard as (key, shards)');
    expect((await sql('--dialect', 'clickhouse', '--as', 'discord')).text).toContain('-- A key is a UInt64 or Int64.');
  });

  it('places keys of other kinds, and of several columns', async () => {
    const as = (...args: string[]) => sql('--dialect', 'clickhouse', '--as', ...args);
    expect((await as('clickhouse:sipHash64', '--keys', 'int32,text')).text).toContain(
      'create or replace function clickhouse_siphash64_shard_int32_text as (key1, key2, shards)',
    );
    expect((await as('iceberg', '--keys', 'date')).text).toContain('-- A key is a Date or Date32.');
  });

  it.each([
    [[], '--dialect is required'],
    [['--dialect', 'clickhouse', '--keys', 'int64'], '--keys requires --as'],
    [
      ['--dialect', 'clickhouse', '--as', 'kafka', '--keys', 'int64,text'],
      '--keys: expected one kind, because kafka hashes one column',
    ],
    [
      ['--dialect', 'clickhouse', '--as', 'kafka', '--keys', 'date'],
      '--keys: expected one of text, hex, base64, int16, int32, int64, u64, uuid, which are the keys of kafka, got "date"',
    ],
    [
      ['--dialect', 'clickhouse', '--as', 'postgres', '--keys', 'time'],
      'for which there is SQL with postgres, got "time"',
    ],
    [['--dialect', 'clickhouse', '--as', 'kafka', '--keys', 'int63'], '--keys: expected one of text, u64, '],
    [
      ['--dialect', 'postgre'],
      '--dialect: expected one of clickhouse, duckdb, postgres, mysql, sqlite, spark, got "postgre" (Did you mean postgres?)',
    ],
    [
      ['--dialect', 'spark', '--strategy', 'jump'],
      '--strategy: expected modulo or fastrange, the strategies that Spark has, got "jump"',
    ],
    [['--dialect', 'spark', '--seed', '0'], '--seed: expected 42, the seed that Spark has, got 0'],
    [
      ['--dialect', 'sqlite', '--strategy', 'modulo'],
      '--strategy: expected jump, the strategy that SQLite has, got "modulo"',
    ],
    [['--dialect', 'mysql', '--epoch', '2024-01-01'], '--epoch requires --layout'],
    [['--dialect', 'mysql', '--layout', 'discord', '--shards', '3'], '--shards cannot be combined with --layout'],
    [['--dialect', 'mysql', '--map', mapFile, '--seed', '3'], '--seed cannot be combined with --map'],
    [
      ['--dialect', 'mysql', '--layout', 'a:4,A:4'],
      '--layout: expected fields whose functions have different names, got "A"',
    ],
    [['--dialect', 'mysql', '--map', mapFile, '--out', mapFile], '--out: expected another file than the input'],
    [['--dialect', 'mysql', '--down', '3'], '--down requires --dialect clickhouse'],
    [['--dialect', 'duckdb', '--as', 'kafka'], '--as requires --dialect clickhouse'],
    [['--dialect', 'clickhouse', '--layout', 'discord', '--as', 'kafka'], '--as cannot be combined with --layout'],
    [['--dialect', 'clickhouse', '--map', mapFile, '--down', '3'], '--down cannot be combined with --map'],
    [['--dialect', 'clickhouse', '--as', 'kafka', '--seed', '3'], '--seed cannot be combined with --as'],
    [['--dialect', 'clickhouse', '--as', 'kafka', '--down', '3'], '--down cannot be combined with --as'],
    [['--dialect', 'clickhouse', '--down', '10'], '--down: expected an integer from 0 to 9, got 10'],
    [['--dialect', 'clickhouse', '--shards', '1', '--down', '0'], '--down: expected at least one shard to be up'],
    [
      ['--dialect', 'clickhouse', '--as', 'nginx'],
      '--as nginx has servers instead of a number of shards: there is no SQL for it',
    ],
    [
      ['--dialect', 'clickhouse', '--as', 'redis', '--shards', '3'],
      '--shards cannot be combined with --as redis, which always has 16384 slots',
    ],
    [
      ['--dialect', 'clickhouse', '--as', 'vitess', '--shards', '65537'],
      '--shards: expected an integer from 1 to 65536',
    ],
    [['--dialect', 'clickhouse', '--as', 'clickhouse'], '--as: expected one of clickhouse:sipHash64, '],
    [['--dialect', 'clickhouse', '--as', 'mysql'], "--as: expected one of 'kafka', "],
    [['--dialect', 'clickhouse', '--as', 'cassandra'], '--as cassandra needs the tokens of the ring'],
    [['--dialect', 'mysql', '--shards', '0'], '--shards: expected an integer from 1 to 2147483647, got 0'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr, text } = await sql(...args);
    expect({ code, text }).toEqual({ code: 2, text: '' });
    expect(stderr).toContain(message);
  });

  it('names a map that is none', async () => {
    const { code, stderr } = await sql('--dialect', 'mysql', '--map', join(folder, 'no.json'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('no.json')]);
  });
});
