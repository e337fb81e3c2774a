import { wrongValue } from '../../arguments.js';
import { NO_BYTE } from '../../kernels/csv-fields.js';
import type { CellKind } from '../../kernels/record-types.js';
import type { CsvSyntax } from '../sources/csv.js';

/**
 * A text as a field of CSV, in quotes or with escapes if it needs them.
 * @throws RangeError if it needs them and the format has none
 */
export function fieldOf(text: string, { delimiter, quote, escaper }: CsvSyntax): string {
  const between = String.fromCharCode(delimiter);
  const before = String.fromCharCode(escaper);
  const isSpecial = (character: string) => character === between || character === '\r' || character === '\n';
  const escaped = escaper === NO_BYTE ? text : text.split(before).join(before + before);
  const characters = Array.from(escaped);
  const needsQuotes = characters.some(isSpecial) || (quote !== NO_BYTE && text.includes('"'));
  if (!needsQuotes) return escaped;
  if (quote !== NO_BYTE) return `"${escaped.replaceAll('"', '""')}"`;
  if (escaper === NO_BYTE) throw needsSyntax(text);
  return characters.map((character) => (isSpecial(character) ? before + character : character)).join('');
}

/** Checks that texts can be written as fields. */
export function checkFields(texts: readonly string[], syntax: CsvSyntax): void {
  for (const text of texts) fieldOf(text, syntax);
}

/** Checks that values of some kinds do not need quotes if there are none. Letters and digits are never delimiters then. */
export function checkKinds(kinds: readonly CellKind[], { delimiter, quote }: CsvSyntax): void {
  const between = String.fromCharCode(delimiter);
  const hasTime = kinds.includes('ms') || kinds.includes('date');
  if (quote !== NO_BYTE || !hasTime || !/[:.+-]/.test(between)) return;
  throw wrongValue('records.delimiter', 'a character that is not in times if there are no quotes', between);
}

function needsSyntax(text: string): RangeError {
  const expected = `quotes or an escape character, because a delimiter or a line break is in ${JSON.stringify(text)}`;
  return wrongValue('records.quote', expected, 'none');
}
