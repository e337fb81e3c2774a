import { wordsOf } from '../../arguments.js';
import { defineLayout, type Layout, parseIds } from '../../index.js';
import type { Kernels } from '../../kernels/types.js';
import type { Lines } from '../../node/index.js';
import type { Batch } from '../../rows/batch.js';
import { collectBytes, type LineWork, type WorkKind, type Written } from '../../rows/operations/operation.js';
import { TableWriter } from '../../rows/sinks/values.js';
import { fieldReader } from '../../rows/sources/csv.js';
import { BadRow } from '../io/output.js';
import { isRefusal, shown, suggestion } from '../options/usage.js';
import { packTexts, parseValue } from '../options/values.js';
import type { IdRowFormat } from './decode-rows.js';

interface RowsToEncode {
  readonly layout: Layout;
  /** Whether times are in the units of their field. */
  readonly raw: boolean;
}

/** How the rows of an input are encoded; plain data, for another thread. */
interface EncodeWork {
  readonly fields: Layout['fields'];
  readonly format: IdRowFormat;
  /** Whether times are in the units of their field. */
  readonly raw: boolean;
  /** The name of the input, for errors. */
  readonly input: string;
}

/** Ids as text. */
interface EncodedIds extends Written {
  readonly count: number;
  /** Whether the header of a table has been read. */
  readonly isBegun: boolean;
}

/** Makes ids of the rows of one input. */
class RowEncoder implements LineWork<EncodedIds> {
  readonly #how: RowsToEncode;
  readonly #names: readonly string[];
  readonly #delimiter: string | undefined;
  readonly #input: string;
  readonly #table: TableWriter;
  #header: TableHeader | undefined;
  #headerLine = Number.POSITIVE_INFINITY;
  #readFields: ReturnType<typeof fieldReader> | undefined;

  constructor(
    private readonly kernels: Kernels,
    { fields, format, raw, input }: EncodeWork,
  ) {
    const layout = defineLayout(fields);
    this.#how = { layout, raw };
    this.#names = layout.places.map(({ name }) => name);
    this.#delimiter = format === 'json' ? undefined : format === 'csv' ? ',' : '\t';
    this.#input = input;
    this.#table = new TableWriter(kernels, [{ kind: 'u64' }], '\n');
  }

  /** The header of a table; null as long as it has not been read. */
  get learned(): object | null {
    return this.#delimiter === undefined ? {} : (this.#header ?? null);
  }

