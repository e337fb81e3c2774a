import { wordsOf } from '../../arguments.js';
import { parseDate } from '../../dates.js';
import { detailsOf } from '../../errors.js';
import { fieldValue } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type Kernels, PIECE_ROWS, type Spans } from '../../kernels/types.js';
import type { LayoutTime } from '../../layout/id-layout.js';
import { defineLayout, type Layout } from '../../layout/layout.js';
import { type Batch, LineError, Refused } from '../batch.js';
import type { CheckedFormat } from '../format.js';
import { tableWriter } from '../sinks/values.js';
import { QUOTE } from '../sources/csv.js';
import { JSON_VALUE } from '../sources/ndjson.js';
import { byteOperation } from './operation.js';

/** How records are encoded; plain data, for another thread. */
export interface EncodeOptions {
  readonly fields: Layout['fields'];
  /** Whether times are in the units of their field. */
  readonly raw: boolean;
}

/** Makes ids of records that have the fields of a layout: see `fieldsFormat`. */
export const ENCODE = byteOperation('encode', (kernels, options: EncodeOptions, format) => {
  const packer = new RecordPacker(kernels, options, format);
  const table = tableWriter(kernels, [{ kind: 'u64' }], '\n');
  return {
    make: (records: Batch) => packer.pack(records),
    header: () => new Uint8Array(0),
    write(ids: BigUint64Array) {
      table.write([ids]);
      return table.bytes;
    },
  };
});

class RecordPacker {
  private readonly raw = this.options.raw;
  private readonly layout = defineLayout(this.options.fields);
  private readonly names = this.layout.places.map(({ name }) => name);
  /** The field whose values may be Unix milliseconds. */
  private readonly time = this.raw ? undefined : this.layout.time?.name;
  private readonly u64s = this.names.map(() => this.kernels.column('u64', PIECE_ROWS));
  private readonly times = this.kernels.column('f64', PIECE_ROWS);
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(
    private readonly kernels: Kernels,
    private readonly options: EncodeOptions,
    private readonly format: CheckedFormat | undefined,
  ) {}

  pack(records: Batch): BigUint64Array | Refused {
    const fields = this.names.map((_, i) => records.field(i));
    const packed = this.#packColumns(fields);
    if (packed !== undefined) return packed;
    const ids = new BigUint64Array(records.count);
    for (let row = 0; row < ids.length; row++) {
      const id = this.#packOne(records, fields, row);
      if (id instanceof LineError) return new Refused(row, id);
      ids[row] = id;
    }
    return ids;
  }

  /** The ids of records in which all values are whole numbers or dates that fit; otherwise undefined. */
  #packColumns(fields: readonly Spans[]): BigUint64Array | undefined {
    const columns: { [name: string]: BigUint64Array | Float64Array } = {};
    for (const [i, name] of this.names.entries()) {
      const column = name === this.time ? this.#timesIn(fields[i], i) : this.#numbersIn(fields[i], i);
      if (column === undefined) return undefined;
      columns[name] = column;
    }
    try {
      return this.layout.packMany(columns);
    } catch (error) {
      if (detailsOf(error).row === undefined) throw error;
      return undefined;
    }
  }

  /** Whole numbers from 0 to 2^64 - 1. In JSON those that a number cannot hold exactly are in quotes. */
  #numbersIn(texts: Spans, field: number): BigUint64Array | undefined {
    const numbers = this.u64s[field].array.subarray(0, texts.starts.length);
    if (this.kernels.parseSpans(texts, 'dec', numbers) >= 0) return undefined;
    if (this.format?.format !== 'ndjson') return numbers;
    const words = wordsOf(numbers);
    for (let row = 0; row < numbers.length; row++) {
      if (words[2 * row + 1] >= HIGH_2_53 && !isString(texts, row)) return undefined;
    }
    return numbers;
  }

  /** Unix milliseconds of numbers or of dates; NaN for a text that is not a time. */
  #timesIn(texts: Spans, field: number): Float64Array | undefined {
    const numbers = this.#numbersIn(texts, field);
    const times = this.times.array.subarray(0, texts.starts.length);
    if (numbers !== undefined) {
      // They are read as 32-bit words, because bigints take ten times as long.
      const words = wordsOf(numbers);
      for (let row = 0; row < times.length; row++) {
        if (words[2 * row + 1] >= HIGH_2_53) return undefined;
        times[row] = words[2 * row + 1] * 2 ** 32 + words[2 * row];
      }
      return times;
    }
    if (recordKernels(this.kernels).parseDates(texts, times) < 0) return times;
    const name = this.names[field];
    for (let row = 0; row < times.length; row++) {
      const text = this.#textOf(name, this.#read(texts, row)) ?? '';
      times[row] = Number(parseValue(this.layout, name, text, false) ?? Number.NaN);
    }
    return times;
  }

  /** The id of a record, or the error for its first value that is wrong. */
  #packOne(records: Batch, fields: readonly Spans[], row: number): bigint | LineError {
    const [layout, raw] = [this.layout, this.raw];
    const wrong = (field: string, expected: string, got: unknown, isRawNeeded: boolean) =>
      new LineError(records.lineOf(row), expected, got, undefined, { field, isRawNeeded });
    const values: { [name: string]: GivenValue } = {};
    for (const [i, name] of this.names.entries()) {
      const given = this.#read(fields[i], row);
      const text = this.#textOf(name, given);
      if (text === undefined) return wrong(name, JSON_VALUE, given, false);
      const value = parseValue(layout, name, text, raw);
      if (value === undefined) {
        const { expected, isRawNeeded } = valueExpected(layout, name, text, raw);
        return wrong(name, expected, text, isRawNeeded);
      }
      values[name] = value;
    }
    try {
      return layout.pack(values);
    } catch (error) {
      const { argument, expected, got } = detailsOf(error);
      const name = this.names.find((one) => argument === `values.${one}`);
      if (name === undefined || expected === undefined) throw error;
      return wrong(name, expected, got, name === this.time && typeof got === 'number');
    }
  }

  /** The value of a field: a string or, in JSON, whatever JSON.parse makes of it. */
  #read(texts: Spans, row: number): unknown {
    const { data, starts, ends } = texts;
    const bytes = data.slice(starts[row], ends[row]); // a copy, because decoders refuse shared memory
    if (this.format?.format === 'csv') return this.decoder.decode(fieldValue(bytes, this.format));
    const text = this.decoder.decode(bytes);
    return isString(texts, row) ? text : JSON.parse(text);
  }

  /** Strings, and numbers that are exact, as text; a time may have decimals. */
  #textOf(name: string, given: unknown): string | undefined {
    const hasDecimals = name === this.time && typeof given === 'number' && !Number.isInteger(given);
    return typeof given === 'string' || Number.isSafeInteger(given) || hasDecimals ? String(given) : undefined;
  }
}

