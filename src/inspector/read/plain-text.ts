import { beginsWith, binaryKind } from './file-kinds.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SAMPLE_BYTES = 4096;
/** More may not fit into one text. */
const MOST_BYTES = 2 ** 28;

/**
 * The text as UTF-8 with \n at the end of lines, and without characters that cannot be seen, such as those that
 * copying from a web page brings along. The same array where nothing has to be changed.
 * @throws Error for what is not text, with a message for people
 */
export function plainText(data: Uint8Array): Uint8Array {
  const utf16 = utf16Of(data);
  const kind = utf16 === undefined ? binaryKind(data) : undefined;
  if (kind !== undefined) throw new Error(`it is not text but ${kind}.`);
  return withNewlines(withoutInvisible(data, utf16));
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

/** Of some width. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;
/** Of no width at all. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function withoutInvisible(data: Uint8Array, utf16: string | undefined): Uint8Array {
  if (utf16 === undefined && (data.length > MOST_BYTES || isAscii(data))) return data;
  const text = new TextDecoder(utf16, { ignoreBOM: true }).decode(data);
  const plain = text.replace(SPACES, ' ').replace(INVISIBLE, '');
  return utf16 === undefined && plain === text ? data : new TextEncoder().encode(plain);
}

/** Four bytes at a time: 20 MB take 4 ms, and 100 ms as a text. */
function isAscii(data: Uint8Array): boolean {
  const aligned = data.byteOffset % 4 === 0 ? data.length >> 2 : 0;
  const words = new Uint32Array(data.buffer, aligned && data.byteOffset, aligned);
  let bits = 0;
  for (let i = 0; i < words.length; i++) bits |= words[i] as number;
  for (let at = 4 * aligned; at < data.length; at++) bits |= (data[at] as number) & 0x80;
  return (bits & 0x80808080) === 0;
}
