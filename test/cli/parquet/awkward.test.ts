// Tables with which DuckDB would do something else than what is asked for, without a word.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../../src/index.js';
import { temporaryFolder } from '../../support/cli.js';
import { duckdb, parquetColumn, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';

async function run(cwd: string, ...args: string[]) {
  const { code, stdout, stderr } = await runHere(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

const done = { code: 0, stderr: '' };
const fits = { code: 0, stdout: expect.stringMatching(/misplaced +0 /) };

describe('a column that has a name of DuckDB', () => {
  it.each(['bigint', 'varchar', 'integer'])('is kept if it is called rowid and has the type %s', async (type) => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'r.parquet'), `select i as id, ((100 - i) % 7)::${type} as RowId from range(20) r(i)`);
    expect(await run(cwd, 'route', 'r.parquet', '--key', 'id', '--shards', '4', '--out-dir', 'd')).toMatchObject(done);
    expect(await run(cwd, 'audit', 'd', '--key', 'id', '--shards', '4')).toMatchObject(fits);
    const sorted = (from: string) => duckdb(`select * from '${join(cwd, from)}' order by id`);
    expect(await sorted('d/*.parquet')).toEqual(await sorted('r.parquet'));
  });

  it('does not become a statement of SQL', async () => {
    const cwd = temporaryFolder();
    const injected = join(cwd, 'injected.parquet');
    const text = `'') to '${injected}' (format parquet); --`;
    await writeParquet(join(cwd, 'i.parquet'), `select 1 as id, '${text.replaceAll("'", "''")}' as rowid`);
    expect(await run(cwd, 'route', 'i.parquet', '--key', 'id', '--shards', '1', '--out-dir', 'o')).toMatchObject(done);
    expect(existsSync(injected)).toBe(false);
    expect(await parquetColumn(join(cwd, 'o/0.parquet'), 'rowid')).toEqual([text]);
  });

  it('is the key if it is the name of a function', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'p.parquet'), "select {'id': i} as read_parquet, i + 10 as id from range(6) r(i)");
    const args = ['--key', 'read_parquet.id', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, 'route', 'p.parquet', ...args)).toMatchObject(done);
    const router = new Router({ shards: 4 });
    expect(await parquetColumn(join(cwd, 'o.parquet'))).toEqual(
      [0n, 1n, 2n, 3n, 4n, 5n].map((key) => router.route(key)),
    );
  });

  it('may have dots in its name, and fields', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'p.parquet'), `select {'v': {'id': 7}} as "a.b"`);
    const args = ['--key', 'a.b.v.id', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, 'route', 'p.parquet', ...args)).toMatchObject(done);
  });
});

describe('an added column', () => {
  const refused = {
    code: 2,
    stderr: expect.stringMatching(/--as-column: expected a new name, but there is a column "S/),
  };
  it.each([
    ['s.csv', 'id,Shard\n1,5\n2,7\n', '--csv'],
    ['s.ndjson', '{"id":1,"SHARD":5}\n{"id":2,"SHARD":9}\n', '--ndjson'],
  ])('has a name that %s does not have in upper or lower case', async (name, text, format) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, name), text);
    const args = ['route', name, format, '--key', 'id', '--shards', '4', '--format', 'parquet'];
    expect(await run(cwd, ...args, '--out', 'o.parquet')).toMatchObject(refused);
    expect(await run(cwd, ...args, '--out-dir', 'd', '--hive')).toMatchObject(refused);
    expect(readdirSync(cwd)).toEqual([name]);
    const options = ['--out-dir', 'd', '--hive', '--as-column', 'place', '--keys', 'u64'];
    expect(await run(cwd, ...args, ...options)).toMatchObject({ code: 0 });
    const rows = await duckdb(`select id::varchar as id, place from '${join(cwd, 'd/*/*.parquet')}' order by id`);
    const router = new Router({ shards: 4 });
    expect(rows).toEqual([1n, 2n].map((id) => ({ id: `${id}`, place: `${router.route(id)}` })));
  });

  it.each(['../outside', 'a/b', '..', '', 'a=b'])('cannot be a directory called %j', async (name) => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'k.parquet'), 'select 1 as k');
    const args = ['route', 'k.parquet', '--key', 'k', '--shards', '2', '--out-dir', 'd', '--hive', '--as-column', name];
    const { code, stderr } = await run(cwd, ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --as-column: expected (a|the) name/)]);
    expect(readdirSync(cwd)).toEqual(['k.parquet']);
  });
});

