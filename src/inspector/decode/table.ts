import { detailsOf } from '../../errors.js';
import { SERVICES } from '../../guess/index.js';
import {
  type FieldPlace,
  formatId,
  formatIds,
  type Layout,
  type LayoutTime,
  parseId,
  type TextFormat,
} from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, cellText, placeText, placeWidth } from '../read/cells.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { FORMAT_NAMES, isId, isWideKind, Problem, reasonOf } from '../read/problems.js';
import {
  isoText,
  microsOf,
  msText,
  parseDateSpan,
  parseUnixMs,
  timeWidths,
  UTC,
  unitFrom,
  WRITTEN_DATE,
} from './dates.js';
import { allRows, BAD, filterRows, GOOD, sortRows, type ValueRange, type WideOrder } from './order.js';
import { FORMATS, type Settings } from './settings.js';

/** A column of the table, and what values it sorts and filters by. */
export interface TableColumn {
  /** What it is called everywhere: above the column, in filters, links and exports. */
  readonly key: string;
  /** What its values are in, such as `Unix ms`; '' if there is nothing to say. */
  readonly unit: string;
  readonly kind: 'line' | 'id' | 'field' | 'date' | 'routed' | 'service';
  /** Where a field lies in an id. */
  readonly place?: FieldPlace | undefined;
  /** Set for the date, and for the field that it is made from. Their values are units: exact for every id. */
  readonly time?: LayoutTime | undefined;
  readonly values: ColumnArray;
  /** Set for a column of texts: which of its values stand for those that begin with a text. */
  readonly rangeOf?: ((text: string) => UnitRange) | undefined;
}

/** What the page needs to know of a column. */
export type ColumnHead = ReturnType<typeof headOf>;

/** A row as text. */
export type TableRow = ReturnType<typeof rowTexts>[number];

/** Whether a row is an id, be it one that the layout rejects. */
export function isIdRow({ problem, id }: TableRow): boolean {
  return problem === '' || id !== 0n;
}

export interface Table {
  readonly cells: Cells;
  readonly parsed: IdColumn;
  readonly layout: Layout;
  readonly decoded: Decoded;
  readonly columns: readonly TableColumn[];
  /** undefined: ids are shown as they are written. */
  readonly as: TextFormat | undefined;
  /** The time zone of dates. */
  readonly zone: string;
}

type Decoded = ReturnType<typeof decode>;

/**
 * The columns of a layout's fields. Rows that are not ids, or not ids of the layout, have a problem, and their values
 * mean nothing.
 */
export function decode(parsed: IdColumn, { places, time, mask: largest }: Layout) {
  const { ids } = parsed;
  const kernels = activeKernels();
  const start = performance.now();
  const fields = places.map((place) => {
    const isTime = place.name === time?.name;
    const values: ColumnArray = new (isTime ? BigUint64Array : arrayFor(place.bits))(ids.length);
    return { place, shift: place.shift, mask: place.mask, time: isTime ? time : undefined, values };
  });
  kernels.unpack(ids, fields);
  const ms = performance.now() - start;
  const problems = parsed.problems.slice();
  /** Ids that the layout rejects. */
  let misfits = parsed.wide?.timeless ?? 0;
  const reject = (values: ColumnArray, min: bigint, max: bigint, problem: Problem) => {
    const rejected = filterRows(goodRows(problems), values, { min, max, outside: true });
    for (const row of rejected) problems[row] = problem;
    misfits += rejected.length;
  };
  if (kernels.firstOutside(ids, 0n, largest) >= 0) reject(ids, 0n, largest, Problem.aboveLayout);
  for (const { place, mask, values } of fields) {
    if (place.min > 0) reject(values, BigInt(place.min), mask, Problem.belowMin);
  }
  return { fields, problems, misfits, ms };
}

/** The narrowest array whose elements hold so many bits. */
function arrayFor(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}

const RESERVED = ['line', 'id', 'date', 'routed_to'];

/** The names of services, as a filter may begin them. @param services the number of each row, from 1 */
function serviceColumn(services: Uint8Array): TableColumn {
  const rangeOf = (text: string) => {
    const number = BigInt(1 + SERVICES.findIndex(({ title }) => title.toLowerCase().startsWith(text.toLowerCase())));
    return { from: number, to: number };
  };
  return { key: 'service', unit: '', kind: 'service', values: services, rangeOf };
}

