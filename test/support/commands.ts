// Runs the commands of a block, and compares their output with the lines after them.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { runHere } from './run-here.js';

interface Written {
  readonly code: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/**
 * Runs a block in a folder. If it has lines that begin with `$`, these are the commands, and the lines after each are its
 * complete output; otherwise every line is a command. A command must exit with 0, unless it writes an error or `echo $?`
 * follows. `cat` of a missing file makes the file from the lines after it. `shardbits` runs in this process, because that is
 * faster.
 */
export async function runCommands(block: string, folder: string): Promise<void> {
  const hasOutput = /^\$ /m.test(block);
  const commands = hasOutput ? block.split(/^\$ /m).slice(1) : block.split('\n').filter((line) => /^[^#]/.test(line));
  expect(commands).not.toEqual([]);
  let lastCode: number | null = 0;
  for (const [i, lines] of commands.entries()) {
    const [line = '', output = ''] = lines.split(/\n([\s\S]*)/);
    const command = line.replace(/ +# .*$/, '');
    const [, made] = /^cat (\S+)$/.exec(command) ?? [];
    if (made !== undefined && !existsSync(join(folder, made))) {
      writeFileSync(join(folder, made), output);
      continue;
    }
    if (command === 'echo $?') {
      expect(output).toBe(`${lastCode}\n`);
      continue;
    }
    const { code, stdout, stderr } = await runLine(command, folder);
    lastCode = code;
    const text = Buffer.from(stdout).toString();
    // A terminal shows both, messages first or last.
    if (hasOutput) expect([command, output === stderr + text ? output : text + stderr]).toEqual([command, output]);
    const isShown = commands[i + 1]?.startsWith('echo $?\n');
    if (!isShown && !/^error: /m.test(output))
      expect([command, code, code === 0 ? '' : stderr]).toEqual([command, 0, '']);
  }
}

/** Runs a pipeline. The shell runs everything except `shardbits`. */
async function runLine(line: string, folder: string): Promise<Written> {
  let last: Written = { code: 0, stdout: new Uint8Array(), stderr: '' };
  let stderr = '';
  for (const command of line.split(' | ')) {
    const input = command === line || line.startsWith(command) ? undefined : last.stdout;
    last = command.startsWith('shardbits ')
      ? await runShardbits(command, folder, input)
      : runInShell(command, folder, input);
    stderr += last.stderr;
  }
  return { ...last, stderr };
}

async function runShardbits(command: string, cwd: string, input: Uint8Array | undefined): Promise<Written> {
  const [, call = command, from, to] = /^(.*?)(?: < (\S+))?(?: > (\S+))?$/.exec(command) ?? [];
  const words = Array.from(call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, a, b, c]) => a ?? b ?? c ?? '');
  const given = from === undefined ? input : readFileSync(join(cwd, from));
  const { code, stdout, stderr } = await runHere(words.slice(1), {
    cwd,
    ...(given !== undefined && { input: [given] }),
  });
  if (to !== undefined) writeFileSync(join(cwd, to), stdout);
  return { code: Number(code), stdout: to === undefined ? stdout : new Uint8Array(), stderr };
}

function runInShell(command: string, cwd: string, input: Uint8Array | undefined): Written {
  const env = { ...process.env, PATH: [programFolder(), process.env.PATH].join(delimiter) };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd, env, input: input ?? '' });
  return { code: status, stdout, stderr: stderr.toString() };
}

/** A folder with a program `shardbits`, for commands that the shell starts. */
function programFolder(): string {
  const folder = resolve('build/bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'shardbits'), `#!/bin/sh\nexec '${process.execPath}' '${resolve('dist/cli.js')}' "$@"\n`);
  chmodSync(join(folder, 'shardbits'), 0o755);
  return folder;
}
