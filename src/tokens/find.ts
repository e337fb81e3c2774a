import { parseId } from '../ids/text.js';
import { isWideKind, type ReadFormat } from './formats.js';
import { FORMAT_CHARACTERS, formatOf, idInCell, idsInText, withoutUrn } from './patterns.js';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The id that a shortcode of Instagram stands for. */
export const shortcodeId = (code: string): bigint =>
  [...code].reduce((id, digit) => id * 64n + BigInt(BASE64.indexOf(digit)), 0n);

type FoundId = { readonly id: string; readonly format: ReadFormat };

/** Longer texts are no cells, and lines of so many characters have more than an id. */
const MAX_TEXT = 10_000;
/** What spreadsheets and programs put around an id. */
const AROUND = /^[\s"'=`(<[{,;]+|(?<![\s"'`)>\]},;])[\s"'`)>\]},;]+$/g;

/** The ids in a text: of a link, or behind a prefix, only the most specific one. */
export function idsIn(text: string): FoundId[] {
  if (text.length > MAX_TEXT) return [];
  const inside = text.replace(AROUND, '');
  const cell = idInCell(inside);
  const found = cell ? [cell] : idsInText(inside);
  return found.flatMap(({ id, at }) => {
    const format = formatOf(id, inside.slice(Math.max(0, at - FORMAT_CHARACTERS), at));
    return format === undefined ? [] : { id: withoutUrn(id), format };
  });
}

/**
 * The id in a text, as it would be alone in a format: the first one that can be.
 * @param want a kind of wider ids, or `dec` also for shortcodes and TIDs
 */
export function idTextIn(text: string, want: ReadFormat): string | undefined {
  const found = idsIn(text).find(({ format }) =>
    want === 'dec' ? !isWideKind(format) && format !== 'hex' : format === want,
  );
  return found && want === 'dec' ? decimalOf(found) : found?.id;
}

function decimalOf({ id, format }: FoundId): string {
  if (format === 'shortcode') return String(shortcodeId(id));
  if (format === 'sortable32') return String(parseId(id, format));
  return id.replace(/[^\d-]/g, '');
}
