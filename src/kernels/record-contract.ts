import type { Spans } from './contract.js';

/** The kernels for records, apart from the others, as most programs do without. Every array is a resident column's. */
export interface RecordKernels {
  /**
   * Cuts bytes into records before the first that is malformed, or that is not there to its end, and finds the fields
   * that are wanted. Records are as in RFC 4180: they end with `\n` or `\r\n`; a field in quotes may hold delimiters,
   * line ends and doubled quotes. A `\r` anywhere else is data. A malformed record ends with the line in which that shows; one whose quotes are never closed, with
   * its first line.
   * @returns the number of records
   */
  csvRecords(bytes: CsvBytes, found: CsvColumns): number;
  /**
   * Finds the values along paths in lines, each a JSON object as in RFC 8259, before the first that is malformed. A
   * string is what its quotes enclose, but with them if there are escapes in it, so a value starts with a quote only if
   * it has to be unescaped. A number, `true` and `false` are as they are written. Of names that come twice the last one
   * counts.
   * @returns the number of lines
   */
  jsonRecords(lines: Spans, paths: JsonPaths, found: JsonColumns): number;
  /**
   * Writes the keys of the first `rows` records one after the other: that of row i becomes
   * `text[offsets[i]..offsets[i + 1])`. A key is the value of its field. Of several fields it is those of all, each but
   * the last as `byte length:value:`, so that no two different keys are written alike.
   * @param text has room for the fields, and 12 bytes for each but the last
   */
  keyColumn(data: Uint8Array, found: KeyColumns, rows: number, text: Uint8Array, offsets: Uint32Array): void;
  /**
   * Writes each record with the text of its row at its end, and its line end, or `\n` if it has none. In NDJSON that is
   * before its last brace, behind a comma unless there is nothing before it.
   * @param text has room for the records and their texts, two bytes a row, and 15
   * @returns the bytes written
   */
  appendColumn(records: AppendedRecords, column: Texts, text: Uint8Array): number;
  /**
   * Writes each line behind the text of its row, and `\n`.
   * @param text has room for the lines and their texts, a byte a row, and 15
   * @returns the bytes written
   */
  prefixLines(lines: Spans, column: Texts, text: Uint8Array): number;
  /**
   * Copies rows from the first on behind what is in the buffers of their shards, each with its line end, or `\n`.
   * @param shards of the rows
   * @param isWhole whether a `\r\n` stays one
   * @returns the first row for which its buffer has no room, and 15 bytes more
   */
  scatterRows(rows: AppendedRecords, shards: Uint32Array, first: number, isWhole: boolean, to: ShardBuffers): number;
  /**
   * Writes rows of values between fixed texts one after the other, as {@link RecordKernels.keyColumn} writes keys.
   * @param text has room for 28 bytes a value or for its text, for the texts around them, and 15
   */
  tableRows(table: CellRows, rows: number, text: Uint8Array, offsets: Uint32Array): void;
  /**
   * Reads dates as Unix milliseconds: dates that exist, as `2024-03-01T10:30:15.500Z`, or without milliseconds.
   * @returns the first row that is not such a date, or -1
   */
  parseDates(texts: Spans, values: Float64Array): number;
}

/** What {@link RecordKernels.tableRows} writes. */
export interface CellRows {
  readonly columns: readonly CellColumn[];
  /** What ends a row. */
  readonly end: Uint8Array;
  /** Room for six values a column, and six. */
  readonly descriptors: Uint32Array;
}

export interface CellColumn {
  readonly kind: CellKind;
  readonly values: BigUint64Array | Uint32Array | Float64Array;
  /** What stands before a value and after it: nothing with `texts`. Each has 15 bytes more than it has. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Of `text`: the texts, with what stands around them. */
  readonly texts?: Texts | undefined;
}

/**
 * How values are written. `u64` and `u32` in decimal; `hex`, u64s in 16 digits; `ms`, f64s up to 2^53 in decimal, with up to
 * three decimals where they are not whole; `date`, f64s of Unix milliseconds as ISO 8601 dates, nothing for one beyond
 * what a Date holds, and with `dateIfAny` nothing around it either; `text`, u32s as the texts of which they are the indexes.
 */
export type CellKind = (typeof CELL_KINDS)[number];

export const CELL_KINDS = ['u64', 'u32', 'hex', 'ms', 'date', 'dateIfAny', 'text'] as const;

/** A buffer for each shard. */
export interface ShardBuffers {
  /** That of shard s starts at `s * capacity`. */
  readonly data: Uint8Array;
  readonly capacity: number;
  /** How many bytes are in each. */
  readonly filled: Uint32Array;
}

