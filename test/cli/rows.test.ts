import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { BY_A, BY_ID, folderOf, route, router, shardOf } from './tables.js';

/** What is written for some standard input, whole and a character at a time. */
async function routed(args: string[], text: string): Promise<string> {
  const whole = await runHere(args, { input: [text] });
  expect([whole.stderr, whole.code]).toEqual(['', 0]);
  expect(await runHere(args, { input: Array.from(text) })).toEqual(whole);
  return whole.stdout.toString();
}

describe('route writes the records of a table with their shards', () => {
  it('of CSV: in their order, with their quotes and line ends', async () => {
    const text = 'id,"e-mail"\r\n1,"a ""b"", c"\r\n"2\n",\n 3 ,"é\r\n😀"\r\n"1"," "';
    expect(await routed(BY_ID, text)).toBe(
      `id,"e-mail",shard\r\n1,"a ""b"", c",${shardOf('1')}\r\n"2\n",,${shardOf('2\n')}\n` +
        ` 3 ,"é\r\n😀",${shardOf(' 3 ')}\r\n"1"," ",${shardOf('1')}\n`,
    );
    expect(await routed([...route, '--csv', '--key', 'e-mail'], 'id,"e-mail"\n1,"a ""b"", c"\n')).toBe(
      `id,"e-mail",shard\n1,"a ""b"", c",${shardOf('a "b", c')}\n`,
    );
  });

  it('of TSV, and of CSV with another delimiter', async () => {
    expect(await routed([...route, '--tsv', '--key', 'b'], 'a\tb\n1,2\t"x\ty"\n')).toBe(
      `a\tb\tshard\n1,2\t"x\ty"\t${shardOf('x\ty')}\n`,
    );
    expect(await routed([...BY_ID, '--delimiter', ';'], 'id;b\n1,2;"x;y"\n')).toBe(
      `id;b;shard\n1,2;"x;y";${shardOf('1,2')}\n`,
    );
    expect(await routed([...BY_ID, '--delimiter', '0'], 'id0b\n102\n')).toBe(`id0b0shard\n1020"${shardOf('1')}"\n`);
  });

  it('of NDJSON: with their spaces and line ends', async () => {
    const text =
      '{"a":"x"}\r\n { "b" : [ 1, {} ] , "a" : "\\u00e9\\n" } \n{"a":1.50,"a":true}\t\r\n{"a":18446744073709551616}';
    expect(await routed(BY_A, text)).toBe(
      `{"a":"x","shard":${shardOf('x')}}\r\n { "b" : [ 1, {} ] , "a" : "\\u00e9\\n" ,"shard":${shardOf('é\n')}} \n` +
        `{"a":1.50,"a":true,"shard":${shardOf('true')}}\t\r\n` +
        `{"a":18446744073709551616,"shard":${shardOf('18446744073709551616')}}\n`,
    );
    const nested = '{"user":{"id":{"id":"x"}},"id":"y"}\n';
    expect(await routed([...route, '--ndjson', '--key', 'user.id.id'], nested)).toBe(
      `{"user":{"id":{"id":"x"}},"id":"y","shard":${shardOf('x')}}\n`,
    );
  });

  it('with a column of another name', async () => {
    expect(await routed([...BY_ID, '--as-column', 'a "b", c'], 'id,shard\n1,2\n')).toBe(
      `id,shard,"a ""b"", c"\n1,2,${shardOf('1')}\n`,
    );
    expect(await routed([...BY_A, '--as-column', 'a "é"\n'], '{"a":"x","shard":1}\n')).toBe(
      `{"a":"x","shard":1,"a \\"é\\"\\n":${shardOf('x')}}\n`,
    );
  });

  it('without a header: columns by their numbers', async () => {
    const args = [...route, '--csv', '--no-header', '--key', '2'];
    expect(await routed(args, '\ufeff1,a\r\n2,"b"\n,')).toBe(
      `1,a,${shardOf('a')}\r\n2,"b",${shardOf('b')}\n,,${shardOf('')}\n`,
    );
    expect(await routed([...args, '--format', 'shard', '--ragged'], '1,a\n2,b,c\n3')).toBe(
      ['a', 'b', ''].map((key) => `${shardOf(key)}\n`).join(''),
    );
  });

  it('without empty lines, wherever those are', async () => {
    expect(await routed(BY_ID, '\r\nid,b\n\n1,x\r\n\r\n\n2,y\n\n')).toBe(
      `id,b,shard\n1,x,${shardOf('1')}\r\n2,y,${shardOf('2')}\n`,
    );
    expect(await routed([...route, '--csv', '--key', 'id'], 'id\n\n""\n')).toBe(`id,shard\n"",${shardOf('')}\n`);
    expect(await routed(BY_A, '\n{"a":1}\r\n \t\n\n{"a":2}\n')).toBe(
      `{"a":1,"shard":${shardOf('1')}}\r\n{"a":2,"shard":${shardOf('2')}}\n`,
    );
  });

  it('or only their shards, as text or in binary, and nothing of the header', async () => {
    const text = 'id,b\n1,x\n2,\n3,y';
    expect(await routed([...BY_ID, '--format', 'shard'], text)).toBe(
      ['1', '2', '3'].map((id) => `${shardOf(id)}\n`).join(''),
    );
    const { stdout } = await runHere([...BY_A, '--format', 'u32'], { input: ['{"a":1}\n{"a":"é"}'] });
    expect([stdout.readUint32LE(0), stdout.readUint32LE(4), stdout.length]).toEqual([shardOf('1'), shardOf('é'), 8]);
    const summary = await routed([...BY_ID, '--format', 'shard'], 'id\n');
    expect(summary).toBe('');
  });

  it('or a summary of them', async () => {
    const run = await runHere([...BY_ID, '--summary', '--json'], { input: ['id\n1\n2\n3\n'] });
    expect([run.code, JSON.parse(run.stdout.toString())]).toMatchObject([0, { keys: 3, shards: 10 }]);
  });

  it('by a key of several values, as typedKey joins them', async () => {
    const both = ['--key', 'b', '--key', 'a'];
    expect(await routed([...route, '--csv', ...both], 'a,b\n"x,",é:\n,\n')).toBe(
      `a,b,shard\n"x,",é:,${shardOf('é:', 'x,')}\n,,${shardOf('', '')}\n`,
    );
    expect(await routed([...route, '--ndjson', ...both, '--key', 'c.d'], '{"a":1,"c":{"d":"\\"z"},"b":"é:"}')).toBe(
      `{"a":1,"c":{"d":"\\"z"},"b":"é:","shard":${shardOf('é:', '1', '"z')}}\n`,
    );
    const numbers = ['--csv', '--no-header', '--key', '3', '--key', '1', '--key', '2', '--format', 'shard'];
    expect(await routed([...route, ...numbers], '1:,"a,b",c\n')).toBe(`${shardOf('c', '1:', 'a,b')}\n`);
  });

  it('by a key that is a u64, with a hash or without', async () => {
    const u64 = ['--keys', 'u64', '--format', 'shard'];
    const expected = ['7', '18446744073709551615'].map((id) => `${router.route(BigInt(id))}\n`).join('');
    expect(await routed([...BY_ID, ...u64], 'id,b\n"7",x\n18446744073709551615,y\n')).toBe(expected);
    expect(await routed([...BY_A, ...u64], '{"a":7}\n{"a":"18446744073709551615"}\n')).toBe(expected);
    const plain = ['--hash', 'none', '--strategy', 'modulo'];
    expect(await routed([...BY_ID, ...plain, '--keys', 'u64'], 'id,b\n"7",x\n')).toBe('id,b,shard\n"7",x,7\n');
  });

  it.each([
    ['without bytes', '', ''],
    ['with a byte order mark and nothing else', '\ufeff', ''],
    ['with a header and nothing else', 'id', 'id,shard\n'],
    ['with a byte order mark', '\ufeffid\r\n1\r\n', `id,shard\r\n1,${shardOf('1')}\r\n`],
    ['with a header of several lines', '"x\ny",id\n1,2\n', `"x\ny",id,shard\n1,2,${shardOf('2')}\n`],
  ])('of a file %s', async (_, text, expected) => {
    expect(await routed(BY_ID, text)).toBe(expected);
    const folder = folderOf({ plain: text, gz: gzipSync(text) });
    for (const name of ['plain', 'gz']) {
      const run = await runHere([...BY_ID, name, '--out', 'out'], { cwd: folder });
      expect([run.code, readFileSync(join(folder, 'out'), 'utf8')]).toEqual([0, expected]);
    }
  });
});

