import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const RECORDS = [
  '{"id":1,"user":{"name":"ann"}}',
  '{"id":2,"user":{"name":null}}',
  '{"id":3,"user":{}}',
  '{"id":4}',
  '{ }',
  '{"id":6,"note":"}{","user":null}  ',
  '{"id":7,"user":"x"}',
  '{"id":8,"user":{"name":""}}',
];
const input = [`${RECORDS.join('\n')}\n`];
const NAME = ['--ndjson', '--key', 'user.name'];
const route = ['route', ...NAME, '--shards', '8'];

describe('--missing-key', () => {
  it('gives records without a key the shard, and keeps them as they are', async () => {
    const { code, stdout, stderr } = await runHere([...route, '--missing-key', '5'], { input });
    expect([code, stderr]).toEqual([0, '']);
    const shards = String(stdout)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).shard);
    expect(shards.slice(1, 7)).toEqual([5, 5, 5, 5, 5, 5]);
    const given = await runHere(route, { input: [`${RECORDS[0]}\n${RECORDS[7]}\n`] });
    expect([shards[0], shards[7]]).toEqual(
      String(given.stdout)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).shard),
    );
    expect(String(stdout).replaceAll(/,?"shard":\d/g, '')).toBe(input[0]);
  });

  it('works for files of shards, for plans, for several values and beside other malformed records', async () => {
    const cwd = temporaryFolder();
    await runHere([...route, '--missing-key', '5', '--out-dir', 'out'], { input, cwd });
    const fifth = readFileSync(join(cwd, 'out', '5.ndjson'), 'utf8');
    expect(fifth.split('\n')).toEqual(expect.arrayContaining(RECORDS.slice(1, 7)));
    const plan = await runHere(['plan', ...NAME, '--from', '8', '--to', '9', '--missing-key', '5', '--json'], {
      input,
    });
    expect(JSON.parse(String(plan.stdout)).total).toBe(8);
    const two = ['route', '--ndjson', '--key', 'id', '--key', 'user.name', '--shards', '8', '--missing-key', '5'];
    const { stdout } = await runHere([...two, '--format', 'shard'], { input });
    expect(String(stdout).split('\n').slice(1, 7)).toEqual(['5', '5', '5', '5', '5', '5']);
    for (const [record, problem] of [
      ['{"user":{"name":[1]}}', 'expected a string, a number or a boolean at user.name'],
      ['{"id":1,"shard":2}', 'expected no property named shard'],
      ['{"id":', 'expected JSON'],
    ]) {
      const bad = await runHere([...route, '--missing-key', '5'], { input: [`${record}\n`] });
      expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining(problem)]);
    }
  });

  it('is the shard of records of CSV whose key is NULL', async () => {
    const csv = 'id\tname\n1\tann\n2\t\\N\n3\t\n4\tN\n5\t\\N';
    const args = ['route', '--tsv', '--quote', 'none', '--escape', '\\', '--key', 'name', '--shards', '8'];
    const { code, stdout } = await runHere([...args, '--missing-key', '6'], { input: [csv] });
    expect(code).toBe(0);
    const rows = String(stdout).trimEnd().split('\n');
    expect([rows[2], rows[5]]).toEqual(['2\t\\N\t6', '5\t\\N\t6']);
    const others = await runHere(args, { input: [csv.replace('2\t\\N\n', '').replace('5\t\\N', '')] });
    expect(rows.filter((_, i) => i !== 2 && i !== 5)).toEqual(String(others.stdout).trimEnd().split('\n'));
    const wide = await runHere([...args, '--missing-key', '6'], { input: ['id\tname\n1\t\\N\tx\n'] });
    expect([wide.code, wide.stderr]).toEqual([1, expect.stringContaining('expected 2 fields')]);
  });

  it('reject, which is the default, makes them malformed: the error says what to do', async () => {
    const hint = '; --missing-key gives such records a shard\n';
    const expected = 'error: -:1: user.name: expected a key other than NULL, got';
    for (const args of [
      route,
      [...route, '--missing-key', 'reject'],
      ['plan', ...NAME, '--from', '8', '--to', '9'],
      ['audit', ...NAME, '--shards', '8', '--shard-column', 'id'],
    ]) {
      for (const [record, is] of [
        [RECORDS[1], 'null'],
        [RECORDS[2], 'none'],
        [RECORDS[3], 'none'],
      ]) {
        const { code, stderr } = await runHere(args, { input: [`${record}\n`] });
        expect([code, stderr]).toEqual([1, `${expected} ${is}${hint}`]);
      }
      const other = await runHere(args, { input: ['{"id":1,"user":{"name":[]}}\n'] });
      expect(other.stderr).not.toContain('missing');
    }
    const hashed = await runHere(['hash', ...NAME], { input: [`${RECORDS[1]}\n`] });
    expect(hashed.stderr).toBe(`${expected} null\n`);
  });

  it('says where records without a key belong in an audit', async () => {
    const cwd = temporaryFolder();
    const audit = ['audit', ...NAME, '--shard-column', 'at', '--shards', '8', '--missing-key', '5'];
    const placed = ['{"user":{"name":null},"at":5}', '{"at":"4"}', '{"user":{},"at":5}', '{"at":4,"user":null}'];
    const run = await runHere([...audit, '--out', 'out', '--json'], { input: [placed.join('\n')], cwd });
    expect([run.code, run.stderr]).toEqual([1, '']);
    const report = { rows: 4, fit: 2, misplaced: 2, pairs: [{ from: 4, to: 5, count: 2 }] };
    expect(JSON.parse(String(run.stdout))).toEqual(report);
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe(
      '{"at":"4","is":4,"belongs":5}\n{"at":4,"user":null,"is":4,"belongs":5}\n',
    );
    await runHere([...route, '--missing-key', '5', '--out-dir', 'shards'], { input, cwd });
    const directory = ['audit', ...NAME, '--shards', '8', '--missing-key', '5', '--json', 'shards'];
    expect(JSON.parse(String((await runHere(directory, { cwd })).stdout))).toMatchObject({ rows: 8, fit: 8 });
  });

  it.each([
    [['route', '--shards', '8', '--missing-key', '5'], '--missing-key requires --csv, --tsv or --ndjson'],
    [['audit', '--shards', '8', '--missing-key', '5'], '--missing-key requires --csv, --tsv or --ndjson'],
    [
      ['audit', ...NAME, '--shards', '8', '--missing-key', '8'],
      '--missing-key: expected an integer from 0 to 7, got 8',
    ],
    [[...route, '--missing-key', '8'], '--missing-key: expected an integer from 0 to 7, got 8'],
    [[...route, '--missing-key', 'x'], '--missing-key: expected a whole number, got "x"'],
    [
      ['plan', ...NAME, '--from', '9', '--to', '4', '--missing-key', '4'],
      '--missing-key: expected an integer from 0 to 3, got 4',
    ],
  ])('refuses %j', async (args, problem) => {
    expect(await runHere(args, { input })).toMatchObject({ code: 2, stderr: `error: ${problem}\n` });
  });
});
