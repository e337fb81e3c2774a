import { wordsOf } from '../../arguments.js';
import { type Layout, parseIds } from '../../index.js';
import type { Batch } from '../../lines/batch.js';
import { fieldReader } from '../../lines/fields.js';
import { openWorkspace } from '../../lines/memory.js';
import { TableWriter } from '../../lines/write/values.js';
import type { Lines } from '../../node/index.js';
import { BadRow } from '../io/job.js';
import { EMPTY_LINE, type InputRows, readHeader, readObjects, readTable, type TableHeader } from '../io/tables.js';
import { isRefusal } from '../options/usage.js';
import { type GivenValue, notAValue, notFitting, parseValue } from '../options/values.js';
import type { IdRowFormat } from './decode-rows.js';

/** The format of the rows of all inputs. */
interface RowsToEncode {
  readonly layout: Layout;
  readonly format: IdRowFormat;
  /** Whether times are in the units of their field. */
  readonly raw: boolean;
}

/** Makes ids of the rows of one input. */
export class RowEncoder {
  readonly #how: RowsToEncode;
  readonly #names: readonly string[];
  readonly #delimiter: string | undefined;
  readonly #input: string;
  readonly #kernels = openWorkspace();
  readonly #table = new TableWriter(this.#kernels, [{ kind: 'u64' }], '\n');
  #header: TableHeader | undefined;
  #readFields: ReturnType<typeof fieldReader> | undefined;
  /** The first of the empty lines that were read last. They are allowed only at the end of the input. */
  #emptyFrom: number | undefined;

  /** @param input the name of the input, for errors */
  constructor(how: RowsToEncode, input: string) {
    this.#how = how;
    this.#names = how.layout.places.map(({ name }) => name);
    this.#delimiter = how.format === 'json' ? undefined : how.format === 'csv' ? ',' : '\t';
    this.#input = input;
  }

  /**
   * The ids of the next lines as text, valid until the next call.
   * @throws BadRow for the first row that is malformed or does not fit; RangeError for a wrong header
   */
  encode(lines: Batch): Uint8Array {
    const count = withoutEmptyEnd(lines);
    if (count > 0) this.#refuseEmptyBefore(lines);
    const isHeader = this.#delimiter !== undefined && lines.firstLine === 1;
    if (isHeader && count > 0) this.#readHeader(textOf(lines.slice(0, 1)));
    const first = isHeader ? 1 : 0;
    const ids = first < count ? this.#idsOf(lines.slice(first, count), first) : new BigUint64Array(0);
    if (count < lines.count) this.#emptyFrom ??= lines.firstLine + count;
    this.#table.write([ids]);
    return this.#table.bytes;
  }

  /** @throws RangeError for a table without a header */
  end(): void {
    if (this.#delimiter === undefined || this.#header !== undefined) return;
    throw this.#badHeader(`expected a header with ${this.#names.join(', ')}, got nothing`);
  }

  free(): void {
    this.#kernels.free();
  }

  /** Refuses the next empty line that is not at the end of the input. */
  #refuseEmptyBefore({ firstLine }: Lines): void {
    const line = this.#emptyFrom;
    if (line === undefined) return;
    if (this.#delimiter !== undefined && this.#header === undefined) throw this.#badHeader(EMPTY_LINE);
    this.#emptyFrom = line + 1 < firstLine ? line + 1 : undefined;
    throw new BadRow(line - firstLine, EMPTY_LINE);
  }

  #readHeader(line: string): void {
    const header = readHeader(this.#names, line, this.#delimiter ?? '');
    if (typeof header === 'string') throw this.#badHeader(header);
    this.#header = header;
    const { columns, places } = header;
    const { layout, raw } = this.#how;
    const time = raw ? -1 : this.#names.indexOf(layout.time?.name ?? '');
    this.#readFields = fieldReader(this.#kernels, this.#delimiter ?? '', columns, places, time);
  }

  /** @param first the row with which the lines begin */
  #idsOf(lines: Batch, first: number): BigUint64Array {
    const ids = this.#simpleIds(lines);
    if (ids !== undefined) return ids;
    try {
      return packRows(this.#how, this.#names, this.#read(textOf(lines)));
    } catch (error) {
      throw first > 0 && error instanceof BadRow ? new BadRow(error.row + first, error.problem, error) : error;
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
    if (this.#header === undefined) throw this.#badHeader(EMPTY_LINE);
    return readTable(this.#header, text, this.#delimiter);
  }

  #badHeader(problem: string): RangeError {
    return new RangeError(`${this.#input}:1: ${problem}`);
  }
}

/** How many lines there are, without empty ones at the end. */
function withoutEmptyEnd({ starts, ends, count }: Lines): number {
  let left = count;
  while (left > 0 && starts[left - 1] === ends[left - 1]) left--;
  return left;
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
      const texts = rows.map((row) => row[i]);
      return [name, name === layout.time?.name && !raw ? timeColumn(layout, name, texts) : parseIds(texts, 'dec')];
    });
    return layout.packMany(Object.fromEntries(columns));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return BigUint64Array.from(rows, (texts, row) => packRow(layout, raw, names, texts, row));
  }
}

/** Unix milliseconds; NaN for a text that is not a time. */
function timeColumn(layout: Layout, name: string, texts: readonly string[]): Float64Array {
  return Float64Array.from(texts, (text) => Number(parseValue(layout, name, text, false) ?? Number.NaN));
}

function packRow(
  layout: Layout,
  raw: boolean,
  names: readonly string[],
  texts: readonly string[],
  row: number,
): bigint {
  const values: { [name: string]: GivenValue } = {};
  for (const [i, name] of names.entries()) {
    const value = parseValue(layout, name, texts[i], raw);
    if (value === undefined) throw new BadRow(row, notAValue(layout, name, texts[i], raw));
    values[name] = value;
  }
  try {
    return layout.pack(values);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new BadRow(row, notFitting(layout, error), error);
  }
}
