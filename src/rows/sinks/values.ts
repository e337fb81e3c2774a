import { utf8ColumnOf } from '../../columns/keys.js';
import { arraysOf, growingBytes } from '../../kernels/active.js';
import { type CellKind, NO_BYTE, type Texts } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type ColumnType, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { encoder } from '../../utf8.js';
import { type Batch, type Header, NEWLINE } from '../batch.js';
import { type CheckedFormat, fieldOf, isOfLines, lineEndOf } from '../format.js';
import type { CsvSyntax } from '../sources/csv.js';

/** How a column of values is written, and the fixed texts around each value. */
export interface Cell {
  readonly kind: CellKind;
  readonly before?: string;
  readonly after?: string;
  /** For the kind `text`: the texts that are written. Values are indexes of them. */
  readonly texts?: readonly string[] | undefined;
}

/** The values of a column, at most PIECE_ROWS: u64s for `u64` and `hex`, otherwise numbers. */
export type CellValues = BigUint64Array | Uint32Array | Float64Array;

const TYPES = { u64: 'u64', hex: 'u64', u32: 'u32', ms: 'f64', date: 'f64', dateIfAny: 'f64', text: 'u32' } as const;
const MAX_VALUE = 28;
const SLACK_BYTES = 15;
/**
 * Writes columns of numbers, hashes and dates as rows of text, in the kernels' memory.
 * @returns what writes rows, and has those that were written last: as bytes, and row by row
 */
export function tableWriter(kernels: Kernels, cells: readonly Cell[], end: string) {
  const columns = cells.map(({ kind, before = '', after = '', texts }) => {
    const values = kernels.column<ColumnType>(TYPES[kind], PIECE_ROWS);
    const whole = texts?.map((text) => before + text + after);
    return { kind, values, texts: whole && residentTexts(kernels, whole) };
  });
  /** The fixed texts before and after each other value, and at the end of a row. */
  const around = cells.flatMap(({ before = '', after = '', texts }) => (texts ? ['', ''] : [before, after]));
  const fixed = residentTexts(kernels, [...around, end]);
  const descriptors = kernels.column('u32', 6 * (cells.length + 1));
  const longest = columns.reduce((sum, { texts }) => sum + (texts?.longest ?? MAX_VALUE), fixed.total);
  const written = textColumns(kernels, PIECE_ROWS * longest, PIECE_ROWS);
  let rows = 0;
  return {
    /** @param given the values, column by column; without columns, `count` says how many rows there are */
    write(given: readonly CellValues[], count = 0): void {
      rows = given[0]?.length ?? count;
      const { text, offsets } = arraysOf(fixed.columns);
      const fixedAt = (i: number) => text.subarray(offsets[i], offsets[i + 1]);
      const filled = columns.map(({ kind, values: { array }, texts }, i) => {
        (array as Float64Array).set(given[i] as Float64Array);
        const [before, after] = [fixedAt(2 * i), fixedAt(2 * i + 1)];
        return { kind, values: array as CellValues, before, after, texts: texts && arraysOf(texts.columns) };
      });
      const table = { columns: filled, end: fixedAt(2 * cells.length), descriptors: descriptors.array };
      const to = arraysOf(written);
      recordKernels(kernels).tableRows(table, rows, to.text, to.offsets);
    },
    get bytes(): Uint8Array {
      const { text, offsets } = arraysOf(written);
      return text.subarray(0, offsets[rows]);
    },
    get texts(): Texts {
      return arraysOf(written);
    },
  };
}

/** Texts in the kernels' memory, with the lengths in bytes of all together and of the longest one. */
function residentTexts(kernels: Kernels, texts: readonly string[]) {
  const { data, offsets } = utf8ColumnOf(texts);
  const columns = textColumns(kernels, data.length, texts.length);
  columns.text.array.set(data);
  columns.offsets.array.set(offsets);
  const longest = texts.reduce((most, _, i) => Math.max(most, offsets[i + 1] - offsets[i]), 0);
  return { columns, total: data.length, longest };
}

function textColumns(kernels: Kernels, byteLength: number, count: number) {
  return { text: kernels.column('u8', byteLength + SLACK_BYTES), offsets: kernels.column('u32', count + 1) };
}

/** How the values of an added column are written. */
export interface AddedValues extends Pick<Cell, 'kind' | 'texts'> {
  /** Whether they are strings in JSON. */
  readonly isText?: boolean;
}

/** Writes lines or records with values, as bytes that are valid until the next call. */
export interface ValueRows {
  /** The bytes before all rows. */
  header(header: Header): Uint8Array;
  /** @param columns the values, column by column */
  write(batch: Batch, columns: readonly CellValues[]): Uint8Array;
}

