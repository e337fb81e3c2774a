import type { BytesColumn, Keys } from '../../src/index.js';
import { utf8 } from '../support/bytes.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { SEED } from '../support/seed.js';
import type { VectorKind } from '../vectors/partitioner-vector.js';

/** Random keys of one kind: the same ones on every run. */
export interface RandomKeys {
  readonly kind: VectorKind;
  /** For `routeMany` and `tokens`. Bytes are one column; the other kinds are arrays. */
  readonly keys: Keys | Int32Array;
  /** The bytes of each key. Text is UTF-8, integers are big-endian, and a UUID has 16 bytes. */
  readonly rows: readonly Uint8Array[];
}

/** 100,000 in the full run. */
export const KEYS = scaled(100_000);

const LONGEST = 300;
/** Half of them are ASCII. The last two are lone surrogates, unless the second follows the first. */
const CHARACTERS = [
  ...'abcxyzABC0123456789 :-_./\\"\'{}{}{}\t\n\r\0\x7f',
  ...'éßñüжышαωא٣中文字日本語한글€‰\u200b\ufeff\uffff😀🎉🇦🇧\u{10000}\u{10ffff}',
  ...['e\u0301', '\ud800', '\udc00'],
];

/** @param count at least 1,000, so that every length from 0 to 300 is likely to occur */
export function randomKeys(kind: VectorKind, count = KEYS): RandomKeys {
  switch (kind) {
    case 'text': {
      const keys = randomTexts(count);
      return { kind, keys, rows: keys.map(utf8) };
    }
    case 'bytes': {
      const keys = randomByteStrings(count);
      const { data, offsets } = keys;
      return { kind, keys, rows: Array.from({ length: count }, (_, i) => data.subarray(offsets[i], offsets[i + 1])) };
    }
    case 'int32': {
      const keys = Int32Array.from(randomInt64s(count), (value) => Number(BigInt.asIntN(32, value)));
      return { kind, keys, rows: bigEndian(keys, 4, (view, i) => view.setInt32(0, keys[i])) };
    }
    case 'int64': {
      const keys = randomInt64s(count);
      return { kind, keys, rows: bigEndian(keys, 8, (view, i) => view.setBigInt64(0, keys[i])) };
    }
    case 'uuid': {
      const bytes = randomBytes(16 * count);
      bytes.fill(0, 0, 16).fill(0xff, 16, 32);
      const rows = Array.from({ length: count }, (_, i) => bytes.subarray(16 * i, 16 * i + 16));
      return { kind, keys: rows.map((row, i) => (i % 3 === 0 ? uuidText(row).toUpperCase() : uuidText(row))), rows };
    }
  }
}

/** The text of 16 bytes, as Java and PostgreSQL write it: f79c3e09-677c-4bbd-a479-3f349cb785e7. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Slices of one long random text. Only one in sixteen keeps its lone surrogates. */
function randomTexts(count: number): string[] {
  const text = Array.from(randomBytes(count), (byte) => CHARACTERS[byte % CHARACTERS.length]);
  return randomSlices(count).map(([at, length], i) => {
    const key = text.slice(at, at + length).join('');
    return i % 16 === 0 ? key : key.replace(/\p{Surrogate}/gu, '{');
  });
}

/** Slices of random bytes. */
function randomByteStrings(count: number): BytesColumn {
  const bytes = randomBytes(count);
  const slices = randomSlices(count);
  const offsets = new Uint32Array(count + 1);
  for (const [row, [, length]] of slices.entries()) offsets[row + 1] = offsets[row] + length;
  const data = new Uint8Array(offsets[count]);
  for (const [row, [at, length]] of slices.entries()) data.set(bytes.subarray(at, at + length), offsets[row]);
  return { data, offsets };
}

/** Where slices of `count` elements start, and their lengths: seven in eight are shorter than 25, the others up to 300. */
function randomSlices(count: number): (readonly [at: number, length: number])[] {
  const random = new Uint32Array(randomU64s(count, SEED + 1).buffer); // not the numbers that the slices are made of
  return Array.from({ length: count }, (_, i) => {
    const [place, dice] = [random[2 * i], random[2 * i + 1]];
    const length = (dice >>> 3) % (dice % 8 === 0 ? LONGEST + 1 : 25);
    return [place % (count - LONGEST), length] as const;
  });
}

/** First the powers of two and their neighbours, then integers from -1000 to 1000, then random ones of every size. */
function randomInt64s(count: number): BigInt64Array {
  const keys = new BigInt64Array(randomU64s(count).buffer).map((value, i) => value >> BigInt(i % 64));
  const powers = Array.from({ length: 64 }, (_, bit) => 1n << BigInt(bit));
  const edges = powers.flatMap((power) => [power - 1n, power, power + 1n, -power - 1n, -power, -power + 1n]);
  const small = Array.from({ length: 2001 }, (_, i) => BigInt(i - 1000));
  keys.set([...edges, ...small].slice(0, count)); // those beyond 64 bits wrap around
  return keys;
}

function bigEndian(keys: ArrayLike<unknown>, width: number, write: (view: DataView, i: number) => void): Uint8Array[] {
  return Array.from({ length: keys.length }, (_, i) => {
    const row = new Uint8Array(width);
    write(new DataView(row.buffer), i);
    return row;
  });
}
