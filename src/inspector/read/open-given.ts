import { decompress } from 'fzstd';
import { beginsWith } from './file-kinds.js';
import { unpackGzip } from './gzip-parts.js';
import { plainText } from './plain-text.js';

/** A text that was pasted, or a file. */
export interface GivenText {
  /** '' of what was pasted. */
  readonly name: string;
  /** How many there were, before anything was unpacked. */
  readonly bytes: number;
  readonly data: Uint8Array;
}

/** @throws Error for what is not text, or is not whole, with a message for people */
export async function openGiven(name: string, data: Uint8Array): Promise<GivenText> {
  return { name, bytes: data.length, data: plainText(await unpacked(data)) };
}

/** The text of a small file, if it can be shown as it is. */
export function textToShow(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function unpacked(data: Uint8Array): Promise<Uint8Array> {
  if (beginsWith(data, '\x1f\x8b')) return unpacked(await unpackedBy(unpackGzip, 'gzip', data));
  if (beginsWith(data, '\x28\xb5\x2f\xfd')) return unpacked(await unpackedBy(decompress, 'zstd', data));
  return data;
}

async function unpackedBy(
  unpack: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  format: string,
  data: Uint8Array,
): Promise<Uint8Array> {
  try {
    return await unpack(data);
  } catch (error) {
    throw new Error(reasonOf(error as Error, format));
  }
}

/** Browsers word it differently from each other, and from Node. */
function reasonOf({ message }: Error, format: string): string {
  if (/truncated|unexpected (end|eof)/i.test(message)) return `it is truncated: its ${format} data has no end.`;
  if (/junk/i.test(message)) return `something else follows its ${format} data.`;
  return `it is not valid ${format} data (${message}).`;
}
