import { type FieldPlace, formatId, formatIds, type LayoutTime, type TextFormat } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, cellText, placeText, placeWidth } from '../read/cells.js';
import type { IdColumn } from '../read/id-column.js';
import { isId, Problem, type ProblemContext, reasonOf } from '../read/problems.js';
import type { Decoded } from './decoded.js';
import type { FilterColumn } from './filter.js';
import type { Settings } from './settings.js';
import { isoText, microsOf, msText, timeWidths } from './times.js';
import type { WideOrder } from './wide-order.js';

export type ColumnKind = 'line' | 'id' | 'field' | 'date' | 'routed';

/** A column of the table: what it is called in filters and links, and what values it sorts and filters by. */
export interface TableColumn {
  readonly key: string;
  readonly label: string;
  readonly kind: ColumnKind;
  /** Of fields. */
  readonly place?: FieldPlace | undefined;
  /** Of the date, and of the field that it is made from. Their values are units. */
  readonly time?: LayoutTime | undefined;
  readonly values: ColumnArray;
  /** See {@link FilterColumn}. */
  readonly rangeOf?: FilterColumn['rangeOf'];
  /** The most characters of a cell. */
  readonly width: number;
}

/** What the page needs to know of a column. */
export type ColumnHead = Omit<TableColumn, 'values' | 'rangeOf'>;

/** A row as text. */
export interface TableRow {
  readonly row: number;
  readonly line: number;
  readonly id: bigint;
  readonly cells: readonly string[];
  /** Why it is not an id (then the second cell is the text that is there), or not one of the layout. */
  readonly problem: string;
}

export interface Table {
  readonly cells: Cells;
  readonly ids: BigUint64Array;
  readonly decoded: Decoded;
  readonly columns: readonly TableColumn[];
  /** undefined: ids are shown as they are written. */
  readonly as: TextFormat | undefined;
  /** Of dates. */
  readonly zone: string;
  readonly context: ProblemContext;
}

const RESERVED = ['line', 'id', 'date', 'routed'];

export function columnsOf(
  cells: Cells,
  { ids, wide }: IdColumn,
  order: WideOrder | undefined,
  decoded: Decoded,
  routed: Uint32Array,
  { shards, as, zone }: Settings,
): TableColumn[] {
  const dates: TableColumn[] = [];
  const fields = decoded.fields.map(({ place, time, values }): TableColumn => {
    // A field may have a name that a column of the page has: that one stays what it is.
    const key = RESERVED.includes(place.name.toLowerCase()) ? `${place.name}_` : place.name;
    const column = { key, label: place.name, kind: 'field' as const, place, values };
    if (time === undefined) return { ...column, width: String(place.mask).length };
    const widths = timeWidths(time, place.mask, zone);
    dates.push({ key: 'date', label: `date (${zone})`, kind: 'date', time, values, width: widths.date });
    return { ...column, label: `${place.name} (Unix ms)`, time, width: widths.ms };
  });
  const line: TableColumn = {
    key: 'line',
    label: 'line',
    kind: 'line',
    values: cells.lines,
    width: placeWidth(cells),
  };
  const id: TableColumn = {
    key: 'id',
    label: 'id',
    kind: 'id',
    width: wide?.width ?? formatId(0n, as).length,
    get values() {
      return order?.places ?? ids;
    },
    rangeOf: order && ((text) => order.rangeOf(text)),
  };
  const columns = [line, id, ...dates, ...fields];
  if (wide !== undefined) return columns;
  const width = String(shards - 1).length;
  return [...columns, { key: 'routed', label: 'routed to', kind: 'routed', values: routed, width }];
}

/** Some rows as text: what is on the screen, or a piece of an export. */
export function rowTexts(table: Table, rows: Uint32Array): TableRow[] {
  const { cells, ids, decoded, columns, as, zone, context } = table;
  const picked = BigUint64Array.from(rows, (row) => ids[row] as bigint);
  const texts = as === undefined ? [] : formatIds(picked, as);
  return Array.from(rows, (row, i) => {
    const problem = decoded.problems[row] as number;
    const idText = as === 'dec' ? String(picked[i]) : texts[i];
    return {
      row,
      line: cells.lines[row] as number,
      id: picked[i] as bigint,
      problem: problem === Problem.none ? '' : reasonOf(problem, context),
      cells: columns.map((column) => {
        if (column.kind === 'line') return placeText(cells, row);
        if (column.kind === 'id') return (isId(problem) ? idText : undefined) ?? cellText(cells, row);
        if (problem !== Problem.none) return '';
        const value = column.values[row] as number | bigint;
        if (column.time === undefined) return String(value);
        const micros = microsOf(column.time, BigInt(value));
        return column.kind === 'date' ? (isoText(column.time, micros, zone) ?? '') : msText(micros);
      }),
    };
  });
}
