import { checkBoolean, checkOneOf, checkOptions, checkRecord, wrongKind, wrongValue } from '../arguments.js';
import { kernelsWithColumns } from '../kernels/resident.js';
import { CsvBatches, type CsvFormat } from './read/csv.js';
import { type BufferedSource, LineBatches } from './read/lines.js';
import { JsonBatches, type NdjsonFormat } from './read/ndjson.js';

/** The format of records, and where their key is. */
export interface RecordFormat {
  /**
   * `csv` is RFC 4180: fields may be in quotes, with delimiters, line breaks and doubled quotes in them. `tsv` is the same
   * with tabs as delimiters. In `ndjson` every line is a JSON object.
   */
  format: 'csv' | 'tsv' | 'ndjson';
  /**
   * The name of a column in the header, or its number from 1; for NDJSON a path of names with dots. An array is a compound
   * key: its values are joined as `typedKey` joins texts, so that different keys never become the same text. It has up to
   * 255 columns, or 31 paths less one for each property that is added.
   */
  key: string | number | readonly (string | number)[];
  /** The character between the fields of `csv`, an ASCII character. The default is a comma. */
  delimiter?: string | undefined;
  /** Whether the first record of `csv` or `tsv` names the columns. The default is true. */
  header?: boolean | undefined;
  /**
   * Whether records of `csv` or `tsv` may have more or fewer fields than the header, or than the first record if there is
   * none. A missing key is then empty. The default is false: such records are malformed. Not where a column is added.
   */
  ragged?: boolean | undefined;
}

/** A {@link RecordFormat} that has been checked: plain data, for another thread. */
export type CheckedFormat = CsvFormat | NdjsonFormat;

const FORMATS = ['csv', 'tsv', 'ndjson'] as const;
const MAX_COLUMNS = 255;
const MAX_PATHS = 31; // including the added ones
const MAX_COLUMN = 65536;
const TAB = 0x09;
const COMMA = 0x2c;

/**
 * @param added columns or properties to add, which the records must not have yet
 * @param keepsMissing whether records without a key are kept: see `Batch.areKeysMissing`
 */
export function checkRecordFormat(
  records?: RecordFormat,
  added: readonly string[] = [],
  keepsMissing = false,
): CheckedFormat | undefined {
  if (records === undefined) return undefined;
  checkRecord('records', records);
  const known = ['format', 'key', 'delimiter', 'header', 'ragged'] as const;
  const { format, key, delimiter, header, ragged } = checkOptions(records, known, 'records');
  checkOneOf('records.format', format, FORMATS);
  if (header !== undefined) checkBoolean('records.header', header);
  if (ragged !== undefined) checkBoolean('records.ragged', ragged);
  const keys: readonly unknown[] = Array.isArray(key) ? Array.from(key) : [key];
  if (keys.length === 0) throw wrongValue('records.key', 'at least one column', key);
  if (delimiter !== undefined && format !== 'csv') {
    throw wrongValue('records.delimiter', "undefined except with format 'csv'", delimiter);
  }
  if (format === 'ndjson') {
    if (header !== undefined) throw wrongValue('records.header', "undefined with format 'ndjson'", header);
    if (ragged !== undefined) throw wrongValue('records.ragged', "undefined with format 'ndjson'", ragged);
    const paths = keys.map(checkPath);
    checkOnce(keys, MAX_PATHS - added.length, 'paths');
    return { format, paths, added, keepsMissing };
  }
  if (ragged && added.length > 0) throw wrongValue('records.ragged', 'false where a column is added', ragged);
  const hasHeader = header ?? true;
  const columns = keys.map((one) => checkColumn(one, hasHeader));
  checkOnce(keys, MAX_COLUMNS, 'columns');
  const between = format === 'tsv' ? TAB : delimiter === undefined ? COMMA : checkDelimiter(delimiter);
  return { format: 'csv', delimiter: between, keys: columns, hasHeader, isRagged: ragged ?? false, added };
}

/** The source of the lines of an input, or of its records. */
export function sourceOf(records: CheckedFormat | undefined): BufferedSource {
  const kernels = kernelsWithColumns();
  if (records === undefined) return new LineBatches(kernels);
  return records.format === 'csv' ? new CsvBatches(kernels, records) : new JsonBatches(kernels, records);
}

function checkOnce(keys: readonly unknown[], most: number, noun: string): void {
  if (new Set(keys).size < keys.length) throw wrongValue('records.key', 'each column once', keys);
  if (keys.length > most) throw wrongValue('records.key', `at most ${most} ${noun}`, keys.length);
}

function checkPath(key: unknown): string[] {
  if (typeof key !== 'string') throw wrongKind('records.key', 'a path of names with dots', key);
  const path = key.split('.');
  if (path.includes('')) throw wrongValue('records.key', 'a path of names with dots', key);
  return path;
}

function checkColumn(key: unknown, hasHeader: boolean): string | number {
  if (typeof key === 'string') {
    if (!hasHeader) throw wrongValue('records.key', 'the number of a column, because there is no header', key);
    return key;
  }
  if (typeof key !== 'number') throw wrongKind('records.key', 'the name of a column or its number', key);
  if (!Number.isInteger(key) || key < 1 || key > MAX_COLUMN) {
    throw wrongValue('records.key', `an integer from 1 to ${MAX_COLUMN}`, key);
  }
  return key;
}

function checkDelimiter(delimiter: unknown): number {
  if (typeof delimiter !== 'string') throw wrongKind('records.delimiter', 'a string', delimiter);
  const code = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || code > 127 || '"\r\n'.includes(delimiter)) {
    throw wrongValue('records.delimiter', 'one ASCII character, not a quote or a line break', delimiter);
  }
  return code;
}