/**
 * @param order of ids of which only the times are shown, and which are not routed
 * @param services of ids of several services
 */
export function columnsOf(
  cells: Cells,
  { ids }: IdColumn,
  order: WideOrder | undefined,
  { fields }: Decoded,
  routed: Uint32Array,
  services?: Uint8Array,
): TableColumn[] {
  const dates: TableColumn[] = [];
  const fieldColumns = fields.map(({ place, time, values }): TableColumn => {
    if (time !== undefined) dates.push({ key: 'date', unit: '', kind: 'date', time, values });
    // A field may have a name that a column of the page has: that one stays what it is.
    const key = RESERVED.includes(place.name.toLowerCase()) ? `${place.name}_` : place.name;
    return { key, unit: time ? 'Unix ms' : '', kind: 'field', place, time, values };
  });
  const id: TableColumn = {
    key: 'id',
    unit: '',
    kind: 'id',
    get values() {
      return order?.places ?? ids;
    },
    rangeOf: order && ((text) => order.rangeOf(text)),
  };
  const line = { key: 'line', unit: '', kind: 'line', values: cells.lines } as const;
  const columns = [line, id, ...(services ? [serviceColumn(services)] : []), ...dates, ...fieldColumns];
  return order ? columns : [...columns, { key: 'routed_to', unit: '', kind: 'routed', values: routed }];
}

/** A column without its values. */
export function headOf(
  { key, unit, kind, place, time }: TableColumn,
  cells: Cells,
  { wide }: IdColumn,
  { shards, as, zone }: Settings,
) {
  const widths = time && timeWidths(time, place?.mask ?? 0n, zone);
  const width = {
    line: () => placeWidth(cells),
    id: () => wide?.width ?? formatId(0n, as).length,
    date: () => widths?.date ?? 0,
    field: () => widths?.ms ?? String(place?.mask).length,
    routed: () => String(shards - 1).length,
    service: () => 13,
  };
  const shownUnit = kind === 'date' ? zone : unit;
  return {
    key,
    /** Its name, with the unit: `date (UTC)`. */
    label: shownUnit === '' ? key : `${key} (${shownUnit})`,
    kind,
    place,
    time,
    /** The most characters of a cell. */
    width: width[kind](),
  };
}

/** Some rows as text: what is on the screen, or a piece of an export. */
export function rowTexts({ cells, parsed, layout, decoded, columns, as, zone }: Table, rows: Uint32Array) {
  const ids = BigUint64Array.from(rows, (row) => parsed.ids[row]);
  const texts = as === undefined ? [] : as === 'dec' ? Array.from(ids, String) : formatIds(ids, as);
  return Array.from(rows, (row, i) => {
    const problem = decoded.problems[row];
    const textOf = ({ kind, time, values }: TableColumn): string => {
      if (kind === 'line') return placeText(cells, row);
      if (kind === 'id') return (isId(problem) ? texts[i] : undefined) ?? cellText(cells, row);
      const value = values[row];
      if (kind === 'service') return SERVICES[Number(value) - 1]?.title ?? '';
      if (problem !== Problem.none) return '';
      if (time === undefined) return String(value);
      const micros = microsOf(time, BigInt(value));
      return kind === 'date' ? (isoText(time, micros, zone) ?? '') : msText(micros);
    };
    return {
      row,
      line: cells.lines[row],
      id: ids[i],
      /** Why it is not an id (then the second cell is the text that is there), or not one of the layout. */
      problem: problem === Problem.none ? '' : reasonOf(problem, parsed.format, layout) + hintFor(cells, parsed, row),
      cells: columns.map(textOf),
    };
  });
}

/** The format that reads a text which is not an id in that of the other rows: `, try hexadecimal`. */
function hintFor(cells: Cells, { format, problems }: IdColumn, row: number): string {
  if (problems[row] !== Problem.notInFormat || isWideKind(format)) return '';
  const text = cellText(cells, row).trim();
  if (!/^\d+$|.{11}/.test(text)) return ''; // shorter words may be hexadecimal by chance
  const fitting = FORMATS.find((each) => {
    try {
      parseId(text, each);
      return true;
    } catch {
      return false;
    }
  });
  return fitting === undefined ? '' : `, try ${FORMAT_NAMES[fitting]}`;
}

function goodRows(problems: Uint8Array): Uint32Array {
  return filterRows(allRows(problems), problems, GOOD);
}

