import { wrongValue } from '../arguments.js';
import { type BytesColumn, checkTextColumn, checkU64Column, textOfRow } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { withoutZeros } from '../kernels/ids.js';
import { TEXT_FORMATS, type TextFormat, viewOf } from '../kernels/types.js';
import { checkFormat, type FormatOptions, isPadded, textExpected } from './text.js';

// The strings of this many rows are slices of one text, so a single string that is kept holds on to 20 KB.
const STRING_ROWS = 1024;

const MAX_OFFSET = 0xffffffff;

/**
 * {@link formatId} of every id of a column, as strings.
 * @param ids a BigInt64Array is read as the same bits
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if there is no such format
 * @example
 * formatIds(BigUint64Array.of(1n, 2n), 'hex'); // ['0000000000000001', '0000000000000002']
 */
export function formatIds(ids: BigUint64Array | BigInt64Array, format: TextFormat, options?: FormatOptions): string[] {
  const column = checkU64Column('ids', ids);
  const { width } = TEXT_FORMATS[checkFormat(format)];
  const padded = isPadded(options);
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(Math.min(STRING_ROWS, column.length) * width);
  const texts = new Array<string>(column.length); // 60 ns an id; 67 to 100 if the array has to grow
  let row = 0;
  for (let from = 0; from < column.length; from += STRING_ROWS) {
    const piece = viewOf(column, from, Math.min(from + STRING_ROWS, column.length));
    const used = viewOf(bytes, 0, piece.length * width);
    kernels().formatColumn(piece, format, used);
    const text = decoder.decode(used);
    for (let at = 0; at < text.length; at += width) {
      const one = text.slice(at, at + width);
      texts[row++] = padded ? one : withoutZeros(one, format);
    }
  }
  return texts;
}

/**
 * {@link formatId} of every id of a column, as bytes: much faster than strings.
 * @param ids a BigInt64Array is read as the same bits; at most 2^32 - 1 bytes of text in all
 * @returns row i is `data[offsets[i]..offsets[i + 1])`
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if there is no such format, or too many ids
 * @example
 * formatIdColumn(BigUint64Array.of(255n), 'hex'); // { data: …, offsets: [0, 16] }
 */
export function formatIdColumn(
  ids: BigUint64Array | BigInt64Array,
  format: TextFormat,
  options?: FormatOptions,
): BytesColumn {
  const column = checkU64Column('ids', ids);
  const { width, alphabet } = TEXT_FORMATS[checkFormat(format)];
  const most = Math.floor(MAX_OFFSET / width);
  if (column.length > most) throw wrongValue('ids', `at most ${most} rows`, column.length);
  const data = new Uint8Array(column.length * width);
  kernels().formatColumn(column, format, data);
  const offsets = new Uint32Array(column.length + 1);
  if (isPadded(options)) {
    for (let i = 0; i < offsets.length; i++) offsets[i] = i * width;
    return { data, offsets };
  }
  const zero = alphabet.charCodeAt(0);
  let used = 0;
  for (let row = 1; row < offsets.length; row++) {
    const end = row * width;
    let at = end - width;
    while (at < end - 1 && data[at] === zero) at++;
    while (at < end) data[used++] = data[at++];
    offsets[row] = used;
  }
  return { data: viewOf(data, 0, used), offsets };
}

/**
 * {@link parseId} of every text of a column.
 * @param texts strings, or a BytesColumn of them
 * @throws TypeError if an argument or a row is of the wrong kind
 * @throws RangeError if a row is not an id (the error names the row), offsets descend or point beyond the
 *   data, or there is no such format
 * @example
 * parseIds(['7', '18446744073709551615'], 'dec'); // BigUint64Array [7n, 18446744073709551615n]
 */
export function parseIds(texts: readonly string[] | BytesColumn, format: TextFormat): BigUint64Array {
  const column = checkTextColumn('texts', texts);
  checkFormat(format);
  const ids = new BigUint64Array(column.rows);
  const row =
    column.kind === 'text'
      ? kernels().parseTexts(column.texts, format, ids)
      : kernels().parseSpans(column.spans, format, ids);
  if (row >= 0) throw wrongValue('texts', textExpected(format), textOfRow(column, row), row);
  return ids;
}
