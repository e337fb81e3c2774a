import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Router } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { temporaryFolder } from '../../support/cli.js';
import { duckdb, parquetColumn, parquetTypes } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';

const AWKWARD = [
  ...['', ' ', ' padded ', '"', '""', '"quoted"', 'a "b" c', ',', 'a,b', ';\t|', "it's", '\\', '\\N', 'NULL', 'null'],
  ...[
    '\n',
    '\r\n',
    '\r',
    'a\nb',
    'a\r\nb',
    '\n7,decoy,decoy\n',
    '",\n"',
    '"\r\n,"\n',
    '007',
    '1e3',
    'true',
    '#',
    '#a',
    '=',
  ],
  ...['é', 'e\u0301', 'жизнь', '漢字', '😀', '\u{10ffff}', '\u2028', '\u00a0', 'x'.repeat(100_000)],
];
const ROWS = AWKWARD.map((text, i) => [String(i), text, AWKWARD[(i * 7) % AWKWARD.length]]);
const SHARDS = ROWS.map(([, key]) => new Router({ shards: 5 }).route(key));

const FROM_CSV = 'route rows.csv --csv --shards 5 --format parquet --out o.parquet'.split(' ');

describe('--format parquet', () => {
  it.each([
    [',', '\n'],
    [',', '\r\n'],
    [';', '\n'],
    ['\t', '\n'],
  ])('keeps every text of CSV with %j between fields and %j between records', async (delimiter, newline) => {
    const cwd = temporaryFolder();
    const csv = Papa.unparse([['id', 'we,ird "name"', 'c'], ...ROWS], { delimiter, newline, quotes: true });
    writeFileSync(join(cwd, 'rows.csv'), csv);
    const options = delimiter === '\t' ? ['--tsv'] : ['--csv', '--delimiter', delimiter];
    const args = ['route', 'rows.csv', ...options, '--key', 'we,ird "name"', '--shards', '5', '--format', 'parquet'];
    expect(await runHere([...args, '--out', 'o.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const rows = await duckdb(`from '${join(cwd, 'o.parquet')}'`);
    expect(rows.map((row) => Object.values(row))).toEqual(ROWS.map((row, i) => [...row, SHARDS[i]]));
    expect(await parquetTypes(join(cwd, 'o.parquet'))).toEqual({
      id: 'VARCHAR',
      'we,ird "name"': 'VARCHAR',
      c: 'VARCHAR',
      shard: 'UINTEGER',
    });
    expect(readdirSync(cwd)).toEqual(['o.parquet', 'rows.csv']);
  });

  it('keeps what has no quotes, or escapes', async () => {
    const cwd = temporaryFolder();
    const read = async (text: string, ...options: string[]) => {
      writeFileSync(join(cwd, 'rows.csv'), text);
      expect(await runHere([...FROM_CSV, ...options], { cwd })).toMatchObject({ code: 0, stderr: '' });
      return (await duckdb(`select * exclude (shard) from '${join(cwd, 'o.parquet')}'`)).map((row) =>
        Object.values(row),
      );
    };
    expect(await read('a,b\n"x,y"\n', '--quote', 'none', '--key', 'a')).toEqual([['"x', 'y"']]);
    expect(await read('a,b\n"x\\"y",1\n', '--escape', '\\', '--key', 'a')).toEqual([['x"y', '1']]);
    expect(await read('1,x\n2,y\n', '--no-header', '--key', '1')).toEqual([
      ['1', 'x'],
      ['2', 'y'],
    ]);
    expect(await read('a,a\n1,2\n', '--key', 'a').catch((error) => error.message)).toMatch(/one column named a|a/);
  });

  it('gives the values of NDJSON the types that all of a property have', async () => {
    const cwd = temporaryFolder();
    const objects = [
      '{"id":18446744073709551615,"mixed":1,"big":-1,"when":"2024-01-01","in":{"x":1.5},"list":[1,2],"NULL":true}',
      '{"id":1,"mixed":"a","big":18446744073709551615,"when":"2024-01-02T10:00:00Z","in":{"x":2,"y":"z"},"list":[],"late":"ü"}',
    ];
    writeFileSync(join(cwd, 'rows.ndjson'), objects.join('\n'));
    const args = ['route', 'rows.ndjson', '--ndjson', '--key', 'id', '--shards', '5', '--format', 'parquet'];
    expect(await runHere([...args, '--out', 'o.parquet'], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^note: id is a column of type UBIGINT/),
    });
    expect(await parquetTypes(join(cwd, 'o.parquet'))).toMatchObject({
      id: 'UBIGINT',
      big: 'VARCHAR', // Parquet has no integers of 65 bits
      when: 'VARCHAR',
      in: expect.stringMatching(/^STRUCT\("?x"? DOUBLE, "?y"? VARCHAR\)$/),
      list: 'UBIGINT[]',
      NULL: 'BOOLEAN',
      late: 'VARCHAR',
      shard: 'UINTEGER',
    });
    const rows = await duckdb(`select id, mixed, big, "when", late from '${join(cwd, 'o.parquet')}'`);
    expect(rows).toEqual([
      { id: '18446744073709551615', mixed: '1', big: '-1', when: '2024-01-01', late: null },
      { id: '1', mixed: '"a"', big: '18446744073709551615', when: '2024-01-02T10:00:00Z', late: 'ü' },
    ]);
  });

  it('gives each shard or node a file, and adds no column to it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'rows.csv'), Papa.unparse([['shard', 'key', 'c'], ...ROWS], { quotes: true }));
    const map = ShardMap.create({ shards: 5, nodes: [{ name: "a's" }, { name: 'b' }] });
    writeFileSync(join(cwd, 'map.json'), JSON.stringify(map));
    const args = ['route', 'rows.csv', '--csv', '--key', 'key', '--format', 'parquet', '--out-dir'];
    expect(await runHere([...args, 'out', '--shards', '5'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(cwd, 'out'))).toEqual([...[0, 1, 2, 3, 4].map((i) => `${i}.parquet`), 'manifest.json']);
    const idsIn = (shards: readonly number[]) => ROWS.filter((_, i) => shards.includes(SHARDS[i])).map(([id]) => id);
    for (let shard = 0; shard < 5; shard++) {
      const file = join(cwd, 'out', `${shard}.parquet`);
      expect(Object.keys(await parquetTypes(file))).toEqual(['shard', 'key', 'c']);
      expect(await parquetColumn(file, 'shard')).toEqual(idsIn([shard]));
    }
    const bounded = ['--shards', '5', '--max-rows-per-file', '2', '--hive', '--as-column', 'of'];
    expect(await runHere([...args, 'hive', ...bounded], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const hive = await duckdb(
      `select shard, "of"::integer as at from '${cwd}/hive/*/*.parquet' order by shard::integer`,
    );
    expect(hive).toEqual(ROWS.map(([shard], i) => ({ shard, at: SHARDS[i] })));
    expect(await runHere([...args, 'nodes', '--map', 'map.json'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(join(cwd, 'nodes'))).toEqual(["a's.parquet", 'b.parquet', 'manifest.json']);
    expect(await parquetColumn(`${cwd}/nodes/b.parquet`, 'shard')).toEqual(idsIn([...map.shardsOf('b')]));
  });

  it('writes malformed rows to --rejects', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'rows.csv'), 'a,b\n1,2\n3\n4,5\n');
    const args = [...FROM_CSV, '--key', 'a'];
    const failed = await runHere(args, { cwd });
    expect([failed.code, failed.stderr]).toEqual([1, 'error: rows.csv:3: expected 2 fields, got "3"\n']);
    expect(readdirSync(cwd)).toEqual(['rows.csv']);
    const run = await runHere([...args, '--rejects', 'bad'], { cwd });
    expect([run.code, run.stderr]).toEqual([0, '1 row rejected: see bad\n']);
    expect(readFileSync(join(cwd, 'bad'), 'utf8')).toBe('3\texpected 2 fields, got "3"\t3\n');
    expect(await parquetColumn(join(cwd, 'o.parquet'), 'a')).toEqual(['1', '4']);
  });

  it.each([
    [['--out', 'o'], 2, '--format parquet requires --csv, --tsv or --ndjson, or files of Parquet'],
    [['--csv', '--key', 'a'], 2, 'Parquet requires --out or --out-dir, and is not written to standard output'],
    [['--csv', '--key', 'a', '--summary'], 2, '--format cannot be combined with --out-dir or --summary'],
    [['--csv', '--key', 'a', '--out', 'rows.csv'], 2, '--out: expected another file than the input, got rows.csv'],
    [['--csv', '--key', 'a', '--out-dir', '.'], 1, '.: expected a new or an empty directory'],
    [
      ['--csv', '--key', 'a', '--as-column', 'b', '--out', 'o'],
      2,
      '--as-column: expected a new name, but there is a column "b"',
    ],
  ])('refuses %j', async (options, code, problem) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'rows.csv'), 'a,b\n1,2\n');
    const run = await runHere(['route', 'rows.csv', '--shards', '5', '--format', 'parquet', ...options], { cwd });
    const message = /^error: (.*)\n$/s.exec(run.stderr)?.[1];
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
    expect([run.code, run.stdout.toString(), readdirSync(cwd)]).toEqual([code, '', ['rows.csv']]);
  });

  it('says that an empty input has no columns', async () => {
    const cwd = temporaryFolder();
    const args = ['route', '--ndjson', '--key', 'a', '--shards', '5', '--format', 'parquet', '--out', 'o'];
    const run = await runHere(args, { cwd, input: [] });
    expect([run.code, run.stderr]).toEqual([1, 'error: the input is empty, and Parquet needs the names of columns\n']);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
