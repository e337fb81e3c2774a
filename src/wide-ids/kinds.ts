import { checkString } from '../arguments.js';
import { timeOfText, type WideIdFormat } from './format.js';
import { ksuid } from './ksuid.js';
import { objectId } from './object-id.js';
import { ulid } from './ulid.js';
import { uuid } from './uuid.js';
import { xid } from './xid.js';

/** A kind of ids of more than 64 bits. {@link timesOf} says how each is written. */
export type WideIdKind = 'uuid' | 'ulid' | 'objectid' | 'ksuid' | 'xid';

/** No two kinds have a length in common. */
export const WIDE_ID_FORMATS: { readonly [K in WideIdKind]: WideIdFormat } = {
  uuid,
  ulid,
  objectid: objectId,
  ksuid,
  xid,
};

export const WIDE_ID_KINDS = /* @__PURE__ */ Object.keys(WIDE_ID_FORMATS) as readonly WideIdKind[];

/**
 * The kind of id that a text can be. It has the length of that kind, and all of its characters are valid there. No text
 * can be of two kinds.
 *
 * Every UUID counts, even one without a time, which {@link timesOf} rejects with the reason. 20 decimal digits that end in
 * 0 are a valid xid, although hardly any xid looks like that: if a text may also be a 64-bit id in decimal, try that first.
 * @param text the id alone, without spaces around it
 * @returns undefined if the text is not an id of any kind
 * @throws TypeError if `text` is not a string
 * @example
 * wideIdKindOf('01ARYZ6S41TSV4RRFFQ69G5FAV'); // 'ulid'
 */
export function wideIdKindOf(text: string): WideIdKind | undefined {
  checkString('text', text);
  return WIDE_ID_KINDS.find((kind) => !Number.isNaN(timeOfText(text, WIDE_ID_FORMATS[kind])));
}
