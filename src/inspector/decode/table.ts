import { SERVICES } from '../../guess/index.js';
import { type FieldPlace, formatId, formatIds, type Layout, type LayoutTime, type TextFormat } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, cellText, placeText, placeWidth } from '../read/cells.js';
import { activeKernels, type IdColumn, isLinkedShortcode } from '../read/id-column.js';
import { FORMAT_NAMES, isId, isWideKind, Problem, reasonOf } from '../read/problems.js';
import { isoText, microsOf, msText, timeWidths } from './dates.js';
import { filterRows, goodRows, type ValueRange, type WideOrder } from './order.js';
import { FORMATS, idAs } from './settings.js';

export interface TableColumn {
  /** What it is called everywhere: above the column, in filters, links and exports. */
  readonly key: string;
  readonly kind: 'line' | 'id' | 'field' | 'date' | 'routed' | 'service';
  readonly place?: FieldPlace | undefined;
  /** Set for the date, and for the field that it is made from. Their values are units: exact for every id. */
  readonly time?: LayoutTime | undefined;
  readonly values: ColumnArray;
  /** Set for a column of texts: which of its values stand for those that begin with a text. */
  readonly rangeOf?: ((text: string) => ValueRange) | undefined;
}

export type ColumnHead = ReturnType<typeof headOf>;

export type TableRow = ReturnType<typeof rowTexts>[number];

/** Whether a row is an id, be it one that the layout rejects. */
export function isIdRow({ problem, id }: Pick<TableRow, 'problem' | 'id'>): boolean {
  return problem === '' || id !== 0n;
}

export interface DecodedTable {
  readonly cells: Cells;
  readonly parsed: IdColumn;
  readonly layout: Layout;
  readonly decoded: Decoded;
  readonly columns: readonly TableColumn[];
  /** undefined: ids are shown as they are written. */
  readonly as: TextFormat | undefined;
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
  const reject = (values: ColumnArray, min: bigint, max: bigint, problem: Problem) => {
    const rejected = filterRows(goodRows(problems), values, { min, max, outside: true });
    for (const row of rejected) problems[row] = problem;
  };
  if (kernels.firstOutside(ids, 0n, largest) >= 0) reject(ids, 0n, largest, Problem.aboveLayout);
  for (const { place, mask, values } of fields) {
    if (place.min > 0) reject(values, BigInt(place.min), mask, Problem.belowMin);
  }
  const misfits = problems.filter((problem) => problem !== Problem.none && isId(problem)).length;
  return { fields, problems, misfits, ms };
}

function arrayFor(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}

const RESERVED = ['line', 'id', 'date', 'routed_to'];

/**
 * @param order of ids of which only the times are shown, and which are not routed
 * @param services the number of each row's service, from 1, if ids are of several
 */
export function columnsOf(
  cells: Cells,
  { ids }: IdColumn,
  order: WideOrder | undefined,
  { fields }: Decoded,
  routed: Uint32Array,
  services?: Uint8Array,
): TableColumn[] {
  const columns: TableColumn[] = [
    { key: 'line', kind: 'line', values: cells.lines },
    {
      key: 'id',
      kind: 'id',
      get values() {
        return order?.places ?? ids;
      },
      rangeOf: order && ((text) => order.rangeOf(text)),
    },
  ];
  if (services) columns.push({ key: 'service', kind: 'service', values: services, rangeOf: serviceNamed });
  for (const { time, values } of fields) if (time) columns.push({ key: 'date', kind: 'date', time, values });
  for (const { place, time, values } of fields) {
    // A field may have a name that a column of the page has: that one stays what it is.
    const key = RESERVED.includes(place.name.toLowerCase()) ? `${place.name}_` : place.name;
    columns.push({ key, kind: 'field', place, time, values });
  }
  if (order === undefined) columns.push({ key: 'routed_to', kind: 'routed', values: routed });
  return columns;
}

/** The number of the service whose name begins with what a filter has. */
function serviceNamed(text: string): ValueRange {
  const number = BigInt(1 + SERVICES.findIndex(({ title }) => title.toLowerCase().startsWith(text.toLowerCase())));
  return { min: number, max: number };
}

export function headOf(
  { key, kind, place, time }: TableColumn,
  { cells, parsed, as, zone }: DecodedTable,
  shards: number,
) {
  const widths = time && timeWidths(time, place?.mask ?? 0n, zone);
  const width = {
    line: () => placeWidth(cells),
    id: () => parsed.wide?.width ?? formatId(0n, as ?? 'dec').length,
    date: () => widths?.date ?? 0,
    field: () => widths?.ms ?? String(place?.mask).length,
    routed: () => String(shards - 1).length,
    service: () => 13,
  };
  const unit = kind === 'date' ? zone : time ? 'Unix ms' : '';
  return {
    key,
    /** Its name, with the unit: `date (UTC)`. */
    label: unit === '' ? key : `${key} (${unit})`,
    kind,
    place,
    time,
    width: width[kind](),
  };
}

export function rowTexts({ cells, parsed, layout, decoded, columns, as, zone }: DecodedTable, rows: Uint32Array) {
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
  if (isLinkedShortcode(cells.data, cells.starts[row], text)) return `, try ${FORMAT_NAMES.shortcode}`;
  const fitting = FORMATS.find((each) => idAs(text, each) !== undefined);
  return fitting === undefined ? '' : `, try ${FORMAT_NAMES[fitting]}`;
}
