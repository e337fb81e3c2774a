import { checkBoolean, checkOneOf, checkOptions, checkRecord, wrongKind, wrongValue } from '../arguments.js';
import { kernelsWithColumns } from '../kernels/active.js';
import { type CellKind, NO_BYTE } from '../kernels/record-types.js';
import { abilitiesOf, type Routing } from '../routing/routing.js';
import { NEWLINE } from './batch.js';
import { CsvBatches, type CsvFormat, type CsvSyntax, QUOTE } from './sources/csv.js';
import { type BufferedSource, LineBatches, MAX_LINE, PlacedLineBatches } from './sources/lines.js';
import { JsonBatches, type NdjsonFormat } from './sources/ndjson.js';

/** The format of records, and where their key is. */
export interface RecordFormat {
  /**
   * `csv` is RFC 4180: fields may be in quotes, with delimiters, line breaks and doubled quotes in them. `tsv` is the same
   * with tabs as delimiters. In `ndjson` every line is a JSON object. `parquet` is for whole files, which
   * `@duckdb/node-api` reads and writes; it has only a `key`.
   */
  format: 'csv' | 'tsv' | 'ndjson' | 'parquet';
  /**
   * The name of a column in the header, or its number from 1; for NDJSON and Parquet a path of names with dots. An
   * array is a compound key: its values are joined as `typedKey` joins texts, so that different keys never become the same
   * text. It has up to 255 columns, or 31 paths less one for each property that is added.
   */
  key: string | number | readonly (string | number)[];
  /** The character between the fields of `csv`, an ASCII character. The default is a comma. */
  delimiter?: string | undefined;
  /** With `none`, a quote in `csv` or `tsv` is a character like any other, as in the dumps of npm, PyPI and PostgreSQL. */
  quote?: 'none' | undefined;
  /**
   * The character that makes the character after it data in `csv` or `tsv`: a delimiter, a quote, a line break or itself.
   * It is an ASCII character, usually a backslash, as MySQL and PostgreSQL write it. A key is hashed without escapes. After
   * the escape character, `b`, `f`, `n`, `r`, `t` and `v` mean control characters as in JavaScript, `0` means NUL and `Z`
   * means 0x1a. A field that is the escape character and an `N` is NULL, and a record whose key is NULL has no key.
   */
  escape?: string | undefined;
  /** Whether the first record of `csv` or `tsv` names the columns. The default is true. */
  header?: boolean | undefined;
  /**
   * Whether records of `csv` or `tsv` may have more or fewer fields than the header, or than the first record if there is
   * none. A missing key is then empty. The default is false: such records are malformed. Not where a column is added.
   */
  ragged?: boolean | undefined;
}

/** A {@link RecordFormat} that has been checked: plain data, for another thread. */
export type CheckedFormat = CsvFormat | NdjsonFormat | LineFormat;

/** What ends a line, beside `\n` or `\r\n`: `nul`, as `find -print0` writes it. */
export type LineEnd = 'nul';

/** Lines. Placed ones say their shard: `SHARD <TAB> KEY`. Plain data, for another thread. */
export interface LineFormat {
  readonly format: 'lines' | 'placed lines';
  readonly lineEnd: LineEnd | undefined;
  readonly added: readonly [];
}

export const isOfLines = (records: CheckedFormat | undefined): records is LineFormat | undefined =>
  records === undefined || records.format === 'lines' || records.format === 'placed lines';

/** The last byte of a line. */
export const lineEndOf = (records: CheckedFormat | undefined): number =>
  isOfLines(records) && records?.lineEnd === 'nul' ? 0 : NEWLINE;

export function checkLineFormat(
  format: LineFormat['format'],
  lineEnd: LineEnd | undefined,
  records: RecordFormat | undefined,
): LineFormat {
  if (lineEnd !== undefined) checkOneOf('lineEnd', lineEnd, ['nul']);
  if (lineEnd !== undefined && records !== undefined) throw wrongValue('lineEnd', 'undefined with records', lineEnd);
  return { format, lineEnd, added: [] };
}

const FORMATS = ['csv', 'tsv', 'ndjson'] as const;
const MAX_COLUMNS = 255;
export const MAX_PATHS = 31; // including the added ones
const MAX_COLUMN = 65536;
const TAB = 0x09;
const COMMA = 0x2c;

/**
 * @param added columns or properties to add, which the records must not have yet
 * @param shard the column that says the shard of each record, or its path: see `Batch.shardTexts`
 */
