import { datesIn, SERVICES } from '../../guess/index.js';
import type { Layout } from '../../index.js';
import { CellList, type Cells, cellText, NEWLINE, textIn } from '../read/cells.js';
import { columnOfServices } from '../read/context.js';
import type { JsonPath } from '../read/guess.js';
import type { IdColumn } from '../read/id-column.js';
import { EACH, readJson, textAt } from '../read/json.js';
import type { ReadText } from '../read/shape.js';
import { recordTexts } from '../read/table.js';
import { findEpoch } from './epoch-finder.js';
import { layoutOf, microsIn } from './layout-choice.js';
import { goodRows } from './order.js';

// What is beside the ids: other columns, and the lines that they are in.

/** The columns of all texts; a row has those of its own. */
export type SourceCells = ReturnType<typeof sourceCellsOf>;

/** @param pick the rows of all that are looked at; undefined: all of them */
export function sourceCellsOf(texts: readonly ReadText[], pick?: Uint32Array) {
  let rows = 0;
  const parts = texts.map((text) => {
    const firstRow = rows;
    rows += text.cells.starts.length;
    return { ...sourceCells(text), firstRow };
  });
  const names = [...new Set(parts.flatMap((part) => part.names))];
  return {
    names,
    /** A text for each name; '' where the row has none. */
    of: (picked: number) => {
      const row = pick?.[picked] ?? picked;
      const part = parts.findLast(({ firstRow }) => firstRow <= row) ?? parts[0];
      const cells = part.of(row - part.firstRow);
      return names.map((name) => cells[part.names.indexOf(name)] ?? '');
    },
  };
}

/** So much of a line is shown. */
const MAX_LINE = 500;

/**
 * The columns of a table or of JSON, or the lines that ids are in; none if the ids are all there is. Of each row only its
 * place is kept: texts are read when they are asked for.
 */
function sourceCells({ cells, shape, column }: ReadText): ReturnType<typeof jsonCells> {
  const { delimiter, paths = [], choices, kind } = shape;
  if (kind === 'text') {
    const starts = lineStarts(cells);
    const lineOf = (start: number) => {
      const end = cells.data.indexOf(NEWLINE, start);
      return textIn(cells.data, start, Math.min(start + MAX_LINE, end < 0 ? cells.data.length : end))
        .replace(/\ufffd+$/, '')
        .trim();
    };
    return { names: ['text'], of: (row) => [lineOf(starts[row])] };
  }
  if (delimiter !== undefined) {
    const names = choices.filter(({ isInside }) => !isInside).map(({ name }) => name);
    const starts = lineStarts(cells);
    const recordOf = (row: number) => cells.data.subarray(starts[row]);
    return { names, of: (row) => recordTexts(recordOf(row), delimiter) };
  }
  const path = paths[column];
  return path === undefined || paths.length < 2 ? { names: [], of: () => [] } : jsonCells(cells, paths, path);
}

function lineStarts({ data, lines }: Cells): Uint32Array {
  const starts = new Uint32Array(lines.length);
  let at = 0;
  let line = 1;
  for (let row = 0; row < lines.length; row++) {
    for (; line < lines[row]; line++) at = data.indexOf(NEWLINE, at) + 1;
    starts[row] = at;
  }
  return starts;
}

/** The values beside the ids: those of the same element of an array, or of the same value of a line. */
function jsonCells({ data, starts }: Cells, paths: readonly JsonPath[], chosen: JsonPath) {
  const depth = chosen.steps.lastIndexOf(EACH) + 1;
  const row = chosen.steps.slice(0, depth);
  const beside = paths.filter(({ name, steps }) => {
    const isInRow = steps.length > depth && steps.slice(0, depth).join('/') === row.join('/');
    return isInRow && name !== '' && steps.lastIndexOf(EACH) < depth;
  });
  // The path ends before the values, so that all of each row is found.
  const list = new CellList(data, starts.length);
  readJson(list, row);
  const rows = list.finish();
  let at = 0;
  const rowStarts = starts.map((start) => {
    while (rows.starts[at + 1] <= start) at++;
    return start < rows.ends[at] ? rows.starts[at] : start; // a text among objects has no values
  });
  const end = chosen.name.lastIndexOf('[]');
  return {
    // `data.items[].user.name` is `user.name` of an item.
    names: beside.map(({ name }) => (end < 0 ? name : name.slice(end + 2).replace(/^\./, ''))),
    of: (index: number) => beside.map(({ steps }) => textAt(data, rowStarts[index], steps.slice(depth))),
  };
}

/** What names a service in a row: its title, or a clue. */
export const CLUES = SERVICES.map(({ title, clue }) => clue && new RegExp(`^${title}$|${clue.source}`, 'i'));

/** The first rows are looked at, which lie within so many bytes. */
const ROWS = 50;
const BYTES = 256 * 1024;

/**
 * Ids at the start of a table, and the dates that its other columns have for them. They tell which service made the ids:
 * one whose dates are the same. Rows that are not ids are left out. A column may also name the service of each row.
 */
