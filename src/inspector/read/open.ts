import { decompress } from 'fzstd';
import { detailsOf } from '../../errors.js';
import { type FormatName, formatOf, GZIP_START } from '../../formats.js';
import { NEWLINE } from './cells.js';
import { progress } from './progress.js';

/**
 * A text in UTF-8. Most have ASCII only and fit into as many bytes as characters: for 95 MB of them Chromium takes
 * 0.3 s, and 1.7 s with `encode`, both measured on a busy machine.
 */
export function utf8Of(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(text.length);
  const { read } = encoder.encodeInto(text, bytes);
  return read === text.length ? bytes : encoder.encode(text);
}

/** Files that people drop here and that are not text. */
const KINDS: { readonly [format in FormatName]?: string } = {
  'Office document': 'an Office document: save its table as CSV',
  zip: 'a ZIP archive: unpack it',
  PNG: 'a PNG image',
  PDF: 'a PDF document',
  Parquet: 'a Parquet file: convert it to CSV',
  Arrow: 'an Arrow file: convert it to CSV',
  Avro: 'an Avro file: convert it to CSV',
  ORC: 'an ORC file: convert it to CSV',
  bzip2: 'compressed by bzip2: unpack it',
  xz: 'compressed by xz: unpack it',
  lz4: 'compressed by lz4: unpack it',
  tar: 'a tar archive: unpack it',
  'UTF-32': 'UTF-32: convert it to UTF-8',
};

const SAMPLE_BYTES = 64 * 1024;
/** Text has next to no control characters; of bytes at random every tenth is one. */
const MAX_CONTROLS = 1 / 50;

/** Tabs, line ends, form feeds, and the escape of coloured logs do not count. */
function hasControls(data: Uint8Array): boolean {
  const sample = data.subarray(0, SAMPLE_BYTES);
  const controls = sample.filter((byte) => byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== ESCAPE);
  return controls.length > sample.length * MAX_CONTROLS;
}

const CARRIAGE_RETURN = 0x0d;
const UTF16_SAMPLE_BYTES = 4096;
/** More may not fit into one text. */
export const MAX_BYTES = 2 ** 28;

/**
 * The text as UTF-8 with \n at the end of lines, and without characters that cannot be seen, such as those that
 * copying from a web page brings along. The same array where nothing has to be changed.
 * @param isExact whether all characters stay, except for a byte order mark
 * @throws Error for what is not text, with a message for people
 */
export function plainText(data: Uint8Array, isExact = false): Uint8Array {
  const format = formatOf(data);
  const utf16 = utf16Of(data, format);
  const kind = format && KINDS[format];
  if (kind !== undefined || (utf16 === undefined && hasControls(data))) {
    throw new Error(`it is not text but ${kind ?? 'binary data'}.`);
  }
  const utf8 = utf16 === undefined ? data : new TextEncoder().encode(new TextDecoder(utf16).decode(data));
  return withNewlines(isExact ? withoutMark(utf8) : withoutInvisible(utf8));
}

/** The encoding of UTF-16, told by its mark, or by its zeros: most characters of logs and tables are below 256. */
function utf16Of(data: Uint8Array, format: FormatName | undefined): string | undefined {
  if (format === 'utf-16le' || format === 'utf-16be') return format;
  const sample = data.subarray(0, UTF16_SAMPLE_BYTES);
  if (data.length < 4 || data.length % 2 > 0) return undefined;
  const half = sample.length / 2;
  const zerosFrom = (first: number) => sample.filter((byte, at) => byte === 0 && at % 2 === first).length / half;
  const [even, odd] = [zerosFrom(0), zerosFrom(1)];
  if (odd > 0.4 && even < 0.05) return 'utf-16le';
  return even > 0.4 && odd < 0.05 ? 'utf-16be' : undefined;
}

const withoutMark = (data: Uint8Array): Uint8Array =>
  data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;

/** Lines of old Macs end with \r alone. */
function withNewlines(data: Uint8Array): Uint8Array {
  if (data.includes(NEWLINE) || !data.includes(CARRIAGE_RETURN)) return data;
  return data.map((byte) => (byte === CARRIAGE_RETURN ? NEWLINE : byte));
}

const ESCAPE = 0x1b;
/** Spaces that are not the one of ASCII. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u3000]/g;
/** Also the colours of terminals. */
const INVISIBLE = new RegExp(
  `${String.fromCharCode(ESCAPE)}\\[[\\d;]*m|[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]`,
  'g',
);

function withoutInvisible(data: Uint8Array): Uint8Array {
  if (data.length > MAX_BYTES || (isAscii(data) && !data.includes(ESCAPE))) return data;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(data);
  const plain = text.replace(SPACES, ' ').replace(INVISIBLE, '');
  return plain === text ? data : new TextEncoder().encode(plain);
}

/** Looks at four bytes at a time: 20 MB take 4 ms, and 100 ms as a text. */
function isAscii(data: Uint8Array): boolean {
  const aligned = data.byteOffset % 4 === 0 ? data.length >> 2 : 0;
  const words = new Uint32Array(data.buffer, aligned && data.byteOffset, aligned);
  let bits = 0;
  for (let i = 0; i < words.length; i++) bits |= words[i];
  for (let at = 4 * aligned; at < data.length; at++) bits |= data[at] & 0x80;
  return (bits & 0x80808080) === 0;
}

