// Tables with which DuckDB would do something else than what is asked for, without a word.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../../src/index.js';
import { Session } from '../../../src/node/parquet/session.js';
import { columnIn, parquetSource } from '../../../src/node/parquet/source.js';
import { temporaryFolder } from '../../support/cli.js';
import { duckdb, parquetColumn, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { expectMisread, MAP, ROUTE } from './node-names.js';

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
    expect(
      await run(cwd, 'route', 'r.parquet', '--key', 'id', '--keys', 'u64', '--shards', '4', '--out-dir', 'd'),
    ).toMatchObject(done);
    expect(await run(cwd, 'audit', 'd', '--key', 'id', '--keys', 'u64', '--shards', '4')).toMatchObject(fits);
    const sorted = (from: string) => duckdb(`select * from '${join(cwd, from)}' order by id`);
    expect(await sorted('d/*.parquet')).toEqual(await sorted('r.parquet'));
  });

  it('does not become a statement of SQL', async () => {
    const cwd = temporaryFolder();
    const injected = join(cwd, 'injected.parquet');
    const text = `'') to '${injected}' (format parquet); --`;
    await writeParquet(join(cwd, 'i.parquet'), `select 1 as id, '${text.replaceAll("'", "''")}' as rowid`);
    expect(
      await run(cwd, 'route', 'i.parquet', '--key', 'id', '--keys', 'u64', '--shards', '1', '--out-dir', 'o'),
    ).toMatchObject(done);
    expect(existsSync(injected)).toBe(false);
    expect(await parquetColumn(join(cwd, 'o/0.parquet'), 'rowid')).toEqual([text]);
  });

  it('is the key if it is the name of a function', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'p.parquet'), "select {'id': i} as read_parquet, i + 10 as id from range(6) r(i)");
    const args = ['--key', 'read_parquet.id', '--keys', 'u64', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, 'route', 'p.parquet', ...args)).toMatchObject(done);
    const router = new Router({ shards: 4 });
    expect(await parquetColumn(join(cwd, 'o.parquet'))).toEqual(
      [0n, 1n, 2n, 3n, 4n, 5n].map((key) => router.route(key)),
    );
  });

  it('may have dots in its name, and fields', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'p.parquet'), `select {'v': {'id': 7}} as "a.b"`);
    const args = ['--key', 'a.b.v.id', '--keys', 'u64', '--shards', '4', '--out', 'o.parquet'];
    expect(await run(cwd, 'route', 'p.parquet', ...args)).toMatchObject(done);
  });
});

describe('an added column', () => {
  it('has a name that the table does not have in upper or lower case', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 's.parquet'), 'select 1 as id, 5 as "Shard" union all select 2, 7');
    const args = ['route', 's.parquet', '--key', 'id', '--keys', 'u64', '--shards', '4'];
    const stderr = expect.stringMatching(/--as-column: expected a new name, but there is a column "Shard"/);
    expect(await run(cwd, ...args, '--out', 'o.parquet')).toMatchObject({ code: 2, stderr });
    expect(await run(cwd, ...args, '--out-dir', 'd', '--hive')).toMatchObject({ code: 2, stderr });
    expect(readdirSync(cwd)).toEqual(['s.parquet']);
    expect(await run(cwd, ...args, '--out-dir', 'd', '--hive', '--as-column', 'place')).toMatchObject(done);
    const rows = await duckdb(`select id, place from '${join(cwd, 'd/*/*.parquet')}' order by id`);
    const router = new Router({ shards: 4 });
    expect(rows).toEqual([1n, 2n].map((id) => ({ id: Number(id), place: `${router.route(id)}` })));
  });

  it.each(['../outside', 'a/b', '..', '', 'a=b', 'a%20b'])('cannot be a directory called %j', async (name) => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'k.parquet'), 'select 1 as k');
    const args = [
      'route',
      'k.parquet',
      '--key',
      'k',
      '--keys',
      'u64',
      '--shards',
      '2',
      '--out-dir',
      'd',
      '--hive',
      '--as-column',
      name,
    ];
    const { code, stderr } = await run(cwd, ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --as-column: expected (a|the) name/)]);
    expect(readdirSync(cwd)).toEqual(['k.parquet']);
  });
});

describe('directories with = in their names', () => {
  it('do not replace columns that files have', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'id=7'));
    await writeParquet(join(cwd, 'id=7/k.parquet'), 'select i as id from range(20) r(i)');
    const args = ['--key', 'id', '--keys', 'u64', '--shards', '3'];
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
    const args = ['--key', 'k', '--keys', 'u64', '--shards', '4', '--out', 'link.parquet'];
    expect(await run(cwd, 'route', 'a.parquet', ...args)).toMatchObject(done);
    expect(lstatSync(join(cwd, 'link.parquet')).isSymbolicLink()).toBe(true);
    expect(await parquetColumn(join(cwd, 'target.parquet'), 'k')).toEqual([1]);
  });
});