export function besideIds(text: ReadText, { problems }: IdColumn) {
  const { cells } = text;
  const count = cells.ends.subarray(0, ROWS).filter((end) => end <= BYTES).length;
  const [starts, lines] = [cells.starts.subarray(0, count), cells.lines.subarray(0, count)];
  const first = { ...cells, data: cells.data.subarray(0, BYTES), starts, lines };
  const { names, of } = sourceCellsOf([{ ...text, cells: first }]);
  const rows = [...goodRows(problems.subarray(0, count))];
  const texts = rows.map(of);
  const columns = names.map((_, column) => texts.map((row) => row[column]));
  return {
    dates: datesIn(columns),
    /** The name of the first column that has dates with a time of day in most rows. */
    dated:
      names[
        columns.findIndex(
          (some) =>
            2 * some.filter((each) => /\d[:\d]\d/.test(each.slice(10)) && datesIn([[each]]).length > 0).length >
            some.length,
        )
      ],
    services: names[columnOfServices(columns, CLUES)],
  };
}

/** The time that a line begins with, or has in brackets, as logs write it: ISO 8601, of web servers, or Unix seconds and milliseconds. */
const LINE_TIME =
  /(?<![\w-])(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)|(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})|(?:^|["[ ])(?:(?:ts|time|at|timestamp)"?[=:] ?"?)?(1\d{9}(?:\d{3})?)\b/;

/** The Unix milliseconds of a line's own time; NaN if it has none. */
export function timeInLine(text: string): number {
  const [found, iso, day, month, year, clock, offset, unix] = LINE_TIME.exec(text) ?? [];
  if (found === undefined) return Number.NaN;
  if (unix !== undefined) return Number(unix) * (unix.length > 10 ? 1 : 1000);
  if (day !== undefined) return Date.parse(`${day} ${month} ${year} ${clock} ${offset}`);
  return datesIn([[iso.replace(/ (?=[Z+-])/, '').replace(' ', 'T')]])[0]?.[0]?.from ?? Number.NaN;
}

/** The Unix milliseconds of each row's own line, or in its column of dates; undefined if there are none. */
export function ownTimes({ names, of }: SourceCells, dated: string | undefined): ((row: number) => number) | undefined {
  const at = names.indexOf(dated ?? 'text');
  if (at < 0) return undefined;
  return (row) => {
    const text = of(row)[at];
    return dated === undefined ? timeInLine(text) : (datesIn([[text]])[0]?.[0]?.from ?? Number.NaN);
  };
}

/** So many rows are compared with their dates, from all over the table. */
const DATED_ROWS = 300;
const DAY = 86_400_000_000n;

/**
 * The layout whose dates the rows have in a column, or in their lines; undefined if there is none, or the layout that is
 * shown has the same.
 */
export function layoutBeside({ names, of }: SourceCells, { ids, problems }: IdColumn, shown: Layout) {
  const good = names.length > 0 ? goodRows(problems) : new Uint32Array(0);
  const step = Math.ceil(good.length / DATED_ROWS);
  const rows = good.filter((_, i) => i % step === 0);
  const sample = BigUint64Array.from(rows, (row) => ids[row]);
  const cells = Array.from(rows, (row) => of(row));
  for (const name of names) {
    const timeOf = ownTimes({ names, of: (i) => cells[i] }, name === 'text' ? undefined : name);
    const found = timeOf && findEpoch(sample, Array.from(cells.keys(), timeOf));
    if (found === undefined) continue;
    const choice = { spec: `timestamp:${found.bits},rest:${found.shift}`, epoch: found.epoch, unit: found.unit };
    const [micros = 0n, other] = [layoutOf(choice), shown].map((layout) => microsIn(layout, sample[0]));
    const isShown = other !== undefined && micros - other < DAY && other - micros < DAY;
    return isShown ? undefined : { ...found, name, choice };
  }
  return undefined;
}

/** The values of another column as numbers from 1, the most frequent first; 0: none. More values than this are not told apart. */
const MAX_VALUES = 1000;

export type Category = ReturnType<typeof categoryOf>;

export function categoryOf(cells: Cells, pick?: Uint32Array) {
  const numbers = new Map<string, number>();
  const counts = [0];
  const found = Uint16Array.from({ length: pick?.length ?? cells.starts.length }, (_, i) => {
    const text = cellText(cells, pick?.[i] ?? i);
    const number =
      numbers.get(text) ?? (text === '' || numbers.size === MAX_VALUES ? 0 : numbers.set(text, numbers.size + 1).size);
    counts[number] = (counts[number] ?? 0) + 1;
    return number;
  });
  const names = [...numbers.keys()].sort((a, b) => counts[numbers.get(b) ?? 0] - counts[numbers.get(a) ?? 0]);
  const rank = new Uint16Array(numbers.size + 1);
  names.forEach((name, i) => {
    rank[numbers.get(name) ?? 0] = i + 1;
  });
  return { names, values: found.map((number) => rank[number]) };
}
