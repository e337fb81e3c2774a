import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layouts, xxh64 } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { folderOf, route, shardOf } from './tables.js';

/** What is written for some standard input, whole and a character at a time. */
async function routed(args: string[], text: string): Promise<string> {
  const whole = await runHere([...route, ...args], { input: [text] });
  expect([whole.stderr, whole.code]).toEqual(['', 0]);
  expect(await runHere([...route, ...args], { input: Array.from(text) })).toEqual(whole);
  return whole.stdout.toString();
}

const shards = (...keys: string[]): string => keys.map((key) => `${shardOf(key)}\n`).join('');

/** Rows with the shards of their keys after a tab. */
const withShards = (rows: readonly (readonly [row: string, key: string])[], delimiter = '\t'): string =>
  rows.map(([row, key]) => `${row}${delimiter}${shardOf(key)}\n`).join('');

describe('route reads dumps', () => {
  it('of packages as npm and PyPI describe them, with quotes that quote nothing', async () => {
    const rows = [
      ['left-pad\tString left pad "', 'left-pad'],
      ['is-odd\t"true" if odd, 3" wide', 'is-odd'],
      ['"q"\t"', '"q"'],
    ] as const;
    const text = `name\tsummary\n${rows.map(([row]) => `${row}\n`).join('')}`;
    expect(await routed(['--tsv', '--key', 'name', '--quote', 'none'], text)).toBe(
      `name\tsummary\tshard\n${withShards(rows)}`,
    );
    const lost = await runHere([...route, '--tsv', '--key', 'name'], { input: [text] });
    expect([lost.code, lost.stderr.toString()]).toEqual([
      1,
      'error: -:2: expected quotes around a field that has a quote in it, got "left-pad\\tString left pad \\""; with --quote none, quotes are characters like any other\n',
    ]);
  });

  // SELECT … INTO OUTFILE, by the manual of MySQL 8.0, "LOAD DATA Statement", "Field and Line Handling": FIELDS TERMINATED BY
  // '\t' ENCLOSED BY '' ESCAPED BY '\\' LINES TERMINATED BY '\n' by default. It escapes the escape character, the first
  // characters of both terminators, and NUL as \0. NULL is \N.
  it('of MySQL, with escaped line breaks', async () => {
    const rows = [
      ['1\tplain', 'plain'],
      ['2\ta\\\tb\\\nc', 'a\tb\nc'],
      ['3\tC:\\\\new "x"', 'C:\\new "x"'],
      ['4\t\\0\\Z\\\\', '\0\x1a\\'],
      ['5\t\\\\N', '\\N'],
    ] as const;
    const text = rows.map(([row]) => `${row}\n`).join('');
    const args = ['--tsv', '--no-header', '--key', '2', '--quote', 'none', '--escape', '\\'];
    expect(await routed(args, text)).toBe(withShards(rows));
    const rejects = join(temporaryFolder(), 'rejects');
    const withNull = await runHere([...route, ...args, '--rejects', rejects], { input: [`${text}6\t\\N\n7\tN\n`] });
    expect([withNull.code, withNull.stdout.toString()]).toEqual([0, `${withShards(rows)}7\tN\t${shardOf('N')}\n`]);
    const refused = await runHere([...route, ...args], { input: [`${text}6\t\\N\n`] });
    expect([refused.code, refused.stderr.toString()]).toEqual([
      1,
      'error: -:7: column 2: expected a key other than NULL, got null; --missing-key gives such records a shard\n',
    ]);
  });

  // The same with FIELDS TERMINATED BY ',' ENCLOSED BY '"': then only quotes, escape characters and NUL are escaped.
  it('of MySQL, with values in quotes', async () => {
    const rows = [
      ['"1","plain"', 'plain'],
      ['"2","a,b\nc"', 'a,b\nc'],
      ['"3","5\\" \\\\ 6"', '5" \\ 6'],
      ['"4",""', ''],
    ] as const;
    const text = `${rows.map(([row]) => `${row}\n`).join('')}"5",\\N\n`;
    const args = ['--csv', '--no-header', '--escape', '\\'];
    expect(await routed([...args, '--key', '2'], text.replace(/"5".*\n/, ''))).toBe(withShards(rows, ','));
    expect(await routed([...args, '--key', '1', '--format', 'shard'], text)).toBe(shards('1', '2', '3', '4', '5'));
  });

  // COPY notes TO STDOUT of PostgreSQL 18.4, of a table of (id int, name text, note text) with these values:
  //   (1, 'plain', 'a "quote'), (2, E'tab\there', E'two\nlines'), (3, NULL, 'no name'), (4, 'C:\new', NULL),
  //   (5, '\N', E'\b\f\r\x0b'), (6, '', 'empty'), (7, 'N', '\.')
  const COPY = [
    ['1\tplain\ta "quote', 'plain'],
    ['2\ttab\\there\ttwo\\nlines', 'tab\there'],
    ['3\t\\N\tno name', undefined],
    ['4\tC:\\\\new\t\\N', 'C:\\new'],
    ['5\t\\\\N\t\\b\\f\\r\\v', '\\N'],
    ['6\t\tempty', ''],
    ['7\tN\t\\\\.', 'N'],
  ] as const;
  const copied = COPY.map(([row]) => `${row}\n`).join('');
  const copy = ['--tsv', '--no-header', '--quote', 'none', '--escape', '\\'];

  it('of PostgreSQL', async () => {
    expect(await routed([...copy, '--key', '1'], copied)).toBe(withShards(COPY.map(([row]) => [row, row[0]] as const)));
    const names = COPY.flatMap(([row, name]) => (name === undefined ? [] : [[row, name] as const]));
    expect(await routed([...copy, '--key', '2'], names.map(([row]) => `${row}\n`).join(''))).toBe(withShards(names));
    const controls = await runHere(['hash', ...copy, '--key', '3'], { input: ['5\t\\\\N\t\\b\\f\\r\\v\n'] });
    expect(controls.stdout.toString()).toContain(xxh64('\b\f\r\v').toString(16));
  });

  it('and splits them into files, byte for byte', async () => {
    const folder = folderOf({ copied });
    const rejects = join(folder, 'rejects');
    const args = [...copy, '--key', '2', '--out-dir', 'dir', '--rejects', rejects];
    const run = await runHere(['route', '--shards', '1', ...args, 'copied'], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([0, `1 row rejected: see ${rejects}\n`]);
    const { stdout } = await runHere([...route, ...copy, '--key', '1', '--format', 'shard', 'dir/0.tsv'], {
      cwd: folder,
    });
    expect(stdout.toString()).toBe(shards('1', '2', '4', '5', '6', '7'));
  });
});

describe('a column is added to a dump', () => {
  it('with a header that is read by the same rules', async () => {
    const args = ['--tsv', '--quote', 'none', '--escape', '\\', '--key', 'a\tb', '--as-column', 'c\td\\e'];
    expect(await routed(args, 'a\\tb\t"\n1\t2\n')).toBe(`a\\tb\t"\tc\\\td\\\\e\n1\t2\t${shardOf('1')}\n`);
    const quoted = ['--csv', '--escape', '\\', '--key', 'a,"b', '--as-column', 'c,\\'];
    expect(await routed(quoted, '"a,\\"b",x\n1,2\n')).toBe(`"a,\\"b",x,"c,\\\\"\n1,2,${shardOf('1')}\n`);
  });

  it('with the names of nodes, which are escaped if there is an escape character', async () => {
    const name = 'eu;"1"\\';
    const map = ShardMap.create({ shards: 8, nodes: [{ name }] });
    const cwd = folderOf({ 'map.json': JSON.stringify(map) });
    const args = ['route', '--map', 'map.json', '--csv', '--delimiter', ';', '--key', 'id'];
    const output = async (...more: string[]) => runHere([...args, ...more], { cwd, input: ['id;b\n1;2\n'] });
    const written = async (...more: string[]) => (await output(...more)).stdout.toString();
    expect(await written('--quote', 'none', '--escape', '\\')).toBe('id;b;node\n1;2;eu\\;"1"\\\\\n');
    expect(await written('--escape', '\\')).toBe('id;b;node\n1;2;"eu;""1""\\\\"\n');
    expect(await written()).toBe('id;b;node\n1;2;"eu;""1""\\"\n');
    expect(await output('--quote', 'none')).toMatchObject({
      code: 2,
      stderr: `error: --quote: expected quotes or an escape character, because a delimiter or a line break is in ${JSON.stringify(name)}, got "none"\n`,
    });
  });

  it('except a date that has the delimiter in it, if there are no quotes', async () => {
    const id = layouts.snowflake.pack({ timestamp: Date.UTC(2024, 2, 1), shard: 5, sequence: 123 });
    const args = ['decode', '--csv', '--delimiter', ':', '--key', 'id', '--layout', 'snowflake'];
    expect(await runHere([...args, '--quote', 'none'], { input: [`id:b\n${id}:1\n`] })).toMatchObject({
      code: 2,
      stderr: 'error: --delimiter: expected a character that is not in times if there are no quotes, got ":"\n',
    });
    const passwd = ['--csv', '--delimiter', ':', '--quote', 'none', '--no-header', '--key', '1'];
    expect(await routed(passwd, 'root:x:0\n')).toBe(`root:x:0:${shardOf('root')}\n`);
  });

  it('except one whose name needs quotes or escapes, if there are none', async () => {
    const args = [...route, '--tsv', '--key', 'a', '--quote', 'none', '--as-column', 'b\tc'];
    const run = await runHere(args, { input: ['a\n1\n'] });
    expect([run.code, run.stderr]).toEqual([
      2,
      'error: --quote: expected quotes or an escape character, because a delimiter or a line break is in "b\\tc", got "none"\n',
    ]);
  });
});

it('an escape character at the end of the input is malformed, because it would escape what is written after it', async () => {
  const folder = temporaryFolder();
  for (const [name, text] of [
    ['one', 'id\n1\n2\\'],
    ['two', 'id\n3\n'],
  ] as const)
    writeFileSync(join(folder, name), text);
  const args = [...route, '--tsv', '--escape', '\\', '--key', 'id', 'one', 'two'];
  const run = await runHere(args, { cwd: folder });
  expect([run.code, run.stderr]).toEqual([
    1,
    'error: one:3: expected a character after the escape character, got "2\\\\"\n',
  ]);
});
