import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { describeWith } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';
import { offered, scriptFor } from './completions.js';

/** A folder with the script, two files and a folder. */
async function playground(shell: string): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.completion'), await scriptFor(shell));
  writeFileSync(join(folder, 'my keys.txt'), '');
  writeFileSync(join(folder, 'other'), '');
  mkdirSync(join(folder, 'mine'));
  return folder;
}

/** What a shell passes to `shardbits` when these lines are typed, a tab being what asks for completion. */
function typed(folder: string, shell: string, setUp: string, lines: string[]): string[] {
  writeFileSync(join(folder, '.set-up'), `${setUp}\nshardbits() { printf '<%s>' "$@"; printf '\\n'; }\n`);
  const input = ['. ./.set-up', ...lines, 'exit', ''].join('\n');
  const options = { cwd: folder, input, encoding: 'utf8', timeout: 30_000 } as const;
  const session = execFileSync('script', ['-qec', shell, '/dev/null'], options);
  return [...session.matchAll(/^.*?(<[^\r\n]*>)\r?$/gm)].map(([, passed]) => passed);
}

const LINES: [line: string, passed: string][] = [
  ['shardbits ro\t--str\tj\t --format=u\t my\\ \t', '<route><--strategy><jump><--format=u32><my keys.txt>'],
  ['shardbits route --out o\t --out-dir m\t', '<route><--out><other><--out-dir><mine/>'],
  ['shardbits route --shards o\t', '<route><--shards><o>'],
  ['shardbits decode --layout tw\t o\t', '<decode><--layout><twitter><other>'],
  ['shardbits completion f\t', '<completion><fish>'],
  ['shardbits help pl\t', '<help><plan>'],
  ['shardbits map ch\tot\t --out my\\ \t', '<map><change><other><--out><my keys.txt>'],
  ['shardbits route --map ot\t', '<route><--map><other>'],
  ['shardbits sto\tsk\t--ty\t1 ot\t', '<store><skip-ahead><--types><1><other>'],
];

/** zsh writes --option=value, and takes the slash from a folder that ends an argument. */
function alike(passed: string): string {
  return passed.replace(/<(--[a-z-]+)=/g, '<$1><').replaceAll('/>', '>');
}

describeWith(
  'bash',
  '-c',
  'true',
)('completion in bash', () => {
  it('knows every option that help has', async () => {
    const script = await scriptFor('bash');
    const subcommands = [
      ...MAP_COMMANDS.map((name) => `map ${name}`),
      ...STORE_COMMANDS.map((name) => `store ${name}`),
    ];
    for (const command of [...COMMANDS, ...subcommands]) {
      const help = (await runHere([...command.split(' '), '--help'])).stdout.toString();
      const options = [...help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, option]) => option);
      expect(offered(script, ...command.split(' '), '-')).toEqual(options);
    }
  });
});

describeWith(
  'script',
  '-qec',
  'bash -c true',
  '/dev/null',
)('completion in bash at a terminal', () => {
  it('completes what is typed, and files where they go', async () => {
    const folder = await playground('bash');
    const passed = typed(
      folder,
      'bash --norc --noprofile -i',
      '. ./.completion',
      LINES.map(([line]) => line),
    );
    expect(passed.map(alike)).toEqual(LINES.map(([, expected]) => alike(expected)));
  });
});

describeWith(
  'script',
  '-qec',
  'zsh -c true',
  '/dev/null',
)('completion in zsh at a terminal', () => {
  it.each([
    ['sourced', '. ./.completion'],
    ['as a function among others', 'mkdir .f; cp .completion .f/_shardbits; fpath=($PWD/.f $fpath); compinit -u -D'],
  ])('completes what is typed, and files where they go: %s', async (_, setUp) => {
    const folder = await playground('zsh');
    const start = `autoload -Uz compinit; compinit -u -D; ${setUp}`;
    const passed = typed(
      folder,
      'zsh -f -i',
      start,
      LINES.map(([line]) => line),
    );
    expect(passed.map(alike)).toEqual(LINES.map(([, expected]) => alike(expected)));
  });
});

describeWith(
  'fish',
  '-c',
  'true',
)('completion in fish', () => {
  it.each([
    ['shardbits ', COMMANDS.toSorted()],
    ['shardbits ro', ['route']],
    ['shardbits inspect --', ['--help', '--port']],
    ['shardbits route --strategy ', ['fastrange', 'jump', 'modulo']],
    ['shardbits route --format=', ['--format=parquet', '--format=shard', '--format=tsv', '--format=u32']],
    ['shardbits decode --layout tw', ['twitter']],
    ['shardbits route m', ['mine/', 'my keys.txt']],
    ['shardbits route --out m', ['mine/', 'my keys.txt']],
    ['shardbits route --out-dir m', ['mine/']],
    ['shardbits route --shards m', []],
    ['shardbits decode m', ['mine/', 'my keys.txt']],
    ['shardbits encode --rejects m', ['mine/', 'my keys.txt']],
    ['shardbits mint m', []],
    ['shardbits help pl', ['plan']],
    ['shardbits map ', MAP_COMMANDS.toSorted()],
    ['shardbits map show m', ['mine/', 'my keys.txt']],
    ['shardbits store ', STORE_COMMANDS.toSorted()],
    ['shardbits store ddl --', ['--help', '--schema']],
    ['shardbits store check m', ['mine/', 'my keys.txt']],
  ])('%s', async (line, expected) => {
    const folder = await playground('fish');
    const program = 'source .completion; complete -C $argv[1]';
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', program, line], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const words = stdout.split('\n').flatMap((offer) => offer.split('\t')[0] || []);
    expect(words.toSorted()).toEqual(expected);
  });
});
