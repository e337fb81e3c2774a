import { MAX_BUCKETS, wordsOf } from '../arguments.js';
import { fieldValue } from '../kernels/record-types.js';
import { type Kernels, PIECE_ROWS } from '../kernels/types.js';
import { type LabelNumbers, labelAt } from '../routing/routing.js';
import { encoder } from '../utf8.js';
import { type Batch, type Refused, refuse } from './batch.js';
import type { CheckedFormat } from './format.js';

/**
 * Reads the shards that records say themselves.
 * @returns a function that gives the shard of each row, valid until its next call, or refuses one
 */
export function shardReader(kernels: Kernels): (lines: Batch) => Uint32Array | Refused {
  const numbers = kernels.column('u64', PIECE_ROWS);
  const shards = new Uint32Array(PIECE_ROWS);
  return (lines) => {
    const { count, shardTexts } = lines;
    const parsed = numbers.array.subarray(0, count);
    const bad = kernels.parseSpans(shardTexts, 'dec', parsed);
    const words = wordsOf(parsed);
    for (let row = 0; row < count; row++) {
      if (row === bad || words[2 * row + 1] !== 0 || words[2 * row] >= MAX_BUCKETS) {
        return refuse(lines, row, `a shard, an integer from 0 to ${MAX_BUCKETS - 1}`, lines.shardTexts);
      }
      shards[row] = words[2 * row];
    }
    return shards.subarray(0, count);
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const MAX_OTHERS = 10_000;

/**
 * Labels of shards, such as the names of nodes, by their numbers.
 * @param records the format of the records that say labels
 * @param maxOthers so many other names are told apart
 */
export function labelTexts(
  labels: Pick<LabelNumbers, 'numbered' | 'names'>,
  records: CheckedFormat | undefined,
  maxOthers = MAX_OTHERS,
) {
  const { names, numbered } = labels;
  const numbers = new Map(names.map((name, i) => [name, numbered + i]));
  const encoded = names.map((name) => encoder().encode(name));
  const firstOther = numbered + names.length;
  /** Labels that have come up besides those that are known. Their numbers follow. */
  const others: string[] = [];
  const column = new Uint32Array(PIECE_ROWS);

  /** The number of a name; undefined if there are too many names. */
  const numberOf = (name: string): number | undefined => {
    const known = numbers.get(name);
    if (known !== undefined || others.length === maxOthers) return known;
    const number = firstOther + others.push(name) - 1;
    numbers.set(name, number);
    return number;
  };

  /** What is expected in place of a name that has no number. */
  const expectedFor = (name: string): string => {
    if (name === '') return 'a name';
    if (maxOthers === 0) return `one of ${names.length} names, such as ${names[0]}`;
    return `at most ${names.length + maxOthers} names`;
  };

  /** A name without quotes and escapes. What is found in records has quotes only if it has escapes: see `CsvColumns`. */
  const nameIn = (bytes: Uint8Array): string => {
    const text = decoder.decode(records?.format === 'csv' ? fieldValue(bytes, records) : bytes);
    return records?.format === 'ndjson' && text.startsWith('"') ? JSON.parse(text) : text;
  };

  return {
    others,
    /** The label with a number; a number, if it is that of a shard. */
    at: (number: number): string | number => labelAt(labels, number) ?? others[number - firstOther],
    /**
     * Reads the labels that records say themselves.
     * @param expected the number of the label that each row probably has
     * @returns the number of each row's label, valid until the next call; or a row without a label, or with one too many
     */
    read(lines: Batch, expected: Uint32Array): Uint32Array | Refused {
      const { data, starts, ends } = lines.shardTexts;
      const found = column.subarray(0, lines.count);
      for (let row = 0; row < found.length; row++) {
        found[row] = expected[row];
        if (isEqual(data, starts[row], ends[row], encoded[expected[row] - numbered])) continue;
        const name = nameIn(data.subarray(starts[row], ends[row]));
        const number = name === '' ? undefined : numberOf(name);
        if (number === undefined) return refuse(lines, row, expectedFor(name), lines.shardTexts);
        found[row] = number;
      }
      return found;
    },
  };
}

function isEqual(data: Uint8Array, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) if (data[start + i] !== bytes[i]) return false;
  return true;
}
