import type { Writable } from 'node:stream';
import { checkFunction, checkGiven, checkRecord } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import { type Batch, type Header, KeyError, LineError, refuse } from '../../rows/batch.js';
import type { RecordFormat } from '../../rows/format.js';
import { OpenOperation } from '../../rows/operations/operation.js';
import { rowHasher } from '../../rows/operations/route.js';
import { type ValueRows, valueRows } from '../../rows/sinks/values.js';
import { encoder } from '../../utf8.js';
import type { Output } from '../files/compressed.js';
import type { Inputs } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import { ID_KEYS } from './guessed-ids.js';
import { checkColumnName, checkJob, drain, type LineJobOptions, type LineRejectOptions, type Progress } from './job.js';
import { onOneThread } from './run.js';

/** An Interner of `shardbits/registry`. @inline */
interface Interning {
  internMany(keys: readonly string[]): Promise<BigUint64Array>;
  resolveMany(ids: BigUint64Array): Promise<(string | undefined)[]>;
}

export interface ResolveFileOptions extends LineRejectOptions, Pick<OutputOptions, 'compress'> {
  /** It may be a function that opens one, which is called when all options have been checked. */
  interner: Interning | (() => Promise<Interning>);
  /** Where the rows go, in the order of the input: a path, or a stream, which stays open. */
  out: string | Writable;
  /** Called at intervals with the progress. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface InternFileOptions extends ResolveFileOptions, Pick<LineJobOptions, 'lineEnd'> {
  /** For an input of records: their format and the string. Without this, a string is a line. */
  records?: RecordFormat | undefined;
  /** The name of the column that is added to `records`. The default is `id`. The input must not have such a column. */
  asColumn?: string | undefined;
}

type TextRows = { readonly batch: Batch; readonly keys: readonly string[] };

const OPTIONS = ['interner', 'out', 'compress', 'encoding', 'signal', 'onReject', 'onProgress'] as const;

/** Strings in one commit. SQLite interns 2.2 times as many a second as with 2,000. */
const KEYS_A_COMMIT = 10_000;

/**
 * Writes the id of every string of a file, or every record with the id of its string in one more column. A string is UTF-8.
 * @returns how many strings and bytes there were
 * @throws as {@link routeFile}; what the interner throws
 * @example
 * await internFile('names.txt', { interner: new Interner({ store }), out: 'ids.txt' });
 */
export async function internFile(input: Inputs, options: InternFileOptions): Promise<Progress> {
  const given = checkGiven(options, [...OPTIONS, 'records', 'lineEnd', 'asColumn']);
  const { records, asColumn, onProgress } = given;
  const open = checkInterner(given, 'internMany');
  checkColumnName('asColumn', asColumn, records);
  const job = checkJob(input, given, [asColumn ?? 'id']);
  const output = openOutput(given.out, given);
  const interner = await open().catch(discarding(output));
  let writer: ValueRows;
  const read = (batch: Batch) => {
    const keys = textsOf(batch.keys);
    return keys.length < batch.count ? refuse(batch, keys.length, 'UTF-8') : { batch, keys };
  };
  const results = onOneThread(job, (kernels) => {
    writer = valueRows(kernels, job.format, { kind: 'u64', isText: true });
    return new OpenOperation<TextRows | Header>(read, { header: (header) => header });
  });
  const write = async (value: TextRows | Header, file: string) => {
    if ('kind' in value) return output.write(writer.header(value));
    const { batch, keys } = value;
    for (let from = 0; from < keys.length; from += KEYS_A_COMMIT) {
      const to = Math.min(from + KEYS_A_COMMIT, keys.length);
      const ids = await interner.internMany(keys.slice(from, to)).catch((error) => {
        const { row, expected, got } = detailsOf(error);
        if (row === undefined || expected === undefined) throw error;
        throw new LineError(batch.lineOf(from + row), expected, got, file);
      });
      await output.write(writer.write(batch.slice(from, to), [ids]));
    }
  };
  return drain(results, output, ({ value, file }) => write(value, file), onProgress);
}

function checkInterner({ interner }: ResolveFileOptions, method: keyof Interning): () => Promise<Interning> {
  if (typeof interner === 'function') return interner;
  checkRecord('interner', interner);
  checkFunction(`interner.${method}`, interner[method]);
  return async () => interner;
}

function discarding(output: Output): (error: unknown) => never {
  return (error) => {
    output.discard();
    throw error;
  };
}

/** The texts before the first one that is not UTF-8. */
function textsOf({ data, starts, ends }: Batch['keys']): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const texts: string[] = [];
  try {
    while (texts.length < starts.length)
      texts.push(decoder.decode(data.slice(starts[texts.length], ends[texts.length])));
  } catch {}
  return texts;
}

/**
 * Writes the string of every id of a file, each on a line. Ids are in decimal, each on a line; a negative one is the id of the same bits.
 * @returns how many ids and bytes there were
 * @throws as {@link routeFile}; RangeError, with file and line, for an id that no string has; what the interner throws
 * @example
 * await resolveFile('ids.txt', { interner: new Interner({ store, readOnly: true }), out: 'names.txt' });
 */
export async function resolveFile(input: Inputs, options: ResolveFileOptions): Promise<Progress> {
  const given = checkGiven(options, OPTIONS);
  const { onProgress } = given;
  const open = checkInterner(given, 'resolveMany');
  const job = checkJob(input, given);
  const output = openOutput(given.out, given);
  const interner = await open().catch(discarding(output));
  const results = onOneThread(job, (kernels) => new OpenOperation(rowHasher(kernels, ID_KEYS, 'dec')));
  const write = async (batch: Batch, file: string) => {
    const ids = batch.hashes.slice();
    for (let from = 0; from < ids.length; from += KEYS_A_COMMIT) {
      const texts = await interner.resolveMany(ids.subarray(from, from + KEYS_A_COMMIT));
      const unknown = texts.indexOf(undefined);
      const known = unknown < 0 ? texts : texts.slice(0, unknown);
      if (known.length > 0) await output.write(encoder().encode(`${known.join('\n')}\n`));
      if (unknown >= 0) throw new KeyError(batch, from + unknown, 'an id of the store').in(file);
    }
  };
  return drain(results, output, ({ value, file }) => write(value, file), onProgress);
}