describe('route of several tables', () => {
  const FILES = { one: '\ufeffid,b\r\n1,x', none: '', two: '\ufeff"id","b"\n2,y\n', gz: gzipSync('id,b\n3,z') };

  it('writes the header once', async () => {
    const { stdout } = await runHere([...BY_ID, 'none', 'one', 'none', 'two', 'gz'], { cwd: folderOf(FILES) });
    expect(stdout.toString()).toBe(`id,b,shard\r\n1,x,${shardOf('1')}\n2,y,${shardOf('2')}\n3,z,${shardOf('3')}\n`);
  });

  it('writes records of NDJSON one after the other', async () => {
    const files = { one: '\ufeff{"a":1}', none: '', two: '{"a":2}\n' };
    const { stdout } = await runHere([...BY_A, 'one', 'none', 'two'], { cwd: folderOf(files) });
    expect(stdout.toString()).toBe(`{"a":1,"shard":${shardOf('1')}}\n{"a":2,"shard":${shardOf('2')}}\n`);
  });

  it.each([
    ['in another order', 'b,id\n2,y\n', 'the columns id,b', 'b,id'],
    ['of which there are more', 'id,b,c\n2,y,z\n', 'the columns id,b', 'id,b,c'],
    ['of another name', 'id,B\n2,y\n', 'the columns id,b', 'id,B'],
    ['with a quote in it', 'id,"b\n', 'a closing quote', 'id,"b'],
    ['of no name', '""\n2,y\n', 'the columns id,b', '""'],
  ])('ends at a header with columns %s, also with --rejects', async (_, two, expected, got) => {
    for (const more of [[], ['--rejects', 'bad']]) {
      const folder = folderOf({ ...FILES, two });
      const run = await runHere([...BY_ID, 'one', 'two', ...more], { cwd: folder });
      expect([run.code, run.stdout.toString()]).toEqual([1, `id,b,shard\r\n1,x,${shardOf('1')}\n`]);
      const hint = /quote/.test(expected) ? '; with --quote none, quotes are characters like any other' : '';
      expect(run.stderr).toBe(`error: two:1: expected ${expected}, got ${JSON.stringify(got)}${hint}\n`);
      await runHere([...BY_ID, 'one', 'two', ...more, '--out', 'out'], { cwd: folder });
      await runHere([...BY_ID, 'one', 'two', ...more, '--out-dir', 'dir'], { cwd: folder });
      expect(readdirSync(folder)).toEqual(['gz', 'none', 'one', 'two']);
    }
  });

  it('ends at a header whose names are parted otherwise', async () => {
    const folder = folderOf({ one: 'id,"b,c"\n1,x\n', two: 'id,b,c\n2,y,z\n' });
    const run = await runHere([...BY_ID, '--format', 'shard', 'one', 'two'], { cwd: folder });
    expect([run.code, run.stdout.toString()]).toEqual([1, `${shardOf('1')}\n`]);
    expect(run.stderr).toMatch(/^error: two:1: /);
  });
});

