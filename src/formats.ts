import { namesIn } from './arguments.js';

// What files begin with that are not text in UTF-8, for all who read files.

/** The first bytes: each is a byte, or a condition on a byte. */
type FirstBytes = readonly (number | ((byte: number) => boolean))[];

const any = (): boolean => true;
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isBlockSize = (byte: number): boolean => isDigit(byte) && byte !== 0x30; // 1 to 9, times 100 kB
const isSkippable = (byte: number): boolean => byte >= 0x50 && byte <= 0x5f; // RFC 8878, 3.1.2
const isMultipleOf8 = (byte: number): boolean => byte % 8 === 0;
/** A byte that is neither text nor white space. Parquet has a Thrift field there: 0x15. */
const isControl = (byte: number): boolean => byte < 0x09 || (byte > 0x0d && byte < 0x20);
const isNoLineEnd = (byte: number): boolean => byte !== 0x0a && byte !== 0x0d;
const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));

export const GZIP_START = [0x1f, 0x8b, 0x08] as const;

// A start is long enough that it cannot be text: `PAR1`, `BZh9` and `PK` can be keys. The first format that fits is taken,
// because UTF-32 starts like UTF-16.
const STARTS = {
  gzip: [GZIP_START],
  zstd: [
    [0x28, 0xb5, 0x2f, 0xfd],
    [isSkippable, 0x2a, 0x4d, 0x18], // a frame that readers skip
  ],
  xz: [[0xfd, ...ascii('7zXZ'), 0x00]],
  bzip2: [
    [...ascii('BZh'), isBlockSize, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], // a block: pi
    [...ascii('BZh'), isBlockSize, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90], // the end, of no bytes: its square root
  ],
  // A zip whose first file is one of Excel's or Word's. ECMA-376 leaves their order open.
  'Office document': [
    ...['[Content_Types].xml', '_rels/', 'docProps/', 'xl/'].map((name) => [
      ...ascii('PK\x03\x04'),
      ...Array.from({ length: 26 }, () => any), // sizes and flags
      ...ascii(name),
    ]),
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], // before 2007: [MS-CFB] 2.2
  ],
  zip: [
    [...ascii('PK'), 0x03, 0x04], // a file
    [...ascii('PK'), 0x05, 0x06], // the end, of no files
  ],
  lz4: [[0x04, 0x22, 0x4d, 0x18]],
  'UTF-32': [
    [0xff, 0xfe, 0x00, 0x00],
    [0x00, 0x00, 0xfe, 0xff],
  ],
  'utf-16le': [[0xff, 0xfe]],
  'utf-16be': [[0xfe, 0xff]],
  Parquet: [[...ascii('PAR1'), isControl]],
  Avro: [[...ascii('Obj'), 0x01]],
  ORC: [[...ascii('ORC'), isNoLineEnd, isNoLineEnd, 0x00]], // a compressed chunk, below 64 KB
  Arrow: [
    [...ascii('ARROW1'), 0x00, 0x00], // a file
    [0xff, 0xff, 0xff, 0xff, isMultipleOf8, any, any, 0x00], // a stream: the length of a schema below 16 MB
  ],
  PNG: [[0x89, ...ascii('PNG\r\n')]],
  PDF: [[...ascii('%PDF-'), isDigit, 0x2e, isDigit]],
  // Names and numbers without a line end, which tells text from it early. The last one, because other starts are shorter.
  tar: [[...Array.from({ length: 257 }, () => isNoLineEnd), ...ascii('ustar')]],
} satisfies { readonly [name: string]: readonly FirstBytes[] };

/** The name of a format other than text in UTF-8. That of UTF-16 is also its name for `TextDecoder`. */
export type FormatName = keyof typeof STARTS;

const FORMATS = namesIn(STARTS).map((name): { readonly name: FormatName; readonly starts: readonly FirstBytes[] } => {
  return { name, starts: STARTS[name] };
});

/** How many bytes are needed to tell formats apart. */
export const START_BYTES = Math.max(...FORMATS.flatMap(({ starts }) => starts.map(({ length }) => length)));

/** The format of a file, from its first bytes; undefined for text. */
export function formatOf(head: Uint8Array): FormatName | undefined {
  return FORMATS.find(({ starts }) => starts.some((start) => head.length >= start.length && startsLike(start, head)))
    ?.name;
}

/** Whether more bytes are needed to tell the format: whether the first one that may fit is not complete. */
export function isUndecided(head: Uint8Array): boolean {
  const first = FORMATS.flatMap(({ starts }) => starts).find((start) => startsLike(start, head));
  return first !== undefined && head.length < first.length;
}

/** Whether the bytes agree with a start, up to the end of the shorter one. */
function startsLike(start: FirstBytes, head: Uint8Array): boolean {
  return start.every((expected, i) => {
    const byte = head[i];
    return byte === undefined || (typeof expected === 'number' ? byte === expected : expected(byte));
  });
}
