import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { formatId, parseId, type TextFormat } from '../../index.js';
import type { Input } from '../../node/index.js';
import { type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import { WIDE_ID_KINDS } from '../../wide-ids/times.js';
import { inputsOf } from '../options/input.js';
import { shown, UsageError } from '../options/usage.js';

/** The format of 64-bit ids, or the kind of wider ids. */
export type IdText = TextFormat | WideIdKind;

export const ID_FORMATS: readonly TextFormat[] = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'];

export const ID_TEXTS: readonly IdText[] = [...ID_FORMATS, ...WIDE_ID_KINDS];

/** Whether ids are wider than 64 bits. */
export function isWide(text: IdText): text is WideIdKind {
  return WIDE_ID_KINDS.some((kind) => kind === text);
}

/** Whether a text is an id in a format. */
function isIdIn(format: IdText, text: string): boolean {
  if (isWide(format)) return wideIdKindOf(text) === format;
  try {
    parseId(text, format);
    return true;
  } catch {
    return false;
  }
}

/** A hint for texts that are not ids in decimal, if all are ids in the full width of another format. */
export function textHint(texts: readonly string[]): string {
  if (!/[0-9]/.test(texts.join(''))) return ''; // words
  const fitting = ID_FORMATS.filter((format) => texts.every((text) => isFullWidth(format, text)));
  // 13 characters may be an id in both kinds of base 32. They are written in different cases.
  const written = fitting.find((format) => texts.every((text) => formatId(parseId(text, format), format) === text));
  const format = written ?? fitting[0];
  return format === undefined ? '' : `; --text ${format} reads such ids`;
}

function isFullWidth(format: TextFormat, text: string): boolean {
  return format !== 'dec' && text.length === formatId(0n, format).length && isIdIn(format, text);
}

/** The kind of wide ids that most rows have. The rows are `texts`, and as many 64-bit ids as `ids` says. */
export function wideKindOf(texts: readonly string[], ids: number): WideIdKind | undefined {
  const kinds = texts.map(wideIdKindOf);
  return WIDE_ID_KINDS.find((kind) => 2 * kinds.filter((one) => one === kind).length > texts.length + ids);
}

/** Whether an argument is an id in the format that was asked for, or in a format that is tried by default. */
export function isIdArgument(argument: string, text: IdText | undefined, isLayoutGiven: boolean): boolean {
  if (text !== undefined) return isIdIn(text, argument);
  return isIdIn('dec', argument) || (!isLayoutGiven && wideIdKindOf(argument) !== undefined);
}

/** Ids that are given as arguments, or an input of them. */
export interface IdSource {
  readonly input: Input;
  /** The file that the ids come from, if the input is not its path. */
  readonly file?: string | undefined;
  /** The place of a line that is an argument, for errors. */
  place(line: number): string | undefined;
}

/**
 * The sources that arguments name: ids, standard input for `-`, and files.
 * @param isId whether an argument is an id
 * @param hintFor what to do about an argument that is neither an id nor a file; added to the message
 * @throws UsageError for an argument that is neither
 */
export function idSources(
  given: readonly string[],
  isId: (text: string) => boolean,
  hintFor: (text: string) => string,
): IdSource[] {
  const sources: IdSource[] = [];
  let ids: string[] = [];
  for (const [at, argument] of (given.length > 0 ? given : ['-']).entries()) {
    if (isId(argument)) {
      ids.push(argument);
      if (ids.length === 1) sources.push(argumentsFrom(at, ids));
    } else {
      if (argument !== '-' && !existsSync(argument))
        throw new UsageError(`${shown(argument)} is neither an id nor a file${hintFor(argument)}`);
      sources.push(...sourcesOf([argument]));
      ids = [];
    }
  }
  return sources;
}

/** The sources that FILE… names. */
export function sourcesOf(files: readonly string[]): IdSource[] {
  return inputsOf(files).map((input) => ({ input, place: () => undefined }));
}

/** @param ids the caller may add more until they are read */
function argumentsFrom(at: number, ids: readonly string[]): IdSource {
  function* lines() {
    yield `${ids.join('\n')}\n`;
  }
  return { input: Readable.from(lines()), place: (line) => `argument ${at + line}` };
}
