import { message, visible, withoutPassword } from '../../arguments.js';
import { streams } from '../streams.js';

/**
 * Writes lines for people to standard error. All foreign text that the command line says there goes through here, so nothing
 * that others have chosen can command the terminal, begin a line of its own or show a password.
 */
export function say(...lines: readonly string[]): void {
  streams().stderr.write(lines.map((line) => `${message(line)}\n`).join(''));
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
  streams().stderr.write(text.split('\n').map(visible).join('\n'));
}

/** A report for people: what others have chosen cannot begin a line of its own or command the terminal. */
export function inLines(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}
