import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { message, visible, withoutPassword } from '../arguments.js';

/**
 * Says on the terminal what an action does and asks whether to go ahead.
 * @param yes whether the answer is given already, by --yes
 * @param explanation a line each
 * @throws Error unless the answer is yes
 */
export async function confirm(yes: boolean | undefined, ...explanation: readonly string[]): Promise<void> {
  if (yes) return;
  say(...explanation);
  streams().stderr.write('Go ahead? [y/N] ');
  const { createInterface } = await import('node:readline');
  // In terminal mode Ctrl-C would not be a signal.
  const lines = createInterface({ input: streams().stdin, terminal: false });
  const { value: answer = '', done } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (done) streams().stderr.write('\n'); // the user has not pressed Enter
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed; nothing was changed');
}

/** What a command line reads and writes. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
}

type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number; hasColors?(): boolean };

const given = new AsyncLocalStorage<Streams | undefined>();

/** Runs work that gets these from {@link streams}; undefined: those of the process. */
export function withStreams<T>(those: Streams | undefined, work: () => T): T {
  return those === undefined ? work() : given.run(those, work); // which makes all promises a little slower
}

/** The streams of the command line that is running: by default, those of the process. */
export function streams(): Streams {
  return given.getStore() ?? process;
}

/** A terminal that rows are shown on. */
export interface Screen {
  /** How many characters a line has. */
  readonly width: number;
  readonly hasColors: boolean;
}

const USUAL_WIDTH = 80;

/** How many characters a line has. A terminal that does not know its width says 0. */
export const widthOf = ({ columns }: Terminal): number => columns || USUAL_WIDTH;

/** Standard output, if it is a terminal. */
export function screen(): Screen | undefined {
  const { stdout } = streams();
  return stdout.isTTY ? { width: widthOf(stdout), hasColors: hasColors(stdout) } : undefined;
}

/** Whether a stream gets colours: as `NO_COLOR` or `FORCE_COLOR` say, and by default if it is a terminal that has them. */
export function hasColors(to: Terminal): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return Boolean(FORCE_COLOR) || (to.isTTY === true && to.hasColors?.() === true);
}

/** Parameters of SGR, ECMA-48 8.3.117. */
const STYLES = { heading: '1', id: '1', bar: '36', error: '1;31', warning: '1;33' } as const;

/** A text without control characters, in the colours of a stream: by default, of standard output. */
export function paint(text: string, style: keyof typeof STYLES, to = streams().stdout): string {
  return hasColors(to) ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
}

/** A text for a place that has no colours. */
export const withoutColors = stripVTControlCharacters;

/** Writes to standard output. Resolves when all is written. Then the bytes may change. Rejects if the write fails. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    streams().stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Whether a stream is the standard input of the process. */
export const isProcessStdin = (input: unknown): boolean => input === process.stdin;

/** Whether --out, which may be missing, is standard output. */
export function isStdout(out: string | undefined): out is '-' | undefined {
  return out === undefined || out === '-';
}

/**
 * Writes lines for people to standard error. All foreign text that the command line says there goes through here, so nothing
 * that others have chosen can command the terminal, begin a line of its own or show a password.
 */
export function say(...lines: readonly string[]): void {
  const { stderr } = streams();
  const begin = (word: string) => paint(word, word === 'error:' ? 'error' : 'warning', stderr);
  stderr.write(lines.map((line) => `${message(line).replace(/^(?:error|warning):/, begin)}\n`).join(''));
}

const MIN_SECRET = 4; // what is shorter would be found in the words of the message

/** Writes a message about a command line, of which it may have any piece: a password with spaces, or only the password. */
export function sayOf(args: readonly string[], text: string): void {
  const words = args
    .flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)])
    .filter((one) => one !== withoutPassword(one));
  const masked = words.reduce((all, word) => all.replaceAll(word, () => withoutPassword(word)), text);
  say(
    words
      .map(secretIn)
      .reduce((all, secret) => (secret.length < MIN_SECRET ? all : all.replaceAll(secret, '***')), masked),
  );
}

/** What is left out of a text. */
function secretIn(word: string): string {
  const shown = withoutPassword(word);
  let [start, end] = [0, 0];
  while (start < shown.length && word[start] === shown[start]) start++;
  while (end < shown.length - start && word.at(-1 - end) === shown.at(-1 - end)) end++;
  return word.slice(start, word.length - end).replace(/^:/, '');
}

/** Writes a text in lines, such as a report, to standard error. */
export function sayText(text: string): void {
  streams().stderr.write(withoutColors(text).split('\n').map(visible).join('\n'));
}

/** A line of a report. */
export type Line = string | { readonly heading: string };

/** A report for people: what others have chosen cannot begin a line of its own or command the terminal. */
export function inLines(lines: readonly Line[]): string {
  const shown = (line: Line) =>
    typeof line === 'string'
      ? visible(line).replace(/█+/, (bar) => paint(bar, 'bar'))
      : paint(visible(line.heading), 'heading');
  return lines.map((line) => `${shown(line)}\n`).join('');
}

export const INDENT = '  ';

/**
 * Breaks words, or the cells of a row, into lines.
 * @param first what the first line begins with
 * @param next what the others begin with
 */
export function broken(parts: readonly string[], width: number, between = INDENT, first = '', next = INDENT): string[] {
  const lines = [first + parts[0]];
  for (const part of parts.slice(1)) {
    const line = lines[lines.length - 1] + between + part;
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(next + part);
  }
  return lines;
}
