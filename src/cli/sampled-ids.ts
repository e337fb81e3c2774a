import type { TextFormat } from '../index.js';
import type { Batch } from '../lines/batch.js';
import { KeyError } from '../lines/line-hasher.js';
import type { CheckedRows } from '../lines/rows.js';
import { idResults } from '../node/files/line-results.js';
import type { Input } from '../node/index.js';
import { fieldsOf, parseObject } from './input-rows.js';

/** How many records are searched for clues in other columns. */
const MOST_RECORDS = 50;

/** The first rows of an input. */
export interface SampledIds {
  readonly ids: BigUint64Array;
  /** The values of the first records with ids, column by column; '' where a record has none. */
  readonly columns: readonly (readonly string[])[];
  /** The rows that are not ids in the format, without malformed records. */
  readonly others: readonly SampledRow[];
}

export interface SampledRow {
  readonly file: string;
  readonly line: number;
  readonly error: KeyError;
}

/**
 * Reads ids, and skips malformed records.
 * @param start the start of an input
 * @throws what reading `start` throws, if that is before the first row
 */
export async function sampleIds(start: Input, rows: CheckedRows | undefined, format: TextFormat): Promise<SampledIds> {
  const ids: bigint[] = [];
  const records: unknown[] = [];
  const others: SampledRow[] = [];
  const make = {
    ids(batch: Batch) {
      if (rows !== undefined) records.push(...recordsOf(batch, rows, MOST_RECORDS - records.length));
      return batch.hashes;
    },
  };
  const options = {
    onReject({ file, line, error }: { file: string; line: number; error: Error }) {
      if (error instanceof KeyError) others.push({ file, line, error });
    },
  };
  try {
    for await (const { made } of idResults([start], rows, format, make, options)) ids.push(...made);
  } catch (error) {
    if (ids.length + others.length === 0) throw error;
  }
  return { ids: BigUint64Array.from(ids), columns: columnsOf(records), others };
}

/** The first records of a batch: arrays for tables, parsed JSON for NDJSON. */
function recordsOf({ data, starts, ends, count }: Batch, rows: CheckedRows, most: number): unknown[] {
  return Array.from({ length: Math.min(count, most) }, (_, row) => {
    const text = new TextDecoder().decode(data.slice(starts[row], ends[row])); // a copy, because decoders refuse shared memory
    return rows.format === 'csv' ? fieldsOf(text, String.fromCharCode(rows.delimiter)) : parseObject(text);
  });
}

/** A column for each path to a value. */
function columnsOf(records: readonly unknown[]): string[][] {
  const columns = new Map<string, string[]>();
  records.forEach((record, row) => {
    const values: [path: string, value: unknown][] = [['', record]];
    for (const [path, value] of values) {
      if (typeof value === 'object' && value !== null) {
        for (const [name, inner] of Object.entries(value)) values.push([`${path}.${name}`, inner]);
      } else {
        const column = columns.get(path) ?? records.map(() => '');
        columns.set(path, column);
        column[row] = String(value);
      }
    }
  });
  return [...columns.values()];
}
