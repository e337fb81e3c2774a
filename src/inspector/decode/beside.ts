import { datesIn, periodOf } from '../../guess/index.js';
import type { Layout } from '../../index.js';
import { CellList, type Cells, longer, NEWLINE, textIn } from '../read/cells.js';
import type { JsonPath } from '../read/guess.js';
import type { IdColumn } from '../read/id-column.js';
import { EACH, readJson, textAt } from '../read/json.js';
import { utf8Of } from '../read/open.js';
import type { ReadText } from '../read/shape.js';
import { emptyRecord, readRecord, recordTexts, valueIn } from '../read/table.js';
import { columnOfServices } from './context/contexts.js';
import { findEpoch } from './epoch-finder.js';
import { layoutOf, microsIn } from './layout-choice.js';
import { allRows, goodRows, type ValueRange } from './order.js';

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
  const of = (picked: number) => {
    const row = pick?.[picked] ?? picked;
    const part = parts.findLast(({ firstRow }) => firstRow <= row) ?? parts[0];
    const cells = part.of(row - part.firstRow);
    return names.map((name) => cells[part.names.indexOf(name)] ?? '');
  };
  const sample = Array.from({ length: Math.min(ROWS, pick?.length ?? rows) }, (_, row) => of(row));
  return {
    names,
    sample,
    /** How many characters the first texts of each column have. */
    widths: names.map((_, column) => Math.max(0, ...sample.map((texts) => texts[column].length))),
    /** A text for each name; '' where the row has none. */
    of,
    /** Visits the texts that all rows have in a column, as bytes. */
    each: (name: string, visit: Visit) => {
      let picked = 0;
      for (const { names, each, firstRow } of parts) {
        if (!names.includes(name)) continue;
        each(names.indexOf(name), (row, text) => {
          if (!pick) return visit(firstRow + row, text);
          while (pick[picked] < firstRow + row) picked++;
          if (pick[picked] === firstRow + row) visit(picked, text);
        });
      }
    },
  };
}

type Visit = (row: number, text: Uint8Array) => void;

/** So much of a line is shown. */
const MAX_LINE = 500;

/**
 * The columns of a table or of JSON, or the lines that ids are in; none if the ids are all there is. Of each row only its
 * place is kept: texts are read when they are asked for.
 */
function sourceCells({ cells, shape, column }: ReadText): ReturnType<typeof jsonCells> {
  const { data } = cells;
  const { delimiter, paths = [], choices, kind } = shape;
  if (kind === 'text') {
    const starts = lineStarts(cells);
    const lineAt = (start: number) => {
      const end = data.indexOf(NEWLINE, start);
      return data.subarray(start, Math.min(start + MAX_LINE, end < 0 ? data.length : end));
    };
    return {
      names: ['text'],
      of: (row) => [
        textIn(lineAt(starts[row]))
          .replace(/\ufffd+$/, '')
          .trim(),
      ],
      each: (_, visit) => {
        for (const [row, start] of starts.entries()) visit(row, lineAt(start));
      },
    };
  }
  if (delimiter !== undefined) {
    const names = choices.filter(({ isInside }) => !isInside).map(({ name }) => name);
    const starts = lineStarts(cells);
    const recordOf = (row: number) => data.subarray(starts[row]);
    const each = (column: number, visit: Visit) => {
      const record = emptyRecord();
      for (const [row, start] of starts.entries()) {
        record.start = start;
        readRecord(data, delimiter, record, column + 1);
        visit(row, valueIn(data, record, column));
      }
    };
    return { names, of: (row) => recordTexts(recordOf(row), delimiter), each };
  }
  const path = paths[column];
  if (!path || paths.length < 2) return { names: [], of: () => [], each: () => {} };
  return jsonCells(cells, paths, path);
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
    each: (column: number, visit: Visit) => {
      const steps = beside[column].steps.slice(depth);
      for (const [row, start] of rowStarts.entries()) visit(row, utf8Of(textAt(data, start, steps)));
    },
  };
}

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
          (some) => 2 * some.filter((each) => /\d[:\d]\d/.test(each.slice(10)) && periodOf(each)).length > some.length,
        )
      ],
    services: names[columnOfServices(columns)],
    /** The name of the first column whose texts are there several times. */
    repeated: names[columns.findIndex((some) => new Set(some).size > 1 && new Set(some).size * 2 <= some.length)],
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
  return periodOf(iso.replace(/ (?=[Z+-])/, '').replace(' ', 'T'))?.from ?? Number.NaN;
}