/** What a filter can be about. A field that holds time shows Unix milliseconds, and the other columns of times dates. */
type FilterColumn = Pick<TableColumn, 'key'> & Partial<Pick<TableColumn, 'kind' | 'time' | 'rangeOf'>>;

interface UnitRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** An operator and a value: a word, a date as the page writes it, or anything in quotes. */
export const COMPARISON = String.raw`\s*(<=|>=|!=|<|>|==?)\s*("[^"]*"|${WRITTEN_DATE}|\S+)`;
const CONDITION = new RegExp(String.raw`^\s*(?:and\s+)?([A-Za-z]\w*)${COMPARISON}`, 'i');
const MAX = (1n << 64n) - 1n;

/**
 * Conditions that all must hold, such as `shard=5 date>=2024-03 sequence<10`.
 * @param zone of dates that have no offset
 * @throws RangeError with a message for people
 */
export function parseFilter<C extends FilterColumn>(text: string, columns: readonly C[], zone = UTC) {
  const conditions: (ValueRange & { readonly column: C })[] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const match = CONDITION.exec(rest);
    if (match === null) throw new RangeError(`expected a condition such as ${example(columns)}, got “${rest.trim()}”`);
    const [all, name, operator, value] = match;
    const column = columns.find(({ key }) => key.toLowerCase() === name.toLowerCase());
    if (column === undefined) {
      throw new RangeError(`there is no column “${name}”, only ${columns.map(({ key }) => key).join(', ')}`);
    }
    const { from, to } = unitsOf(column, value.replaceAll('"', ''), zone);
    const ranges: { readonly [operator: string]: readonly [bigint, bigint] } = {
      '<': [0n, from - 1n],
      '<=': [0n, to],
      '>': [to + 1n, MAX],
      '>=': [from, MAX],
    };
    const [min, max] = ranges[operator] ?? [from, to];
    conditions.push({ column, min, max, outside: operator === '!=' });
    rest = rest.slice(all.length);
  }
  return conditions;
}

/** A condition that columns of these can have. */
export function example(columns: readonly FilterColumn[]): string {
  const column = columns.find(({ key, time }) => time === undefined && !['line', 'id', 'service'].includes(key));
  return `${column?.key ?? 'line'}=5`;
}

/** What a value stands for: of a time the units that begin within it, of which those before the epoch are below 0. */
function unitsOf({ key, time, kind, rangeOf }: FilterColumn, value: string, zone: string): UnitRange {
  if (rangeOf !== undefined) return rangeOf(value);
  const showsMs = kind === 'field';
  if (time !== undefined) {
    const span = (showsMs && parseUnixMs(value)) || parseDateSpan(value, zone);
    if (span !== undefined) return { from: unitFrom(time, span.from), to: unitFrom(time, span.to) - 1n };
  } else if (/^(\d{1,20}|0x[0-9a-f]{1,16})$/i.test(value)) return { from: BigInt(value), to: BigInt(value) };
  const expected =
    time === undefined
      ? 'a number in decimal or 0x…'
      : `${showsMs ? 'Unix milliseconds, or ' : ''}a date such as 2024-03-01 or 2024-03-01T10:30`;
  throw new RangeError(`${key}: expected ${expected}, got “${value}”`);
}

/** The rows to show, and those among them that have values. */
export function select(
  columns: readonly TableColumn[],
  problems: Uint8Array,
  show: Settings['show'],
  filter: string,
  zone: string,
) {
  const all = allRows(problems);
  const shown = show === 'all' ? all : filterRows(all, problems, show === 'good' ? GOOD : BAD);
  let rows = shown;
  let filterError: string | undefined;
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
    // A filter that cannot be read filters nothing, and the page says so.
    rows = shown;
    filterError = detailsOf(error).message;
  }
  return { rows, good: filterRows(rows, problems, GOOD), filterError };
}

/** Good rows in the order asked for, and then the bad ones, which have no value to be sorted by. */
export function sortSelected(
  { rows, good }: ReturnType<typeof select>,
  problems: Uint8Array,
  columns: readonly TableColumn[],
  key: string | undefined,
  descending: boolean | undefined,
): Uint32Array {
  const column = columns.find((each) => each.key === key);
  if (column === undefined) return rows;
  if (column.kind === 'line') return sortRows(rows, column.values, descending);
  const sorted = rows.slice();
  sorted.set(sortRows(good, column.values, descending));
  sorted.set(filterRows(rows, problems, BAD), good.length);
  return sorted;
}
