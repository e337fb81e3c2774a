import { formatId, parseId, type TextFormat } from '../index.js';

/** How ids can be written. */
export const ID_TEXTS = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'] as const satisfies readonly TextFormat[];

/** Whether a text is an id in a format. */
export function isIdIn(format: TextFormat, text: string): boolean {
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
  const fitting = ID_TEXTS.filter((format) => texts.every((text) => isFullWidth(format, text)));
  // 13 characters can be ids in either base 32, which are written in different cases.
  const written = fitting.find((format) => texts.every((text) => formatId(parseId(text, format), format) === text));
  const format = written ?? fitting[0];
  return format === undefined ? '' : `; --text ${format} reads such ids`;
}

function isFullWidth(format: TextFormat, text: string): boolean {
  return format !== 'dec' && text.length === formatId(0n, format).length && isIdIn(format, text);
}
