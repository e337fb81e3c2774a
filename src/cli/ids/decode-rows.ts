import type { Layout, TextFormat } from '../../index.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { Batch } from '../../lines/batch.js';
import { type Cell, type CellValues, TableWriter } from '../../lines/write/tables.js';
import type { AddedValues } from '../../lines/write/values.js';
import { BadRow } from '../io/rejects.js';
import { isRefusal, shown } from '../options/usage.js';
import { instantsOf } from '../options/values.js';

export type IdRowFormat = 'tsv' | 'csv' | 'json';

/** Turns ids into columns of values, or rows of text. */
export interface IdDecoding {
  /** How the ids are written; undefined if they are wider than 64 bits. */
  readonly format: TextFormat | undefined;
  /** The columns after the id. */
  readonly columns: readonly DecodedColumn[];
  /**
   * The values of the columns for lines or records that are ids.
   * @throws an error with the first `row` that cannot be decoded
   */
  values(batch: Batch): CellValues[];
  /** Turns lines into rows. */
  rows(format: IdRowFormat): {
    /** Empty for JSON. */
    readonly header: string;
    /** The rows as bytes, valid until the next call. It throws the errors of `values`. */
    text(batch: Batch): Uint8Array;
    free(): void;
  };
}

/** @param raw whether a time is in units of its field */
export function layoutDecoding(layout: Layout, format: TextFormat, raw: boolean): IdDecoding {
  return {
    format,
    columns: decodedColumns(layout, raw),
    values: ({ hashes }) => decodedValues(layout, hashes, raw),
    rows: (rowFormat) => {
      const { header, text, free } = decodedRows(layout, rowFormat, raw);
      return { header, text: ({ hashes }) => text(hashes), free };
    },
  };
}

export interface DecodedRows {
  /** Empty for JSON. */
  readonly header: string;
  /**
   * The rows of ids as bytes, valid until the next call.
   * @throws BadRow for the first id that does not fit the layout, or whose time a number cannot hold exactly
   */
  text(ids: BigUint64Array): Uint8Array;
  free(): void;
}

/** A column of values that ids have. */
export interface DecodedColumn extends AddedValues {
  readonly name: string;
}

/** The columns of the fields, and the date if the layout has time. */
export function decodedColumns({ places, time }: Layout, raw: boolean): DecodedColumn[] {
  const fields = places.map(({ name, bits }): DecodedColumn => {
    const isUnixMs = !raw && name === time?.name;
    return isUnixMs ? { name, kind: 'ms' } : { name, kind: 'u64', isText: bits > 53 };
  });
  return time === undefined ? fields : [...fields, { name: 'date', kind: 'date', isText: true }];
}

/**
 * How the rows of ids are written.
 * @param raw whether a time is in units of its field
 */
export function decodedRows(layout: Layout, format: IdRowFormat, raw: boolean): DecodedRows {
  const columns = [{ name: 'id', kind: 'u64', isText: true } as const, ...decodedColumns(layout, raw)];
  const { header, cells, end } = cellsOfRows(columns, format);
  const table = new TableWriter(kernelsWithColumns(), cells, end);
  return {
    header,
    text(ids) {
      table.write([ids, ...decodedValues(layout, ids, raw)]);
      return table.bytes;
    },
    free: () => table.free(),
  };
}

/** The cells of rows of columns. */
export function cellsOfRows(
  columns: readonly DecodedColumn[],
  format: IdRowFormat,
): { header: string; cells: Cell[]; end: string } {
  if (format === 'json') return { header: '', cells: jsonCells(columns), end: '}\n' };
  const separator = format === 'csv' ? ',' : '\t';
  const header = `${columns.map(({ name }) => name).join(separator)}\n`;
  return { header, cells: tableCells(columns, separator), end: '\n' };
}

/** Values need no quotes, because all are numbers and dates. */
function tableCells(columns: readonly DecodedColumn[], separator: string): Cell[] {
  return columns.map(({ kind }, i) => ({ kind, before: i === 0 ? '' : separator }));
}

function jsonCells(columns: readonly DecodedColumn[]): Cell[] {
  return columns.map(({ name, kind, isText }, i) => {
    const quote = isText ? '"' : '';
    const before = `${i === 0 ? '{' : ','}"${name}":${quote}`;
    return { kind: kind === 'date' ? 'dateIfAny' : kind, before, after: quote };
  });
}

/**
 * The values of {@link decodedColumns}.
 * @throws BadRow for the first id that does not fit the layout, or whose time a number cannot hold exactly
 */
export function decodedValues(layout: Layout, ids: BigUint64Array, raw: boolean): CellValues[] {
  const { time } = layout;
  const instants = time && !raw ? new Float64Array(ids.length) : undefined;
  const columns = Object.values(unpack(layout, ids, time && instants && { [time.name]: instants }));
  if (time === undefined) return columns;
  return [...columns, instants ?? instantsOf(layout, ids)];
}

/** The columns of the fields. Times are Unix milliseconds and are written to `out`. */
function unpack(layout: Layout, ids: BigUint64Array, out: { [name: string]: Float64Array } = {}) {
  try {
    return layout.unpackMany(ids, { wide: true, out });
  } catch (error) {
    if (!isRefusal(error) || error.row === undefined || !isWhole(layout, ids, error.row)) throw error;
    const expected = `an id whose ${layout.time?.name} is exact in Unix milliseconds`;
    throw new BadRow(error.row, `expected ${expected}, got ${shown(error.got)}; --raw prints its units`, error);
  }
}

/** Whether an id fits the layout. If it does, the error was about its time, which a number cannot hold exactly. */
function isWhole(layout: Layout, ids: BigUint64Array, row: number): boolean {
  try {
    layout.unpackMany(ids.subarray(row, row + 1), { wide: true });
    return true;
  } catch {
    return false;
  }
}
