import type { LineDetails } from '../../errors.js';
import { arraysOf } from '../../kernels/active.js';
import {
  type CsvColumns,
  Fault,
  type FieldSyntax,
  fieldValue,
  lengthAt,
  lineEndLength,
  NO_BYTE,
  RAGGED,
  Stop,
} from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import {
  Batch,
  type FoundFields,
  Header,
  LineError,
  type LineNumbers,
  malformed,
  type Piece,
  shownText,
  unknownField,
} from '../batch.js';
import { BufferedSource, type KeyFormat, MAX_LINE, nullColumns, READ_BYTES, recordKeys, type Table } from './lines.js';

export const QUOTE = 0x22;
const LETTER_N = 0x4e;

/** The names of the columns in a header that is well-formed. */
export function namesOf(header: Uint8Array, format: CsvSyntax): string[] {
  const { delimiter, quote, escaper } = format;
  const names: string[] = [];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isQuoted = false;
  for (let start = 0, at = 0; at <= header.length; at += lengthAt(header, at, header.length, escaper)) {
    if (header[at] === quote) isQuoted = !isQuoted;
    if (at < header.length && (isQuoted || header[at] !== delimiter)) continue;
    names.push(decoder.decode(fieldValue(header.subarray(start, at), format)));
    start = at + 1;
  }
  return names;
}

/**
 * The places of columns, counted from 0.
 * @param keys names, or numbers from 1
 * @param wrong makes the error for a header that is not as expected
 * @throws LineError if a column is missing, occurs twice in the header, or is twice in the key
 */
function placesOf(
  keys: readonly (string | number)[],
  names: readonly string[],
  wrong: (expected: string, details?: LineDetails) => LineError,
): number[] {
  const places = keys.map((key) => {
    const place = typeof key === 'number' ? key - 1 : names.indexOf(key);
    if (place < 0) throw wrong(`a column named ${key}${hint(String(key), names)}`, { lacking: String(key) });
    if (place >= names.length) throw wrong(`at least ${key} columns`);
    if (typeof key === 'string' && names.lastIndexOf(key) !== place) throw wrong(`one column named ${key}`);
    return place;
  });
  if (new Set(places).size < places.length) throw wrong('each column of the key once');
  return places;
}

const QUOTE_FAULTS: readonly number[] = [Fault.QUOTE_IN_FIELD, Fault.TEXT_AFTER_QUOTE, Fault.OPEN_QUOTE];

