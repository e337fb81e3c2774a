import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { COMMAND_LINES, KEYS } from './command-lines.js';

// As processes: process.server.test.ts has some, process.long.test.ts all.
describe('a command line exits', () => {
  it.each<(typeof COMMAND_LINES)[number]>(COMMAND_LINES)('with %i: shardbits %s', async (code, commandLine, text) => {
    const args = commandLine.split(' ').filter((arg) => arg !== '');
    const run = await runHere(args, { input: text === undefined ? [] : [text] });
    expect(run.code).toBe(code);
    expect(run.stderr === '').toBe(code === 0);
  });
});

describe('a command line in this process', () => {
  it('fails if it reads standard input that it was not given', async () => {
    await expect(runHere(['hash'])).rejects.toThrow('the command reads standard input');
  });

  it('fails if it leaves a listener behind', async () => {
    const listener = () => {};
    function* keys() {
      process.on('SIGINT', listener);
      yield KEYS;
    }
    const message = 'the command leaves something behind: a listener of SIGINT';
    await expect(runHere(['hash'], { input: keys() })).rejects.toThrow(message);
    process.off('SIGINT', listener);
  });

  it('may be one of several at the same time, in any folder', async () => {
    const hashed = { code: 0, stdout: Buffer.from('d24ec4f1a98c6e5b\n'), stderr: '' };
    const cwd = temporaryFolder();
    const runs = [
      runHere(['hash'], { input: ['a'] }),
      runHere(['hash', '--out', 'a'], { input: ['a'], cwd }),
      runHere(['hash', '--out', 'b'], { input: ['a'], cwd }),
      runHere(['hash', 'missing']),
      runHere(['hash']).catch(({ message }) => message),
      runHere(['help', 'x'], { cwd }),
    ];
    const [first, , , failed, unread, help] = await Promise.all(runs);
    expect(first).toEqual(hashed);
    expect(readdirSync(cwd)).toEqual(['a', 'b']);
    expect(failed).toMatchObject({ code: 1, stderr: 'error: missing: no such file or directory\n' });
    expect(unread).toMatch('the command reads standard input');
    expect(help).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: COMMAND: expected one of /) });
  });
});