describe('directories with = in their names', () => {
  it('are not columns of text that becomes Parquet in them', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'c.csv'), 'id,v,day\n1,a,x\n2,b,y\n3,c,z\n');
    mkdirSync(join(cwd, 'day=1'));
    const args = ['route', 'c.csv', '--csv', '--key', 'id', '--shards', '2', '--format', 'parquet'];
    expect(await run(cwd, ...args, '--out-dir', 'day=1/sh')).toMatchObject(done);
    expect(await run(cwd, ...args, '--out', 'day=1/o.parquet')).toMatchObject(done);
    const from = (path: string) => `read_parquet('${join(cwd, path)}', hive_partitioning = false) order by id`;
    expect(await duckdb(`from ${from('day=1/sh/*.parquet')}`)).toEqual([
      { id: '1', v: 'a', day: 'x' },
      { id: '2', v: 'b', day: 'y' },
      { id: '3', v: 'c', day: 'z' },
    ]);
    expect(await duckdb(`select day, shard from ${from('day=1/o.parquet')}`)).toEqual(
      ['1', '2', '3'].map((id, i) => ({ day: 'xyz'[i], shard: new Router({ shards: 2 }).route(id) })),
    );
  });

  it('do not replace columns that files have', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'id=7'));
    await writeParquet(join(cwd, 'id=7/k.parquet'), 'select i as id from range(20) r(i)');
    const args = ['--key', 'id', '--shards', '3'];
    expect(await run(cwd, 'route', 'id=7/k.parquet', ...args, '--out-dir', 'id=7/d')).toMatchObject(done);
    expect(await run(cwd, 'audit', 'id=7/d', ...args)).toMatchObject(fits);
  });
});

describe('names of files', () => {
  it('are no patterns if such a file is there', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, '[a].parquet'), "select 'x' || i as k from range(3) r(i)");
    await writeParquet(join(cwd, 'a.parquet'), "select 'y' || i as k from range(5) r(i)");
    const args = ['--key', 'k', '--shards', '4'];
    expect(await run(cwd, 'route', '[a].parquet', ...args, '--out', 'o.parquet')).toMatchObject(done);
    expect(await parquetColumn(join(cwd, 'o.parquet'), 'k')).toEqual(['x0', 'x1', 'x2']);
    expect(await run(cwd, 'route', '*a*.parquet', ...args, '--out', 'all.parquet')).toMatchObject(done);
    expect(await parquetColumn(join(cwd, 'all.parquet'), 'k')).toHaveLength(8);
    for (const directory of ['o[1]', 'o1']) {
      const key = directory === 'o1' ? '5' : '2';
      expect(await run(cwd, 'route', 'a.parquet', '--key', 'k', '--shards', key, '--out-dir', directory)).toMatchObject(
        done,
      );
    }
    expect(await run(cwd, 'audit', 'o[1]', '--key', 'k', '--shards', '2')).toMatchObject(fits);
  });

  it('of outputs stay links, to files that do not exist yet, too', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'a.parquet'), 'select 1 as k');
    symlinkSync('target.parquet', join(cwd, 'link.parquet'));
    const args = ['--key', 'k', '--shards', '4', '--out', 'link.parquet'];
    expect(await run(cwd, 'route', 'a.parquet', ...args)).toMatchObject(done);
    expect(lstatSync(join(cwd, 'link.parquet')).isSymbolicLink()).toBe(true);
    expect(await parquetColumn(join(cwd, 'target.parquet'), 'k')).toEqual([1]);
  });
});

describe('files with other columns than the first one', () => {
  it.each([
    [
      '1.5::double as id, 2 as v',
      'b.parquet: column id: expected one of type BIGINT, as in a.parquet, got one of type DOUBLE',
    ],
    ['1::bigint as id, 2 as v, 3 as w', 'b.parquet: column w: expected none, as in a.parquet, got one of type INTEGER'],
    ['1::bigint as id', 'b.parquet: column v: expected one of type INTEGER, as in a.parquet, got none'],
  ])('are refused: %s', async (other, message) => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'a.parquet'), 'select 1::bigint as id, 2 as v');
    await writeParquet(join(cwd, 'b.parquet'), `select ${other}`);
    const args = ['route', 'a.parquet', 'b.parquet', '--key', 'id', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, ...args)).toMatchObject({ code: 1, stderr: `error: ${message}\n` });
  });

  it('are read if only the order of the columns is another', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'a.parquet'), 'select 1::bigint as id, 2 as v');
    await writeParquet(join(cwd, 'b.parquet'), 'select 3 as v, 2::bigint as id');
    const args = ['route', 'a.parquet', 'b.parquet', '--key', 'id', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, ...args)).toMatchObject(done);
    expect(await parquetColumn(join(cwd, 'o.parquet'), 'v')).toEqual([2, 3]);
  });
});

