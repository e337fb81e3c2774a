import type { Command, Help } from 'commander';
import { withoutPassword } from '../../arguments.js';
import type { LineDetails } from '../../errors.js';
import type { ArgumentRangeError, ArgumentTypeError } from '../../index.js';
import { broken, paint, streams, widthOf } from '../terminal.js';

/** Bad usage, which exits with 2. */
export class UsageError extends Error {}

/** An answer that is a plain no, which has been printed; it exits with 1. */
export class Negative extends Error {}

/** A value that a parser refuses. The program adds the name of the option or argument to the message. */
export class BadValue extends Error {
  /**
   * @param hint added at the end of the message
   * @param got what is wrong, as the message shows it; by default the whole value
   */
  constructor(
    readonly expected: string,
    readonly hint = '',
    readonly got?: string,
  ) {
    super(expected);
  }
}

/** ` (Did you mean jump?)`, if one of the words is similar. */
export function suggestion(given: string, words: readonly string[]): string {
  const distances = words.map((word) => distance(given.toLowerCase(), word.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(2, given.length / 2) ? ` (Did you mean ${words[distances.indexOf(least)]}?)` : '';
}

/** Levenshtein's distance: how many characters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const here = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      here.push(Math.min(replaced, above[column] + 1, here[column - 1] + 1));
    }
    above = here;
  }
  return above[b.length];
}

/** A value for a message: text in quotes, and shortened if it is long. */
export function shown(given: unknown): string {
  if (given instanceof Date) return given.toJSON() ?? 'an invalid date';
  const named = typeof given === 'string' ? withoutPassword(given) : given;
  const text = typeof named === 'bigint' ? String(named) : (JSON.stringify(named) ?? String(named));
  return text.length > 62 ? `${text.slice(0, 57)}...${text.startsWith('"') ? '"' : ''}` : text;
}

/**
 * Refuses a command that lacks an option. (Commander's own check comes before its check for unknown
 * options, so it would hide a misspelt option.)
 */
export function required(options: object, ...flags: readonly `--${string}`[]): void {
  for (const flag of flags) {
    if (!Object.hasOwn(options, flag.slice(2))) throw new UsageError(`${flag} is required`);
  }
}

/**
 * Refuses options that were given and make no sense here.
 * @param names as the program knows them: `asColumn`
 * @param reason the rest of the message: `requires --csv`
 */
export function refuse<T extends object>(options: T, names: readonly (keyof T & string)[], reason: string): void {
  for (const name of names) if (options[name] !== undefined) throw new UsageError(`${optionOf(name)} ${reason}`);
}

/** `--as-column` for `asColumn`. */
export function optionOf(name: string): `--${string}` {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Parses an option or argument. */
export interface Parser<T> {
  /** @throws BadValue */
  (given: string): T;
  /** Values that shell completion offers. */
  readonly words?: readonly string[];
}

/** Parses an option that is one of some words. */
export function oneOf<T extends string>(words: readonly T[]): Parser<T> {
  const parse = (given: string) => {
    const known = words.find((word) => word === given);
    if (known !== undefined) return known;
    throw new BadValue(`one of ${words.join(', ')}`, suggestion(given, words));
  };
  return Object.assign(parse, { words });
}

/** Parses an option that is often one of some words, but may be any text. */
export function oftenOneOf(words: readonly string[]): Parser<string> {
  return Object.assign((given: string) => given, { words });
}

/** Parses an option that is an integer from 0 to 2^53 - 1. */
export function integer(given: string): number {
  const value = /^[0-9]+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new BadValue('a whole number');
}

/** Parses an option that is an integer in a range. */
export function integerFrom(min: number, max: number, expected = `an integer from ${min} to ${max}`): Parser<number> {
  return (given) => {
    const value = integer(given);
    if (value >= min && value <= max) return value;
    throw new BadValue(expected, '', String(value));
  };
}

/** Parses a path. An empty one is refused, because it often comes from an unset variable. */
export function path(given: string): string {
  if (given !== '') return given;
  throw new BadValue('a path');
}

/** Parses a seed: a decimal or 0x… integer, which may be negative. */
export function seed(given: string): bigint {
  if (/^-?([0-9]+|0x[0-9a-fA-F]+)$/.test(given)) {
    return given.startsWith('-') ? -BigInt(given.slice(1)) : BigInt(given);
  }
  throw new BadValue('a decimal or 0x… integer');
}

/** An error of the library about an argument. */
export type Refusal = ArgumentTypeError | ArgumentRangeError;

export function isRefusal(error: unknown): error is Refusal {
  return (error instanceof RangeError || error instanceof TypeError) && 'argument' in error;
}

/** How the command line calls an argument of the library, what it expects and what the user gave. */
interface Wording {
  readonly name?: string;
  readonly expected?: string;
  readonly got?: unknown;
}

/**
 * Makes something from options. If the library refuses one, that is bad usage, in the words of the command line.
 * @param wordings for arguments that the command line calls or shows in another way
 */
export function fromOptions<T>(make: () => T, wordings: { readonly [argument: string]: Wording } = {}): T {
  try {
    return make();
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error, wordings[error.argument])) : error;
  }
}

/** Waits for work of the library. If it refuses an option, that is bad usage, in the words of the command line. */
export function inUsage<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error;
  });
}