/** Flags that a header may have; the others are not used. */
const FLAGS = 0x1f;

/** How often the data may be read in vain, for headers that are inside of a part: compressed files in an archive. */
const MAX_FAILED = 4;

/**
 * Unpacks all parts. A browser unpacks only one, and does not say where it ends: a part is whole up to the next header,
 * and to no other place. Appended files, bgzip and rotated logs have several.
 * @throws TypeError for what is not whole
 * @throws RangeError for more bytes than `most`
 */
async function unpackGzip(data: Uint8Array, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let left = most;
  let only: unknown;
  try {
    return await unpackPart(data, most);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    only = error;
  }
  for (let start = 0, end = 0, failed = 0; start < data.length; ) {
    end = nextHeader(data, end + 1);
    if (end - start === data.length) throw only;
    try {
      const part = await unpackPart(data.subarray(start, end), left);
      parts.push(part);
      left -= part.length;
      start = end;
    } catch (error) {
      if (end === data.length || error instanceof RangeError) throw error;
      failed += end - start;
      if (failed > MAX_FAILED * data.length) throw only;
    }
  }
  return joined(parts);
}

function nextHeader(data: Uint8Array, from: number): number {
  for (let at = data.indexOf(GZIP_START[0], from); at >= 0; at = data.indexOf(GZIP_START[0], at + 1)) {
    if (data[at + 1] === GZIP_START[1] && data[at + 2] === GZIP_START[2] && data[at + 3] <= FLAGS) return at;
  }
  return data.length;
}

/** What a compressed file may become, so that it fits into the memory of a page. */
const MAX_UNPACKED = 1e9;

/** Reads chunk by chunk, because a Response of the stream would hide why it fails. */
async function unpackPart(part: Uint8Array, most: number): Promise<Uint8Array> {
  let read = 0;
  const counted = new TransformStream<BufferSource, BufferSource>({
    transform(chunk, controller) {
      read += chunk.byteLength;
      progress('unpack', read, part.length);
      controller.enqueue(chunk);
    },
  });
  const packed = new Blob([part as BlobPart]).stream().pipeThrough(counted);
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks);
    chunks.push(value);
    bytes += value.length;
    if (bytes > most) {
      reader.cancel();
      throw new RangeError();
    }
  }
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export interface InputText {
  /** '' for a text that was pasted. */
  readonly name: string;
  /** The size before anything was unpacked. */
  readonly bytes: number;
  readonly data: Uint8Array;
}

/** @throws Error for what is not text, or is not whole, with a message for people */
export async function openInput(name: string, data: Uint8Array, most = MAX_UNPACKED, isExact = false) {
  return { name, bytes: data.length, data: plainText(await unpacked(data, most), isExact) };
}

/** @throws Error for a file that cannot be read, with the message that `named` makes of its name and of why */
export async function openFiles(
  files: readonly File[],
  named: (name: string, message: string) => string,
  isExact = false,
): Promise<InputText[]> {
  const texts: InputText[] = [];
  for (const file of files) {
    try {
      texts.push(await openInput(file.name, await bytesOf(file), MAX_UNPACKED, isExact));
    } catch (error) {
      throw new Error(named(file.name, detailsOf(error).message));
    }
  }
  return texts;
}

const READ_AT_ONCE = 2 ** 26;

async function bytesOf(file: File): Promise<Uint8Array> {
  if (file.size <= READ_AT_ONCE) return new Uint8Array(await file.arrayBuffer());
  const bytes = new Uint8Array(file.size);
  for (let at = 0; at < bytes.length; at += READ_AT_ONCE) {
    progress('read', at, bytes.length);
    bytes.set(new Uint8Array(await file.slice(at, at + READ_AT_ONCE).arrayBuffer()), at);
  }
  return bytes;
}

/** The text of a small file, if it can be shown as it is. */
export function textToShow(data: Uint8Array | ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function unpacked(data: Uint8Array, most: number): Promise<Uint8Array> {
  const format = formatOf(data);
  if (format !== 'gzip' && format !== 'zstd') return data;
  let inside: Uint8Array;
  try {
    inside = format === 'gzip' ? await unpackGzip(data, most) : decompress(data);
  } catch (error) {
    // Also if memory for it cannot be had.
    if (error instanceof RangeError) throw new Error(`it expands to more than ${most / 1e6} MB.`);
    // Browsers word it differently from each other, and from Node. Node 22 and later say it in the cause.
    const { message, cause } = detailsOf(error);
    const problem = message || String(detailsOf(cause).message);
    if (/truncated|unexpected (end|eof)/i.test(problem))
      throw new Error(`it is truncated: its ${format} data has no end.`);
    if (/junk/i.test(problem)) throw new Error(`something else follows its ${format} data.`);
    throw new Error(`it is not valid ${format} data (${problem}).`);
  }
  return unpacked(inside, most);
}
