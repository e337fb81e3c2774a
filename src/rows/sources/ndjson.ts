import { arraysOf } from '../../kernels/active.js';
import { encodePaths, Fault, type JsonColumns, MAX_LEVELS, Stop, workBytes } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { encoder } from '../../utf8.js';
import {
  type Batch,
  type FoundFields,
  type InvalidLine,
  LineError,
  malformed,
  type Piece,
  shownText,
  unknownField,
} from '../batch.js';
import { type KeyFormat, LineBatches, MAX_LINE, nullColumns, recordKeys } from './lines.js';

const BRACE = 0x7d;
const JSON_SYNTAX = { quote: 0x22, escaper: 0x5c };
const WHITE_SPACE = [0x20, 0x09, 0x0d]; // within a line

/** What the value of a field of a layout has to be: more digits would have been rounded by whoever wrote them. */
export const JSON_VALUE = 'digits in quotes or an integer up to 2^53 - 1';

/** The key of NDJSON records; plain data, for another thread. */
export interface NdjsonFormat extends KeyFormat {
  readonly format: 'ndjson';
  /** Paths of names to the values, in the order in which the values are hashed: 1 to 30 paths, each once. */
  readonly paths: readonly (readonly string[])[];
  /** The path to the shard of a record, another one than those of the key. */
  readonly shard?: readonly string[] | undefined;
}

/**
 * Records of NDJSON: each line is a JSON object, or empty. The memory has a fixed size, or a few times that of the longest
 * line.
 */
export class JsonBatches extends LineBatches {
  readonly #fields: NdjsonFormat['paths'];
  readonly #names: NdjsonFormat['paths'];
  readonly #paths: { readonly [name in 'encoded' | 'work']: Column<'u8'> };
  readonly #found: { readonly [name in 'keyStarts' | 'keyEnds' | 'closes' | 'stop']: Column<'u32'> };
  readonly #readKeys: ReturnType<typeof recordKeys>;