/** The upper word of 2^53. */
const HIGH_2_53 = 2 ** 21;

/** Whether a value of JSON is a string without escapes, which is found without its quotes. */
function isString({ data, starts }: Spans, row: number): boolean {
  return data[starts[row] - 1] === QUOTE;
}

/** A value as {@link Layout.pack} takes it. */
type GivenValue = bigint | number | Date;

const WHOLE = /^[0-9]+$/;
const UNIX_MS = /^(-?)([0-9]+)(\.[0-9]{1,3})?$/;
const MAX_DIGITS = 15; // numbers with at most this many digits are exact

/**
 * Parses the value of a field: a whole number; for the field that holds time, Unix milliseconds or a date. Returns
 * undefined for other texts.
 * @param raw whether a number is a time in the field's own units
 */
export function parseValue({ time }: Layout, name: string, text: string, raw: boolean): GivenValue | undefined {
  if (name !== time?.name) return WHOLE.test(text) ? BigInt(text) : undefined;
  if (raw && WHOLE.test(text)) return BigInt(text);
  return (raw ? undefined : parseUnixMs(time, text)) ?? parseTime(time, text);
}

/** Parses a date. If the unit is below 1 ms, it is a number with its microseconds. */
function parseTime({ unitMs }: LayoutTime, text: string): GivenValue | undefined {
  const period = parseDate(text);
  if (period === undefined) return undefined;
  return unitMs >= 1 || period.us === 0 ? new Date(period.from) : period.from + period.us / 1000;
}

/** Parses Unix milliseconds. Decimals need a unit below 1 ms, and negative times an epoch before 1970. */
function parseUnixMs({ epoch, unitMs }: LayoutTime, text: string): number | undefined {
  const [, sign = '', whole, decimals] = UNIX_MS.exec(text) ?? [];
  if (whole === undefined || (sign !== '' && epoch >= 0) || (decimals !== undefined && unitMs >= 1)) return undefined;
  return isExact(whole) ? Number(text) : undefined;
}

function isExact(digits: string): boolean {
  return digits.length <= MAX_DIGITS || BigInt(Number(digits)) === BigInt(digits);
}

/** What is expected instead of a text that is not a value of a field, and whether `raw` would read it. */
function valueExpected({ time }: Layout, name: string, text: string, raw: boolean) {
  const isTime = name === time?.name;
  if (isTime && !raw && WHOLE.test(text)) {
    return { expected: 'Unix milliseconds that a number holds exactly', isRawNeeded: true };
  }
  const number = isTime && !raw && time.unitMs < 1 ? 'a number with up to three decimals' : 'a whole number';
  const orDate = isTime ? ' or a date that exists, such as 2024-03-01T10:30:15.500Z' : '';
  return { expected: number + orDate, isRawNeeded: false };
}
