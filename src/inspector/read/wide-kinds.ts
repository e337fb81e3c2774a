import type { ArgumentProblem, TextFormat } from '../../index.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';

// UUIDs and other ids of more than 64 bits, as texts. All that is read of them is their time.

export const WIDE_KINDS = ['uuid', 'ulid', 'objectid', 'ksuid', 'xid'] as const satisfies readonly WideIdKind[];

/** What ids are read as: the text of 64 bits, or a kind of wider ids. */
export type ReadFormat = TextFormat | WideIdKind;

export function isWideKind(format: ReadFormat): format is WideIdKind {
  return WIDE_KINDS.some((kind) => kind === format);
}

/** From an xid to a UUID with `urn:uuid:` in front. */
const LEAST_LENGTH = 20;
const MOST_LENGTH = 45;

const DECODER = new TextDecoder(); // an eighth of the time that String.fromCharCode takes of so few bytes

/** The text of `data[start..end)`, or '' if it is too short or too long for a wide id. */
export function wideTextAt(data: Uint8Array, start: number, end: number): string {
  const length = end - start;
  return length < LEAST_LENGTH || length > MOST_LENGTH ? '' : DECODER.decode(data.subarray(start, end));
}

/** Without what RFC 9562 has in front of a UUID that is a URN. */
export function withoutUrn(text: string): string {
  return text.replace(/^urn:uuid:/i, '');
}

/** The version of a UUID; NaN: it is of another variant than that of RFC 9562. */
export function versionOf(uuid: string): number {
  const hyphens = uuid.length > 32 ? 1 : 0;
  const variant = Number.parseInt(uuid.charAt(16 + 3 * hyphens), 16);
  return variant >> 2 === 2 ? Number.parseInt(uuid.charAt(12 + 2 * hyphens), 16) : Number.NaN;
}

export function hasTime(version: number): boolean {
  return version === 1 || version === 6 || version === 7;
}

/** What a text of a kind must be, in the words of the library. */
export function expectedOf(kind: WideIdKind): string {
  try {
    timesOf([''], kind);
    return kind;
  } catch (error) {
    return (error as ArgumentProblem).expected;
  }
}