/** Records as they were found. Their data has 15 bytes more. */
export interface AppendedRecords {
  readonly data: Uint8Array;
  /** One element longer than `ends`. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Of NDJSON: the places of the last braces. */
  readonly closes?: Uint32Array | undefined;
}

/** Text i is `text[offsets[i]..offsets[i + 1])`. There are 15 bytes more. */
export interface Texts {
  readonly text: Uint8Array;
  readonly offsets: Uint32Array;
}

/** The wanted fields of records, of `most` rows: the first field of all of them, then the second and so on. */
export interface KeyColumns {
  readonly format: 'csv' | 'json';
  readonly most: number;
  /** How many there are. */
  readonly fields: number;
  readonly keyStarts: Uint32Array;
  readonly keyEnds: Uint32Array;
  /** What {@link Stop} has places for. */
  readonly stop: Uint32Array;
}

/** CSV from the start of a record. */
export interface CsvBytes {
  /** 63 bytes longer than `to`, or more. */
  readonly data: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Whether nothing comes after them, so that the last record needs no line end. */
  readonly isEnd: boolean;
  /** A byte that is no quote, `\r` or `\n`. */
  readonly delimiter: number;
  /** How many fields a record has to have; 0 for any number. */
  readonly fields: number;
}

/**
 * Where records are described, `most` of them. A field in quotes is what they enclose, but with them if there are
 * doubled ones, so a field starts with a quote only if it has to be unquoted.
 */
export interface CsvColumns extends KeyColumns {
  /** Where each starts, and the next one after them: one element longer than `ends`. */
  readonly starts: Uint32Array;
  /** Where each ends, without its line end. */
  readonly ends: Uint32Array;
  /** For each field up to the last that is wanted, that included: 0, or which of the wanted ones it is, from 1. */
  readonly slots: Uint8Array;
}

/** Where records of NDJSON are described. */
export interface JsonColumns extends KeyColumns {
  /** The place of each record's last brace. */
  readonly closes: Uint32Array;
}

/** Paths of names to values, 1 to 31. */
export interface JsonPaths {
  readonly names: readonly (readonly string[])[];
  /** How many of the last paths are no wanted fields: a record that has one, whatever its value, is malformed. */
  readonly refused: number;
  /** What {@link encodePaths} makes of the names. */
  readonly encoded: Uint8Array;
  /** {@link workBytes} of them. */
  readonly work: Uint8Array;
}

/** Objects and arrays within each other. */
export const MOST_LEVELS = 1024;

/** How many bytes of working memory it takes to look for some paths. */
export function workBytes(names: JsonPaths['names']): number {
  return 5 * MOST_LEVELS + 4 + 6 * longestName(names);
}

/** The byte length of the longest name in some paths. */
export function longestName(names: JsonPaths['names']): number {
  return Math.max(...names.flat().map((name) => encoder.encode(name).length));
}

/** Paths as `assembly/records/json.ts` reads them. */
export function encodePaths(names: JsonPaths['names']): Uint8Array {
  const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
  const parts = [u32(names.length)];
  for (const path of names) {
    parts.push(u32(path.length));
    for (const name of path) {
      const bytes = encoder.encode(name);
      const filled = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
      filled.set(bytes);
      parts.push(u32(bytes.length), filled);
    }
  }
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const encoder = new TextEncoder();

/** Places in `stop`. */
export const Stop = {
  /** One of {@link Fault}, of the record that follows. */
  FAULT: 0,
  /** Where it ends, without its line end. */
  END: 1,
  /** Where the one after it starts. */
  NEXT: 2,
  /** How many line ends the records before it have within quotes. */
  BREAKS: 3,
  /** Not 0 if wanted fields have doubled quotes or escapes. */
  ESCAPED: 4,
  LENGTH: 5,
} as const;

/** What is wrong with a record. */
export const Fault = {
  NONE: 0,
  QUOTE_IN_FIELD: 1,
  TEXT_AFTER_QUOTE: 2,
  MISSING_FIELD: 3,
  OPEN_QUOTE: 4,
  NO_JSON: 5,
  NO_OBJECT: 6,
  TOO_DEEP: 7,
  /** A wanted value is missing, null, an object or an array. */
  NO_KEY: 8,
  /** The name that is refused is there. */
  HAS_NAME: 9,
  /** A record has another number of fields than it has to. */
  FIELD_COUNT: 10,
} as const;
