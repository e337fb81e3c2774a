// What others have chosen reaches the terminal by one function: `say` in src/cli/terminal.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { visible } from '../../src/arguments.js';
import { StoreCorruptError, StoreUnavailableError } from '../../src/errors.js';
import { xxh64 } from '../../src/index.js';
import { postgresError } from '../../src/registry/stores/postgres/errors.js';
import { sourcesIn } from '../house/sources.js';
import { runHere } from '../support/run-here.js';
import { expectSeen, expectSeenInPlaces, foreignFolder, HOSTILE, HOSTILE_NAME, UNSEEN, wellFormed } from './foreign.js';

describe('a text of others in a message', () => {
  it.each(Object.entries(UNSEEN))('has an escape for %s', (what, text) => {
    expect(visible(text)).toMatch(/\\[bnrtu]/);
    expectSeen(visible(text), what);
    expect(JSON.parse(`"${visible(text)}"`)).toBe(text);
  });

  it('is as it was if all of it is seen', () => {
    for (const text of ['naïve', 'Ωμέγα', '東京', 'שלום', '👍', 'a  b', '\\u001b', '"quoted"']) {
      expect(visible(text)).toBe(text);
    }
  });

  it('of a server, a file or a store is on one line, and has no commands for the terminal', () => {
    const message = `a${HOSTILE}`;
    for (const code of ['XX000', 'XX001', '40001', '42P01', '42703', '23505', '08006', '28P01', '25006', '']) {
      expectSeen(postgresError(Object.assign(new Error(message), { code })).message, code);
    }
    expectSeen(new StoreCorruptError(message).message, 'a damaged store');
    expectSeen(new StoreUnavailableError(message).message, 'a store that cannot be reached');
  });
});

describe('standard error has nothing that a terminal would obey or hide', () => {
  it('in every fourth place of a command line', () => expectSeenInPlaces(4));

  it.each<string[]>([
    ['decode', 'keys', '--layout', 'snowflake'],
    ['decode', 'rows', '--csv', '--key', 'id', '--layout', 'snowflake'],
    ['decode', 'rows', '--csv', '--key', 'id', '--rejects', 'r'],
    ['encode', 'keys', '--layout', 'a:8'],
    ['encode', '--layout', 'a:8', `${HOSTILE}=1`],
    ['route', 'keys', '--shards', '3', '--keys', 'u64'],
    ['route', 'keys', '--shards', '3', '--csv', '--key', HOSTILE],
    ['route', 'keys', '--shards', '3', '--ndjson', '--key', HOSTILE],
    ['route', 'keys', '--map', 'map.json', '--out-dir', 'shards'],
    ['audit', 'shards', '--shards', '3'],
    ['audit', 'shards', '--map', 'map.json'],
    ['detect', 'rows', '--csv', '--key', 'a', '--shard-column', 'b'],
    ['hash', wellFormed(HOSTILE.replaceAll('/', '')), '--keys', 'u64'],
    ['map', 'show', 'keys'],
    ['map', 'change', 'map.json', '--remove', HOSTILE_NAME],
    ['route', 'keys', '--as', 'ketama', '--servers', 'keys'],
  ])('%j', async (...args) => {
    const run = await runHere(args, { cwd: foreignFolder(), input: [] });
    expectSeen(run.stderr, args.join(' '));
  });
});

describe('a report for people has nothing that a terminal would obey or hide', () => {
  it.each<string[]>([
    ['map', 'show', 'map.json'],
    ['map', 'show', 'map.json', '--json'],
    ['map', 'moves', 'map.json', 'next.json'],
    ['map', 'moves', 'map.json', 'next.json', '--json'],
    ['plan', 'some', '--from-map', 'map.json', '--to-map', 'next.json'],
    ['route', 'some', '--map', 'map.json', '--summary'],
    ['audit', 'placed', '--map', 'map.json'],
    ['audit', 'placed', '--map', 'map.json', '--out', '-', '--json'],
  ])('%j', async (...args) => {
    const cwd = foreignFolder();
    const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    writeFileSync(join(cwd, 'some'), keys.join('\n'));
    writeFileSync(join(cwd, 'placed'), keys.map((key) => `${HOSTILE_NAME}\t${key}\n`).join(''));
    const { stdout, stderr } = await runHere(args, { cwd });
    const report = args.includes('-') ? stderr : stdout.toString();
    expect(report).toContain(String.raw`\u202e`);
    expectSeen(report, args.join(' '));
    expectSeen(stderr, args.join(' '));
  });
});

describe('the source', () => {
  it('writes to standard error in one place, except for the question and the bar, which are of the program', () => {
    const writers = sourcesIn('src/cli').filter(({ text }) => /stderr\b|console\./.test(text));
    expect(writers.map(({ path }) => path).sort()).toEqual([
      'src/cli/io/output.ts',
      'src/cli/program.ts',
      'src/cli/start.ts',
      'src/cli/terminal.ts',
    ]);
    const asked = readFileSync('src/cli/terminal.ts', 'utf8').match(/stderr\.write\('[^)]*\)/g);
    expect(asked).toEqual(["stderr.write('Go ahead? [y/N] ')", "stderr.write('\\n')"]);
  });
});

describe('rows for machines', () => {
  it('are the same bytes as before', async () => {
    const keys = [wellFormed(HOSTILE.replaceAll('\n', '')), 'b'];
    const cwd = foreignFolder();
    const { stdout } = await runHere(['route', '--shards', '1'], { cwd, input: [keys.join('\n')] });
    expect(stdout.toString()).toBe(keys.map((key) => `0\t${key}\n`).join(''));
    const hashed = await runHere(['hash', '--format', 'dec'], { cwd, input: [keys.join('\n')] });
    expect(hashed.stdout.toString()).toBe(keys.map((key) => `${xxh64(key)}\n`).join(''));
    const nodes = await runHere(['route', '--map', 'map.json'], { cwd, input: ['key 1\nkey 2\nkey 3\nkey 4'] });
    expect(nodes.stdout.toString()).toContain(`${HOSTILE_NAME}\t`);
  });
});
