// What an error, or a warning, says to do.
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.js';
import { runHere } from '../support/run-here.js';
import { folderOf } from './tables.js';

const route = (...args: string[]) => ['route', '--shards', '4', ...args];

describe('an error about a record says what to do', () => {
  it.each<[name: string, args: string[], text: string, hint: string]>([
    ['another delimiter', ['--csv', '--key', 'b'], 'a;b\n1;2\n', "; with --csv --delimiter ';', it has that column"],
    ['tabs', ['--csv', '--key', 'b'], 'a\tb\n1\t2\n', '; with --tsv, it has that column'],
    ['bars', ['--csv', '--key', 'b'], 'a|b\n1|2\n', "; with --csv --delimiter '|', it has that column"],
    ['commas in TSV', ['--tsv', '--key', 'b'], 'a,b\n1,2\n', "; with --csv --delimiter ',', it has that column"],
    ['a note for Excel', ['--csv', '--key', 'b'], 'sep=;\na;b\n', '; this line is a note for Excel: tail -n +2 FILE'],
    ['another name', ['--csv', '--key', 'c'], 'a;b\n1;2\n', 'got "a;b"\n'],
    ['a quote that is data', ['--csv', '--key', 'a'], 'a,b\n1,5" pipe\n', '; with --quote none, quotes are characters'],
    ['a quote that opens nothing', ['--csv', '--key', 'a'], 'a,b\n1,"5 pipe\n', '; with --quote none, quotes are'],
    ['an array of JSON', ['--ndjson', '--key', 'a'], '[{"a":1},\n{"a":2}]\n', "jq -c '.[]' FILE | shardbits …"],
    ['JSON over several lines', ['--ndjson', '--key', 'a'], '{\n  "a": 1\n}\n', 'jq -c . FILE | shardbits …'],
    ['a JSON text sequence', ['--ndjson', '--key', 'a'], '\x1e{"a":1}\n', "tr -d '\\036' < FILE | shardbits …"],
    ['other text', ['--ndjson', '--key', 'a'], 'a,b\n', 'got "a,b"\n'],
  ])('%s', async (_, args, text, hint) => {
    const { code, stderr } = await runHere(route(...args), { input: [text] });
    expect(code).toBe(1);
    expect(stderr).toContain(hint);
  });

  it('but nothing if the column of shards is missing', async () => {
    const cwd = folderOf({ 'a.csv': 'a,b\n1,2\n' });
    const { stderr } = await runHere(['audit', '--shards', '4', '--csv', '--key', 'b', 'a.csv'], { cwd });
    expect(stderr).toBe('error: a.csv:1: expected a column named shard, got "a,b"\n');
  });

  it.each(['utf-8', 'latin1'])('also of a file in %s, which is named', async (encoding) => {
    const cwd = folderOf({ 'a.csv': 'a;b\n1;2\n' });
    const { stderr } = await runHere(route('--csv', '--key', 'b', '--encoding', encoding, 'a.csv'), { cwd });
    expect(stderr).toBe(
      'error: a.csv:1: expected a column named b, got "a;b"; with --csv --delimiter \';\', it has that column\n',
    );
  });
});

describe('a file that looks like JSON is read as lines, with a warning', () => {
  it.each([
    ['[{"id":1},\n{"id":2}]\n', true],
    ['{"id":1}\n', true],
    ['{\n  "id": 1\n}\n', true],
    ['{user}:1\n', false],
    ['[1]\n', false],
    ['', false],
  ])('%j', async (text, isWarned) => {
    const cwd = folderOf({ keys: text });
    const warning = 'warning: keys looks like JSON, and without --ndjson each of its lines is a key\n';
    for (const args of [route('keys'), ['plan', '--from', '1', '--to', '2', 'keys'], ['hash', 'keys']]) {
      expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: isWarned ? warning : '' });
    }
  });
});

it('on a terminal, a command says that it reads standard input', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const stdin = Object.assign(Readable.from(['a\n']), { isTTY: true });
  expect(await run(['route', '--shards', '2'], { stdin, stdout, stderr })).toBe(0);
  expect(String(stderr.read())).toMatch(/^reading standard input; Ctrl-[DZ].* ends it\n$/);
  expect(String(stdout.read())).toBe('1\ta\n');
});

describe('plan --out-rows', () => {
  const keys = Array.from({ length: 50 }, (_, i) => `k${i}\n`).join('');

  it('lists the keys that move, which are as many as the plan says', async () => {
    const rows = await runHere(['plan', '--from', '3', '--to', '4', '--out', 'plan', '--out-rows', '-'], {
      input: [keys],
      cwd: folderOf({}),
    });
    const lines = rows.stdout.toString().trimEnd().split('\n');
    const { stdout } = await runHere(['plan', '--from', '3', '--to', '4', '--json'], { input: [keys] });
    expect(lines).toHaveLength(JSON.parse(stdout.toString()).moved);
    for (const line of lines) expect(line).toMatch(/^k\d+\t[0-2]\t3$/);
  });

  it('of records has the columns from and to', async () => {
    const cwd = folderOf({ 'a.csv': 'id,b\n1,x\n2,y\n3,z\n' });
    const args = ['plan', '--from', '1', '--to', '9', 'a.csv', '--csv', '--key', 'id', '--out', 'p', '--out-rows', '-'];
    expect((await runHere(args, { cwd })).stdout.toString()).toMatch(/^id,b,from,to\n(\d,[xyz],0,[1-8]\n)+$/);
  });

  it.each([
    [['--out-rows', 'keys'], '--out-rows: expected another file than the input, got keys'],
    [['--out-rows', 'a', '--out', 'a'], '--out-rows: expected another file than --out, got a'],
    [['--out-rows', '-'], '--out-rows: expected another file than --out, got -'],
    [['--csv', '--key', 'k', '--ragged', '--out-rows', 'a'], '--ragged cannot be combined with --out-rows'],
    [['--csv', '--key', 'k', '--null'], '--null cannot be combined with --csv'],
  ])('refuses %j', async (args, problem) => {
    const cwd = folderOf({ keys });
    const { code, stderr } = await runHere(['plan', '--from', '3', '--to', '4', 'keys', ...args], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
