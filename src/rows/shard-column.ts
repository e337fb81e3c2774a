import { MAX_BUCKETS } from '../arguments.js';
import { fieldValue } from '../kernels/csv-fields.js';
import { type Kernels, PIECE_ROWS } from '../kernels/types.js';
import { type Batch, KeyError } from './batch.js';
import type { CheckedFormat } from './format.js';

/**
 * Reads the shards that records say themselves.
 * @returns a function that gives the shard of each row, valid until its next call. It throws a KeyError for a row that says
 *   none
 */
export function shardReader(kernels: Kernels): (lines: Batch) => Uint32Array {
  const numbers = kernels.column('u64', PIECE_ROWS);
  const shards = new Uint32Array(PIECE_ROWS);
  return (lines) => {
    const { count, shardTexts } = lines;
    const parsed = numbers.array.subarray(0, count);
    const bad = kernels.parseSpans(shardTexts, 'dec', parsed);
    const words = new Uint32Array(parsed.buffer, parsed.byteOffset, 2 * count);
    for (let row = 0; row < (bad < 0 ? count : bad); row++) {
      if (words[2 * row + 1] !== 0 || words[2 * row] >= MAX_BUCKETS) throw notAShard(lines, row);
      shards[row] = words[2 * row];
    }
    if (bad >= 0) throw notAShard(lines, bad);
    return shards.subarray(0, count);
  };
}

function notAShard(lines: Batch, row: number): KeyError {
  return new KeyError(lines, row, `a shard, an integer from 0 to ${MAX_BUCKETS - 1}`, lines.shardTexts);
}

/**
 * Reads the names of places that records say themselves.
 * @returns a function that gives the index of each row's name, valid until its next call. It throws a KeyError for a row with
 *   another name
 */
export function nameReader(
  names: readonly string[],
  records: CheckedFormat | undefined,
): (lines: Batch) => Uint32Array {
  const known = new PlaceNames(names, records);
  const numbers = new Uint32Array(PIECE_ROWS);
  const expected = new Uint32Array(PIECE_ROWS);
  return (lines) => {
    const read = numbers.subarray(0, lines.count);
    known.read(lines, expected, read);
    const row = read.findIndex((number) => number >= names.length);
    if (row < 0) return read;
    known.forgetOthers();
    throw new KeyError(lines, row, `one of ${names.length} names, such as ${names[0]}`, lines.shardTexts);
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** So many other names are told apart. */
const MAX_OTHERS = 10_000;

/** Names of places by their numbers. */
export class PlaceNames {
  /** Names that have come up besides those that are known. Their numbers follow. */
  readonly others: string[] = [];
  readonly #known: readonly string[];
  readonly #records: CheckedFormat | undefined;
  readonly #numbers: Map<string, number>;
  readonly #encoded: readonly Uint8Array[];

  /** @param records the format of the records that name places */
  constructor(known: readonly string[], records: CheckedFormat | undefined) {
    const encoder = new TextEncoder();
    this.#known = known;
    this.#records = records;
    this.#numbers = new Map(known.map((name, number) => [name, number]));
    this.#encoded = known.map((name) => encoder.encode(name));
  }

  /** The name with a number. */
  at(number: number): string {
    return this.#known[number] ?? this.others[number - this.#known.length];
  }

  forgetOthers(): void {
    for (const name of this.others.splice(0)) this.#numbers.delete(name);
  }

  /** The number of a name; undefined if there are too many names. */
  numberOf(name: string): number | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined || this.others.length === MAX_OTHERS) return known;
    const number = this.#known.length + this.others.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }

  /**
   * Reads the places that records name themselves.
   * @param expected the number of the name that each row probably has
   * @throws KeyError for a row without a name, or with one name too many
   */
  read(lines: Batch, expected: Uint32Array, numbers: Uint32Array): void {
    const { data, starts, ends } = lines.shardTexts;
    for (let row = 0; row < numbers.length; row++) {
      numbers[row] = expected[row];
      if (isEqual(data, starts[row], ends[row], this.#encoded[expected[row]])) continue;
      const name = this.#nameIn(data.subarray(starts[row], ends[row]));
      const number = name === '' ? undefined : this.numberOf(name);
      if (number === undefined) {
        const most = this.#known.length + MAX_OTHERS;
        throw new KeyError(lines, row, name === '' ? 'a name' : `at most ${most} names`, lines.shardTexts);
      }
      numbers[row] = number;
    }
  }

  /** A name without quotes and escapes. What is found in records has quotes only if it has escapes: see `CsvColumns`. */
  #nameIn(bytes: Uint8Array): string {
    const records = this.#records;
    const text = decoder.decode(records?.format === 'csv' ? fieldValue(bytes, records) : bytes);
    return records?.format === 'ndjson' && text.startsWith('"') ? JSON.parse(text) : text;
  }
}

function isEqual(data: Uint8Array, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (data[start + i] !== bytes[i]) return false;
  return true;
}
