import { encoder } from '../utf8.js';
import type { Spans } from './types.js';

/**
 * The kernels for lines, separate from the others because most programs do not need them. Every array must be that of a
 * resident column, because a row can be longer than a piece.
 */
export interface LineKernels {
  /**
   * Finds the lines whose last byte lies in `data[from..to)`, at most as many as `ends` has elements. The
   * caller sets `starts[0]` to the start of the first one. For each line this sets `ends[i]`, before the
   * `\n` or `\r\n`, and `starts[i + 1]`; `starts` is one element longer than `ends`.
   * @param end the last byte of a line: `\n`, or NUL
   * @returns the number of lines
   */
  lines(
    data: Uint8Array,
    [from, to]: readonly [number, number],
    end: number,
    starts: Uint32Array,
    ends: Uint32Array,
  ): number;
  /**
   * Writes `shard <TAB> row \n` for every row; `text` has room for the rows and 12 bytes for each.
   * @returns how many bytes were written
   */
  shardedRows(spans: Spans, shards: Uint32Array, text: Uint8Array): number;
  /**
   * Writes `shard \n` for every row; `text` has room for 11 bytes a row.
   * @returns how many bytes were written
   */
  shardRows(shards: Uint32Array, text: Uint8Array): number;
}

/**
 * The kernels for records, separate from the others because most programs do not need them. Every array must be that of a
 * resident column.
 */
export interface RecordKernels {
  /**
   * Cuts bytes into records, and finds the fields that are wanted. Stops before the first record that is malformed or
   * incomplete. Records are as in RFC 4180: they end with `\n` or `\r\n`; a field in quotes may hold delimiters, line
   * ends and doubled quotes. A `\r` anywhere else is data. So is what is escaped, also in quotes. An empty line is no
   * record. A malformed record ends with the line in which the fault shows, or with its first line if its quotes are
   * never closed. A record with a wanted field that is NULL, an escaped N, is malformed.
   * @returns the number of records
   */
  csvRecords(bytes: CsvBytes, found: CsvColumns): number;
  /**
   * Finds the values of paths in lines, each a JSON object as in RFC 8259. Stops before the first line that is malformed.
   * A string is found without its quotes, or with them if it has escapes, so a value starts with a quote only if it has
   * to be unescaped. A number, `true` and `false` are found as they are written. If a name occurs twice, the last one
   * counts.
   * @returns the number of lines
   */
  jsonRecords(lines: Spans, paths: JsonPaths, found: JsonColumns): number;
  /**
   * Writes the keys of the first `rows` records one after the other: the key of row i is
   * `text[offsets[i]..offsets[i + 1])`. The key of one field is its value. The key of several fields is all their values,
   * each except the last as `byte length:value:`, so that different keys always differ as text.
   * @param text has room for the fields, and 12 bytes for each except the last
   */
  keyColumn(data: Uint8Array, found: KeyColumns, rows: number, text: Uint8Array, offsets: Uint32Array): void;
  /**
   * Writes each record with the text of its row added at its end, then its line end, or `\n` if it has none. In NDJSON the
   * text goes before the last brace, after a comma if the object is not empty.
   * @param text has room for the records and their texts, two bytes a row, and 15 more
   * @returns how many bytes were written
   */
  appendColumn(records: AppendedRecords, column: Texts, text: Uint8Array): number;
  /**
   * Writes for each row its text, its line and `\n`.
   * @param text has room for the lines and their texts, a byte a row, and 15 more
   * @returns how many bytes were written
   */
  prefixLines(lines: Spans, column: Texts, text: Uint8Array): number;
  /**
   * Appends rows, from `first` on, to the buffers of their shards, each with its line end, or `\n` if it has none.
   * @param shards the shards of the rows
   * @param isWhole whether `\r\n` is kept; otherwise it becomes `\n`
   * @returns the first row that does not fit its buffer together with 15 more bytes
   */
  scatterRows(rows: AppendedRecords, shards: Uint32Array, first: number, isWhole: boolean, to: ShardBuffers): number;
  /**
   * Writes rows of values between fixed texts one after the other, as {@link RecordKernels.keyColumn} writes keys.
   * @param text has room for 28 bytes a value or for its text, for the texts around the values, and 15 more
   */
  tableRows(table: CellRows, rows: number, text: Uint8Array, offsets: Uint32Array): void;
  /**
   * Reads dates that exist, such as `2024-03-01T10:30:15.500Z` or without milliseconds, as Unix milliseconds.
   * @returns the first row that is not such a date, or -1
   */
  parseDates(texts: Spans, values: Float64Array): number;
}

