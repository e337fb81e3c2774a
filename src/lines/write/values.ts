import type { CellKind } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import type { Kernels } from '../../kernels/types.js';
import type { Batch } from '../batch.js';
import { GrowingBytes } from '../fields.js';
import type { CheckedFormat } from '../records.js';
import type { Header } from '../source.js';
import { type Cell, type CellValues, TableWriter } from './tables.js';

/** How the values of an added column are written. */
export interface AddedValues {
  readonly kind: CellKind;
  /** For the kind `text`: the texts. Values are indexes of them. */
  readonly texts?: readonly string[] | undefined;
  /** Whether they are strings in JSON. */
  readonly isText?: boolean;
}

const SLACK_BYTES = 15;

/** Writes lines or records with values, as bytes that are valid until the next call. */
export interface ValueRows {
  /** The bytes before all rows. */
  header(header: Header): Uint8Array;
  /** @param columns the values, column by column */
  write(batch: Batch, columns: readonly CellValues[]): Uint8Array;
  free(): void;
}

/** Writes a value for each line, or each record with the value in one more column. */
export function valueRows(kernels: Kernels, records: CheckedFormat | undefined, value: AddedValues): ValueRows {
  if (records) return new ValueWriter(kernels, records, [value]);
  const table = new TableWriter(kernels, [{ kind: value.kind }], '\n');
  return {
    header: () => new Uint8Array(0),
    write(_, columns) {
      table.write(columns);
      return table.bytes;
    },
    free: () => table.free(),
  };
}

/**
 * Writes records with more columns: their own bytes, with fields or properties added at the end. A line gets its values in
 * front, each followed by a tab, and ends with `\n`.
 */
export class ValueWriter implements ValueRows {
  readonly #kernels: Kernels;
  readonly #records: CheckedFormat | undefined;
  readonly #table: TableWriter;
  readonly #text: GrowingBytes;

  /**
   * @param records the format of the records, and the columns to add; undefined for lines
   * @param values how the values of each added column are written
   */
  constructor(kernels: Kernels, records: CheckedFormat | undefined, values: readonly AddedValues[]) {
    this.#kernels = kernels;
    this.#records = records;
    this.#table = new TableWriter(kernels, cellsOf(records, values), '');
    this.#text = new GrowingBytes(kernels);
  }

  /** A header with the names of the added columns. */
  header(header: Header): Uint8Array {
    const { added = [] } = this.#records ?? {};
    const delimiter = delimiterOf(this.#records);
    const names = added.map((name) => delimiter + quoted(name, delimiter));
    return header.with(new TextEncoder().encode(names.join(''))).line;
  }

  /** Writes records with their values, which come column by column. The result is valid until the next call. */
  write(batch: Batch, columns: readonly CellValues[]): Uint8Array {
    this.#table.write(columns);
    const { count, starts, nexts } = batch;
    const needed = nexts[count - 1] - starts[0] + this.#table.bytes.length + 2 * count + SLACK_BYTES;
    const text = this.#text.room(needed).array;
    const kernels = recordKernels(this.#kernels);
    const written =
      this.#records === undefined
        ? kernels.prefixLines(batch.records, this.#table.texts, text)
        : kernels.appendColumn(batch.records, this.#table.texts, text);
    return text.subarray(0, written);
  }

  free(): void {
    this.#table.free();
    this.#text.free();
  }
}

function cellsOf(records: CheckedFormat | undefined, values: readonly AddedValues[]): Cell[] {
  if (records === undefined) return values.map(({ kind, texts }) => ({ kind, texts, after: '\t' }));
  if (records.format === 'ndjson') {
    return values.map(({ kind, texts, isText }, i) => {
      const quote = isText ? '"' : '';
      const before = `${i > 0 ? ',' : ''}${JSON.stringify(records.added[i])}:${quote}`;
      const json = texts?.map((text) => JSON.stringify(text));
      return { kind: kind === 'date' ? 'dateIfAny' : kind, texts: json, before, after: quote };
    });
  }
  // Values are in quotes if they contain the delimiter.
  const delimiter = delimiterOf(records);
  const quote = /[0-9A-Za-z:.+-]/.test(delimiter) ? '"' : '';
  return values.map(({ kind, texts }) => {
    if (texts === undefined) return { kind, before: delimiter + quote, after: quote };
    return { kind, texts: texts.map((text) => quoted(text, delimiter)), before: delimiter };
  });
}

function delimiterOf(records: CheckedFormat | undefined): string {
  return records?.format === 'csv' ? String.fromCharCode(records.delimiter) : '';
}

/** A text as a field of CSV. */
function quoted(name: string, delimiter: string): string {
  const isPlain = !name.includes(delimiter) && !/["\r\n]/.test(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}
