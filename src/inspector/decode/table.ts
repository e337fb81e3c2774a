import { type FieldPlace, formatId, formatIds, type LayoutTime, type TextFormat } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, cellText, placeText, placeWidth } from '../read/cells.js';
import type { IdColumn } from '../read/id-column.js';
import { isId, Problem, type ProblemContext, reasonOf } from '../read/problems.js';
import { isoText, microsOf, msText, timeWidths } from './dates.js';
import { BAD, type Decoded, type FilterColumn, filterRows, GOOD, parseFilter } from './decoded.js';
import { allRows, sortRows, type WideOrder } from './order.js';
import type { Settings } from './settings.js';

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
  const picked = BigUint64Array.from(rows, (row) => ids[row]);
  const texts = as === undefined ? [] : formatIds(picked, as);
  return Array.from(rows, (row, i) => {
    const problem = decoded.problems[row];
    const idText = as === 'dec' ? String(picked[i]) : texts[i];
    return {
      row,
      line: cells.lines[row],
      id: picked[i],
      problem: problem === Problem.none ? '' : reasonOf(problem, context),
      cells: columns.map((column) => {
        if (column.kind === 'line') return placeText(cells, row);
        if (column.kind === 'id') return (isId(problem) ? idText : undefined) ?? cellText(cells, row);
        if (problem !== Problem.none) return '';
        const value = column.values[row];
        if (column.time === undefined) return String(value);
        const micros = microsOf(column.time, BigInt(value));
        return column.kind === 'date' ? (isoText(column.time, micros, zone) ?? '') : msText(micros);
      }),
    };
  });
}

/** The rows to show, and those among them that have values. */
export interface Selected {
  readonly rows: Uint32Array;
  readonly good: Uint32Array;
  readonly filterError: string | undefined;
}

export function select(
  { problems }: Decoded,
  { show, filter, zone }: Settings,
  columns: readonly TableColumn[],
): Selected {
  let rows = allRows(problems);
  let filterError: string | undefined;
  if (show !== 'all') rows = filterRows(rows, problems, show === 'good' ? GOOD : BAD);
  try {
    for (const condition of parseFilter(filter, columns, zone)) {
      const { kind, values } = condition.column;
      // A bad row has a line and no other value, so bad rows are sought by line.
      if (kind !== 'line') {
        if (show === 'bad') continue;
        rows = filterRows(rows, problems, GOOD);
      }
      rows = filterRows(rows, values, condition);
    }
  } catch (error) {
    // All rows would look like those that were asked for.
    rows = new Uint32Array(0);
    filterError = (error as Error).message;
  }
  return { rows, good: filterRows(rows, problems, GOOD), filterError };
}

/** Good rows in the order asked for, bad ones after them, as they have no value to be sorted by. */
export function sortSelected(
  { rows, good }: Selected,
  { problems }: Decoded,
  sort: Settings['sort'],
  columns: readonly TableColumn[],
): Uint32Array {
  const column = columns.find(({ key }) => key === sort?.column);
  if (column === undefined) return rows;
  const isLine = column.kind === 'line';
  const sorted = sortRows(isLine ? rows : good, column.values, sort?.descending);
  const all = new Uint32Array(rows.length);
  all.set(sorted);
  if (!isLine) all.set(filterRows(rows, problems, BAD), sorted.length);
  return all;
}
