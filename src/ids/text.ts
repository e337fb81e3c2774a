import { checkBoolean, checkOneOf, checkOptions, checkString, checkU64, namesIn, wrongValue } from '../arguments.js';
import { idOf, idText } from '../kernels/ids.js';
import { TEXT_FORMATS, type TextFormat } from '../kernels/types.js';

const NAMES = /* @__PURE__ */ namesIn(TEXT_FORMATS);

/** Options of {@link formatId}, {@link formatIds} and {@link formatIdColumn}. */
export interface FormatOptions {
  /**
   * `true` (default) pads to the format's full width with zeros in front, so that texts sort as ids do; `false` leaves them
   * out.
   */
  padded?: boolean | undefined;
}

/**
 * An id as text: `dec` has 20 digits, `hex` 16 (lower case), `base62` 11 (0-9A-Za-z), `crockford32` 13 (upper case),
 * `sortable32` 13 (2-7a-z). Zeros in front (`2` in `sortable32`) make texts sort as ids do. Without them `dec` is what
 * `String(id)` gives.
 * @param id 0 to 2^64 - 1
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if `id` is out of range or there is no such format
 * @example
 * formatId(286435872092454913n, 'crockford32'); // '07YCZX1VG0001'
 */
export function formatId(id: bigint, format: TextFormat, options?: FormatOptions): string {
  return idText(checkU64('id', id), checkFormat(format), isPadded(options));
}

/**
 * Reads an id from text. Leading zeros are optional, and there may be any number of them. `hex`, `crockford32` and
 * `sortable32` are read in upper or lower case; in `crockford32`, I and L count as 1, and O as 0.
 * Source of crockford32: Douglas Crockford, "Base 32"; hyphens and check symbols are not accepted.
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if `text` is empty, has characters that are not digits of the format, or is above 2^64 - 1
 * @example
 * parseId('0L9sW9ga0Ez', 'base62'); // 286435872092454913n
 */
export function parseId(text: string, format: TextFormat): bigint {
  const id = idOf(checkString('text', text), checkFormat(format));
  if (id === undefined) throw wrongValue('text', textExpected(format), text);
  return id;
}

export function isPadded(options: FormatOptions | undefined): boolean {
  if (options === undefined) return true;
  const { padded } = checkOptions(options, ['padded']);
  return padded === undefined || checkBoolean('padded', padded);
}

export function checkFormat(format: TextFormat): TextFormat {
  return checkOneOf('format', format, NAMES);
}

export function textExpected(format: TextFormat): string {
  return `an integer from 0 to 2^64 - 1 in ${format}`;
}