  /** @param longest the longest line in bytes, 256 KiB or more */
  constructor(
    kernels: Kernels,
    private readonly format: NdjsonFormat,
    longest = MAX_LINE,
  ) {
    super(kernels, longest);
    this.#readKeys = recordKeys(this.kernels, format, format.paths.length);
    this.#fields = [...format.paths, ...(format.shard === undefined ? [] : [format.shard])];
    const names = [...this.#fields, ...(format.others ?? format.added).map((name) => [name])];
    const encoded = encodePaths(names);
    this.#names = names;
    this.#paths = {
      encoded: this.kernels.column('u8', encoded.length),
      work: this.kernels.column('u8', workBytes(names)),
    };
    this.#paths.encoded.array.set(encoded);
    this.#found = {
      keyStarts: this.kernels.column('u32', PIECE_ROWS * names.length),
      keyEnds: this.kernels.column('u32', PIECE_ROWS * names.length),
      closes: this.kernels.column('u32', PIECE_ROWS),
      stop: this.kernels.column('u32', Stop.LENGTH),
    };
  }

  /** The first records, or a malformed line; an empty line is left out. */
  protected override take(lines: Batch): Piece | undefined {
    const found = this.#columns();
    const extra = this.#names.length - this.#fields.length;
    const isClosed = this.format.others !== undefined;
    const paths = { names: this.#names, extra, isClosed, ...arraysOf(this.#paths) };
    const count = recordKernels(this.kernels).jsonRecords(lines, paths, found);
    if (count === 0) return this.#first(lines, found.stop[Stop.FAULT]);
    const keys = this.#readKeys(this.data, () => this.#columns(), count);
    return this.#records(lines, count, keys);
  }

  /** What the first line is, if it is no record with a key; undefined if it is empty. */
  #first(lines: Batch, fault: number): Piece | undefined {
    const bytes = lines.data.slice(lines.starts[0], lines.ends[0]);
    if (bytes.every((byte) => WHITE_SPACE.includes(byte))) return undefined;
    if (fault === Fault.NO_KEY && this.format.others === undefined) return this.#withoutValue(lines, bytes);
    const syntax = fault === Fault.NO_JSON ? 'JSON' : undefined;
    const invalid = malformed(lines.firstLine, this.#expected(fault), bytes, syntax);
    return { ...invalid, error: this.#wrongField(invalid, fault) ?? invalid.error };
  }

  /** What is wrong with the names in a record, or with a value of one that is closed. */
  #wrongField({ line, bytes }: InvalidLine, fault: number): LineError | undefined {
    const { paths, added, others } = this.format;
    if (fault !== Fault.HAS_NAME && (others === undefined || fault !== Fault.NO_KEY)) return undefined;
    const record = JSON.parse(new TextDecoder().decode(bytes));
    if (others === undefined) {
      const taken = added.find((name) => Object.hasOwn(record, name));
      return new LineError(line, `no property named ${taken}`, shownText(bytes), undefined, { taken });
    }
    const fields = paths.map(([name]) => name);
    const unknown = Object.keys(record).find((name) => !fields.includes(name) && !others.includes(name));
    if (unknown !== undefined) return unknownField(line, unknown, fields);
    if (fault === Fault.HAS_NAME) return new LineError(line, 'every name once', shownText(bytes));
    const field = fields.find((name) => typeof (propertyOf(record, name) ?? record) === 'object') ?? '';
    const got = propertyOf(record, field);
    return new LineError(line, got === undefined ? 'a value' : JSON_VALUE, got, undefined, { field });
  }

  /** What a record is that lacks a value: its key is missing if a value of it is absent or `null`, and none is not a key. */
  #withoutValue(lines: Batch, bytes: Uint8Array): Piece {
    const { paths, added, shard } = this.format;
    const record = JSON.parse(new TextDecoder().decode(bytes));
    const valueAt = (path: readonly string[]) => path.reduce((value, name) => propertyOf(value, name), record);
    const isWhole =
      !added.some((name) => Object.hasOwn(record, name)) && (shard === undefined || isScalar(valueAt(shard)));
    if (isWhole && paths.every((path) => isScalar(valueAt(path) ?? ''))) return this.#withoutKey(lines, valueAt);
    const absent = this.#fields.find((path) => (valueAt(path) ?? null) === null);
    const which = this.#fields.length > 1 ? `of which ${absent?.join('.')}` : 'which';
    const what = absent === undefined ? '' : `, ${which} is ${valueAt(absent) === null ? 'null' : 'missing'}`;
    return malformed(lines.firstLine, this.#expected(Fault.NO_KEY) + what, bytes);
  }

  /** The first line, as a record that has no key, or a column of it that is NULL. */
  #withoutKey(lines: Batch, valueAt: (path: readonly string[]) => unknown): Batch {
    const { keyStarts, keyEnds, closes } = this.#found;
    const { paths } = this.format;
    const values = paths.map((path, number) => {
      const value = valueAt(path);
      if (value === null || value === undefined) return value;
      const text = lines.data.slice(keyStarts.array[number * PIECE_ROWS], keyEnds.array[number * PIECE_ROWS]);
      return text[0] === JSON_SYNTAX.quote ? encoder().encode(String(value)) : text; // it may have escapes
    });
    closes.array[0] = lines.data.subarray(0, lines.ends[0]).lastIndexOf(BRACE);
    keyStarts.array[0] = keyEnds.array[0] = lines.starts[0];
    return this.#records(lines, 1, nullColumns(values));
  }

  #records(lines: Batch, count: number, more: Omit<FoundFields, 'starts' | 'ends'>): Batch {
    const { keyStarts: starts, keyEnds: ends, closes } = this.#found;
    const { paths } = this.format;
    const names = paths.map((path) => path.join('.'));
    return lines.asRecords(count, { starts, ends, closes, shard: paths.length, names, ...more });
  }

  #columns(): JsonColumns {
    const fields = this.#fields.length;
    return { format: 'json', ...JSON_SYNTAX, most: PIECE_ROWS, fields, ...arraysOf(this.#found) };
  }

  #expected(fault: number): string {
    const paths = this.#fields.map((path) => path.join('.'));
    const expected: { readonly [fault: number]: string } = {
      [Fault.NO_OBJECT]: 'a JSON object',
      [Fault.TOO_DEEP]: `at most ${MAX_LEVELS} objects and arrays within each other`,
      [Fault.NO_KEY]: `a string, a number or a boolean at ${paths.join(' and ')}`,
    };
    return expected[fault] ?? 'JSON';
  }
}

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

function propertyOf(value: unknown, name: string): unknown {
  const hasIt = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return hasIt ? Reflect.get(value, name) : undefined;
}
