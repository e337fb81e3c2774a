import { roundedDates } from '../../guess/index.js';
import { type FieldPlace, formatId, formatIds, type Layout, type LayoutTime, type TextFormat } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { FORMAT_NAMES, isWideKind, READ_FORMATS } from '../../tokens/formats.js';
import { type Cells, cellText, placeText, placeWidth } from '../read/cells.js';
import type { IdColumn } from '../read/id-column.js';
import { isId, Problem, reasonOf } from '../read/problems.js';
import { type SourceCells, type Texts, textsOf } from './beside.js';
import { isoText, microsOf, msText, timeWidths } from './dates.js';
import type { Decoded, Mix } from './groups.js';
import { exactMicrosIn, type LayoutChoice } from './layout-choice.js';
import type { ValueRange, WideOrder } from './order.js';
import { FORMATS, idAs } from './settings.js';

export interface TableColumn {
  /** What it is called everywhere: above the column, in filters, links and exports. */
  readonly key: string;
  readonly kind: 'line' | 'id' | 'kind' | 'date' | 'apart' | 'field' | 'source';
  readonly place?: FieldPlace | undefined;
  /** Set for the date, and for the field that it is made from. Their values are units: exact for every id. */
  readonly time?: LayoutTime | undefined;
  readonly values: ColumnArray;
  /** Set for a column of texts: what counts them. */
  readonly texts?: (() => Texts) | undefined;
  /** Set for a column of texts: which of its values stand for those that begin with a text. */
  readonly rangeOf?: ((text: string) => ValueRange) | undefined;
  /** Set for a column of the source: its place among them, and the characters of its longest text among the first. */
  readonly source?: number | undefined;
  readonly width?: number | undefined;
  /** Set where values are not known before they are needed. */
  readonly textAt?: (row: number) => string;
}

export type ColumnHead = ReturnType<typeof headOf>;

export type TableRow = ReturnType<typeof rowTexts>[number];

export interface DecodedTable {
  readonly cells: Cells;
  readonly parsed: IdColumn;
  readonly layout: Layout;
  readonly decoded: Decoded;
  readonly columns: readonly TableColumn[];
  readonly beside: SourceCells;
  /** Set for ids of several kinds, of which each has a layout of its own. */
  readonly mix: Mix | undefined;
  readonly as: TextFormat | 'written';
  readonly zone: string;
}

const RESERVED = ['line', 'id', 'kind', 'date', 'apart'];

interface Beside {
  /** Of ids of which only the times are shown. */
  readonly order: WideOrder | undefined;
  readonly mix: Mix | undefined;
  /** The Unix milliseconds of each row's own line. */
  readonly lineTime: ((row: number) => number) | undefined;
  readonly sources: readonly { name: string; source: number; width: number; texts: () => Texts }[];
}

export function columnsOf({ lines }: Cells, { ids }: IdColumn, { fields }: Decoded, beside: Beside): TableColumn[] {
  const { order, mix, lineTime, sources } = beside;
  const columns: TableColumn[] = [
    { key: 'line', kind: 'line', values: lines },
    {
      key: 'id',
      kind: 'id',
      get values() {
        return order?.places ?? ids;
      },
      rangeOf: order && ((text) => order.rangeOf(text)),
    },
  ];
  const addTexts = (key: string, kind: 'kind' | 'source', texts: () => Texts, about: Partial<TableColumn> = {}) =>
    columns.push({
      ...{ ...about, key, kind, texts },
      get values() {
        return texts().places;
      },
      rangeOf: (text) => texts().rangeOf(text),
    });
  if (mix) {
    const kinds = textsOf(mix.of, mix.titles.length, (number) => mix.titles[number - 1]);
    addTexts('kind', 'kind', () => kinds);
  }
  for (const { time, values } of fields) if (time) columns.push({ key: 'date', kind: 'date', time, values });
  const dated = columns.find(({ kind }) => kind === 'date');
  if (dated && lineTime) columns.push(apartOf(dated, lineTime));
  // A field may have a name that a column of the page has: that one stays what it is.
  const freeName = (name: string) =>
    columns.some(({ key }) => key === name) || RESERVED.includes(name.toLowerCase()) ? `${name}_` : name;
  for (const { place, time, values } of mix ? [] : fields) {
    columns.push({ key: freeName(place.name), kind: 'field', place, time, values });
  }
  for (const { name, texts, source, width } of sources) addTexts(freeName(name), 'source', texts, { source, width });
  return columns;
}

/**
 * How far ids are from their own lines, in milliseconds, of which seconds are shown. They are known when they are sorted or
 * filtered by; 0 stands for none, and 1 is the least.
 */
