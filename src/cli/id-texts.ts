import { formatId, parseId, type TextFormat } from '../index.js';
import { type WideIdKind, wideIdKindOf } from '../wide-ids/index.js';
import { WIDE_ID_KINDS } from '../wide-ids/kinds.js';

/** How ids can be written, or of what kind they are if they are wider than 64 bits. */
export type IdText = TextFormat | WideIdKind;

export const ID_FORMATS: readonly TextFormat[] = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'];

export const ID_TEXTS: readonly IdText[] = [...ID_FORMATS, ...WIDE_ID_KINDS];

/** Whether ids are wider than 64 bits. */
export function isWide(text: IdText): text is WideIdKind {
  return (WIDE_ID_KINDS as readonly IdText[]).includes(text);
}

/** Whether a text is an id. */
function isIdIn(format: IdText, text: string): boolean {
  if (isWide(format)) return wideIdKindOf(text) === format;
  try {
    parseId(text, format);
    return true;
  } catch {
    return false;
  }
}

/** What to do about texts that are not ids in decimal, if all are ids in another format, written in its full width. */
export function textHint(texts: readonly string[]): string {
  if (!/[0-9]/.test(texts.join(''))) return ''; // words
  const fitting = ID_FORMATS.filter((format) => texts.every((text) => isFullWidth(format, text)));
  // 13 characters can be ids in either base 32, which are written in different cases.
  const written = fitting.find((format) => texts.every((text) => formatId(parseId(text, format), format) === text));
  const format = written ?? fitting[0];
  return format === undefined ? '' : `; --text ${format} reads such ids`;
}

function isFullWidth(format: TextFormat, text: string): boolean {
  return format !== 'dec' && text.length === formatId(0n, format).length && isIdIn(format, text);
}

/** The kind of ids wider than 64 bits that most of some rows are: these texts, and so many ids of 64 bits. */
export function wideKindOf(texts: readonly string[], ids: number): WideIdKind | undefined {
  const kinds = texts.map(wideIdKindOf);
  return WIDE_ID_KINDS.find((kind) => 2 * kinds.filter((one) => one === kind).length > texts.length + ids);
}

/** Whether an argument is an id: in the text that was asked for, or in one that is tried by default. */
export function isIdArgument(argument: string, text: IdText | undefined, isLayoutGiven: boolean): boolean {
  if (text !== undefined) return isIdIn(text, argument);
  return isIdIn('dec', argument) || (!isLayoutGiven && wideIdKindOf(argument) !== undefined);
}