/** What {@link RecordKernels.tableRows} writes. */
interface CellRows {
  readonly columns: readonly CellColumn[];
  /** What ends a row. */
  readonly end: Uint8Array;
  /** Room for six values a column, and six more. */
  readonly descriptors: Uint32Array;
}

interface CellColumn {
  readonly kind: CellKind;
  readonly values: BigUint64Array | Uint32Array | Float64Array;
  /** The fixed texts before and after a value; empty with `texts`. Each is followed by 15 more bytes in memory. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** For the kind `text`: the texts, including the fixed texts around them. */
  readonly texts?: Texts | undefined;
}

/**
 * How values are written. `u64` and `u32`: in decimal. `hex`: u64s in 16 digits. `ms`: f64s up to 2^53 in decimal, with up
 * to three decimals. `date`: f64s of Unix milliseconds as ISO 8601 dates, and nothing for a time that a Date cannot hold;
 * `dateIfAny` then leaves out the fixed texts around it, too. `text`: u32s, which are indexes of texts.
 */
export type CellKind = (typeof CELL_KINDS)[number];

export const CELL_KINDS = ['u64', 'u32', 'hex', 'ms', 'date', 'dateIfAny', 'text'] as const;

export interface ShardBuffers {
  /** The buffer of shard s starts at `s * capacity`. */
  readonly data: Uint8Array;
  readonly capacity: number;
  /** How many bytes each buffer holds. */
  readonly filled: Uint32Array;
}

/**
 * Records as they were found. Their data is followed by 15 more bytes in memory. `starts` is one element longer than `ends`,
 * because it also has where the next record after them starts. Empty lines may lie between a record and the next one.
 */
export interface AppendedRecords extends Spans {
  /** For NDJSON: the places of the last braces. */
  readonly closes?: Uint32Array | undefined;
}

/** The length of the line end after a record: 0 at the end of the input, where `next` is `end`. Empty lines may follow it. */
export function lineEndLength(data: Uint8Array, end: number, next: number): number {
  if (next === end) return 0;
  return data[end] === CARRIAGE_RETURN ? 2 : 1;
}

const CARRIAGE_RETURN = 0x0d;

/** Text i is `text[offsets[i]..offsets[i + 1])`. 15 more bytes follow in memory. */
export interface Texts {
  readonly text: Uint8Array;
  readonly offsets: Uint32Array;
}

/** The wanted fields of up to `most` records: the first field of all records, then the second, and so on. */
export interface KeyColumns extends FieldSyntax {
  readonly format: 'csv' | 'json';
  readonly most: number;
  /** How many fields are wanted. */
  readonly fields: number;
  readonly keyStarts: Uint32Array;
  readonly keyEnds: Uint32Array;
  /** Why and where the kernel stopped: see {@link Stop}. */
  readonly stop: Uint32Array;
}

/** For {@link CsvBytes.fields}. */
export const RAGGED = 0xffff_ffff;

/** CSV from the start of a record. */
export interface CsvBytes {
  /** At least 63 bytes longer than `to`. */
  readonly data: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Whether these are the last bytes, so that the last record needs no line end. */
  readonly isEnd: boolean;
  /** A byte other than a quote, `\r` or `\n`. */
  readonly delimiter: number;
  /** How many fields a record must have; 0 for any number; {@link RAGGED}: any number, and missing ones are empty. */
  readonly fields: number;
}

/**
 * What is found about up to `most` records. A field in quotes is found without them, or with them if it has doubled
 * quotes, so a field starts with a quote only if it has to be unquoted. Escapes are left as they are.
 */
export interface CsvColumns extends KeyColumns {
  readonly format: 'csv';
  /** Where each record starts, and where the next one after them starts: one element longer than `ends`. */
  readonly starts: Uint32Array;
  /** Where each record ends, without its line end. */
  readonly ends: Uint32Array;
  /** For each field up to the last wanted one: 0, or its number among the wanted ones, from 1. */
  readonly slots: Uint8Array;
}

export interface JsonColumns extends KeyColumns {
  readonly format: 'json';
  /** The place of each record's last brace. */
  readonly closes: Uint32Array;
}

