import { formatIdColumn, type Layout, parseIds } from '../index.js';
import type { Lines } from '../node/index.js';
import { BadRow } from './bad-rows.js';
import type { IdRowFormat } from './decode-rows.js';
import { EMPTY_LINE, type Header, type InputRows, readHeader, readObjects, readTable } from './input-rows.js';
import { RowText } from './row-text.js';
import { isRefusal } from './usage.js';
import { type GivenValue, notAValue, notFitting, parseValue } from './values.js';

/** How the rows of all inputs are written. */
export interface RowsToEncode {
  readonly layout: Layout;
  readonly format: IdRowFormat;
  /** Whether times are in units of their field. */
  readonly raw: boolean;
}

const MOST_ID_DIGITS = 20;

/** Makes ids of the rows of one input. */
export class RowEncoder {
  readonly #how: RowsToEncode;
  readonly #names: readonly string[];
  readonly #delimiter: string | undefined;
  readonly #input: string;
  readonly #text = new RowText(['', '\n']);
  #header: Header | undefined;
  /** Empty lines from here on end the input, unless others follow. */
  #emptyFrom: number | undefined;

  /** @param input its name, for errors */
  constructor(how: RowsToEncode, input: string) {
    this.#how = how;
    this.#names = how.layout.places.map(({ name }) => name);
    this.#delimiter = how.format === 'json' ? undefined : how.format === 'csv' ? ',' : '\t';
    this.#input = input;
  }

  /**
   * The ids of the next lines as text, good until the next call.
   * @throws BadRow for the first row that is malformed or does not fit; RangeError for a header that is wrong
   */
  encode(lines: Lines): Uint8Array {
    const count = withoutEmptyEnd(lines);
    if (count > 0) this.#refuseEmptyBefore(lines);
    const text = textOf(lines, count);
    const isHeader = this.#delimiter !== undefined && lines.firstLine === 1;
    const ids = isHeader ? this.#belowHeader(text) : this.#ids(text, 0);
    if (count < lines.count) this.#emptyFrom ??= lines.firstLine + count;
    return this.#text.write([{ ...formatIdColumn(ids, 'dec'), digits: MOST_ID_DIGITS }]);
  }

  /** @throws RangeError for a table without a header */
  end(): void {
    if (this.#delimiter === undefined || this.#header !== undefined) return;
    throw this.#badHeader(`expected a header with ${this.#names.join(', ')}, got nothing`);
  }

  /** Empty lines among others are malformed, one at a time. */
  #refuseEmptyBefore({ firstLine }: Lines): void {
    const line = this.#emptyFrom;
    if (line === undefined) return;
    if (this.#delimiter !== undefined && this.#header === undefined) throw this.#badHeader(EMPTY_LINE);
    this.#emptyFrom = line + 1 < firstLine ? line + 1 : undefined;
    throw new BadRow(line - firstLine, EMPTY_LINE);
  }

  #belowHeader(text: string): BigUint64Array {
    if (text === '') return new BigUint64Array(0);
    const end = text.indexOf('\n');
    const header = readHeader(this.#names, end < 0 ? text : text.slice(0, end), this.#delimiter ?? '');
    if (typeof header === 'string') throw this.#badHeader(header);
    this.#header = header;
    return this.#ids(end < 0 ? '' : text.slice(end + 1), 1);
  }

  /** @param first the row that the text begins with */
  #ids(text: string, first: number): BigUint64Array {
    if (text === '') return new BigUint64Array(0);
    try {
      return packRows(this.#how, this.#names, this.#read(text));
    } catch (error) {
      throw first > 0 && error instanceof BadRow ? new BadRow(error.row + first, error.problem, error) : error;
    }
  }

  #read(text: string): InputRows {
    const { layout, raw } = this.#how;
    if (this.#delimiter === undefined) return readObjects(this.#names, text, raw ? undefined : layout.time?.name);
    if (this.#header === undefined) throw this.#badHeader(EMPTY_LINE);
    return readTable(this.#header, text, this.#delimiter);
  }

  #badHeader(problem: string): RangeError {
    return new RangeError(`${this.#input}:1: ${problem}`);
  }
}

/** How many lines there are without the empty ones at the end. */
function withoutEmptyEnd({ starts, ends, count }: Lines): number {
  let left = count;
  while (left > 0 && starts[left - 1] === ends[left - 1]) left--;
  return left;
}

function textOf({ data, starts, ends }: Lines, count: number): string {
  if (count === 0) return '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(data.slice(starts[0], ends[count - 1]));
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** By columns; if a value does not fit, one by one, to say which. */
function packRows(how: RowsToEncode, names: readonly string[], { rows, places }: InputRows): BigUint64Array {
  const { layout, raw } = how;
  try {
    const columns = names.map((name, i) => {
      const texts = rows.map((row) => row[places[i] as number] as string);
      return [name, name === layout.time?.name && !raw ? timeColumn(layout, name, texts) : parseIds(texts, 'dec')];
    });
    return layout.packMany(Object.fromEntries(columns));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return BigUint64Array.from(rows, (row, i) => {
      const texts = places.map((place) => row[place] as string);
      return packRow(how, names, texts, i);
    });
  }
}

/** Unix milliseconds; NaN for what is no time. */
function timeColumn(layout: Layout, name: string, texts: readonly string[]): Float64Array {
  return Float64Array.from(texts, (text) => Number(parseValue(layout, name, text, false) ?? Number.NaN));
}

function packRow(
  { layout, raw }: RowsToEncode,
  names: readonly string[],
  texts: readonly string[],
  row: number,
): bigint {
  const values = names.map((name, i): [string, GivenValue] => {
    const text = texts[i] as string;
    const value = parseValue(layout, name, text, raw);
    if (value === undefined) throw new BadRow(row, notAValue(layout, name, text, raw));
    return [name, value];
  });
  try {
    return layout.pack(Object.fromEntries(values));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new BadRow(row, notFitting(layout, error), error);
  }
}