/** The Unix milliseconds of each row's own line, or in its column of dates; undefined if there are none. */
export function ownTimes(
  { names, of }: Pick<SourceCells, 'names' | 'of'>,
  name = 'text',
): ((row: number) => number) | undefined {
  const at = names.indexOf(name);
  const timeIn = name === 'text' ? timeInLine : (text: string) => periodOf(text)?.from ?? Number.NaN;
  return at < 0 ? undefined : (row) => timeIn(of(row)[at]);
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
    const timeOf = ownTimes({ names, of: (i) => cells[i] }, name);
    const found = timeOf && findEpoch(sample, Array.from(cells.keys(), timeOf));
    if (!found) continue;
    const choice = { spec: `timestamp:${found.bits},rest:${found.shift}`, epoch: found.epoch, unit: found.unit };
    const [micros = 0n, other] = [layoutOf(choice), shown].map((layout) => microsIn(layout, sample[0]));
    const isShown = other !== undefined && micros - other < DAY && other - micros < DAY;
    return isShown ? undefined : { ...found, name: name === 'text' ? 'the time in the line' : name, choice };
  }
  return undefined;
}

/** Texts as numbers from 1; 0: a row has none. Both that and an empty text have the place 0. */
export type Texts = ReturnType<typeof textsOf>;

/** NaN for what is not a number; such texts as 1e3 and 0x10 are left as they are. */
const numberIn = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

/** @param size how many texts there are */
export function textsOf(
  values: Uint8Array | Uint16Array | Uint32Array,
  size: number,
  nameOf: (number: number) => string,
) {
  let order: ReturnType<typeof inOrder> | undefined;
  const inOrder = () => {
    const names = Array.from({ length: size }, (_, i) => nameOf(i + 1));
    const texts = names.map((name) => name.toLowerCase());
    const numbers = texts.map((text) => (text === '' ? -Infinity : numberIn(text)));
    const keys: readonly (string | number)[] = numbers.some(Number.isNaN) ? texts : numbers;
    const places = new Uint32Array(size + 1);
    const sorted = allRows(keys).sort((a, b) => (keys[a] < keys[b] ? -1 : Number(keys[a] > keys[b])));
    const first = texts[sorted[0]] === '' ? 0 : 1;
    for (const [place, i] of sorted.entries()) places[i + 1] = place + first;
    return {
      names,
      texts,
      keys,
      first,
      placeOf: places,
      places: new Uint32Array(values).map((number) => places[number]),
    };
  };
  return {
    values,
    size,
    nameOf,
    /** The place of each row's text among all that differ, in the order of numbers if all are, or else of the alphabet. */
    get places(): Uint32Array {
      order ??= inOrder();
      return order.places;
    },
    /** The place of a text, or of all that begin with it if there is none; of a number where it is, or would be. */
    rangeOf(text: string): ValueRange {
      order ??= inOrder();
      const { names, texts, keys, first, placeOf } = order;
      const [word, number] = [text.toLowerCase(), numberIn(text)];
      const isNumber = keys !== texts && !Number.isNaN(number);
      const same = BigInt(isNumber ? 0 : placeOf[names.indexOf(text) + 1]);
      if (same > 0n || text === '') return { min: same, max: same };
      const key = isNumber ? number : word;
      const before = keys.filter((each) => each < key).length;
      const found = isNumber ? keys.filter((each) => each === key) : texts.filter((each) => each.startsWith(word));
      return { min: BigInt(before + first), max: BigInt(before + first - 1 + found.length) };
    },
  };
}

/**
 * The texts of a column of the source. Each is kept once, as bytes, and found by a hash of them: 2,000,000 rows take
 * 0.14 s when their cells have been found, and 0.75 s if each cell becomes a string.
 */
export function categoryOf({ each }: Pick<SourceCells, 'each'>, column: string, rows: number): Texts {
  const values = new Uint32Array(rows);
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * rows + 2)));
  let [bytes, ends, size] = [new Uint8Array(1024), new Uint32Array(64), 0];
  const isSame = (number: number, text: Uint8Array) => {
    const start = ends[number - 1];
    if (ends[number] - start !== text.length) return false;
    for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
    return true;
  };
  const add = (text: Uint8Array) => {
    const end = ends[size] + text.length;
    if (++size === ends.length) ends = longer(ends, new Uint32Array(2 * size));
    if (end > bytes.length) bytes = longer(bytes, new Uint8Array(2 * end));
    bytes.set(text, ends[size - 1]);
    ends[size] = end;
    return size;
  };
  each(column, (row, cell) => {
    let [from, to, hash] = [0, Math.min(cell.length, MAX_LINE), 0];
    while (from < to && cell[from] <= 0x20) from++;
    while (to > from && cell[to - 1] <= 0x20) to--;
    const text = to - from < cell.length ? cell.subarray(from, to) : cell;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text[at], 0x9e3779b1) ^ (hash >>> 15);
    let slot = (hash ^ (hash >>> 16)) & (slots.length - 1);
    while (slots[slot] > 0 && !isSame(slots[slot], text)) slot = (slot + 1) & (slots.length - 1);
    slots[slot] ||= add(text);
    values[row] = slots[slot];
  });
  return textsOf(values, size, (number) => textIn(bytes, ends[number - 1], ends[number]));
}