/** Paths of names to values, 1 to 31. */
export interface JsonPaths {
  readonly names: readonly (readonly string[])[];
  /** Records need no values at so many of the last paths. If they are not closed, they must not have them. */
  readonly extra: number;
  /** Whether records must not have names outside of the paths, which have one name each, nor a name twice. */
  readonly isClosed: boolean;
  /** The result of {@link encodePaths}. */
  readonly encoded: Uint8Array;
  /** Working memory: {@link workBytes} bytes. */
  readonly work: Uint8Array;
}

/** How deep objects and arrays may be nested. */
export const MAX_LEVELS = 1024;

/** How many bytes of working memory a search for some paths needs. */
export function workBytes(names: JsonPaths['names']): number {
  return 5 * MAX_LEVELS + 4 + 6 * longestName(names);
}

/** The byte length of the longest name in some paths. */
export function longestName(names: JsonPaths['names']): number {
  return Math.max(...names.flat().map((name) => encoder().encode(name).length));
}

/** Encodes paths for `assembly/records/json.ts`. */
export function encodePaths(names: JsonPaths['names']): Uint8Array {
  const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
  const encodedName = (name: string) => {
    const bytes = encoder().encode(name);
    const filled = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    filled.set(bytes);
    return [u32(bytes.length), filled];
  };
  const paths = names.flatMap((path) => [u32(path.length), ...path.flatMap(encodedName)]);
  return Uint8Array.from([u32(names.length), ...paths].flatMap((part) => [...part]));
}

/** The elements of `stop`. "The record" is the one after those that were found. */
export const Stop = {
  /** The {@link Fault} of the record. */
  FAULT: 0,
  /** Where the record ends, without its line end. */
  END: 1,
  /** Where the next record starts. */
  NEXT: 2,
  /** How many line ends before it do not end a record: those within quotes, and those of empty lines. */
  BREAKS: 3,
  /** Not 0 if wanted fields have doubled quotes or escapes, or may have escapes. */
  ESCAPED: 4,
  LENGTH: 5,
} as const;

export const Fault = {
  NONE: 0,
  QUOTE_IN_FIELD: 1,
  TEXT_AFTER_QUOTE: 2,
  MISSING_FIELD: 3,
  OPEN_QUOTE: 4,
  NO_JSON: 5,
  NO_OBJECT: 6,
  TOO_DEEP: 7,
  /** A wanted value is missing, null, an object or an array; in CSV, NULL. The places of the others are written. */
  NO_KEY: 8,
  /** The record has a name that it may not have. */
  HAS_NAME: 9,
  /** The record has the wrong number of fields. */
  FIELD_COUNT: 10,
  /** The input ends with an escape character. */
  OPEN_ESCAPE: 11,
} as const;

// What the characters in a field of CSV mean, for all who read fields in JavaScript.

/** A byte that no byte equals, for a format without quotes or without escapes. */
export const NO_BYTE = 256;

/** The characters with a meaning in fields of CSV; {@link NO_BYTE} for one that has none. */
export interface FieldSyntax {
  readonly quote: number;
  /** The byte that makes the character after it data. A line break `\r\n` counts as one character. */
  readonly escaper: number;
}

const NEWLINE = 0x0a;

/** What an escape character and a letter mean, if not that letter. */
const ESCAPED = new Map(
  Object.entries({ 0: 0, b: 0x08, t: 0x09, n: NEWLINE, v: 0x0b, f: 0x0c, r: CARRIAGE_RETURN, Z: 0x1a }).map(
    ([letter, byte]) => [letter.charCodeAt(0), byte],
  ),
);

/** How many bytes the character at a place takes: 2 or 3 if it is escaped, otherwise 1. */
export function lengthAt(data: Uint8Array, at: number, to: number, escaper: number): number {
  if (data[at] !== escaper || at + 1 >= to) return 1;
  return data[at + 1] === CARRIAGE_RETURN && at + 2 < to && data[at + 2] === NEWLINE ? 3 : 2;
}

/** The value of a well-formed field: without its quotes, with doubled quotes as one, and without escapes. */
export function fieldValue(field: Uint8Array, { quote, escaper }: FieldSyntax): Uint8Array {
  const isQuoted = field[0] === quote;
  const value = new Uint8Array(field.length);
  let length = 0;
  for (let at = isQuoted ? 1 : 0, end = field.length - at; at < end; at++) {
    const byte = field[at];
    if (byte === escaper) {
      const next = field[++at];
      value[length++] = ESCAPED.get(next) ?? next;
    } else {
      value[length++] = byte;
      if (byte === quote) at++;
    }
  }
  return value.subarray(0, length);
}
