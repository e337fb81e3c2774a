/**
 * The kernels for records, in a module of their own, as most programs do without. Every array is a resident column's.
 * Records are as in RFC 4180: they end with `\n` or `\r\n`; a field in quotes may hold delimiters, line ends and doubled
 * quotes. A `\r` anywhere else is data.
 */
export interface RecordKernels {
  /**
   * Cuts bytes into records before the first that is malformed, or that is not there to its end, and finds the fields
   * that are wanted. A malformed record ends with the line in which that shows; one whose quotes are never closed, with
   * its first line.
   * @returns the number of records
   */
  csvRecords(bytes: CsvBytes, found: RecordColumns): number;
  /**
   * Writes the keys of the first `rows` records one after the other: that of row i becomes
   * `text[offsets[i]..offsets[i + 1])`. A key is the value of its field. Of several fields it is those of all, each but
   * the last as `byte length:value:`, so that no two different keys are written alike.
   * @param text has room for the fields, and 12 bytes for each but the last
   */
  keyColumn(data: Uint8Array, found: RecordColumns, rows: number, text: Uint8Array, offsets: Uint32Array): void;
}

/** CSV from the start of a record. */
export interface CsvBytes {
  /** 63 bytes longer than `to`, or more. */
  readonly data: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Whether nothing comes after them, so that the last record needs no line end. */
  readonly isEnd: boolean;
  /** A byte that is no quote and no line end. */
  readonly delimiter: number;
}

/** Where records are described, as many as `ends` holds. */
export interface RecordColumns {
  /** Where each starts, and the next one after them: one element longer than `ends`. */
  readonly starts: Uint32Array;
  /** Where each ends, without its line end. */
  readonly ends: Uint32Array;
  /** For each field up to the last that is wanted, that included: 0, or which of the wanted ones it is, from 1. */
  readonly slots: Uint8Array;
  /**
   * The first wanted field of all records, then the second and so on. A field in quotes is what they enclose, but with
   * them if there are doubled ones, so a field starts with a quote only if it has to be unquoted.
   */
  readonly keyStarts: Uint32Array;
  readonly keyEnds: Uint32Array;
  /** What {@link Stop} has places for. */
  readonly stop: Uint32Array;
}

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
  /** Not 0 if wanted fields have to be unquoted. */
  DOUBLED: 4,
  LENGTH: 5,
} as const;

/** What is wrong with a record. */
export const Fault = { NONE: 0, QUOTE_IN_FIELD: 1, TEXT_AFTER_QUOTE: 2, MISSING_FIELD: 3, OPEN_QUOTE: 4 } as const;
