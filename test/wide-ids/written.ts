// Wide ids as their specifications write and read them, in BigInts: slow, short, and apart from the library.
import fc, { type Arbitrary } from 'fast-check';
import type { WideKind } from '../vectors/wide-ids.js';

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HEX = `${DIGITS}abcdef`;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE62 = DIGITS + LETTERS + LETTERS.toLowerCase();
const BASE32HEX = `${DIGITS}abcdefghijklmnopqrstuv`;

/** 100 ns from 1582-10-15 to 1970-01-01, as in RFC 9562, appendix A. */
const GREGORIAN_TICKS = 0x01b21dd213814000n;

/** Unix microseconds, or undefined if a text is not an id of a kind, or has no time. */
type Reader = (text: string) => bigint | undefined;

function read(text: string, alphabet: string): bigint {
  const radix = BigInt(alphabet.length);
  return Array.from(text).reduce((value, digit) => value * radix + BigInt(alphabet.indexOf(digit)), 0n);
}

function write(value: bigint, width: number, alphabet: string): string {
  const radix = BigInt(alphabet.length);
  let text = '';
  for (let rest = value; text.length < width; rest /= radix) text = alphabet.charAt(Number(rest % radix)) + text;
  return text;
}

const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

function readUuid(text: string): bigint | undefined {
  if (!UUID.test(text)) return undefined;
  const hex = text.replaceAll('-', '').toLowerCase();
  if (!'89ab'.includes(hex.charAt(16))) return undefined;
  // RFC 9562, sections 5.1 and 5.6: low, mid and high, or the other way around.
  const [first, second, third] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)];
  switch (hex.charAt(12)) {
    case '1':
      return microsOf(read(third + second + first, HEX));
    case '6':
      return microsOf(read(first + second + third, HEX));
    case '7':
      return read(first + second, HEX) * 1000n;
    default:
      return undefined;
  }
}

/** The number of milliseconds that is nearest to a time. */
export function nearestMs(micros: bigint): number {
  if (micros > -(2n ** 53n) && micros < 2n ** 53n) return Number(micros) / 1000;
  return Number(micros / 1000n) + Number(micros % 1000n) / 1000;
}

/** To the nearest microsecond, and up if two are as near. */
function microsOf(ticks: bigint): bigint {
  return (ticks + 5n) / 10n - GREGORIAN_TICKS / 10n;
}

function readKsuid(text: string): bigint | undefined {
  if (!/^[0-9A-Za-z]{27}$/.test(text)) return undefined;
  const value = read(text, BASE62);
  return value < 2n ** 160n ? ((value >> 128n) + 1400000000n) * 1000000n : undefined;
}

function readXid(text: string): bigint | undefined {
  if (!/^[0-9a-v]{20}$/.test(text)) return undefined;
  const value = read(text, BASE32HEX);
  return (value & 15n) === 0n ? (value >> 68n) * 1000000n : undefined;
}

export const READERS: { readonly [K in WideKind]: Reader } = {
  uuid: readUuid,
  ulid: (text) =>
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i.test(text) ? read(text.slice(0, 10).toUpperCase(), CROCKFORD) * 1000n : undefined,
  objectid: (text) => (/^[0-9a-f]{24}$/i.test(text) ? read(text.slice(0, 8).toLowerCase(), HEX) * 1000000n : undefined),
  ksuid: readKsuid,
  xid: readXid,
};

const bits = (count: number): Arbitrary<bigint> => fc.bigInt({ min: 0n, max: (1n << BigInt(count)) - 1n });

/** A UUID of given bits, but for its version and its variant. */
function uuidText(value: bigint, version: string, variant: string, isHyphenated: boolean): string {
  const hex = write(value, 32, HEX);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), version + hex.slice(13, 16), variant + hex.slice(17, 20)];
  return [...parts, hex.slice(20)].join(isHyphenated ? '-' : '');
}

/** In lower case, upper case, or as it is. */
const inAnyCase = (texts: Arbitrary<string>): Arbitrary<string> =>
  fc
    .tuple(texts, fc.constantFrom('', 'upper', 'lower'))
    .map(([text, how]) => (how === '' ? text : how === 'upper' ? text.toUpperCase() : text.toLowerCase()));

/** Any ids of a kind that have a time. */
export const ARBITRARY_IDS: { readonly [K in WideKind]: Arbitrary<string> } = {
  uuid: inAnyCase(
    fc
      .tuple(bits(128), fc.constantFrom('1', '6', '7'), fc.constantFrom('8', '9', 'a', 'b'), fc.boolean())
      .map((parts) => uuidText(...parts)),
  ),
  ulid: inAnyCase(bits(128).map((value) => write(value, 26, CROCKFORD))),
  objectid: inAnyCase(bits(96).map((value) => write(value, 24, HEX))),
  ksuid: bits(160).map((value) => write(value, 27, BASE62)),
  xid: bits(96).map((value) => write(value << 4n, 20, BASE32HEX)),
};

/** An id of a time, with anything in its other bits. */
export const WRITERS: { readonly [K in WideKind]: (seconds: number, rest: bigint) => string } = {
  uuid: (seconds, rest) => {
    const ticks = write(BigInt(seconds) * 10000000n + GREGORIAN_TICKS, 15, HEX);
    const end = write(rest, 32, HEX).slice(17);
    return `${ticks.slice(0, 8)}-${ticks.slice(8, 12)}-6${ticks.slice(12)}-8${end.slice(0, 3)}-${end.slice(3)}`;
  },
  ulid: (seconds, rest) => write((BigInt(seconds * 1000) << 80n) | (rest & (2n ** 80n - 1n)), 26, CROCKFORD),
  objectid: (seconds, rest) => write((BigInt(seconds) << 64n) | (rest & (2n ** 64n - 1n)), 24, HEX),
  ksuid: (seconds, rest) => write((BigInt(seconds - 1400000000) << 128n) | rest, 27, BASE62),
  xid: (seconds, rest) => write(((BigInt(seconds) << 64n) | (rest & (2n ** 64n - 1n))) << 4n, 20, BASE32HEX),
};