describe('NDJSON that becomes Parquet', () => {
  const toParquet = async (text: string, ...options: string[]) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.ndjson'), text);
    const key = options.includes('--key') ? [] : ['--key', 'id'];
    const args = ['route', 'a.ndjson', '--ndjson', ...key, '--shards', '4', '--format', 'parquet', ...options];
    const { code, stderr } = await run(cwd, ...args, '--out', 'o.parquet');
    return { code, stderr, rows: code === 0 ? await duckdb(`select * exclude (shard) from '${cwd}/o.parquet'`) : [] };
  };

  it.each([
    ['{"id":"1","v":2}\n{"id":"2","V":3}\n', 'expected properties whose names differ in more than case: v, V'],
    ['{"id":"1","a":1}\n{"id":"2","id":"3"}\n', 'expected each property once, got {"id":"2","id":"3"'],
    ['{"id":"1","":2}\n', 'expected properties with names, got one whose name is empty'],
    ['{"id":"1","o":{"v":2,"V":3}}\n', 'expected properties whose names differ in more than case: v, V'],
    ['{"id":"1","o":{"v":2,"v":3}}\n', 'expected each property once, got {"id":"1","o":{"v":2,"v":3}}\n'],
    ['{"id":"1","o":[{"v":2,"v":3}]}\n', 'expected each property once, got {"id":"1","o":[{"v":2,"v":3}]}\n'],
    ['{"id":"1","o":[{"":3}]}\n', 'expected properties with names, got one whose name is empty'],
    [
      '{"id":"1","n":12345678901234567890.5}\n',
      'expected numbers that a DOUBLE holds, or strings, got 12345678901234567890.5 in',
    ],
    [
      '{"id":"1","n":[123456789012345678901]}\n',
      'expected numbers that a DOUBLE holds, or strings, got 123456789012345678901 in',
    ],
    [
      '{"id":"1","o":{"n":9007199254740993e0}}\n',
      'expected numbers that a DOUBLE holds, or strings, got 9007199254740993e0 in',
    ],
    ['{"id":"1","n":1E-400}\n', 'expected numbers that a DOUBLE holds, or strings, got 1E-400 in'],
  ])('is refused if DuckDB would change it: %j', async (text, message) => {
    expect(await toParquet(text)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });

  it('keeps numbers that a DOUBLE would change', async () => {
    const text = '{"id":"a","n":9007199254740993,"x":1e400,"y":0.5}\n{"id":"b","n":0.5,"x":1.5,"y":2}\n';
    expect(await toParquet(text)).toMatchObject({
      rows: [
        { n: '9007199254740993', x: '1e400', y: 0.5 },
        { n: '0.5', x: '1.5', y: 2 },
      ],
    });
  });

  it('keeps large integers among fractions, also in objects and lists', async () => {
    const text =
      '{"id":"a","o":{"n":9007199254740993},"l":[1.5,9007199254740993],"t":"],1.5e400","p":9.90}\n{"id":"b","o":{"n":0.5}}\n';
    expect(await toParquet(text)).toMatchObject({
      stderr: '',
      rows: [
        {
          o: { n: '9007199254740993' },
          l: ['1.5', '9007199254740993'],
          t: '],1.5e400',
          p: 9.9,
        },
        { o: { n: '0.5' } },
      ],
    });
  });

  it('keeps fractions of 17 digits and integers of 64 bits as they are', async () => {
    const text =
      '{"id":"a","n":0.30000000000000004,"u":18446744073709551615,"i":-9223372036854775808,"z":1.50000000000000000000}\n';
    expect(await toParquet(text)).toMatchObject({
      stderr: '',
      rows: [{ n: 0.30000000000000004, u: '18446744073709551615', i: '-9223372036854775808', z: 1.5 }],
    });
  });

  it('keeps keys of several types as the texts that were routed', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.ndjson'), '{"id":1}\n{"id":"a"}\n{"id":true}\n');
    const options = ['--key', 'id', '--shards', '64'];
    const args = ['route', 'a.ndjson', '--ndjson', ...options, '--format', 'parquet', '--out', 'o.parquet'];
    expect(await run(cwd, ...args)).toMatchObject(done);
    expect(await parquetColumn(join(cwd, 'o.parquet'), 'id')).toEqual(['1', 'a', 'true']);
    expect(await run(cwd, 'audit', 'o.parquet', ...options)).toMatchObject(fits);
  });

  it.each([
    ['1.5', 'DOUBLE'],
    ['true', 'BOOLEAN'],
  ])('is refused if its keys are such as %s, whose type is not one of keys', async (key, type) => {
    const stderr = expect.stringContaining(`got "id of type ${type}"`);
    expect(await toParquet(`{"id":${key}}\n`)).toMatchObject({ code: 2, stderr });
    expect(await toParquet(`{"id":${key}}\n`, '--as', 'kafka')).toMatchObject({ code: 2, stderr });
  });

  it('is read in memory that does not grow with it', async () => {
    const rows = Array.from(
      { length: 400_000 },
      (_, i) => `{"id":"user${i}","at":{"lat":${i / 7},"lon":${i / 3}},"n":${i}}\n`,
    );
    expect((await toParquet(rows.join(''), '--threads', '1')).stderr).toBe('');
  });

  it('says how keys that became integers are read again', async () => {
    const note = 'note: id is a column of type UBIGINT, so these shards need --keys text when it is read\n';
    expect(await toParquet('{"id":1}\n{"id":2}\n')).toMatchObject({ code: 0, stderr: note });
    expect(await toParquet('{"id":1}\n{"id":2}\n', '--keys', 'u64')).toMatchObject({ code: 0, stderr: '' });
    expect(await toParquet('{"id":"1"}\n', '--keys', 'u64')).toMatchObject({
      stderr: 'note: id is a column of type VARCHAR, so these shards need --keys u64 when it is read\n',
    });
    expect(await toParquet('{"id":1}\n', '--as', 'kafka')).toMatchObject({ stderr: note });
    expect(await toParquet('{"id":1}\n', '--as', 'kafka', '--keys', 'int64')).toMatchObject({ stderr: '' });
    expect(await toParquet('{"id":{"of":1}}\n', '--key', 'id.of')).toMatchObject({
      stderr: note.replace('note: id', 'note: id.of'),
    });
  });
});

