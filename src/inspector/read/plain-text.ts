import { beginsWith, binaryKind } from './file-kinds.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const SAMPLE_BYTES = 4096;

/**
 * The text as UTF-8 with \n at the end of lines, and without characters that cannot be seen, such as those that
 * copying from a web page brings along. The same array where nothing has to be changed.
 * @throws Error for what is not text, with a message for people
 */
export function plainText(data: Uint8Array): Uint8Array {
  const encoding = utf16Of(data);
  if (encoding !== undefined) return withoutInvisible(new TextEncoder().encode(new TextDecoder(encoding).decode(data)));
  const kind = binaryKind(data);
  if (kind !== undefined) throw new Error(`it is not text but ${kind}.`);
  return withNewlines(withoutInvisible(data));
}

/** By its mark, or by its zeros: most characters of logs and tables are below 256. */
function utf16Of(data: Uint8Array): string | undefined {
  if (beginsWith(data, '\xff\xfe')) return 'utf-16le';
  if (beginsWith(data, '\xfe\xff')) return 'utf-16be';
  const sample = data.subarray(0, SAMPLE_BYTES);
  if (data.length < 4 || data.length % 2 > 0) return undefined;
  const half = sample.length / 2;
  const zerosFrom = (first: number) => sample.filter((byte, at) => byte === 0 && at % 2 === first).length / half;
  const [even, odd] = [zerosFrom(0), zerosFrom(1)];
  if (odd > 0.4 && even < 0.05) return 'utf-16le';
  return even > 0.4 && odd < 0.05 ? 'utf-16be' : undefined;
}

/** Lines of old Macs end with \r alone. */
function withNewlines(data: Uint8Array): Uint8Array {
  if (data.includes(NEWLINE) || !data.includes(CARRIAGE_RETURN)) return data;
  return data.map((byte) => (byte === CARRIAGE_RETURN ? NEWLINE : byte));
}

/** The first bytes of the characters of {@link widthOfInvisible} in UTF-8. */
const LEADS = [0xc2, 0xe2, 0xe3, 0xef];

function withoutInvisible(data: Uint8Array): Uint8Array {
  if (isAscii(data)) return data;
  const first = firstInvisible(data);
  if (first < 0) return data;
  const text = data.slice();
  let to = first;
  for (let at = first; at < data.length; ) {
    const byte = data[at] as number;
    const width = byte < 0xc2 ? 0 : widthOfInvisible(data, at);
    if (width === 0) text[to++] = byte;
    else if (isSpace(data, at)) text[to++] = SPACE;
    at += Math.max(1, width);
  }
  return text.subarray(0, to);
}

/** Four bytes at a time: 20 MB take 4 ms, and 38 ms if each of {@link LEADS} is looked for. */
function isAscii(data: Uint8Array): boolean {
  const aligned = data.byteOffset % 4 === 0 ? data.length >> 2 : 0;
  const words = new Uint32Array(data.buffer, aligned && data.byteOffset, aligned);
  let bits = 0;
  for (let i = 0; i < words.length; i++) bits |= words[i] as number;
  for (let at = 4 * aligned; at < data.length; at++) bits |= (data[at] as number) & 0x80;
  return (bits & 0x80808080) === 0;
}

function firstInvisible(data: Uint8Array): number {
  let first = -1;
  for (const lead of LEADS) {
    const rest = first < 0 ? data : data.subarray(0, first);
    let at = rest.indexOf(lead);
    while (at >= 0 && widthOfInvisible(data, at) === 0) at = rest.indexOf(lead, at + 1);
    if (at >= 0) first = at;
  }
  return first;
}

/**
 * How many bytes a character has in UTF-8 that is a space of some width (U+00A0, U+2000 to U+200A, U+202F, U+3000) or
 * nothing at all (U+00AD, U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F, U+FEFF); 0: it is another.
 */
function widthOfInvisible(data: Uint8Array, at: number): number {
  const [lead, second = 0, third = 0] = [data[at], data[at + 1], data[at + 2]];
  if (lead === 0xc2) return second === 0xa0 || second === 0xad ? 2 : 0;
  if (lead === 0xe3) return second === 0x80 && third === 0x80 ? 3 : 0;
  if (lead === 0xef) return second === 0xbb && third === 0xbf ? 3 : 0;
  if (lead !== 0xe2) return 0;
  if (second === 0x81) return third >= 0xa0 && third <= 0xaf ? 3 : 0;
  return second === 0x80 && ((third >= 0x80 && third <= 0x8f) || (third >= 0xaa && third <= 0xaf)) ? 3 : 0;
}

/** Of the invisible ones. */
function isSpace(data: Uint8Array, at: number): boolean {
  const [lead, second, third = 0] = [data[at], data[at + 1], data[at + 2]];
  if (lead === 0xc2) return second === 0xa0;
  return lead === 0xe3 || (lead === 0xe2 && second === 0x80 && (third <= 0x8a || third === 0xaf));
}
