import { type BytesColumn, xxh64Many } from '../index.js';

const TEMPLATE = 'at://did:plc:000000000000000000000000/app.bsky.feed.post/3000000000000';
const DID_AT = 13;
const TID_AT = 58; // after the digit 3, with which TIDs of these years start
const DIGITS = new TextEncoder().encode('abcdefghijklmnopqrstuvwxyz234567');

/** Makes up AT-URIs of posts, 70 bytes each; always the same ones. */
export function atUris(count: number): BytesColumn {
  const template = new TextEncoder().encode(TEMPLATE);
  const rowBytes = template.length;
  const numbers = BigUint64Array.from({ length: count }, (_, row) => BigInt(row));
  // Twelve digits of five bits from each hash of the row's number.
  const sources = [0n, 1n, 2n].map((seed) => new Uint32Array(xxh64Many(numbers, { seed }).buffer));
  const places = [DID_AT, DID_AT + 12, TID_AT];

  const data = new Uint8Array(count * rowBytes);
  const offsets = new Uint32Array(count + 1);
  for (let row = 0; row < count; row++) {
    const start = row * rowBytes;
    data.set(template, start);
    sources.forEach((words, i) => {
      const at = start + (places[i] as number);
      for (let digit = 0; digit < 12; digit++) {
        const word = words[2 * row + (digit < 6 ? 0 : 1)] as number;
        data[at + digit] = DIGITS[(word >>> ((digit % 6) * 5)) & 31] as number;
      }
    });
    offsets[row + 1] = start + rowBytes;
  }
  return { data, offsets };
}

/** A row as text. */
export function rowOf({ data, offsets }: BytesColumn, row: number): string {
  return new TextDecoder().decode(data.subarray(offsets[row], offsets[row + 1]));
}
