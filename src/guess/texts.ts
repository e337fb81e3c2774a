import { formatId, parseId } from '../ids/text.js';
import type { TextFormat } from '../kernels/types.js';

const FORMATS: readonly TextFormat[] = ['hex', 'base62', 'crockford32', 'sortable32'];

/** The format, other than decimal, in whose full width all of some texts are ids; undefined if there is none. */
export function textFormatOf(texts: readonly string[]): TextFormat | undefined {
  if (!/[0-9]/.test(texts.join(''))) return undefined; // words
  const fitting = FORMATS.filter((format) => texts.every((text) => isFullWidth(format, text)));
  // 13 characters may be an id in both kinds of base 32. They are written in different cases.
  return (
    fitting.find((format) => texts.every((text) => formatId(parseId(text, format), format) === text)) ?? fitting[0]
  );
}

function isFullWidth(format: TextFormat, text: string): boolean {
  if (text.length !== formatId(0n, format).length) return false;
  try {
    parseId(text, format);
    return true;
  } catch {
    return false;
  }
}
