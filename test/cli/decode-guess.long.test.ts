import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { DISCORD, folderOfIds, GUESS } from './guessed-ids.js';

describe('decode without --layout, as a process', () => {
  const MANY = `${Array.from({ length: 800 }, () => DISCORD.join('\n')).join('\n')}\n`; // 3.6 MB

  it.each([[7], [64], [65_536], [MANY.length]])('reads standard input in pieces of %i bytes', async (size) => {
    const text = size < 1000 ? MANY.slice(0, 6000 * size) : MANY;
    const input = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
    const guessed = await shardbits(['decode'], { input });
    const given = await shardbits(['decode', '--layout', 'discord'], { input: [text] });
    expect([guessed.code, guessed.stderr, given.code]).toEqual([0, GUESS, given.code]);
    expect(guessed.stdout.equals(given.stdout)).toBe(true);
  });

  it('reads what is compressed', async () => {
    const given = await shardbits(['decode', '--layout', 'discord'], { input: [MANY] });
    const guessed = await shardbits(['decode'], { input: [gzipSync(MANY)] });
    expect([guessed.code, guessed.stderr]).toEqual([0, GUESS]);
    expect(guessed.stdout.equals(given.stdout)).toBe(true);
  });

  it('reads pipes that have names, and calls them by these', () => {
    const folder = folderOfIds();
    const run = (program: string) =>
      execFileSync('bash', ['-c', `{ ${program}; } 2>&1`], { cwd: folder, encoding: 'utf8' });
    const cli = `${process.execPath} ${join(process.cwd(), 'dist/cli.js')}`;
    const lines = run(`${cli} decode <(cat ids.gz)`).split('\n');
    expect(lines).toHaveLength(DISCORD.length + 3);
    expect(lines[0]).toBe(GUESS.trimEnd());
    expect(run(`${cli} decode <(cat ids.txt; echo x) || true`)).toMatch(
      /error: \/dev\/fd\/\d+:\d+: expected a decimal/,
    );
  });
});