describe('route writes a file of records for each shard', () => {
  it.each([
    ['csv', BY_ID, 'id,b\r\n1,"x\ny"\r\n2,é\r\n3,z', 'id,b\r\n', ['1,"x\ny"\r\n', '2,é\r\n', '3,z\n']],
    [
      'tsv',
      [...route, '--tsv', '--key', 'id'],
      '\ufeffid\tb\n1\tx\n2\t\n3\tz\n',
      'id\tb\n',
      ['1\tx\n', '2\t\n', '3\tz\n'],
    ],
    ['ndjson', BY_A, '{"a":1}\r\n{"a":2} \n{"a":"3"}', '', ['{"a":1}\r\n', '{"a":2} \n', '{"a":"3"}\n']],
  ])('%s, with the header in each, and a manifest', async (type, args, text, header, records) => {
    const folder = join(temporaryFolder(), 'new', 'shards');
    const run = await runHere([...args, '--shards', '12', '--out-dir', folder], { input: [text] });
    expect([run.stderr, run.code]).toEqual(['', 0]);
    const by = new Router({ shards: 12 });
    const rows = Array.from({ length: 12 }, (_, shard) => records.filter((_, i) => by.route(`${i + 1}`) === shard));
    const names = rows.map((_, shard) => `${String(shard).padStart(2, '0')}.${type}`);
    expect(readdirSync(folder)).toEqual([...names, 'manifest.json']);
    const contents = rows.map((some) => header + some.join(''));
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(contents);
    const files = names.map((name, i) => {
      return { name, rows: rows[i]?.length, bytes: statSync(join(folder, name)).size };
    });
    expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).toEqual({
      rows: 3,
      bytes: Buffer.byteLength(contents.join('')),
      options: { router: JSON.parse(JSON.stringify(by)), keys: 'text', records: { format: type, key: args.slice(-1) } },
      files,
    });
  });

  it('also of a table without rows, or without a header', async () => {
    const folder = temporaryFolder();
    const contents = async (args: string[], text: string) => {
      const directory = join(folder, String(readdirSync(folder).length));
      await runHere([...args, '--shards', '2', '--out-dir', directory], { input: [text] });
      const { rows, options } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
      return [
        readFileSync(join(directory, '0.csv'), 'utf8'),
        readFileSync(join(directory, '1.csv'), 'utf8'),
        rows,
        options.records,
      ];
    };
    expect(await contents(BY_ID, 'id,b')).toMatchObject(['id,b\n', 'id,b\n', 0, {}]);
    expect(await contents(BY_ID, '')).toMatchObject(['', '', 0, {}]);
    const bare = [...route, '--csv', '--delimiter', ';', '--no-header', '--key', '2'];
    const shard = new Router({ shards: 2 }).route('x');
    const options = { format: 'csv', key: [2], delimiter: ';', header: false };
    const expected = [shard === 0 ? '1;x\n' : '', shard === 1 ? '1;x\n' : '', 1, options];
    expect(await contents(bare, '1;x')).toEqual(expected);
  });

  it('all or nothing', async () => {
    const folder = folderOf({ bad: `id\n${'1\n'.repeat(300_000)}"x` });
    const run = await runHere([...BY_ID, 'bad', '--out-dir', 'dir'], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([
      1,
      'error: bad:300002: expected a closing quote, got "\\"x"; with --quote none, quotes are characters like any other\n',
    ]);
    await runHere([...BY_ID, 'bad', '--out', 'out'], { cwd: folder });
    expect(readdirSync(folder)).toEqual(['bad']);
    const rest = await runHere([...BY_ID, 'bad', '--out-dir', 'dir', '--rejects', 'rejects'], { cwd: folder });
    expect([rest.code, rest.stderr]).toEqual([0, '1 row rejected: see rejects\n']);
    expect(JSON.parse(readFileSync(join(folder, 'dir', 'manifest.json'), 'utf8'))).toMatchObject({
      rows: 300_000,
      bytes: 600_030,
    });
    const again = await runHere([...BY_ID, 'bad', '--out-dir', 'dir'], { cwd: folder });
    expect(again).toMatchObject({ code: 1, stderr: 'error: dir: expected a new or an empty directory\n' });
  });

  it('and no manifest of lines, which all end with a newline', async () => {
    const folder = join(temporaryFolder(), 'dir');
    await runHere([...route, '--shards', '2', '--out-dir', folder], { input: ['id\r\n'] });
    expect(readdirSync(folder)).toEqual(['0.txt', '1.txt']);
    expect(readFileSync(join(folder, `${new Router({ shards: 2 }).route('id')}.txt`), 'utf8')).toBe('id\n');
  });
});
