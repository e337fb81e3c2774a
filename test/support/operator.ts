// Somebody who runs the commands of docs/operating.md, as they stand there, and may be killed meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { commandsIn } from './markdown.js';

const PAGE = 'docs/operating.md';
const SHARDBITS = `'${process.execPath}' '${resolve('dist/cli.js')}'`;

/** What stands on the page, and what a test has instead of it: names of stores and files, or an option with a number. */
export type Names = { readonly [onPage: string]: string };

export interface Outcome {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export class Operator {
  /** How many commands were killed before they had ended by themselves. */
  kills = 0;
  /** How long each command took when it last ended by itself, in milliseconds. */
  readonly #took = new Map<RegExp, number>();

  /**
   * Runs a command of the page.
   * @param pattern the first command of the section that matches is run
   * @param code how it has to end; undefined if that does not matter
   */
  async run(section: string, pattern: RegExp, names: Names, code?: number): Promise<Outcome> {
    const began = performance.now();
    const child = start(section, pattern, names);
    const outcome = await child.outcome;
    this.#took.set(pattern, performance.now() - began);
    if (code !== undefined) expect([child.command, outcome]).toEqual([child.command, { ...outcome, code }]);
    return outcome;
  }

  /** Runs a command, and kills it after a part of the time that it took before. */
  async runKilled(section: string, pattern: RegExp, names: Names, share: number): Promise<void> {
    const child = start(section, pattern, names);
    await setTimeout(share * (this.#took.get(pattern) ?? 0));
    child.kill();
    if ((await child.outcome).code === 'SIGKILL') this.kills++;
  }
}

function start(section: string, pattern: RegExp, names: Names) {
  const found = commandsIn(PAGE, section).find((command) => pattern.test(command));
  if (found === undefined) throw new Error(`${PAGE} has no command ${pattern} in the section "${section}"`);
  const command = withNames(found, names);
  // Nobody sits at a terminal, to whom the command would put its question.
  const confirmed = /--(release|reset-mark) /.test(command) ? `${command} --yes` : command;
  // The shell becomes the command, so that the signal reaches it.
  return { command, ...startProgram('bash', ['-c', `exec ${confirmed.replace(/^shardbits/, SHARDBITS)}`]) };
}

/** Starts a program, which can be killed while it runs. */
export function startProgram(program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = async (): Promise<Outcome> => {
    const [[code, signal], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number | null, string]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code: code ?? signal, stdout, stderr };
  };
  return { outcome: ended(), kill: () => child.kill('SIGKILL') };
}

function withNames(command: string, names: Names): string {
  const longestFirst = Object.keys(names).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((name) => name.replace(/[.?*+/]/g, '\\$&')).join('|'), 'g');
  return command.replace(pattern, (name) => names[name] as string);
}