  learn(header: object): void {
    if (this.#delimiter !== undefined) this.#useHeader(header as TableHeader, 0);
  }

  /**
   * The ids of the next lines. Empty lines are left out.
   * @throws BadRow for the first row that is malformed or does not fit; RangeError for a wrong header
   */
  work(lines: Batch): EncodedIds {
    const first = this.#rowsOfHeader(lines);
    const ids = first < lines.count ? this.#idsOf(lines.slice(first, lines.count), first) : new BigUint64Array(0);
    this.#table.write([ids]);
    return { bytes: this.#table.bytes, count: ids.length, isBegun: this.learned !== null };
  }

  /** How many of the lines come before the rows: up to the header, which is read if it has not been read yet. */
  #rowsOfHeader(lines: Batch): number {
    if (this.#delimiter === undefined || lines.firstLine > this.#headerLine) return 0;
    const { starts, ends, count } = lines;
    const at = starts.findIndex((start, row) => start < ends[row]);
    if (at < 0) return count;
    if (this.#header === undefined) this.#readHeader(textOf(lines.slice(at, at + 1)), lines.lineOf(at));
    return at + 1;
  }

  #readHeader(line: string, number: number): void {
    try {
      this.#useHeader(readHeader(this.#names, line, this.#delimiter ?? ''), number);
    } catch (error) {
      throw error instanceof BadRow ? badHeader(this.#input, error.message, number) : error;
    }
  }

  /** @param line where the header stands; 0 if it comes before all lines */
  #useHeader(header: TableHeader, line: number): void {
    this.#header = header;
    this.#headerLine = line;
    const { layout, raw } = this.#how;
    const time = raw ? -1 : this.#names.indexOf(layout.time?.name ?? '');
    this.#readFields = fieldReader(this.kernels, this.#delimiter ?? '', header.columns, header.places, time);
  }

  /** @param first the row with which the lines begin */
  #idsOf(lines: Batch, first: number): BigUint64Array {
    const ids = this.#simpleIds(lines);
    if (ids !== undefined) return ids;
    try {
      return packRows(this.#how, this.#names, this.#read(textOf(lines)));
    } catch (error) {
      throw first > 0 && error instanceof BadRow ? new BadRow(error.row + first, error.message, error) : error;
    }
  }

  /** The ids of rows in which all values are whole numbers or dates that fit; otherwise undefined. */
  #simpleIds(lines: Batch): BigUint64Array | undefined {
    const { layout, raw } = this.#how;
    const columns = this.#readFields?.(lines);
    if (columns === undefined) return undefined;
    const values: { [name: string]: BigUint64Array | Float64Array } = {};
    for (const [i, column] of columns.entries()) {
      const name = this.#names[i];
      const isUnixMs = column instanceof BigUint64Array && !raw && name === layout.time?.name;
      const value = isUnixMs ? numbersOf(column) : column;
      if (value === undefined) return undefined;
      values[name] = value;
    }
    try {
      return layout.packMany(values);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return undefined;
    }
  }

  #read(text: string): InputRows {
    const { layout, raw } = this.#how;
    if (this.#delimiter === undefined) return readObjects(this.#names, text, raw ? undefined : layout.time?.name);
    return readTable(this.#header as TableHeader, text, this.#delimiter);
  }
}

/** Makes ids of the rows of one input. */
export const encode: WorkKind<EncodeWork, EncodedIds, EncodedIds> = {
  start: (kernels, options) => new RowEncoder(kernels, options),
  collect() {
    const collected = collectBytes();
    let count = 0;
    return {
      reuse: collected.reuse,
      add(ids) {
        collected.add(ids.bytes);
        count += ids.count;
      },
      take() {
        const { value: bytes, memory } = collected.take();
        const value = { bytes, count, isBegun: true }; // other threads begin after the header
        count = 0;
        return { value, memory };
      },
    };
  },
};

/** The error for a table without a header. */
export function noHeader({ places }: Layout, input: string): RangeError {
  return badHeader(input, `expected a header with ${places.map(({ name }) => name).join(', ')}, got nothing`);
}

function badHeader(input: string, problem: string, line = 1): RangeError {
  return new RangeError(`${input}:${line}: ${problem}`);
}

/** u64s as numbers, if all are below 2^53. They are read as 32-bit words, because bigints take ten times as long. */
function numbersOf(column: BigUint64Array): Float64Array | undefined {
  const words = wordsOf(column);
  const numbers = new Float64Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const high = words[2 * row + 1];
    if (high >= 2 ** 21) return undefined;
    numbers[row] = high * 2 ** 32 + words[2 * row];
  }
  return numbers;
}

function textOf({ data, starts, ends, count }: Lines): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(data.slice(starts[0], ends[count - 1]));
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** Packs rows as columns; if a value does not fit, it packs them one by one to find the row. */
function packRows({ layout, raw }: RowsToEncode, names: readonly string[], rows: InputRows): BigUint64Array {
  try {
    const columns = names.map((name, i) => {
      const texts = rows.map((row) => row.texts[i]);
      return [name, name === layout.time?.name && !raw ? timeColumn(layout, name, texts) : parseIds(texts, 'dec')];
    });
    return layout.packMany(Object.fromEntries(columns));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return BigUint64Array.from(rows, ({ texts, row }) => {
      const values = names.map((name, i) => [name, texts[i]] as const);
      return packTexts(layout, values, raw, (problem, cause) => new BadRow(row, problem, cause));
    });
  }
}

/** Unix milliseconds; NaN for a text that is not a time. */
function timeColumn(layout: Layout, name: string, texts: readonly string[]): Float64Array {
  return Float64Array.from(texts, (text) => Number(parseValue(layout, name, text, false) ?? Number.NaN));
}

/** Values as text, in the order of the fields, of the rows that are not empty. */
type InputRows = readonly { readonly row: number; readonly texts: readonly string[] }[];

/** The lines that are not empty, with their rows. */
function linesOf(text: string, empty = /^$/): { readonly line: string; readonly row: number }[] {
  return text.split('\n').flatMap((line, row) => (empty.test(line) ? [] : { line, row }));
}

// The columns that decode writes besides the fields.
const LEFT_OUT = ['id', 'date'];

/** The header of a table, which names the columns in any order. */
interface TableHeader {
  readonly columns: number;
  readonly places: readonly number[];
}

/**
 * Reads a header.
 * @throws BadRow if it is wrong
 */
function readHeader(fields: readonly string[], line: string, delimiter: string): TableHeader {
  const header = valuesOf(line, delimiter, 0);
  refuseUnknown(fields, header, 0);
  const missing = fields.filter((name) => !header.includes(name));
  if (missing.length > 0) throw new BadRow(0, `expected a column for ${missing.join(', ')}, got none`);
  const repeated = fields.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (repeated !== undefined) throw new BadRow(0, `${repeated}: expected one column, got two`);
  return { columns: header.length, places: fields.map((name) => header.indexOf(name)) };
}

/**
 * Reads the rows of a table.
 * @throws BadRow for the first malformed row
 */
function readTable({ columns, places }: TableHeader, text: string, delimiter: string): InputRows {
  return linesOf(text).map(({ line, row }) => {
    const values = valuesOf(line, delimiter, row);
    if (values.length !== columns) throw new BadRow(row, `expected ${columns} values, got ${values.length}`);
    return { row, texts: places.map((place) => values[place]) };
  });
}

const QUOTED = /"[^"]*(?:""[^"]*)*"/y;

/**
 * The values of a line of a table. A value may be in quotes as in RFC 4180, but without line breaks, because a row is a
 * line.
 * @throws BadRow if quotes are wrong
 */
function valuesOf(line: string, delimiter: string, row: number): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const values: string[] = [];
  for (let at = 0; at <= line.length; at++) {
    const start = at;
    if (line[at] !== '"') {
      const end = line.indexOf(delimiter, at);
      at = end < 0 ? line.length : end;
      values.push(line.slice(start, at));
      continue;
    }
    QUOTED.lastIndex = at;
    const [value] = QUOTED.exec(line) ?? [''];
    at += value.length;
    if (value === '' || (at < line.length && line[at] !== delimiter)) {
      const got = line.slice(start + 1).replaceAll('""', '"');
      throw new BadRow(row, `expected a pair of quotes around a value, on one line, got ${shown(got)}`);
    }
    values.push(value.slice(1, -1).replaceAll('""', '"'));
  }
  return values;
}

/**
 * Reads rows that are a JSON object on each line.
 * @param time the field that may have decimals
 * @throws BadRow for the first malformed row
 */
function readObjects(fields: readonly string[], text: string, time: string | undefined): InputRows {
  return linesOf(text, /^\s*$/).map(({ line, row }) => {
    const values = parseObject(line);
    if (values === undefined) throw new BadRow(row, `expected a JSON object, got ${shown(line)}`);
    const names = Object.keys(values);
    refuseUnknown(fields, names, row);
    const texts = fields.map((name) => {
      if (!Object.hasOwn(values, name)) throw new BadRow(row, `${name}: expected a value, got none`);
      const value = values[name];
      const hasDecimals = name === time && typeof value === 'number' && !Number.isInteger(value);
      if (typeof value === 'string' || Number.isSafeInteger(value) || hasDecimals) return String(value);
      const expected = 'digits in quotes or an integer up to 2^53 - 1';
      throw new BadRow(row, `${name}: expected ${expected}, got ${shown(value)}`);
    });
    // JSON.parse hides repeated names. An object without its strings has one colon for each name.
    const colons = line.replace(/"(?:[^"\\]|\\.)*"?/g, '').split(':').length - 1;
    if (colons !== names.length) throw new BadRow(row, `expected every name once, got ${shown(line)}`);
    return { row, texts };
  });
}

export function parseObject(line: string): { [name: string]: unknown } | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuseUnknown(fields: readonly string[], names: readonly string[], row: number): void {
  const unknown = names.find((name) => !fields.includes(name) && !LEFT_OUT.includes(name));
  if (unknown === undefined) return;
  const hint = suggestion(unknown, fields);
  throw new BadRow(row, `expected one of ${fields.join(', ')}, got ${shown(unknown)}${hint}`);
}
