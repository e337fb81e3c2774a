import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { duckdb, writeParquet } from '../support/parquet.js';
import { runHere } from '../support/run-here.js';

// Tables as archives of posts and scrapers write them: they have a column `timestamp` or `date` of their own.
const ARCHIVE = 'id,timestamp,author\n937847820382261308,2022-01-31 23:12:24,ann\n';
const SCRAPED = 'id,created_at,date\n1462917477411741696,1637621680000,2021-11-22\n';

const decode = (args: string[], input: string) => runHere(['decode', '--key', 'id', ...args], { input: [input] });

describe('decode --prefix', () => {
  it('names the columns that are added to records', async () => {
    const csv = await decode(['--csv', '--layout', 'discord', '--prefix', 'id_'], ARCHIVE);
    expect([csv.code, csv.stderr]).toEqual([0, '']);
    expect(csv.stdout.toString().split('\n')[0]).toBe(
      'id,timestamp,author,id_timestamp,id_worker,id_process,id_increment,id_date',
    );
    const json = await decode(['--ndjson', '--layout', 'a:60,b:4', '--prefix', 'x '], '{"id":"17","a":"mine"}\n');
    expect(json.stdout.toString()).toBe('{"id":"17","a":"mine","x a":"1","x b":1}\n');
  });

  it('names the columns of Parquet', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'ids.parquet'), 'select 17::bigint as id, 5 as a');
    const args = ['decode', 'ids.parquet', '--key', 'id', '--layout', 'a:60,b:4', '--out', 'o'];
    const taken = await runHere(args, { cwd });
    const problem = '--prefix: expected a new name, but there is a column "a"';
    expect([taken.code, taken.stderr]).toEqual([2, `error: ${problem}; --prefix id_ adds id_a instead\n`]);
    const { code, stderr } = await runHere([...args, '--prefix', 'id_'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(await duckdb(`from read_parquet('${join(cwd, 'o')}')`)).toEqual([{ id: '17', a: 5, id_a: '1', id_b: 1 }]);
  });

  it.each([
    ['timestamp', 'discord', ARCHIVE],
    ['date', 'twitter', SCRAPED],
    ['shard', 'snowflake', 'id,shard\n1,2\n'],
  ])('is what to do about a table that has a column %s', async (name, layout, table) => {
    const [header] = table.split('\n');
    for (const how of [['--layout', layout], []]) {
      const { code, stderr } = await decode(['--csv', ...how], table);
      if (how.length === 0 && layout === 'snowflake') continue; // 1 is not an id of a known service
      expect(code).toBe(1);
      expect(stderr).toContain(
        `error: -:1: expected no column named ${name}, got "${header}"; --prefix id_ adds id_${name} instead\n`,
      );
    }
    const again = await decode(['--csv', '--layout', layout, '--prefix', 'id_'], table.replace(name, `id_${name}`));
    expect(again.stderr).toMatch(/no column named id_\w+, got ".*"; another --prefix adds other names\n$/);
  });

  it('is what to do about an object that has such a property, which may be rejected, too', async () => {
    const object = '{"id":"1","shard":5,"date":"x"}';
    const args = ['--ndjson', '--layout', 'snowflake'];
    const { code, stderr } = await decode(args, `${object}\n`);
    const reason = 'expected no property named shard';
    expect([code, stderr]).toEqual([
      1,
      `error: -:1: ${reason}, got ${JSON.stringify(object)}; --prefix id_ adds id_shard instead\n`,
    ]);
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), `${object}\n{"id":"1"}\n`);
    const run = await runHere(['decode', 'ids', '--key', 'id', ...args, '--rejects', '-', '--out', 'o'], { cwd });
    expect([run.code, run.stdout.toString()]).toEqual([0, expect.stringContaining(`1\t${reason}, got`)]);
  });

  it('needs records', async () => {
    const run = await runHere(['decode', '1', '--layout', 'a:1', '--prefix', 'id_']);
    expect(run).toMatchObject({ code: 2, stderr: 'error: --prefix requires --csv, --tsv or --ndjson\n' });
  });
});
