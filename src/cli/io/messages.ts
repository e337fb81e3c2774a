import { visible, withoutPassword } from '../../arguments.js';

/**
 * Writes lines for people to standard error. All that the command line says goes through here, so nothing that others have
 * chosen can command the terminal, begin a line of its own or show a password.
 */
export function say(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${message(line)}\n`).join(''));
}

/** Writes a text in lines, such as a report, to standard error. */
export function sayText(text: string): void {
  process.stderr.write(text.split('\n').map(visible).join('\n'));
}

/** A message on one line. */
function message(text: string): string {
  return visible(text.replace(/\S+/g, withoutPassword));
}

/** A report for people: what others have chosen cannot begin a line of its own or command the terminal. */
export function inLines(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}