describe('names of nodes in the directories of Hive', () => {
  it.each(['null', '007', '1.0', 'ж'.repeat(50)])(
    'are refused if a reader takes them for another value: %s',
    expectMisread,
  );

  it('are read again by DuckDB, whatever they are else', async () => {
    const cwd = temporaryFolder();
    const names = [
      '1',
      '-7',
      '0',
      '2024-01-01',
      '10.0.0.1',
      'db 1',
      'a%20b',
      'a=b',
      'é',
      "it's",
      'a*[b]?',
      'nullx',
      '#1',
      'a:b',
    ];
    await writeParquet(join(cwd, 'k.parquet'), 'select i as k from range(500) r(i)');
    writeFileSync(join(cwd, 'map.json'), MAP(names));
    expect(await run(cwd, ...ROUTE)).toMatchObject(done);
    const rows = await duckdb(
      `select distinct node::varchar as node from read_parquet('${cwd}/d/*/*.parquet', hive_partitioning = true)`,
    );
    expect(rows.map(({ node }) => node).sort()).toEqual([...names].sort());
    const audit = ['audit', 'd', '--key', 'k', '--keys', 'u64', '--map', 'map.json', '--shard-column', 'node'];
    expect(await run(cwd, ...audit)).toMatchObject(fits);
  });
});

it('a file that cannot be read any more is not a column that is missing', async () => {
  const cwd = temporaryFolder();
  const file = join(cwd, 'k.parquet');
  await writeParquet(file, "select {'id': 1} as user");
  const session = await Session.open('this test', cwd, 1);
  try {
    const source = await parquetSource(session, [file], false);
    expect(await columnIn(source, 'key', 'user.id')).toMatchObject({ type: 'INTEGER' });
    for (const path of ['user.x', 'user.id.x']) {
      await expect(columnIn(source, 'key', path)).rejects.toThrow(`"key": expected one of user, got "${path}"`);
    }
    rmSync(file);
    await expect(columnIn(source, 'key', 'user.id')).rejects.toThrow('IO Error');
  } finally {
    session.close();
  }
});

describe('files with other columns than the first one', () => {
  const args = 'route a.parquet b.parquet --key id --keys u64 --shards 4 --out o.parquet'.split(' ');

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
    expect(await run(cwd, ...args)).toMatchObject({ code: 1, stderr: `error: ${message}\n` });
  });

  it('are read if only the order of the columns is another', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'a.parquet'), 'select 1::bigint as id, 2 as v');
    await writeParquet(join(cwd, 'b.parquet'), 'select 3 as v, 2::bigint as id');
    expect(await run(cwd, ...args)).toMatchObject(done);
    expect(await parquetColumn(join(cwd, 'o.parquet'), 'v')).toEqual([2, 3]);
  });
});

it.each([
  [
    ['--csv', '--key', 'id'],
    ['--out', 'o.parquet'],
  ],
  [
    ['--ndjson', '--key', 'id'],
    ['--out-dir', 'd', '--hive'],
  ],
  [[], ['--summary']],
])('text %j does not become Parquet: the error names the commands that do it', async (format, output) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'id\n007\n');
  const args = ['route', 'a.txt', ...format, '--shards', '4', '--format', 'parquet', ...output];
  const { code, stdout, stderr } = await run(cwd, ...args);
  expect([code, stdout, readdirSync(cwd)]).toEqual([2, '', ['a.txt']]);
  const [, convert] =
    /^error: --format parquet: .*: duckdb -c "(.*)", then shardbits route rows.parquet\n$/.exec(stderr) ?? [];
  await duckdb(String(convert).replace('rows.csv', join(cwd, 'a.txt')).replace('rows.parquet', join(cwd, 'a.parquet')));
  expect(await parquetColumn(join(cwd, 'a.parquet'), 'id')).toEqual(['007']);
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
  expect(await run(cwd, ...args)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('u.parquet: row 1: expected a UUID such as '),
  });
});

it('a pattern of Parquet is refused beside options of text', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), 'select 1 as id');
  const { code, stderr } = await run(cwd, 'plan', '*.p*', '--csv', '--key', 'id', '--from', '4', '--to', '5');
  expect([code, stderr]).toEqual([2, 'error: --csv cannot be combined with Parquet\n']);
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
    'error: expected files: read others in DuckDB by shardbits/duckdb, got "s3://bucket/*.parquet"\n',
  ]);
});

it('options of text are refused', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), 'select 1 as id');
  const args = [
    'route',
    'k.parquet',
    '--key',
    'id',
    '--keys',
    'u64',
    '--shards',
    '4',
    '--out',
    'o.parquet',
    '--max-rejects',
    '3',
  ];
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
    const { code, stderr } = await run(
      cwd,
      'route',
      'k.parquet',
      '--key',
      'id',
      '--keys',
      'u64',
      '--shards',
      '4',
      ...out,
    );
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: k\.parquet: DuckDB cannot read it: .*\n$/)]);
    expect(readdirSync(cwd)).toEqual(['k.parquet']);
  }
});
