// Sets and their bytes in the portable 64-bit format, written by hand after RoaringFormatSpec, "Extention for 64-bit
// implementations" and "Standard 32-bit Roaring Bitmap": https://github.com/RoaringBitmap/RoaringFormatSpec

/** `count` bytes little-endian of a value. */
const le = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** i) & 255);
const u16 = (value: number): number[] => le(value, 2);
const u32 = (value: number): number[] => le(value, 4);
const u64 = (value: number): number[] => le(value, 8);

interface SetBytes {
  readonly name: string;
  readonly ids: readonly bigint[];
  readonly bytes: Uint8Array;
}

const range = (from: bigint, to: bigint): bigint[] =>
  Array.from({ length: Number(to - from) }, (_, i) => from + BigInt(i));

/** As we write them, too. */
export const CANONICAL: readonly SetBytes[] = [
  { name: 'nothing', ids: [], bytes: Uint8Array.from(u64(0)) },
  {
    name: '7',
    ids: [7n],
    bytes: Uint8Array.of(
      ...[1, 0, 0, 0, 0, 0, 0, 0], // one bitmap
      ...[0, 0, 0, 0], // of high word 0
      ...[0x3a, 0x30, 0, 0], // cookie 12346: no runs
      ...[1, 0, 0, 0], // one container
      ...[0, 0, 0, 0], // of key 0 and one value
      ...[16, 0, 0, 0], // at byte 16 of the bitmap
      ...[7, 0], // 7
    ),
  },
  {
    name: '1, 65,537 and 65,540; the largest id',
    ids: [1n, 65537n, 65540n, 2n ** 64n - 1n],
    bytes: Uint8Array.from([
      ...u64(2),
      ...[...u32(0), ...u32(12346), ...u32(2)],
      ...[...u16(0), ...u16(0), ...u16(1), ...u16(1), ...u32(24), ...u32(26)],
      ...[...u16(1), ...u16(1), ...u16(4)],
      ...[...u32(2 ** 32 - 1), ...u32(12346), ...u32(1)],
      ...[...u16(65535), ...u16(0), ...u32(16), ...u16(65535)],
    ]),
  },
  {
    name: 'a run of 11 to 15 and 20: the example of the specification, and a container without runs',
    ids: [...range(11n, 16n), 20n, 65536n].map((low) => 2n ** 32n + low),
    bytes: Uint8Array.from([
      ...[...u64(1), ...u32(1)],
      ...[...u16(12347), ...u16(2 - 1), 0b01], // two containers, the first one of runs; no offsets
      ...[...u16(0), ...u16(6 - 1), ...u16(1), ...u16(1 - 1)],
      ...[...u16(2), ...u16(11), ...u16(4), ...u16(20), ...u16(0)],
      ...u16(0),
    ]),
  },
  {
    name: 'four containers with runs, which have offsets, one of them full',
    ids: [...range(0n, 100n), ...range(65536n, 131072n), 131072n, 2n ** 32n - 1n],
    bytes: Uint8Array.from([
      ...[...u64(1), ...u32(0)],
      ...[...u16(12347), ...u16(4 - 1), 0b0011],
      ...[...u16(0), ...u16(99), ...u16(1), ...u16(65535), ...u16(2), ...u16(0), ...u16(65535), ...u16(0)],
      ...[...u32(37), ...u32(43), ...u32(49), ...u32(51)],
      ...[...u16(1), ...u16(0), ...u16(99)],
      ...[...u16(1), ...u16(0), ...u16(65535)],
      ...u16(0),
      ...u16(65535),
    ]),
  },
  {
    name: 'every other id below 10,000: a bitset',
    ids: Array.from({ length: 5000 }, (_, i) => BigInt(2 * i)),
    bytes: Uint8Array.from([
      ...[...u64(1), ...u32(0), ...u32(12346), ...u32(1), ...u16(0), ...u16(4999), ...u32(16)],
      ...Array.from({ length: 8192 }, (_, byte) => (byte < 1250 ? 0b01010101 : 0)),
    ]),
  },
];

