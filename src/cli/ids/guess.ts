import type { Layout, TextFormat } from '../../index.js';
import type { Batch } from '../../lines/batch.js';
import { namesOf } from '../../lines/read/csv.js';
import type { CheckedFormat } from '../../lines/records.js';
import { KeyError } from '../../lines/source.js';
import type { Input, RejectedLine } from '../../node/index.js';
import { idResults } from '../../node/jobs/lines.js';
import { parseObject } from './encode-rows.js';

/** How many records are searched for clues in other columns. */
const MAX_RECORDS = 50;

/** The first rows of an input. */
export interface SampledIds {
  readonly ids: BigUint64Array;
  /** The values of the first records with ids, column by column; '' where a record has none. */
  readonly columns: readonly (readonly string[])[];
  /** The rows that are not ids in the format, without malformed records. */
  readonly others: readonly NotAnId[];
}

type NotAnId = Pick<RejectedLine, 'file' | 'line'> & { readonly error: KeyError };

/**
 * Reads ids, and skips malformed records.
 * @param start the start of an input
 * @param text how the ids are written
 * @throws what reading `start` throws, if that is before the first row
 */
export async function sampleIds(
  start: Input,
  format: CheckedFormat | undefined,
  text: TextFormat,
): Promise<SampledIds> {
  const ids: bigint[] = [];
  const records: unknown[] = [];
  const others: NotAnId[] = [];
  const idsOf = (batch: Batch) => {
    if (format !== undefined) records.push(...recordsOf(batch, format, MAX_RECORDS - records.length));
    return batch.hashes;
  };
  const onReject = ({ file, line, error }: RejectedLine) => {
    if (error instanceof KeyError) others.push({ file, line, error });
  };
  try {
    const results = idResults({ inputs: [start], records: format, onReject }, text, idsOf);
    for await (const result of results) if (result.kind === 'value') ids.push(...result.value);
  } catch (error) {
    if (ids.length + others.length === 0) throw error;
  }
  return { ids: BigUint64Array.from(ids), columns: columnsOf(records), others };
}

/** The first records of a batch: arrays for tables, parsed JSON for NDJSON. */
function recordsOf({ data, starts, ends, count }: Batch, format: CheckedFormat, most: number): unknown[] {
  return Array.from({ length: Math.min(count, most) }, (_, row) => {
    const record = data.slice(starts[row], ends[row]); // a copy, because decoders refuse shared memory
    if (format.format === 'csv') return namesOf(record, format.delimiter);
    return parseObject(new TextDecoder().decode(record));
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

/** Services whose layouts the library does not have. `decode` takes their names, too. */
export const SERVICE_LAYOUTS: readonly string[] = ['tiktok'];

const MAX_OTHERS = 2;

/** A layout, its name for --layout, and the names of the next likeliest ones. */
interface GuessedLayout {
  readonly name: string;
  readonly layout: Layout;
  readonly others: readonly string[];
}

/**
 * The likeliest layout of some ids, and other possible ones.
 * @param ids one or more
 * @param words texts around the ids; the first one that points to a service counts
 * @param columns the texts beside the first ids; dates that agree with those of the ids point to a service, too
 */
export async function guessLayout(
  ids: BigUint64Array,
  words: readonly string[],
  columns: SampledIds['columns'],
): Promise<GuessedLayout> {
  const { datesIn, rankServices } = await import('../../guess/index.js');
  const [first, ...rest] = rankServices(ids, { now: Date.now(), words, dates: datesIn(columns) });
  const possible = rest.filter(({ misfit, isInUse }) => misfit === undefined && isInUse);
  const others = possible.slice(0, MAX_OTHERS).map(({ service }) => service.name);
  const { name, layout } = first.service;
  return { name, layout, others };
}

/** The layouts of {@link SERVICE_LAYOUTS}. They are loaded only when needed. */
export async function serviceLayouts(): Promise<ReadonlyMap<string, Layout>> {
  const { SERVICES } = await import('../../guess/index.js');
  const services = SERVICES.filter(({ name }) => SERVICE_LAYOUTS.includes(name));
  return new Map(services.map(({ name, layout }) => [name, layout]));
}