export function checkRecordFormat(
  records?: RecordFormat,
  added: readonly string[] = [],
  shard?: string | number,
): CsvFormat | NdjsonFormat | undefined {
  if (records === undefined) return undefined;
  checkRecord('records', records);
  const known = ['format', 'key', 'delimiter', 'quote', 'escape', 'header', 'ragged'] as const;
  const { format, key, delimiter, quote, escape: escaper, header, ragged } = checkOptions(records, known, 'records');
  checkOneOf<RecordFormat['format']>('records.format', format, FORMATS);
  if (quote !== undefined) checkOneOf('records.quote', quote, ['none']);
  if (header !== undefined) checkBoolean('records.header', header);
  if (ragged !== undefined) checkBoolean('records.ragged', ragged);
  const keys: readonly unknown[] = Array.isArray(key) ? Array.from(key) : [key];
  if (keys.length === 0) throw wrongValue('records.key', 'at least one column', key);
  const others = shard === undefined ? 0 : 1;
  if (shard !== undefined && keys.includes(shard)) {
    throw wrongValue('records.shard', 'another column than the key', shard);
  }
  if (delimiter !== undefined && format !== 'csv') {
    throw wrongValue('records.delimiter', "undefined except with format 'csv'", delimiter);
  }
  if (format === 'ndjson') {
    for (const [name, given] of Object.entries({ quote, escape: escaper, header, ragged })) {
      if (given !== undefined) throw wrongValue(`records.${name}`, "undefined with format 'ndjson'", given);
    }
    const paths = keys.map((one) => checkPath(one));
    checkOnce(keys, MAX_PATHS - added.length - others, 'paths');
    const shardPath = shard === undefined ? undefined : checkPath(shard, 'records.shard');
    return { format, paths, shard: shardPath, added };
  }
  if (ragged && added.length > 0) throw wrongValue('records.ragged', 'false where a column is added', ragged);
  const hasHeader = header ?? true;
  const columns = keys.map((one) => checkColumn(one, hasHeader));
  checkOnce(keys, MAX_COLUMNS - others, 'columns');
  const syntax = {
    delimiter: format === 'tsv' ? TAB : delimiter === undefined ? COMMA : checkCharacter('delimiter', delimiter),
    quote: quote === 'none' ? NO_BYTE : QUOTE,
    escaper: escaper === undefined ? NO_BYTE : checkCharacter('escape', escaper),
  };
  checkDifferent(syntax);
  const checked = {
    format: 'csv',
    ...syntax,
    keys: columns,
    shard: shard === undefined ? undefined : checkColumn(shard, hasHeader, 'records.shard'),
    hasHeader,
    isRagged: ragged ?? false,
    added,
  } as const;
  checkFields(added, checked);
  return checked;
}

/**
 * Records that have the fields of a layout, in any order, each once.
 * @param others what else they may have, which is left out
 */
export function fieldsFormat(
  format: RecordFormat['format'],
  fields: readonly string[],
  others: readonly string[],
): CsvFormat | NdjsonFormat {
  const checked = checkRecordFormat({ format, key: fields }) as CsvFormat | NdjsonFormat;
  return { ...checked, others: others.filter((name) => !fields.includes(name)) };
}

/** The format for keys of routings: column by column if one of them hashes several. */
export function formatFor<F extends CheckedFormat | undefined>(format: F, routings: readonly Routing<any>[]): F {
  if (isOfLines(format)) return format;
  return { ...format, isSplit: routings.some((routing) => (abilitiesOf(routing).kinds?.length ?? 0) > 1) };
}

/** The source of the lines of an input, or of its records. */
export function sourceOf(records: CheckedFormat | undefined): BufferedSource {
  const kernels = kernelsWithColumns();
  if (isOfLines(records)) {
    const Source = records?.format === 'placed lines' ? PlacedLineBatches : LineBatches;
    return new Source(kernels, MAX_LINE, lineEndOf(records));
  }
  if (records.format === 'csv') return new CsvBatches(kernels, records);
  return new JsonBatches(kernels, records);
}

function checkOnce(keys: readonly unknown[], most: number, noun: string): void {
  if (new Set(keys).size < keys.length) throw wrongValue('records.key', 'each column once', keys);
  if (keys.length > most) throw wrongValue('records.key', `at most ${most} ${noun}`, keys.length);
}

function checkPath(key: unknown, argument = 'records.key'): string[] {
  if (typeof key !== 'string') throw wrongKind(argument, 'a path of names with dots', key);
  const path = key.split('.');
  if (path.includes('')) throw wrongValue(argument, 'a path of names with dots', key);
  return path;
}

function checkColumn(key: unknown, hasHeader: boolean, argument = 'records.key'): string | number {
  if (typeof key === 'string') {
    if (!hasHeader) throw wrongValue(argument, 'the number of a column, because there is no header', key);
    return key;
  }
  if (typeof key !== 'number') throw wrongKind(argument, 'the name of a column or its number', key);
  if (!Number.isInteger(key) || key < 1 || key > MAX_COLUMN) {
    throw wrongValue(argument, `an integer from 1 to ${MAX_COLUMN}`, key);
  }
  return key;
}

function checkCharacter(name: 'delimiter' | 'escape', character: unknown): number {
  if (typeof character !== 'string') throw wrongKind(`records.${name}`, 'a string', character);
  const code = character.charCodeAt(0);
  if (character.length !== 1 || code > 127 || '"\r\n'.includes(character)) {
    throw wrongValue(`records.${name}`, 'one ASCII character, not a quote or a line break', character);
  }
  return code;
}

/**
 * An escaped `n` cannot be both a line break and a delimiter. Values that are added need no escapes, and without quotes
 * they cannot hold a digit that is the delimiter.
 */
