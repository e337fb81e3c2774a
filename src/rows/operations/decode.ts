import { type Column, type Kernels, PIECE_ROWS, type Spans, type TextFormat } from '../../kernels/types.js';
import { defineLayout, type Layout } from '../../layout/layout.js';
import { idTextIn } from '../../tokens/find.js';
import { CELLS } from '../../tokens/patterns.js';
import { encoder } from '../../utf8.js';
import { timesOf, type WideIdKind } from '../../wide-ids/times.js';
import { attempt, type Batch, bytesColumnOf, LineError, Refused, shownText } from '../batch.js';
import {
  type AddedValues,
  addedValues,
  type Cell,
  type CellValues,
  jsonCells,
  tableRows,
  tableWriter,
  type ValueRows,
} from '../sinks/values.js';
import { byteOperation } from './operation.js';
import { MINUS, rowHasher } from './route.js';

/** How ids are decoded; plain data, for another thread. */
export type Decoding =
  | { readonly fields: Layout['fields'] | undefined; readonly text: TextFormat; readonly raw: boolean }
  | { readonly kind: WideIdKind };

/** A column of values that ids have. */
export interface DecodedColumn extends AddedValues {
  readonly name: string;
  readonly kind: 'u64' | 'ms' | 'date';
  /** Of a field. */
  readonly bits?: number;
  /** Whether times have fractions of milliseconds. */
  readonly hasFractions?: boolean;
}

const DATE: DecodedColumn = { name: 'date', kind: 'date', isText: true };

/** The layout of a decoding; undefined if none is known. */
export function layoutIn({ fields }: { readonly fields: Layout['fields'] | undefined }): Layout | undefined {
  return fields && defineLayout(fields);
}

/**
 * The columns after the id: the fields of a layout, and its date if it has time; the time of wider ids. Without a layout,
 * nothing but the id is written.
 */
export function columnsOf(decoding: Decoding): readonly DecodedColumn[] {
  // Some UUIDs have such times.
  if ('kind' in decoding) return [{ name: 'timestamp', kind: 'ms', hasFractions: decoding.kind === 'uuid' }, DATE];
  const { places, time } = layoutIn(decoding) ?? { places: [], time: undefined };
  const fields = places.map(({ name, bits }): DecodedColumn => {
    const isUnixMs = !decoding.raw && name === time?.name;
    if (isUnixMs) return { name, kind: 'ms', hasFractions: time.unitMs < 1 };
    return { name, kind: 'u64', isText: bits > 53, bits };
  });
  return time === undefined ? fields : [...fields, DATE];
}

/** How rows of decoded ids are written. */
export type IdRowFormat = 'tsv' | 'csv' | 'json';

export interface DecodeOptions {
  readonly decoding: Decoding;
  /** For lines. */
  readonly format: IdRowFormat;
}

/** Writes records with their values in more columns, or ids with their values as rows of a table, or as objects. */
export const DECODE = byteOperation('decode', (kernels, { decoding, format }: DecodeOptions, records) => {
  const columns = columnsOf(decoding);
  const { header, write } = records
    ? addedValues(kernels, records, columns)
    : decodedRows(kernels, decoding, columns, format);
  return { make: rowDecoder(kernels, decoding), header, write: ({ batch, values }) => write(batch, values) };
});

/** Rows with their ids, and the values of the columns of these: see {@link columnsOf}. */
export type DecodedRows = { readonly batch: Batch; readonly values: readonly CellValues[] };

/** @returns a function that reads the ids of rows, and gives what is valid until its next call */
export function rowDecoder(kernels: Kernels, decoding: Decoding): (rows: Batch) => DecodedRows | Refused {
  const ids = 'kind' in decoding ? undefined : idReader(kernels, decoding.text);
  const valuesOf = valuesReader(decoding);
  const read = (rows: Batch) => {
    const batch = ids?.(rows) ?? rows;
    if (batch instanceof Refused) return batch;
    const values = valuesOf(batch);
    return values instanceof Refused ? values : { batch, values };
  };
  return 'kind' in decoding ? withFound(kernels, decoding.kind, read) : read;
}

/** Reads ids of 64 bits, also those that have something around them. */
export function idReader(kernels: Kernels, text: TextFormat): (rows: Batch) => Batch | Refused {
  return withFound(kernels, text, rowHasher(kernels, { keys: 'u64', hash: 'none', seed: 0n }, text));
}

/**
 * A reader of ids that also takes rows in which an id has something around it: a link, a prefix, a line of a log. Most inputs
 * have ids alone, so rows are looked at one by one, at 2 µs each, only where one is refused.
 */
function withFound<T>(kernels: Kernels, format: TextFormat | WideIdKind, read: (rows: Batch) => T | Refused) {
  let text = kernels.column('u8', 0);
  let offsets: Column<'u32'> | undefined;
  return (rows: Batch): T | Refused => {
    const result = read(rows);
    if (!(result instanceof Refused)) return result;
    const { data, starts, ends } = rows.keys;
    const isAlone = CELLS[format];
    let isAny = false;
    const texts = Array.from(starts, (start, row) => {
      const key = shownText(data.subarray(start, ends[row]));
      const id = isAlone.test(key) ? undefined : idTextIn(key, format);
      isAny ||= id !== undefined;
      return encoder().encode(id ?? key);
    });
    if (!isAny) return result;
    const bytes = texts.reduce((sum, { length }) => sum + length, 0);
    if (text.array.length < bytes) text = kernels.column('u8', 2 * bytes);
    offsets ??= kernels.column('u32', PIECE_ROWS + 1);
    let at = 0;
    for (const [row, key] of texts.entries()) {
      text.array.set(key, at);
      at += key.length;
      offsets.array[row + 1] = at;
    }
    return read(rows.with({ keys: { text, offsets } }));
  };
}