it.each(['\\N', 'a\\nb', 'a\\tb'])('text for Parquet is refused if it has the escape %s', async (field) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'e.tsv'), `id\tv\n1\t${field}\n`);
  const args = ['route', 'e.tsv', '--tsv', '--key', 'id', '--shards', '4', '--escape', '\\', '--quote', 'none'];
  const { code, stderr } = await run(cwd, ...args, '--format', 'parquet', '--out', 'o.parquet');
  expect([code, stderr]).toEqual([1, expect.stringContaining('expected no escaped control characters or NULL')]);
});

it('a record that is longer than DuckDB reads is refused in a line', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'l.csv'), `id,v\n1,${'x'.repeat(5_000_000)}\n`);
  const args = ['route', 'l.csv', '--csv', '--key', 'id', '--shards', '4', '--format', 'parquet', '--out', 'o.parquet'];
  expect(await run(cwd, ...args)).toMatchObject(done);
  writeFileSync(join(cwd, 'l.csv'), `id,v\n1,${'x'.repeat(12_000_000)}\n`);
  const { code, stderr } = await run(cwd, ...args);
  expect([code, stderr.length < 500, stderr]).toEqual([1, true, expect.not.stringContaining('.tmp')]);
});

it('texts are UUIDs only as UUIDs are written', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'u.parquet'), "select '550e8400e29b41d4a716446655440000' as k");
  const args = [
    'route',
    'u.parquet',
    '--key',
    'k',
    '--as',
    'postgres',
    '--keys',
    'uuid',
    '--shards',
    '4',
    '--out',
    'o',
  ];
  expect(await run(cwd, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('row 1: expected a UUID') });
});

it('negative integers are ids when their layout is guessed', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'n.parquet'), 'select -5::bigint as id');
  const { code, stderr } = await run(cwd, 'decode', 'n.parquet', '--key', 'id', '--out', 'o.parquet');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^guessed layout: /)]);
});

it('a pattern that is a URL is refused, and nothing is fetched', async () => {
  const { code, stderr } = await run(temporaryFolder(), 'detect', 's3://bucket/*.parquet', '--key', 'id');
  expect([code, stderr]).toEqual([
    2,
    'error: expected files, got s3://bucket/*.parquet: read it in DuckDB with the functions of shardbits/duckdb\n',
  ]);
});

it('options of text are refused', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), 'select 1 as id');
  const args = ['route', 'k.parquet', '--key', 'id', '--shards', '4', '--out', 'o.parquet', '--max-rejects', '3'];
  expect(await run(cwd, ...args)).toMatchObject({
    code: 2,
    stderr: 'error: --max-rejects cannot be combined with Parquet\n',
  });
});

it('a damaged file is named', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), 'select i as id from range(100) r(i)');
  const bytes = readFileSync(join(cwd, 'k.parquet'));
  writeFileSync(
    join(cwd, 'k.parquet'),
    bytes.map((byte, at) => (at > 5 && at < 40 ? byte ^ 0x5a : byte)),
  );
  for (const out of [
    ['--out', 'o.parquet'],
    ['--out-dir', 'd'],
  ]) {
    const { code, stderr } = await run(cwd, 'route', 'k.parquet', '--key', 'id', '--shards', '4', ...out);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: k\.parquet: DuckDB cannot read it: .*\n$/)]);
    expect(readdirSync(cwd)).toEqual(['k.parquet']);
  }
});