/** Writes a value for each line, or each record with the value in one more column. */
export function valueRows(kernels: Kernels, records: CheckedFormat | undefined, value: AddedValues): ValueRows {
  return isOfLines(records) ? tableRows(kernels, [value], '\n') : addedValues(kernels, records, [value]);
}

/** Writes only values. */
export function tableRows(kernels: Kernels, cells: readonly Cell[], end: string): ValueRows {
  const table = tableWriter(kernels, cells, end);
  return {
    header: () => new Uint8Array(0),
    write(_, columns) {
      table.write(columns);
      return table.bytes;
    },
  };
}

/**
 * Writes records with more columns: their own bytes, with fields or properties added at the end. A line gets its values in
 * front, each followed by a tab, and ends with `\n`.
 * @param records the format of the records, and the columns to add; undefined for lines
 * @param values how the values of each added column are written
 */
export function addedValues(
  kernels: Kernels,
  records: CheckedFormat | undefined,
  values: readonly AddedValues[],
): ValueRows {
  if (values.length === 0) return { header: (header) => header.line(), write: (batch) => unchanged(batch) };
  const table = tableWriter(kernels, cellsOf(records, values), '');
  const room = growingBytes(kernels);
  return {
    header: (header) => headerWith(header, records),
    write(batch, columns) {
      table.write(columns);
      const { count, starts, nexts } = batch;
      const text = room(nexts[count - 1] - starts[0] + table.bytes.length + 2 * count + SLACK_BYTES).array;
      const { prefixLines, appendColumn } = recordKernels(kernels);
      const add = isOfLines(records) ? prefixLines : appendColumn;
      const written = text.subarray(0, add(batch.records, table.texts, text));
      if (isOfLines(records)) endLines(written, batch, table.texts, lineEndOf(records));
      return written;
    },
  };
}

/** Ends lines with another byte than `\n`. @param texts what is written before them */
function endLines(written: Uint8Array, { starts, ends, count }: Batch, { offsets }: Texts, lineEnd: number): void {
  if (lineEnd === NEWLINE) return;
  for (let row = 0, at = -1; row < count; row++) {
    at += offsets[row + 1] - offsets[row] + ends[row] - starts[row] + 1;
    written[at] = lineEnd;
  }
}

/** Lines or records as they are. The last one of an input gets the newline that it lacks. */
function unchanged({ data, starts, nexts, count }: Batch): Uint8Array {
  const rows = new Uint8Array(nexts.reduce((sum, next, row) => sum + next - starts[row] + 1, 0));
  let at = 0;
  for (let row = 0; row < count; row++) {
    rows.set(data.subarray(starts[row], nexts[row]), at);
    at += nexts[row] - starts[row];
    if (data[nexts[row] - 1] !== NEWLINE) rows[at++] = NEWLINE;
  }
  return rows.subarray(0, at);
}

/** The line of a header, with the names of the columns that are added. */
export function headerWith(header: Header, records: CheckedFormat | undefined): Uint8Array {
  if (records?.format !== 'csv') return header.line();
  const names = records.added.map((name) => delimiterOf(records) + fieldOf(name, records));
  return header.line(encoder().encode(names.join('')));
}

function cellsOf(records: CheckedFormat | undefined, values: readonly AddedValues[]): Cell[] {
  if (isOfLines(records)) return values.map(({ kind, texts }) => ({ kind, texts, after: '\t' }));
  if (records.format === 'ndjson') return jsonCells(values.map((value, i) => ({ ...value, name: records.added[i] })));
  // Values are in quotes if they contain the delimiter. Without quotes, they do not contain it: see checkKinds.
  const delimiter = delimiterOf(records);
  const quote = records.quote !== NO_BYTE && /[0-9A-Za-z:.+-]/.test(delimiter) ? '"' : '';
  return values.map(({ kind, texts }) => {
    if (texts === undefined) return { kind, before: delimiter + quote, after: quote };
    return { kind, texts: texts.map((text) => fieldOf(text, records)), before: delimiter };
  });
}

/** Writes values as properties of a JSON object. @param first what comes before the first one */
export function jsonCells(columns: readonly (AddedValues & { readonly name: string })[], first = ''): Cell[] {
  return columns.map(({ name, kind, texts, isText }, i) => {
    const quote = isText ? '"' : '';
    const before = `${i > 0 ? ',' : first}${JSON.stringify(name)}:${quote}`;
    const json = texts?.map((text) => JSON.stringify(text));
    return { kind: kind === 'date' ? 'dateIfAny' : kind, texts: json, before, after: quote };
  });
}

export function delimiterOf({ delimiter }: CsvSyntax): string {
  return String.fromCharCode(delimiter);
}
