import { InvalidArgumentError } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import type { ArgumentRangeError, ArgumentTypeError } from '../index.js';

/** Bad usage: exit 2. */
export class UsageError extends Error {}

/** ` (Did you mean jump?)`, if some word is near. */
export function suggestion(given: string, words: readonly string[]): string {
  const nearest = closest(given.toLowerCase(), words);
  const near = distance(given.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, given.length / 2);
  return near ? ` (Did you mean ${nearest}?)` : '';
}

/** What came, in quotes if it is text, and not too long. */
export function shown(given: unknown): string {
  if (given instanceof Date) return given.toJSON() ?? 'an invalid date';
  const text = typeof given === 'bigint' ? String(given) : (JSON.stringify(given) ?? String(given));
  return text.length > 62 ? `${text.slice(0, 57)}...${text.startsWith('"') ? '"' : ''}` : text;
}

/**
 * Refuses a command that lacks an option. (Commander's own check comes before that for unknown
 * options, and would hide that one is misspelt.)
 */
export function required(options: object, ...flags: readonly `--${string}`[]): void {
  for (const flag of flags) {
    if (!Object.hasOwn(options, flag.slice(2))) throw new UsageError(`expected ${flag}, got none`);
  }
}

/** Parses an option. It may know words that are likely, to complete what is typed. */
export interface Parser<T> {
  (given: string): T;
  readonly words?: readonly string[];
}

/** Parses an option that is one of some words. */
export function oneOf<T extends string>(words: readonly T[]): Parser<T> {
  const parse = (given: string) => {
    if ((words as readonly string[]).includes(given)) return given as T;
    throw new InvalidArgumentError(`It is one of ${words.join(', ')}.${suggestion(given, words)}`);
  };
  return Object.assign(parse, { words });
}

/** Parses an option that may well be one of some words, but need not. */
export function oftenOneOf(words: readonly string[]): Parser<string> {
  return Object.assign((given: string) => given, { words });
}

/** Parses an option that is an unsigned integer which a number holds exactly. */
export function integer(given: string): number {
  const value = /^[0-9]+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It is a whole number.');
}

/** Parses a path: not empty, as an unset variable is. */
export function path(given: string): string {
  if (given !== '') return given;
  throw new InvalidArgumentError('It is a path.');
}

/** Parses a seed: decimal or 0x…, negative ones too. */
export function seed(given: string): bigint {
  if (/^-?([0-9]+|0x[0-9a-fA-F]+)$/.test(given)) {
    return given.startsWith('-') ? -BigInt(given.slice(1)) : BigInt(given);
  }
  throw new InvalidArgumentError('It is a decimal or 0x… integer.');
}

/** What an error of the library says about an argument, as data. */
export type Refusal = ArgumentTypeError | ArgumentRangeError;

export function isRefusal(error: unknown): error is Refusal {
  return (error instanceof RangeError || error instanceof TypeError) && 'argument' in error;
}

/**
 * Makes something of options. What the library refuses is bad usage, said in the words of the command line.
 * @param given the options as they came, where the library gets something that was made of them
 */
export function fromOptions<T>(make: () => T, given: { readonly [argument: string]: unknown } = {}): T {
  try {
    return make();
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error, given[error.argument])) : error;
  }
}

/** What the library refuses, in the words of the command line: options and fields by the names they have there. */
export function inOwnWords({ argument, expected, got }: Refusal, given: unknown = got): string {
  const [, field] = /^values\.(.+)/.exec(argument) ?? [];
  const name = argument === 'spec' ? 'layout' : argument.replace(/^rows\./, '');
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${field ?? `--${option}`}: expected ${expected}, got ${shown(given)}`;
}

/** An error that says what was expected in a row, and what came. */
export type BadData = Error & Pick<Refusal, 'expected' | 'got'>;

export function isBadData(error: Error): error is BadData {
  return 'expected' in error && 'got' in error;
}

/** What was expected and what came, without where. */
export function problemOf({ expected, got }: BadData): string {
  return `expected ${expected}, got ${shown(got)}`;
}
