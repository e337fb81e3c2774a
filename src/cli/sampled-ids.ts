import type { TextFormat } from '../index.js';
import type { Batch } from '../lines/batch.js';
import { KeyError } from '../lines/line-hasher.js';
import type { CheckedRows } from '../lines/rows.js';
import { idResults } from '../node/files/line-results.js';
import type { Input } from '../node/index.js';

/** The first rows of an input. */
export interface SampledIds {
  readonly ids: BigUint64Array;
  /** The rows that are not ids in the format. Malformed records are not among them. */
  readonly others: readonly SampledRow[];
}

export interface SampledRow {
  readonly file: string;
  readonly line: number;
  readonly error: KeyError;
}

/**
 * Reads ids, and passes over malformed records.
 * @param start of an input
 * @throws what reading it throws, if that comes before its first row
 */
export async function sampleIds(start: Input, rows: CheckedRows | undefined, format: TextFormat): Promise<SampledIds> {
  const ids: bigint[] = [];
  const others: SampledRow[] = [];
  const make = { ids: (batch: Batch) => batch.hashes };
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
  return { ids: BigUint64Array.from(ids), others };
}