function apartOf({ time, values }: TableColumn, lineTime: (row: number) => number): TableColumn {
  const secondsAt = (row: number) => {
    const micros = time && microsOf(time, BigInt(values[row]));
    return (Number(micros) / 1000 - lineTime(row)) / 1000;
  };
  let all: Float64Array | undefined;
  return {
    key: 'apart',
    kind: 'apart',
    get values() {
      all ??= Float64Array.from(
        { length: values.length },
        (_, row) => Math.ceil(Math.abs(secondsAt(row)) * 1000 + 1e-6) || 0,
      );
      return all;
    },
    textAt: (row) => (Number.isNaN(secondsAt(row)) ? '' : secondsAt(row).toFixed(3)),
  };
}

const MAX_SOURCE = 40;

export function headOf(column: TableColumn, { cells, parsed, as, zone, mix }: DecodedTable) {
  const { key, kind, place, time } = column; // its values may not be known yet
  const widths = time && timeWidths(time, place?.mask ?? 0n, zone);
  const width = {
    line: () => placeWidth(cells),
    id: () => parsed.wide?.width ?? (as === 'written' ? 20 : formatId(0n, as).length),
    kind: () => Math.max(0, ...(mix?.titles ?? []).map(({ length }) => length)),
    date: () => (mix ? 29 : (widths?.date ?? 0)),
    apart: () => 14,
    field: () => widths?.ms ?? String(place?.mask).length,
    source: () => Math.min(MAX_SOURCE, column.width ?? 0),
  };
  const unit = kind === 'date' ? zone : time ? 'Unix ms' : kind === 'apart' ? 's' : '';
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

export function rowTexts(table: DecodedTable, rows: Uint32Array) {
  const { cells, parsed, layout, decoded, columns, beside, mix, as, zone } = table;
  const ids = BigUint64Array.from(rows, (row) => (mix?.ids ?? parsed.ids)[row]);
  const texts = as === 'written' ? [] : as === 'dec' ? Array.from(ids, String) : formatIds(ids, as);
  return Array.from(rows, (row, i) => {
    const problem = decoded.problems[row];
    const own = mix?.choices[mix.of[row] - 1];
    const sources = columns.some(({ kind }) => kind === 'source') ? beside.of(row) : [];
    const format = READ_FORMATS[parsed.formats?.[row] ?? READ_FORMATS.indexOf(parsed.format)];
    const textOf = (column: TableColumn): string => {
      const { kind, time, textAt, source } = column;
      if (source !== undefined) return sources[source];
      if (kind === 'line') return placeText(cells, row);
      if (kind === 'id') return (isId(problem) ? texts[i] : undefined) ?? cellText(cells, row);
      if (kind === 'kind') return mix?.titles[mix.of[row] - 1] ?? '';
      if (problem !== Problem.none) return '';
      if (textAt) return textAt(row);
      const value = column.values[row];
      if (!time) return String(value);
      const micros = microsOf(time, BigInt(value));
      return kind === 'date' ? (isoText(own?.time ?? time, micros, zone) ?? '') : msText(micros);
    };
    return {
      row,
      line: cells.lines[row],
      id: ids[i],
      /** Whether it is an id, be it one that the layout rejects, or that has no time. */
      isId: isId(problem),
      /** Its own kind and layout, if it is one of several kinds. */
      kind: mix?.titles[mix.of[row] - 1],
      layout: own?.choice as LayoutChoice | undefined,
      format,
      /** When it was made, in Unix microseconds. */
      micros: problem === Problem.none ? exactMicrosIn(layout, parsed.ids[row]) : undefined,
      /** Why it is not an id (then the second cell is the text that is there), or not one of the layout. */
      problem: problem === Problem.none ? '' : reasonOf(problem, format, layout) + hintFor(cells, parsed, row),
      cells: columns.map(textOf),
    };
  });
}

/** What is still known of a rounded number, or the format that reads a text which is not an id in that of the other rows. */
function hintFor(cells: Cells, { format, problems }: IdColumn, row: number): string {
  if (problems[row] === Problem.precisionLost) {
    const dates = roundedDates(cellText(cells, row)) ?? [];
    return dates.map(([what, span], i) => `${i > 0 ? ',' : ':'} ${span} as ${what}`).join('');
  }
  if (problems[row] !== Problem.notInFormat || isWideKind(format)) return '';
  const text = cellText(cells, row).trim();
  if (!/^\d+$|.{11}/.test(text)) return ''; // shorter words may be hexadecimal by chance
  const fitting = FORMATS.find((each) => idAs(text, each) !== undefined);
  return fitting === undefined ? '' : `, try ${FORMAT_NAMES[fitting]}`;
}