/** An error of the library in the words of the command line. */
export function inOwnWords(refusal: Refusal, wording: Wording = {}): string {
  const { name = nameOf(refusal.argument), expected = refusal.expected } = wording;
  const got = 'got' in wording ? wording.got : refusal.got;
  if (expected === "'u64' with hash 'none'") return '--hash none requires --keys u64';
  if (expected === 'false where a column is added') return `${name} cannot be combined with a column that is added`;
  if (expected === 'a new name') return `${name}: expected a new name, but there is a column ${shown(got)}`;
  if (got === undefined) return `${name} is required`;
  const what = expected
    .replace('a partitioner whose "key" says', '--keys to say')
    .replace(/keys '(\w+)'/g, '--keys $1');
  return `${name === '--input' ? '' : `${name}: `}expected ${what}, got ${shown(got)}`;
}

/** What the command line calls an argument of the library: a field by its name, and others by their option. */
function nameOf(argument: string): string {
  const [whole, part] = argument.split(/\.(.*)/s);
  if (whole === 'values') return part;
  if (whole.startsWith('nodes[')) return `the ${part} of a node`;
  const [, server] = /^servers\[(\d+)\]$/.exec(whole) ?? [];
  if (server !== undefined) return `--servers: the ${part} of server ${Number(server) + 1}`;
  if (argument === 'records.shard') return '--shard-column';
  return optionOf(whole === 'records' ? part : whole === 'spec' ? 'layout' : argument);
}

/** An error that says what was expected in a row, and what came. */
type BadData = Error & Pick<Refusal, 'expected' | 'got'> & LineDetails;

export function isBadData(error: Error): error is BadData {
  return 'expected' in error && 'got' in error;
}

/**
 * The message without the place: what was expected and what came.
 * @param rawHint what to do about a time that needs `--raw`
 */
export function problemOf({ field, expected, got, known = [], isRawNeeded }: BadData, rawHint?: string): string {
  const about = field === undefined ? '' : `${field}: `;
  const came = field !== undefined && got === undefined ? 'none' : shown(got);
  const hint = isRawNeeded && rawHint !== undefined ? `; ${rawHint}` : suggestion(String(got), known);
  return `${about}expected ${expected}, got ${came}${hint}`;
}

/** Throws if an action needs confirmation and nobody can be asked. Call this before anything is opened. */
export function checkCanAsk(action: string, { yes }: { readonly yes?: boolean | undefined }): void {
  if (yes || streams().stdin.isTTY) return;
  throw new UsageError(
    `${action} asks for confirmation, and standard input is not a terminal; add --yes to go ahead without being asked`,
  );
}

/** Adds lines to the end of the help of a command. */
export function withNotes<T extends Command>(command: T, linesOf: (help: Help) => readonly string[]): T {
  return command.addHelpText('after', () => {
    const help = command.createHelp();
    help.prepareContext({ helpWidth: widthOf(streams().stdout) });
    return ['', ...linesOf(help)].join('\n');
  });
}

/** Adds a paragraph to the end of the help of a command. */
export const withNote = <T extends Command>(command: T, text: string): T =>
  withNotes(command, (help) => [help.boxWrap(text, help.helpWidth ?? 0)]);

/** Ends the help of a command. What is longer than a line goes on in the next one, as shells read it. */
export function withExamples<T extends Command>(command: T, ...examples: readonly string[]): T {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return withNotes(command, ({ helpWidth = 0 }) => {
    const linesOf = (example: string) => broken(example.split(/ (?=-|[|>] )/), helpWidth - 4, ' ', '  ', '    ');
    return [paint(title, 'heading'), ...examples.flatMap((example) => linesOf(example).join(' \\\n'))];
  });
}
