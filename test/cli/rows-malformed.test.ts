import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { BY_A, BY_ID, folderOf, route, router, shardOf } from './tables.js';

const U64 = 'a decimal integer from -2^63 to 2^64 - 1';
const VALUE = 'a string, a number or a boolean at a';
const KEY = 'a key other than NULL';

/** As a file of rejects has it. */
const onOneLine = (record: string) => record.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

type Malformed = [record: string, expected: string, got?: string];

const QUOTES = '; with --quote none, quotes are characters like any other';
const LINES = '; of objects over several lines, jq -c . FILE | shardbits … makes lines';

describe('a malformed record ends route after those before it, or goes to --rejects', () => {
  const quoted: Malformed[] = [
    ['2,b"c"', 'quotes around a field that has a quote in it'],
    ['2, "c"', 'quotes around a field that has a quote in it'],
    ['2,"b"c', 'a delimiter or the end of the record after a closing quote'],
    ['"2\n3","b" ', 'a delimiter or the end of the record after a closing quote'],
    ['2,"b', 'a closing quote'],
  ];
  const counted: Malformed[] = [
    ['2', '2 fields'],
    ['2,b,', '2 fields'],
    ['"2\n\n3",b,"c"', '2 fields'],
  ];
  const json: Malformed[] = [
    ['{"a":1', 'JSON'],
    ['{"a":1}}', 'JSON'],
    ['{"a":01}', 'JSON'],
    ['{"a":"\t"}', 'JSON'],
    ['[{"a":1}]', 'a JSON object'],
    ['"a"', 'a JSON object'],
    ...['{}', '{"b":{"a":1}}'].map((record): Malformed => [record, KEY, 'none']),
    ...['{"a":null}', '{"a":1,"a":null}'].map((record): Malformed => [record, KEY, 'null']),
    ...['{"a":{}}', '{"a":["x"]}'].map((record): Malformed => [record, VALUE]),
    ['{"a":"x","shard":null}', 'no property named shard'],
  ];

  it.each<[name: string, args: string[], header: string, good: [string, string], added: boolean, rows: Malformed[]]>([
    ['CSV', BY_ID, 'id,b', ['1,a', '"4\n5",d'], true, [...quoted, ...counted]],
    [
      'CSV of only shards',
      [...BY_ID, '--format', 'shard'],
      'id,b',
      ['1,a', '"4\n5",d'],
      false,
      [...quoted, ...counted],
    ],
    [
      'CSV by a later column',
      [...route, '--csv', '--key', 'b', '--format', 'shard'],
      'id,b',
      ['x,1', 'x,"4\n5"'],
      false,
      [['2', '2 fields']],
    ],
    [
      'CSV by u64s',
      [...BY_ID, '--keys', 'u64'],
      'id,b',
      ['1,a', '4,"\n"'],
      true,
      [
        ['"-x2",b', U64, '-x2'],
        [',b', U64, ''],
      ],
    ],
    ['NDJSON', BY_A, '', ['{"a":1}', '{"a":4}'], true, json],
    ['NDJSON by u64s', [...BY_A, '--keys', 'u64'], '', ['{"a":1}', '{"a":4}'], true, [['{"a":1e3}', U64, '1e3']]],
  ])('%s', async (_, args, header, [first, last], isAdded, malformed) => {
    const before = header === '' ? [] : [header];
    const begun = header !== '' && isAdded ? `${header},shard\n` : '';
    const output = (record: string) => {
      const key = /4\n5|\d/.exec(record)?.[0] as string;
      const shard = args.includes('u64') ? router.route(BigInt(key)) : shardOf(key);
      if (!isAdded) return `${shard}\n`;
      return record.startsWith('{') ? `${record.slice(0, -1)},"shard":${shard}}\n` : `${record},${shard}\n`;
    };
    const folder = temporaryFolder();
    for (const [record, expected, got = record] of malformed) {
      // One whose quote is never closed can only be followed by records without quotes.
      const between = expected === 'a closing quote' ? [first] : [last, first, record, last];
      const rows = [...before, first, record, ...between];
      const isNull = expected === KEY;
      const problem = isNull ? `a: expected ${KEY}, got ${got}` : `expected ${expected}, got ${JSON.stringify(got)}`;
      const lineOf = (row: number) => rows.slice(0, row).join('\n').split('\n').length + 1;
      const rejects = rows.flatMap((row, i) =>
        row === record ? [`${lineOf(i)}\t${problem}\t${onOneLine(record)}\n`] : [],
      );
      const written = [first, ...between].filter((row) => row !== record).map(output);
      const text = rows.join('\n');
      for (const input of [[text], Array.from(text)]) {
        const ended = await runHere(args, { input });
        expect([ended.stdout.toString(), ended.code]).toEqual([begun + output(first), 1]);
        const hints = [/quote/.test(expected) && QUOTES, record === '{"a":1' && LINES];
        const hint = isNull ? '; --missing-key gives such records a shard' : hints.find(Boolean) || '';
        expect(ended.stderr).toBe(`error: -:${lineOf(before.length + 1)}: ${problem}${hint}\n`);
        const { code, stdout, stderr } = await runHere([...args, '--rejects', 'bad'], { cwd: folder, input });
        expect([stdout.toString(), code]).toEqual([begun + written.join(''), 0]);
        expect(stderr).toBe(`${rejects.length} ${rejects.length === 1 ? 'row' : 'rows'} rejected: see bad\n`);
        expect(readFileSync(join(folder, 'bad'), 'utf8')).toBe(rejects.join(''));
      }
    }
  });

  it('of several files, with their names', async () => {
    const folder = folderOf({ one: 'id,b\n"1\n",x\n2\n3,y', two: 'id,b\r\n"4\r\n5",z\r\n6,"\r\n7,y\r\n' });
    const args = [...BY_ID, 'one', 'two'];
    const ended = await runHere(args, { cwd: folder });
    expect([ended.code, ended.stderr]).toEqual([1, 'error: one:4: expected 2 fields, got "2"\n']);
    const open = 'two:4\texpected a closing quote, got "6,\\""\t6,"\n';
    const short = 'one:4\texpected 2 fields, got "2"\t2\n';
    for (const [more, rejects] of [
      [[], short + open],
      [['--out', 'out'], short + open],
      [['--out-dir', 'dir'], short + open],
      [['--summary', '--json'], short + open],
      [['--summary', '--ragged'], open],
    ] as const) {
      const run = await runHere([...args, ...more, '--rejects', 'bad'], { cwd: folder });
      expect(run.code).toBe(0);
      expect(readFileSync(join(folder, 'bad'), 'utf8')).toBe(rejects);
    }
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(
      `id,b,shard\n"1\n",x,${shardOf('1\n')}\n3,y,${shardOf('3')}\n"4\r\n5",z,${shardOf('4\r\n5')}\r\n7,y,${shardOf('7')}\r\n`,
    );
  });

  it.each([
    ['without the key', 'a,b\n1,2\n', 'a column named id', 'a,b'],
    ['with the key in another case', '"b"," ID "\n1,2\n', 'a column named id (did you mean " ID "?)', '"b"," ID "'],
    ['with the key twice', 'id,id\n1,2\n', 'one column named id', 'id,id'],
    ['with the column that is added', 'id,shard\n1,2\n', 'no column named shard', 'id,shard'],
    ['that is malformed', 'id,b"c\n1,2\n', 'quotes around a field that has a quote in it', 'id,b"c'],
    ['of another table, after empty lines', 'ID\nid\n', 'a column named id (did you mean "ID"?)', 'ID'],
  ])('but a header %s ends it always', async (_, text, expected, got) => {
    const folder = temporaryFolder();
    for (const more of [[], ['--rejects', 'bad'], ['--rejects', 'bad', '--out', 'out']]) {
      const run = await runHere([...BY_ID, ...more], { cwd: folder, input: [text] });
      expect([run.code, run.stdout.toString()]).toEqual([1, '']);
      const hint = /quote/.test(expected) ? QUOTES : '';
      expect(run.stderr).toBe(`error: -:1: expected ${expected}, got ${JSON.stringify(got)}${hint}\n`);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('route of records refuses', () => {
  it.each<[args: string[], stderr: RegExp]>([
    [['--csv', '--ndjson', '--key', 'a'], /^error: .*--csv .*--ndjson\n$/],
    [['--csv', '--tsv', '--key', 'a'], /^error: .*--csv .*--tsv\n$/],
    [['--csv'], /^error: --csv requires --key\n$/],
    [['--ndjson'], /^error: --ndjson requires --key\n$/],
    [['--key', 'a'], /^error: --key requires --csv, --tsv or --ndjson\n$/],
    [['--delimiter', ';'], /^error: --delimiter requires --csv/],
    [['--no-header'], /^error: --no-header requires --csv/],
    [['--tsv', '--key', 'a', '--delimiter', ';'], /^error: --delimiter requires --csv\n$/],
    [['--ndjson', '--key', 'a', '--delimiter', ';'], /^error: --delimiter requires --csv\n$/],
    [['--quote', 'none'], /^error: --quote requires --csv or --tsv\n$/],
    [['--escape', '\\'], /^error: --escape requires --csv or --tsv\n$/],
    [['--ndjson', '--key', 'a', '--quote', 'none'], /^error: --quote requires --csv or --tsv\n$/],
    [['--ndjson', '--key', 'a', '--escape', '\\'], /^error: --escape requires --csv or --tsv\n$/],
    [['--csv', '--key', 'a', '--quote', '"'], /^error: --quote: expected one of none, got "\\""/],
    [
      ['--csv', '--key', 'a', '--escape', ','],
      /^error: --escape: expected a character other than a letter, .* got ","\n$/,
    ],
    [['--csv', '--key', 'a', '--escape', 'ab'], /^error: --escape: expected one ASCII character, .* got "ab"\n$/],
    [
      ['--csv', '--key', 'a', '--delimiter', '0', '--quote', 'none'],
      /^error: --delimiter: expected a character other than a letter or a digit .* got "0"\n$/,
    ],
    [['--ndjson', '--key', 'a', '--ragged'], /^error: --ragged requires --csv or --tsv\n$/],
    [['--csv', '--key', 'a', '--ragged'], /^error: --ragged cannot be combined with a column that is added\n$/],
    [['--ndjson', '--key', 'a', '--no-header'], /^error: --no-header requires --csv or --tsv\n$/],
    [
      ['--csv', '--key', 'a', '--format', 'tsv'],
      /^error: --format: expected "shard" or "u32" for records, got "tsv"\n$/,
    ],
    [
      ['--csv', '--key', 'a', '--format', 'csv'],
      /^error: --format: expected one of tsv, shard, u32, parquet, got "csv" \(Did you mean tsv\?\)\n$/,
    ],
    [['--as-column', 'x'], /^error: --as-column requires --csv, --tsv or --ndjson\n$/],
    [['--csv', '--key', 'a', '--as-column', 'x', '--format', 'shard'], /^error: --as-column .*--format/],
    [['--csv', '--key', 'a', '--as-column', 'x', '--out-dir', 'dir'], /^error: --as-column .*--out-dir/],
    [['--csv', '--key', 'a', '--as-column', 'x', '--summary'], /^error: --as-column .*--summary/],
    [['--csv', '--no-header', '--key', 'a'], /^error: --key: expected the number of a column, .* got "a"\n$/],
    [['--csv', '--no-header', '--key', '0'], /^error: --key: expected the number of a column, .* got "0"\n$/],
    [['--csv', '--no-header', '--key', '1.5'], /^error: --key: expected the number of a column, .* got "1.5"\n$/],
    [['--csv', '--no-header', '--key', '65537'], /^error: --key: expected an integer from 1 to 65536, got 65537\n$/],
    [['--csv', '--key', 'a', '--key', 'a'], /^error: --key: expected each column once/],
    [['--ndjson', '--key', 'a..b'], /^error: --key: expected a path of names with dots, got "a..b"\n$/],
    ...['', ',,', '"', '\n', 'é'].map((delimiter): [string[], RegExp] => {
      return [['--csv', '--key', 'a', '--delimiter', delimiter], /^error: --delimiter: expected one ASCII character/];
    }),
  ])('%j', async (args, stderr) => {
    const folder = temporaryFolder();
    const run = await runHere([...route, ...args], { cwd: folder, input: [] });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
    expect([run.stdout.length, existsSync(join(folder, 'dir'))]).toEqual([0, false]);
  });
});