function checkDifferent({ delimiter, quote, escaper }: CsvSyntax): void {
  const [between, before] = [delimiter, escaper].map((byte) => String.fromCharCode(byte));
  const isPlain = quote !== NO_BYTE && escaper === NO_BYTE;
  if (!isPlain && /[0-9A-Za-z]/.test(between)) {
    const expected = 'a character other than a letter or a digit if there are escapes or no quotes';
    throw wrongValue('records.delimiter', expected, between);
  }
  if (escaper !== NO_BYTE && (escaper === delimiter || /[0-9A-Za-z:.+-]/.test(before))) {
    const expected = 'a character other than a letter, a digit, the delimiter or one of : . + -';
    throw wrongValue('records.escape', expected, before);
  }
}

/**
 * The key in a line: its bytes; a u64 in decimal, or a negative integer from -2^63 on, which has the same bits as a u64; or
 * the bytes that it says in hex, perhaps after `0x` or `\x`, or in base64 of either alphabet, with or without padding.
 */
export type LineKeys = 'text' | 'u64' | 'hex' | 'base64';

/** Whether keys are bytes that are written as text. */
export const isEncoded = (keys: LineKeys | 'column' | undefined): keys is 'hex' | 'base64' =>
  keys === 'hex' || keys === 'base64';

export interface RowHashOptions {
  keys: LineKeys;
  /** With `none`, a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks the kind of keys in lines or records, and their hash. */
export function checkHashed(keys: LineKeys | 'column', hash: RowHashOptions['hash'], records?: RecordFormat): LineKeys {
  checkOneOf<LineKeys | 'column'>('keys', keys, ['text', 'u64', 'hex', 'base64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys !== 'u64') throw wrongValue('keys', "'u64' with hash 'none'", keys);
  // Several columns are joined to a text.
  const columns = Array.isArray(records?.key) ? records.key.length : 1;
  if (keys !== 'text' && columns > 1) throw wrongValue('keys', "'text' with several columns as a key", keys);
  return keys as LineKeys;
}

/**
 * The kind of keys in lines. A partitioner has its own, and for bytes an option says how they are written; for other routings
 * it is an option, `text` by default.
 */
export function checkLineKeys(routing: Routing<any>, keys?: LineKeys | 'column', records?: RecordFormat): LineKeys {
  const { routeRows, hashing, kinds } = abilitiesOf(routing);
  if (routeRows) {
    const columns = kinds?.length ?? 1;
    const given = Array.isArray(records?.key) ? records.key.length : 1;
    if (given !== columns) {
      const expected =
        columns === 1
          ? 'one column with a partitioner, unless its "key" has several kinds'
          : `${columns} columns, one for each kind in the "key" of the partitioner`;
      throw wrongValue('records.key', expected, records?.key);
    }
    if (keys === undefined) return 'text';
    if (!isEncoded(keys)) throw wrongValue('keys', 'undefined with a partitioner, which has its own "key"', keys);
    if (kinds?.join() !== 'bytes')
      throw wrongValue('keys', `undefined with a partitioner whose "key" is not 'bytes'`, keys);
    return keys;
  }
  return checkHashed(keys === undefined ? 'text' : keys, hashing?.hash ?? 'xxh64', records);
}

/**
 * A text as a field of CSV, in quotes or with escapes if it needs them.
 * @throws RangeError if it needs them and the format has none
 */
export function fieldOf(text: string, { delimiter, quote, escaper }: CsvSyntax): string {
  const between = String.fromCharCode(delimiter);
  const before = String.fromCharCode(escaper);
  const isSpecial = (character: string) => character === between || character === '\r' || character === '\n';
  const escaped = escaper === NO_BYTE ? text : text.split(before).join(before + before);
  const characters = Array.from(escaped);
  const needsQuotes = characters.some(isSpecial) || (quote !== NO_BYTE && text.includes('"'));
  if (!needsQuotes) return escaped;
  if (quote !== NO_BYTE) return `"${escaped.replaceAll('"', '""')}"`;
  if (escaper === NO_BYTE) {
    const expected = `quotes or an escape character, because a delimiter or a line break is in ${JSON.stringify(text)}`;
    throw wrongValue('records.quote', expected, 'none');
  }
  return characters.map((character) => (isSpecial(character) ? before + character : character)).join('');
}

/** Checks that texts can be written as fields. */
export function checkFields(texts: readonly string[], syntax: CsvSyntax): void {
  for (const text of texts) fieldOf(text, syntax);
}

/** Checks that values of some kinds do not need quotes if there are none. Letters and digits are never delimiters then. */
export function checkKinds(kinds: readonly CellKind[], { delimiter, quote }: CsvSyntax): void {
  const between = String.fromCharCode(delimiter);
  const hasTime = kinds.includes('ms') || kinds.includes('date');
  if (quote !== NO_BYTE || !hasTime || !/[:.+-]/.test(between)) return;
  throw wrongValue('records.delimiter', 'a character that is not in times if there are no quotes', between);
}