/** The line before all rows of a table; empty for objects. */
export function titleOf(decoding: Decoding, format: IdRowFormat): string {
  if (format === 'json') return '';
  return `${['id', ...columnsOf(decoding).map(({ name }) => name)].join(separatorOf(format))}\n`;
}

// Values need no quotes in a table, because all are numbers and dates.
const separatorOf = (format: IdRowFormat): string => (format === 'csv' ? ',' : '\t');

type ValuesReader = (batch: Batch) => CellValues[] | Refused;

function valuesReader(decoding: Decoding): ValuesReader {
  if ('kind' in decoding) {
    return (batch) => {
      const times = attempt(batch, () => timesOf(bytesColumnOf(batch.keys), decoding.kind));
      return times instanceof Refused ? times : [times, times];
    };
  }
  const layout = layoutIn(decoding);
  return layout === undefined ? () => [] : fieldsReader(layout, decoding.raw);
}

/**
 * The fields of ids, of which the time is in Unix milliseconds unless it is raw, and their dates. They are valid until the
 * next call, because new columns for each batch take 5 MB until they are collected.
 */
function fieldsReader(layout: Layout, raw: boolean): ValuesReader {
  const { time } = layout;
  let room = 0;
  let columns: { [name: string]: Float64Array | BigUint64Array } = {};
  return (batch) => {
    const ids = batch.hashes;
    const isLarger = ids.length > room;
    const out: typeof columns = isLarger
      ? { ...(time && !raw && { [time.name]: new Float64Array(ids.length) }) }
      : Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.subarray(0, ids.length)]));
    const fields = attempt(batch, () => layout.unpackMany(ids, { wide: true, out }));
    if (fields instanceof Refused) {
      const id = ids[fields.row];
      if (time === undefined || !fits(layout, id)) return fields;
      const expected = `an id whose ${time.name} is exact in Unix milliseconds`;
      const error = new LineError(batch.lineOf(fields.row), expected, id, undefined, { isRawNeeded: true });
      return new Refused(fields.row, error);
    }
    if (isLarger) [room, columns] = [ids.length, fields];
    const values = Object.values(fields);
    return time === undefined ? values : [...values, raw ? instantsOf(layout, ids) : fields[time.name]];
  };
}

/** Whether an id fits a layout. If it was refused, its time is one that a number cannot hold exactly. */
function fits({ mask, places }: Layout, id: bigint): boolean {
  return id <= mask && places.every((place) => ((id >> BigInt(place.shift)) & place.mask) >= place.min);
}

/** The times of ids in Unix milliseconds. NaN for a time that a Date cannot hold, if `datesOf` refuses the column. */
function instantsOf(layout: Layout, ids: BigUint64Array): Float64Array {
  try {
    return layout.datesOf(ids);
  } catch {
    return Float64Array.from(ids, (id) => dateOf(layout, id));
  }
}

function dateOf(layout: Layout, id: bigint): number {
  try {
    return layout.dateOf(id).getTime();
  } catch {
    return Number.NaN;
  }
}

/** Writes ids and their values, which are valid until the next call. */
function decodedRows(
  kernels: Kernels,
  decoding: Decoding,
  columns: readonly DecodedColumn[],
  format: IdRowFormat,
): ValueRows {
  const isWide = 'kind' in decoding;
  const all = [{ name: 'id', kind: isWide ? 'text' : 'u64', isText: true } as const, ...columns];
  const before = (i: number) => (i === 0 ? '' : separatorOf(format));
  const cells = format === 'json' ? jsonCells(all, '{') : all.map(({ kind }, i) => ({ kind, before: before(i) }));
  const end = format === 'json' ? '}\n' : '\n';
  const { header, write } = tableRows(kernels, isWide ? [] : cells, end);
  let writeTexts: ReturnType<typeof rowsOfTexts> | undefined; // made only for ids that need it
  return {
    header,
    write(batch, values) {
      if (!isWide && !isAnySigned(batch.keys)) return write(batch, [batch.hashes, ...values]);
      writeTexts ??= rowsOfTexts(kernels, cells, end);
      return writeTexts(isWide ? batch.keys : signedTexts(batch), values);
    },
  };
}

const isAnySigned = ({ data, starts }: Spans): boolean => starts.some((start) => data[start] === MINUS);

/** The ids in decimal. One that was written with a minus sign has it again. */
function signedTexts({ keys: { data, starts }, hashes }: Batch): Spans {
  const texts = Array.from(hashes, (id, row) => `${data[starts[row]] === MINUS ? BigInt.asIntN(64, id) : id}`);
  const ends = new Uint32Array(texts.length);
  for (let row = 0, end = 0; row < texts.length; row++) ends[row] = end += texts[row].length;
  return { data: encoder().encode(texts.join('')), starts: ends.map((end, row) => end - texts[row].length), ends };
}

/**
 * Writes rows of ids, given as texts, and values. The kernels write the values; this puts the ids, which need no quotes, in
 * front. Together they take 0.5 µs a row.
 * @returns a function that gives the rows as bytes, valid until its next call
 */
function rowsOfTexts(
  kernels: Kernels,
  [id, ...cells]: readonly Cell[],
  end: string,
): (ids: Spans, values: readonly CellValues[]) => Uint8Array {
  const [before, after] = [id.before, id.after].map((text) => encoder().encode(text));
  const table = tableWriter(kernels, cells, end);
  let rows = new Uint8Array(0);
  return ({ data, starts, ends }, values) => {
    const count = starts.length;
    table.write(values, count);
    const { text, offsets } = table.texts;
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
