// How text looks on a terminal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runHere } from '../support/run-here.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';
import { folderOf } from './tables.js';

const TERMINAL = { columns: 80, colors: true };
const keys = Array.from({ length: 100 }, (_, i) => `k${i}\n`).join('');
const SUMMARY = ['route', '--shards', '3', '--summary'];

const [BOLD, CYAN, PLAIN] = ['\x1b[1m', '\x1b[36m', '\x1b[0m'];

/** The lines in bold. */
const bold = (text: string) =>
  text.split('\n').flatMap((line) => (line.startsWith(BOLD) && line.endsWith(PLAIN) ? line.slice(4, -4) : []));

afterEach(() => void vi.unstubAllEnvs());

describe('on a terminal with colours', () => {
  it('headings are bold, and bars have a colour', async () => {
    const { stdout } = await runHere(SUMMARY, { input: [keys], terminal: TERMINAL });
    expect(bold(stdout.toString())).toEqual(['keys by shard']);
    const bars = stdout.toString().split('\n').slice(-4, -1);
    for (const bar of bars)
      expect(bar.replace(/█+/, '█')).toMatch(
        new RegExp(`shard \\d +\\d+ ${`${CYAN}█${PLAIN}`.replaceAll('[', '\\[')}$`),
      );
    const help = (await runHere(['--help'], { terminal: TERMINAL })).stdout.toString();
    expect(bold(help)).toEqual(['Options:', 'Route and plan:', 'Ids:', 'Stores:', 'More:', 'Examples:']);
    const detected = await runHere(['detect'], { input: ['0\ta\n1\tb\n'], terminal: TERMINAL });
    expect(bold(detected.stdout.toString())[0]).toMatch(/^agree +by chance +mapping$/);
  });

  it('text is the same but for its colours', async () => {
    for (const args of [SUMMARY, ['plan', '--from', '2', '--to', '3'], ['--help'], ['help', 'route']]) {
      const shown = await runHere(args, { input: [keys], terminal: TERMINAL });
      const plain = await runHere(args, { input: [keys] });
      const timeless = (text: Buffer) => text.toString().replace(/^throughput.*$/m, '');
      expect(stripVTControlCharacters(timeless(shown.stdout))).toBe(timeless(plain.stdout));
      expect(plain.stdout.toString()).not.toContain('\x1b');
    }
  });

  it('a report in a file has none', async () => {
    const cwd = folderOf({ keys });
    await runHere(['plan', 'keys', '--from', '2', '--to', '3', '--out', 'plan'], { cwd, terminal: TERMINAL });
    const plan = readFileSync(join(cwd, 'plan'), 'utf8');
    expect(plan).toMatch(/^keys +100\n.*\n.*\n\nflows\n/);
    expect(plan).toBe(stripVTControlCharacters(plan));
  });

  it('but rows never have any', async () => {
    const { stdout } = await runHere(['route', '--shards', '2'], { input: ['a\n'], terminal: TERMINAL });
    expect(stdout.toString()).toBe('1\ta\n');
  });
});

describe('the environment decides first', () => {
  it('NO_COLOR, and FORCE_COLOR=0, take colours away', async () => {
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['FORCE_COLOR', '0'],
      ['FORCE_COLOR', 'false'],
    ] as const) {
      vi.stubEnv(name, value);
      expect((await runHere(['--help'], { terminal: TERMINAL })).stdout.toString()).not.toContain('\x1b');
      vi.unstubAllEnvs();
    }
  });

  it('FORCE_COLOR gives them, also in a pipe and to errors, but NO_COLOR is stronger', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    expect(bold((await runHere(['--help'])).stdout.toString())).toContain('Examples:');
    const { stderr } = await runHere(['route', 'no-such-file', '--shards', '2']);
    expect(stderr).toBe('\x1b[1;31merror:\x1b[0m no-such-file: no such file or directory\n');
    vi.stubEnv('NO_COLOR', '1');
    expect((await runHere(['--help'])).stdout.toString()).not.toContain('\x1b');
  });
});

describe('help is as wide as the terminal', () => {
  it.each([
    '',
    ...COMMANDS.filter((name) => name !== 'help'),
    ...MAP_COMMANDS.map((name) => `map ${name}`),
    ...STORE_COMMANDS.map((name) => `store ${name}`),
  ])('%s', async (command) => {
    // URLs of stores and what is in them are for 80.
    for (const columns of command === 'store' ? [80, 100] : [60, 80, 100]) {
      const { stdout } = await runHere([...command.split(' ').filter(Boolean), '--help'], { terminal: { columns } });
      const lines = stdout.toString().split('\n');
      const long = lines.filter((line) => line.length > columns && / \S+ /.test(line.slice(columns - 1)));
      expect(long).toEqual([]);
      if (columns === 80) expect(lines.filter(({ length }) => length > 80)).toEqual([]);
    }
  });
});
