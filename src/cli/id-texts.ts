import { parseId, type TextFormat } from '../index.js';

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