/** A name that differs only in the spaces around it, or in case. */
function hint(key: string, names: readonly string[]): string {
  const folded = (name: string) => name.trim().toLowerCase();
  const near = names.find((name) => folded(name) === folded(key));
  return near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`;
}

function headerError(line: number, expected: string, header: Uint8Array, details?: LineDetails): LineError {
  return new LineError(line, expected, shownText(header), undefined, details);
}

/** The characters with a meaning in CSV; plain data, for another thread. */
export interface CsvSyntax extends FieldSyntax {
  /** A byte other than a quote, `\r` or `\n`. */
  readonly delimiter: number;
}

/** The format of a CSV table, and the columns of its key; plain data, for another thread. */
export interface CsvFormat extends CsvSyntax, KeyFormat {
  readonly format: 'csv';
  /** 1 to 255 columns, by their names or their numbers from 1, each once, in the order in which they are hashed. */
  readonly keys: readonly (string | number)[];
  /** The column that says the shard of a record, another one than those of the key. */
  readonly shard?: string | number | undefined;
  /** Whether the first record names the columns. */
  readonly hasHeader: boolean;
  /** Whether records may have fewer fields than the first one, and more. */
  readonly isRagged: boolean;
}

/**
 * Records of CSV. A malformed record ends with the line in which the fault shows, or with its first line if its quotes
 * are not closed within 16 MiB. A record above 512 KiB may come out only after twice as many bytes have come in. The memory
 * has a fixed size, or a few times that of the longest record if that is more. The header comes first, once; headers of
 * further files must name the same columns. All records have as many fields as the header, or the first record if there is
 * none, unless they are ragged. Empty lines are left out.
 */
export class CsvBatches extends BufferedSource {
  readonly #fields: readonly (string | number)[];
  readonly #found: { readonly [name in 'starts' | 'ends' | 'keyStarts' | 'keyEnds' | 'stop']: Column<'u32'> };
  /** For the fields up to the last one that is read: see CsvColumns. */
  #slots: Column<'u8'>;
  readonly #readKeys: ReturnType<typeof recordKeys>;
  #names: readonly string[] | undefined;
  /** How many fields each record must have. It is not known before the first one. */
  #width: number | undefined;
  #isHeaderNext: boolean;
  /** This many bytes have no complete record. The next try is at twice as many, so that the time is not quadratic. */
  #tried = 0;

  /**
   * @param longest the longest record in bytes, 256 KiB or more
   * @param quotedBytes in how many bytes a quote that was opened must be closed
   */
  constructor(
    kernels: Kernels,
    private readonly format: CsvFormat,
    longest = MAX_LINE,
    private readonly quotedBytes = MAX_LINE,
  ) {
    super(kernels, 'record', longest);
    this.#isHeaderNext = format.hasHeader;
    this.#readKeys = recordKeys(this.kernels, format, format.keys.length);
    this.#fields = [...format.keys, ...(format.shard === undefined ? [] : [format.shard])];
    const rows = PIECE_ROWS * this.#fields.length;
    this.#found = {
      starts: this.kernels.column('u32', PIECE_ROWS + 1),
      ends: this.kernels.column('u32', PIECE_ROWS),
      keyStarts: this.kernels.column('u32', rows),
      keyEnds: this.kernels.column('u32', rows),
      stop: this.kernels.column('u32', Stop.LENGTH),
    };
    this.#slots = this.#slotsOf(format.hasHeader ? [0] : this.#fields.map((field) => Number(field) - 1));
  }

  #slotsOf(places: readonly number[]): Column<'u8'> {
    const slots = this.kernels.column('u8', Math.max(...places) + 1);
    for (const [i, place] of places.entries()) slots.array[place] = i + 1;
    return slots;
  }

  #columns(): CsvColumns {
    const { quote, escaper } = this.format;
    const [fields, slots] = [this.#fields.length, this.#slots.array];
    return { format: 'csv', quote, escaper, most: PIECE_ROWS, fields, slots, ...arraysOf(this.#found) };
  }

  override restart(isStart = true): void {
    super.restart(isStart);
    this.#isHeaderNext = isStart && this.format.hasHeader;
    this.#tried = 0;
  }

  override get table(): Table | undefined {
    const isKnown = this.#width !== undefined && (this.#names !== undefined || !this.format.hasHeader);
    return isKnown ? { names: this.#names, width: this.#width } : undefined;
  }

  override useTable({ names, width }: Table): void {
    if (names !== undefined) this.#useNames(names, new Uint8Array()); // another scan has found them right
    this.#width = width;
  }

  next(): Piece | undefined {
    const { data, start, end, longest } = this;
    const waiting = end - start;
    const most = this.#tried < this.quotedBytes ? Math.min(this.quotedBytes, longest) : longest;
    const isSoon = waiting > READ_BYTES && waiting <= most && waiting < 2 * this.#tried;
    if (waiting === 0 || (isSoon && !this.isEnd)) return undefined;
    const isFirst = this.#isHeaderNext || this.#width === undefined;
    const found = this.#columns();
    const count = this.#find(found);
    this.#tried = 0;
    if (found.starts[0] > start) {
      this.goTo(found.starts[0]); // after empty lines
      return this.next();
    }
    if (count > 0) {
      if (this.#isHeaderNext) return this.#takeHeader(found) ?? this.next();
      if (!isFirst) return this.#take(count, found);
      this.#checkLineEnd(found.ends[0], found.starts[1]);
      this.#width = namesOf(data.array.slice(found.starts[0], found.ends[0]), this.format).length;
      return this.next(); // again, among others
    }
    if (found.stop[Stop.FAULT] !== Fault.NONE) {
      if (isFirst) this.#checkLineEnd(found.stop[Stop.END], found.stop[Stop.NEXT]);
      return this.#withoutKey(found) ?? this.#malformed(found.stop);
    }
    if (isFirst && waiting >= READ_BYTES) this.#checkLineEnd(end, end);
    this.#tried = waiting;
    return undefined;
  }

  /**
   * The next records. Whether a quote is closed soon enough depends on the record alone, not on how many bytes have come:
   * it is looked for in the first 16 MiB from the record's start, then in twice as many, and so on.
   */
  #find(found: CsvColumns): number {
    const { data, start, end, isEnd } = this;
    const { delimiter, isRagged } = this.format;
    const fields = this.#isHeaderNext ? 0 : isRagged ? RAGGED : (this.#width ?? 0);
    const kernels = recordKernels(this.kernels);
    for (let most = this.quotedBytes; ; most *= 2) {
      const to = Math.min(end, start + most);
      const isLast = isEnd && to === end;
      const bytes = { data: data.array, from: start, to, isEnd: isLast, delimiter, fields };
      const count = kernels.csvRecords(bytes, found);
      if (count > 0 || isLast || found.stop[Stop.FAULT] !== Fault.NONE || to < start + most) return count;
      kernels.csvRecords({ ...bytes, isEnd: true }, found);
      if (found.stop[Stop.FAULT] === Fault.OPEN_QUOTE) return 0;
      found.stop[Stop.FAULT] = Fault.NONE; // a line that is not in quotes may be longer
      if (to === end) return 0;
    }
  }

  /**
   * Refuses a table whose lines end with `\r` alone: all of it would be one record.
   * @param next where the next record starts; `end` if the first one has no line end
   */
  #checkLineEnd(end: number, next: number): void {
    const head = shownText(this.data.array.subarray(this.start, end));
    if (next > end || !/\r./.test(this.#withoutData(head))) return;
    throw new LineError(this.line, 'lines that end with \\n or \\r\\n', head);
  }

  /** A text without what is in quotes or escaped. */
  #withoutData(text: string): string {
    const { quote, escaper } = this.format;
    const escaped = new RegExp(`\\x${escaper.toString(16).padStart(2, '0')}[^]`, 'g');
    const rest = escaper === NO_BYTE ? text : text.replace(escaped, '');
    return quote === NO_BYTE ? rest : rest.replace(/"[^"]*"/g, '');
  }

  /** @returns undefined for the header of a further file */
  #takeHeader({ starts, ends }: CsvColumns): Header | undefined {
    const { start, data } = this;
    this.countUpToTooLong(1, starts, ends);
    const [end, next] = [ends[0], starts[1]];
    this.#checkLineEnd(end, next);
    const header = new Header(
      data.array.slice(start, end),
      data.array.slice(end, end + lineEndLength(data.array, end, next)),
    );
    const names = namesOf(header.bytes, this.format);
    const isFirst = this.#names === undefined;
    if (isFirst) this.#useNames(names, header.bytes);
    else if (JSON.stringify(names) !== JSON.stringify(this.#names))
      throw headerError(this.line, `the columns ${this.#names}`, header.bytes);
    this.goTo(next);
    this.#isHeaderNext = false;
    return isFirst ? header : undefined;
  }

  #useNames(names: readonly string[], header: Uint8Array): void {
    const { keys, added, others } = this.format;
    const { line } = this;
    const unknown = others && names.find((name) => !keys.includes(name) && !others.includes(name));
    if (unknown !== undefined) throw unknownField(line, unknown, keys.map(String));
    const places = placesOf(this.#fields, names, (expected, details) => headerError(line, expected, header, details));
    const taken = added.find((name) => names.includes(name));
    if (taken !== undefined) throw headerError(line, `no column named ${taken}`, header, { taken });
    this.#names = names;
    this.#width = names.length;
    this.#slots.free();
    this.#slots = this.#slotsOf(places);
  }

  #take(all: number, found: CsvColumns): Batch {
    const count = this.countUpToTooLong(all, found.starts, found.ends);
    const next = found.starts[count];
    const lines = count === all ? count + found.stop[Stop.BREAKS] : undefined;
    const keys = this.#readKeys(this.data, () => this.#columns(), count);
    return this.#batch(count, this.goTo(next, lines), keys);
  }

  #batch(count: number, numbers: LineNumbers, more: Omit<FoundFields, 'starts' | 'ends'>): Batch {
    const { starts, ends, keyStarts, keyEnds } = this.#found;
    const { keys } = this.format;
    const names = keys.map((key) => (typeof key === 'string' ? key : (this.#names?.[key - 1] ?? `column ${key}`)));
    const found = { starts: keyStarts, ends: keyEnds, shard: keys.length, names, ...more };
    return new Batch(count, { data: this.data, starts, ends, found }, numbers);
  }

  /** A record whose key, or a column of it, is NULL; undefined for another fault, such as that its shard is NULL. */
  #withoutKey({ keyStarts, keyEnds, stop }: CsvColumns): Batch | undefined {
    const { format } = this;
    if (stop[Stop.FAULT] !== Fault.NO_KEY || format.others || this.#isHeaderNext) return undefined;
    const values = this.#fields.map((_, number) => {
      const field = this.data.array.slice(keyStarts[number * PIECE_ROWS], keyEnds[number * PIECE_ROWS]);
      const isNull = field.length === 2 && field[0] === format.escaper && field[1] === LETTER_N;
      return isNull ? null : fieldValue(field, format);
    });
    const keys = values.splice(0, format.keys.length);
    if (values.includes(null)) return undefined; // the shard
    const { starts, ends } = this.#found;
    const next = stop[Stop.NEXT];
    this.#width ??= namesOf(this.data.array.slice(this.start, stop[Stop.END]), format).length;
    starts.array.set([this.start, next]);
    ends.array[0] = stop[Stop.END];
    keyStarts[0] = keyEnds[0] = this.start;
    return this.#batch(1, this.goTo(next), nullColumns(keys));
  }

  #malformed(stop: Uint32Array): Piece {
    const { data, start, line } = this;
    const bytes = data.array.slice(start, stop[Stop.END]);
    const fault = stop[Stop.FAULT];
    const expected = this.#expected(fault);
    const syntax = QUOTE_FAULTS.includes(fault) ? 'quotes' : undefined;
    // No record can be read after a header that is malformed.
    if (this.#isHeaderNext) throw new LineError(line, expected, shownText(bytes), undefined, { syntax });
    this.goTo(stop[Stop.NEXT]);
    return malformed(line, expected, bytes, syntax);
  }

  #expected(fault: number): string {
    const fields = this.#width === undefined ? `at least ${this.#slots.length} fields` : `${this.#width} fields`;
    const expected: { readonly [fault: number]: string } = {
      [Fault.QUOTE_IN_FIELD]: 'quotes around a field that has a quote in it',
      [Fault.TEXT_AFTER_QUOTE]: 'a delimiter or the end of the record after a closing quote',
      [Fault.OPEN_QUOTE]: this.isEnd ? 'a closing quote' : `a closing quote within ${this.quotedBytes} bytes`,
      [Fault.OPEN_ESCAPE]: 'a character after the escape character',
      [Fault.NO_KEY]: `a ${this.#isHeaderNext ? 'name' : this.format.others ? 'value' : 'shard'} other than NULL`,
    };
    return expected[fault] ?? fields;
  }
}
