import { namesIn } from '../arguments.js';
import type { TextFormat } from '../kernels/types.js';
import type { WideIdKind } from '../wide-ids/index.js';

/** What 64 bits are read as: a format of the library, or base64 as in links of Instagram. */
export type BitsFormat = TextFormat | 'shortcode';

/** What ids are read as: the text of 64 bits, or a kind of wider ids. */
export type ReadFormat = BitsFormat | WideIdKind;

const WIDE_NAMES: Record<WideIdKind, string> = {
  uuid: 'UUID',
  ulid: 'ULID',
  objectid: 'MongoDB ObjectId',
  ksuid: 'KSUID',
  xid: 'xid',
};

export const WIDE_ID_KINDS = namesIn(WIDE_NAMES);

export const isWideKind = (format: ReadFormat): format is WideIdKind => format in WIDE_NAMES;

export const FORMAT_NAMES: Record<ReadFormat, string> = {
  dec: 'decimal',
  hex: 'hexadecimal',
  shortcode: 'Instagram shortcode',
  base62: 'base62',
  crockford32: "Crockford's base 32",
  sortable32: 'AT Protocol (TID)',
  ...WIDE_NAMES,
};

/** All formats: a column has the place of its rows' formats here. */
export const READ_FORMATS = namesIn(FORMAT_NAMES);
