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

// Ids that were numbers of a program that keeps fewer digits: their last ones are zeros now.

export const ROUNDING = {
  double: 'JSON.parse and other programs with 64-bit floats keep 16 or 17 digits',
  spreadsheet: 'spreadsheets keep 15 digits',
} as const;

const SPREADSHEET_DIGITS = 15;
const DOUBLE_DIGITS = 17;
/** A share of ids that end in three zeros by chance. */
const BY_CHANCE = 0.001;

/** What an id may have been rounded by, as it ends in two zeros or more; undefined if it was not. */
export function roundingOf(id: bigint): keyof typeof ROUNDING | undefined {
  if (id <= Number.MAX_SAFE_INTEGER || id % 100n !== 0n) return undefined;
  const text = String(id);
  const digits = text.replace(/(?<!0)0+$/, '').length;
  if (digits <= SPREADSHEET_DIGITS) return 'spreadsheet';
  // Doubles are written with as many digits as tell them apart, and with zeros after these.
  return digits <= DOUBLE_DIGITS && String(Number(text)) === text ? 'double' : undefined;
}

/** How many ids look rounded, and what most of them were rounded by; undefined if no more do than some do by chance. */
export function roundedIn(ids: BigUint64Array) {
  const found = { double: 0, spreadsheet: 0 };
  let [large, clear] = [0, 0];
  for (const id of ids) {
    if (id <= Number.MAX_SAFE_INTEGER) continue;
    // Sequences that are 0 make zeros in decimal, too; few rounded numbers have eight zero bits at the end.
    const tells = (id & 0xffn) === 0n ? 0 : 1;
    large += tells;
    const by = roundingOf(id);
    if (by === undefined) continue;
    found[by]++;
    if (id % 1000n === 0n) clear += tells;
  }
  const chance = large * BY_CHANCE;
  if (clear === 0 || (large > 2 && clear < 2 + chance + 4 * Math.sqrt(chance))) return undefined;
  const by = found.spreadsheet > found.double ? 'spreadsheet' : 'double';
  return { rows: found.double + found.spreadsheet, by } as const;
}
