import { formatIdColumn, type Layout } from '../index.js';
import { BadRow } from './bad-rows.js';
import { RowText, type TextColumn } from './row-text.js';
import { dateColumn, instantsOf, unixMsColumn } from './timestamps.js';
import { isRefusal, shown } from './usage.js';

export type IdRowFormat = 'tsv' | 'csv' | 'json';

export interface DecodedRows {
  /** Nothing for JSON. */
  readonly header: string;
  /**
   * The rows of ids as bytes, good until the next call.
   * @throws BadRow for the first id that is not of the layout, or whose time a number cannot hold
   */
  text(ids: BigUint64Array): Uint8Array;
}

/**
 * How the rows of ids are written.
 * @param raw whether a time is in units of its field
 */
export function decodedRows(layout: Layout, format: IdRowFormat, raw: boolean): DecodedRows {
  return format === 'json' ? jsonRows(layout, raw) : tableRows(layout, raw, format === 'csv' ? ',' : '\t');
}

/** No value needs quotes: all are numbers and dates. */
function tableRows(layout: Layout, raw: boolean, separator: string): DecodedRows {
  const header = ['id', ...layout.places.map(({ name }) => name), ...(layout.time ? ['date'] : [])];
  const rows = new RowText(['', ...header.slice(1).map(() => separator), '\n']);
  return {
    header: `${header.join(separator)}\n`,
    text: (ids) => {
      const { numbers, instants } = decodeColumns(layout, ids, raw);
      return rows.write(instants ? [...numbers, dateColumn(instants, '', '')] : numbers);
    },
  };
}

function jsonRows(layout: Layout, raw: boolean): DecodedRows {
  const before = ['{"id":"'];
  let quote = '"';
  for (const { name, bits } of layout.places) {
    const isUnixMs = !raw && name === layout.time?.name;
    const next = bits > 53 && !isUnixMs ? '"' : '';
    before.push(`${quote},"${name}":${next}`);
    quote = next;
  }
  const rows = new RowText(layout.time === undefined ? [...before, `${quote}}\n`] : [...before, quote, '}\n']);
  return {
    header: '',
    text: (ids) => {
      const { numbers, instants } = decodeColumns(layout, ids, raw);
      return rows.write(instants ? [...numbers, dateColumn(instants, ',"date":"', '"')] : numbers);
    },
  };
}

interface DecodedColumns {
  /** The ids and their fields. */
  readonly numbers: TextColumn[];
  /** Of a layout with time. */
  readonly instants: Float64Array | undefined;
}

function decodeColumns(layout: Layout, ids: BigUint64Array, raw: boolean): DecodedColumns {
  const { time, places, mask } = layout;
  const instants = time && !raw ? new Float64Array(ids.length) : undefined;
  const columns = unpack(layout, ids, time && instants && { [time.name]: instants });
  const numbers = Object.values(columns).map((column, i) =>
    column instanceof Float64Array ? unixMsColumn(column) : u64Text(column, places[i]?.mask ?? mask),
  );
  return { numbers: [u64Text(ids, mask), ...numbers], instants: time && raw ? instantsOf(layout, ids) : instants };
}

/** Numbers up to a largest one. */
function u64Text(column: BigUint64Array, largest: bigint): TextColumn {
  return { ...formatIdColumn(column, 'dec'), digits: String(largest).length };
}

/** The columns of the fields; those of a time go where they are to go, as Unix milliseconds. */
function unpack(layout: Layout, ids: BigUint64Array, out: { [name: string]: Float64Array } = {}) {
  try {
    return layout.unpackMany(ids, { wide: true, out });
  } catch (error) {
    if (!isRefusal(error) || error.row === undefined || !isWhole(layout, ids, error.row)) throw error;
    const expected = `an id whose ${layout.time?.name} is exact in Unix milliseconds`;
    throw new BadRow(error.row, `expected ${expected}, got ${shown(error.got)}; --raw prints its units`, error);
  }
}

/** Whether an id has all that it needs, so that it is its time which a number cannot hold. */
function isWhole(layout: Layout, ids: BigUint64Array, row: number): boolean {
  try {
    layout.unpackMany(ids.subarray(row, row + 1), { wide: true });
    return true;
  } catch {
    return false;
  }
}