/** As others may write them. */
export const OTHERS: readonly SetBytes[] = [
  {
    name: 'an empty bitmap, as a Roaring64Map has where all ids were taken out',
    ids: [2n ** 32n],
    bytes: Uint8Array.from([
      ...u64(2),
      ...[...u32(0), ...u32(12346), ...u32(0)],
      ...[...u32(1), ...u32(12346), ...u32(1), ...u16(0), ...u16(0), ...u32(16), ...u16(0)],
    ]),
  },
  {
    name: 'only an empty bitmap',
    ids: [],
    bytes: Uint8Array.from([...u64(1), ...u32(9), ...u32(12346), ...u32(0)]),
  },
  {
    name: 'runs that CRoaring would write as arrays',
    ids: [5n, 6n, 65536n],
    bytes: Uint8Array.from([
      ...[...u64(1), ...u32(0), ...u16(12347), ...u16(1), 0b11, ...u16(0), ...u16(1), ...u16(1), ...u16(0)],
      ...[...u16(1), ...u16(5), ...u16(1)],
      ...[...u16(1), ...u16(0), ...u16(0)],
    ]),
  },
];

const bitmap = (...parts: number[][]): number[] => [...u64(1), ...u32(0), ...parts.flat()];
const runs = (cardinality: number, ...words: number[]): number[] =>
  bitmap(u16(12347), u16(0), [1], u16(0), u16(cardinality - 1), words.flatMap(u16));
const one = [...u32(12346), ...u32(1), ...u16(0), ...u16(0), ...u32(16), ...u16(7)];

/** Bytes that are no set, and what is said about them. */
export const BAD: readonly (readonly [name: string, bytes: readonly number[], message: string])[] = [
  ['no bytes', [], 'at least 8 bytes, got 0'],
  ['a byte behind', [...u64(0), 0], '8 bytes, which 0 bitmaps take, got 9'],
  ['more bitmaps than bytes', [...u64(2 ** 40), ...u32(0), ...one], 'at least 34 bytes, got 30'],
  ['high words that descend', [...u64(2), ...u32(1), ...one, ...u32(0), ...one], 'from 2 on, got 0 at byte 30'],
  ['a high word twice', [...u64(2), ...u32(1), ...one, ...u32(1), ...one], 'from 2 on, got 1 at byte 30'],
  ['another cookie', bitmap(u32(12345), u32(0)), 'a cookie of 12346 or 12347, got 12345 at byte 12'],
  ['a cookie without runs, and more', bitmap(u32(12346 + 65536), u32(0)), 'got 77882 at byte 12'],
  ['too many containers', bitmap(u32(12346), u32(65537)), 'at most 65536 containers, got 65537 at byte 16'],
  [
    'keys that do not ascend',
    bitmap(u32(12346), u32(2), u32(3), u32(3), u32(24), u32(26), u16(1), u16(1)),
    'keys that ascend, from 4 on, got 3 at byte 24',
  ],
  ['another offset', bitmap(u32(12346), u32(1), u32(0), u32(17), u16(1), [0]), 'an offset of 16, got 17 at byte 24'],
  [
    'values that do not ascend',
    bitmap(u32(12346), u32(1), u16(0), u16(2), u32(16), u16(1), u16(5), u16(5)),
    'values that ascend, from 6 on, got 5 at byte 32',
  ],
  [
    'a bitset of another cardinality',
    bitmap(u32(12346), u32(1), u16(0), u16(4999), u32(16), new Array(8192).fill(1)),
    '5000 values, got 8192 at byte 28',
  ],
  ['no runs in a container of runs', runs(1, 0), '1 values, got 0 at byte 21'],
  ['runs of another cardinality', runs(4, 1, 5, 2), '4 values, got 3 at byte 21'],
  ['a run that ends past 65535', runs(4, 1, 65534, 3), 'from 0 to 65535, got 65534 to 65537 at byte 23'],
  ['runs that overlap', runs(6, 2, 5, 2, 6, 2), 'from 9 to 65535, got 6 to 8 at byte 27'],
  ['runs that touch', runs(6, 2, 5, 2, 8, 2), 'from 9 to 65535, got 8 to 10 at byte 27'],
];
