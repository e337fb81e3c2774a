import { defineLayout, type Layout, type TextFormat } from '../../index.js';
import type { Kernels } from '../../kernels/types.js';
import { type Batch, bytesColumnOf, type Header } from '../../rows/batch.js';
import type { CheckedFormat } from '../../rows/format.js';
import { lineHasher } from '../../rows/keys.js';
import { bytesWork } from '../../rows/operations/operation.js';
import {
  type AddedValues,
  addedValues,
  type Cell,
  type CellValues,
  jsonCells,
  TableWriter,
} from '../../rows/sinks/values.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';
import { BadRow } from '../io/output.js';
import { isRefusal, shown } from '../options/usage.js';
import { instantsOf } from '../options/values.js';

export type IdRowFormat = 'tsv' | 'csv' | 'json';

/** A column of values that ids have. */
interface DecodedColumn extends AddedValues {
  readonly name: string;
}

/** How ids are decoded; plain data, for another thread. */
type Decoding =
  | { readonly fields: Layout['fields'] | undefined; readonly text: TextFormat; readonly raw: boolean }
  | { readonly kind: WideIdKind };

/** Turns ids into columns of values. */
export interface IdDecoding {
  readonly plain: Decoding;
  /** How the ids are written; undefined if they are wider than 64 bits. */
  readonly format: TextFormat | undefined;
  /** The columns after the id. */
  readonly columns: readonly DecodedColumn[];
  /**
   * The values of the columns for lines or records that are ids.
   * @throws an error with the first `row` that cannot be decoded
   */
  values(batch: Pick<Batch, 'hashes' | 'keys'>): CellValues[];
}

const DATE: DecodedColumn = { name: 'date', kind: 'date', isText: true };

/**
 * Decodes ids of a layout: their fields, and their date if the layout has time.
 * @param layout undefined if none is known: then nothing but the id is written
 * @param raw whether a time is in units of its field
 */
export function layoutDecoding(layout: Layout | undefined, text: TextFormat, raw: boolean): IdDecoding {
  if (layout === undefined) {
    return { plain: { fields: undefined, text, raw }, format: text, columns: [], values: () => [] };
  }
  const { fields: given, places, time } = layout;
  const fields = places.map(({ name, bits }): DecodedColumn => {
    const isUnixMs = !raw && name === time?.name;
    return isUnixMs ? { name, kind: 'ms' } : { name, kind: 'u64', isText: bits > 53 };
  });
  return {
    plain: { fields: given, text, raw },
    format: text,
    columns: time === undefined ? fields : [...fields, DATE],
    values: ({ hashes }) => decodedValues(layout, hashes, raw),
  };
}

/** Decodes ids that are wider than 64 bits: only their times. */
export function wideIdDecoding(kind: WideIdKind): IdDecoding {
  return {
    plain: { kind },
    format: undefined,
    columns: [{ name: 'timestamp', kind: 'ms' }, DATE],
    values({ keys }) {
      const times = timesOf(bytesColumnOf(keys), kind);
      return [times, times];
    },
  };
}

/** The layout of a decoding; undefined if none is known. */
export function layoutIn({ fields }: { readonly fields: Layout['fields'] | undefined }): Layout | undefined {
  return fields && defineLayout(fields);
}

interface DecodeWork {
  readonly decoding: Decoding;
  readonly format: IdRowFormat;
}

/** Writes records with their values in more columns, or ids with their values as rows of a table, or as objects. */
export const decode = bytesWork<DecodeWork>((kernels, { decoding: plain, format }, records) => {
  const decoding =
    'kind' in plain ? wideIdDecoding(plain.kind) : layoutDecoding(layoutIn(plain), plain.text, plain.raw);
  const rows = records ? decodedRecords(kernels, decoding, records) : decodedRows(kernels, decoding, format);
  const ids = (batch: Batch) => ({ bytes: rows.ids(batch) });
  const header = (first: Header) => ({ bytes: rows.header(first) });
  if (decoding.format === undefined) return { header, work: ids };
  const hashed = lineHasher(kernels, { keys: 'u64', hash: 'none', seed: 0n }, decoding.format);
  return { header, work: (lines) => ids(hashed(lines)) };
});

/** The line before all rows of a table; empty for objects. */
export function titleOf({ columns }: IdDecoding, format: IdRowFormat): string {
  if (format === 'json') return '';
  return `${['id', ...columns.map(({ name }) => name)].join(separatorOf(format))}\n`;
}

// Values need no quotes in a table, because all are numbers and dates.
const separatorOf = (format: IdRowFormat): string => (format === 'csv' ? ',' : '\t');

/** Writes rows of decoded ids. */
interface DecodedRows {
  /** For records: their header. */
  header(header: Header): Uint8Array;
  /** The rows as bytes, valid until the next call. It throws the errors of {@link IdDecoding.values}. */
  ids(batch: Batch): Uint8Array;
}

function decodedRecords(kernels: Kernels, { columns, values }: IdDecoding, records: CheckedFormat): DecodedRows {
  const { header, write } = addedValues(kernels, records, columns);
  return { header, ids: (batch) => write(batch, values(batch)) };
}

function decodedRows(kernels: Kernels, { format, columns, values }: IdDecoding, rowFormat: IdRowFormat): DecodedRows {
  const isWide = format === undefined;
  const all = [{ name: 'id', kind: isWide ? 'text' : 'u64', isText: true } as const, ...columns];
  const isJson = rowFormat === 'json';
  const before = (i: number) => (i === 0 ? '' : separatorOf(rowFormat));
  const cells = isJson ? jsonCells(all, '{') : all.map(({ kind }, i) => ({ kind, before: before(i) }));
  const end = isJson ? '}\n' : '\n';
  const header = () => new Uint8Array(0); // lines have none
  if (isWide) {
    const rows = wideIdRows(kernels, cells, end);
    return { header, ids: (batch) => rows(batch, values(batch)) };
  }
  const table = new TableWriter(kernels, cells, end);
  const ids = (batch: Batch) => {
    table.write([batch.hashes, ...values(batch)]);
    return table.bytes;
  };
  return { header, ids };
}

/**
 * Writes rows of ids and values. The kernels write the values; this puts the ids, which need no quotes, in front. Together
 * they take 0.5 µs a row.
 * @returns a function that gives the rows as bytes, valid until its next call
 */
function wideIdRows(
  kernels: Kernels,
  [id, ...cells]: readonly Cell[],
  end: string,
): (batch: Batch, values: readonly CellValues[]) => Uint8Array {
  const [before, after] = [id.before, id.after].map((text) => new TextEncoder().encode(text));
  const table = new TableWriter(kernels, cells, end);
  let rows = new Uint8Array(0);
  return ({ keys, count }, values) => {
    table.write(values);
    const { text, offsets } = table.texts;
    const { data, starts, ends } = keys;
    const most = ends[count - 1] - starts[0] + count * (before.length + after.length) + offsets[count];
    if (rows.length < most) rows = new Uint8Array(most);
    let at = 0;
    const put = (from: Uint8Array, start: number, end: number) => {
      for (let i = start; i < end; i++) rows[at++] = from[i];
    };
    for (let row = 0; row < count; row++) {
      put(before, 0, before.length);
      put(data, starts[row], ends[row]);
      put(after, 0, after.length);
      put(text, offsets[row], offsets[row + 1]);
    }
    return rows.subarray(0, at);
  };
}

/**
 * The values of the columns of a layout.
 * @throws BadRow for the first id that does not fit the layout, or whose time a number cannot hold exactly
 */
function decodedValues(layout: Layout, ids: BigUint64Array, raw: boolean): CellValues[] {
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
