import type { Writable } from 'node:stream';
import { checkBoolean, checkFunction, checkGiven, checkOneOf, namesIn, wrongValue } from '../../arguments.js';
import { type Kernels, TEXT_FORMATS, type TextFormat } from '../../kernels/types.js';
import type { IdLayout } from '../../layout/id-layout.js';
import { layoutOf } from '../../layout/layout.js';
import { checkKinds, checkRecordFormat, fieldsFormat, MAX_PATHS } from '../../rows/format.js';
import {
  columnsOf,
  DECODE,
  type DecodedColumn,
  type DecodedRows,
  type Decoding,
  rowDecoder,
  titleOf,
} from '../../rows/operations/decode.js';
import { ENCODE } from '../../rows/operations/encode.js';
import { OpenOperation, type Written } from '../../rows/operations/operation.js';
import { encoder } from '../../utf8.js';
import { WIDE_ID_KINDS, type WideIdKind } from '../../wide-ids/times.js';
import { type Inputs, nameOf } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import type { AddedColumn, MadeColumns, ParquetTable } from '../parquet/table.js';
import { type GuessedIds, type GuessedInputs, type GuessOptions, guessIds } from './guessed-ids.js';
import {
  checkColumnName,
  checkJob,
  drain,
  fail,
  JOB_OPTIONS,
  type Job,
  jobOnTable,
  type LineJobOptions,
  type Progress,
  type RowsResult,
  withTable,
} from './job.js';
import { SMALL_CHUNK_BYTES } from './on-threads.js';
import { runOperation } from './run.js';

/** Options of jobs on ids and their fields. */
export interface IdFileOptions extends Omit<LineJobOptions, 'keys' | 'records'>, Pick<OutputOptions, 'compress'> {
  /** Where the rows go, in the order of the input: a path, or a stream, which stays open. */
  out: string | Writable;
  /** How rows of fields are written: `tsv` (default) or `csv`, a table with a header, or `json`, an object on each line. */
  format?: 'tsv' | 'csv' | 'json' | undefined;
  /** Whether times are in the units of their field since its epoch instead of Unix milliseconds. */
  raw?: boolean | undefined;
}

export interface DecodeFileOptions extends IdFileOptions, Pick<LineJobOptions, 'records'> {
  /** A layout without fields called `id` or `date`; `guess` (default): as the first ids show. */
  layout?: IdLayout | 'guess' | undefined;
  /** How the ids are written. The default is `dec`, or the kind of wider ids if most of the first ids are such. */
  text?: TextFormat | WideIdKind | undefined;
  /** What the names of the columns that are added to `records` begin with. */
  prefix?: string | undefined;
  /** Called with what was guessed, before anything is written. */
  onGuess?: ((guess: GuessedIds) => void) | undefined;
}

export interface EncodeFileOptions extends IdFileOptions {
  /** For `json`, a layout of at most 29 fields. */
  layout: IdLayout;
}

const ID_FILE_OPTIONS = [
  ...JOB_OPTIONS.filter((name) => name !== 'keys' && name !== 'records'),
  'out',
  'format',
  'raw',
  'compress',
  'layout',
] as const;

/** The columns that rows of decoded ids have besides the fields. */
const BESIDES = ['id', 'date'];

/**
 * Writes a row of fields for each id, or each record with the fields of its id in more columns. A time is Unix milliseconds;
 * its date is in the last column. Ids wider than 64 bits have only a `timestamp` and a `date`.
 * @returns how many ids and bytes there were, and the name of the layout, or the kind of wider ids, if it was guessed
 * @throws as {@link routeFile}; RangeError if the layout is to be guessed and no id is found: about the first row, if there
 *   is one. An error about a
 *   time that a number cannot hold exactly has the property `isRawNeeded`
 * @example
 * await decodeFile('orders.csv', { out: 'with-times.csv', records: { format: 'csv', key: 'id' }, prefix: 'id_' });
 */
export async function decodeFile(
  input: Inputs,
  options: DecodeFileOptions,
): Promise<Progress & { readonly guess?: string }> {
  const given = checkGiven(options, [...ID_FILE_OPTIONS, 'records', 'text', 'prefix', 'onGuess']);
  const { records, format = 'tsv', prefix = '', onGuess, onProgress } = given;
  const how = checkDecoding(given);
  return withTable(input, given, given, async (table) => {
    const job = table === undefined ? checkIdJob(input, given) : jobOnTable(table);
    const found: FoundIds = 'words' in how ? await guessIds(job, how, table) : { decoding: how };
    const { decoding, inputs = job.inputs, guessed } = found;
    const guess = guessed?.kind ?? guessed?.layout;
    const withGuess = (progress: Progress) => (guess === undefined ? progress : { ...progress, guess });
    try {
      if (guessed !== undefined) onGuess?.(guessed);
      const columns = columnsOf(decoding);
      if (table !== undefined) return withGuess(await decodeTable(table, decoding, prefix));
      const added = columns.map(({ name }) => prefix + name);
      const checked = checkRecordFormat(records, added);
      const kinds = columns.map(({ kind }) => kind);
      if (checked?.format === 'csv') checkKinds(kinds, checked);
      const output = openOutput(given.out, given);
      let title = records === undefined ? titleOf(decoding, format) : '';
      const write = async (bytes: Uint8Array) => {
        if (title !== '') await output.write(encoder().encode(title));
        title = '';
        await output.write(bytes);
      };
      const target = {
        finish: () => write(NOTHING).then(() => output.finish()), // a table without rows has a header, too
        discard: () => output.discard(),
      };
      const decode = { ...job, inputs, format: checked };
      const results = runOperation(decode, DECODE, { decoding, format }, { chunkBytes: SMALL_CHUNK_BYTES });
      return withGuess(await drain(results, target, ({ value }) => write(value.bytes), onProgress));
    } catch (error) {
      found.stop?.();
      throw error;
    }
  });
}

type FoundIds = Partial<GuessedInputs> & Pick<GuessedInputs, 'decoding'>;

const NOTHING = new Uint8Array(0);

/** Writes the rows of a table with the values of their ids. */
function decodeTable(table: ParquetTable, decoding: Decoding, prefix: string): Promise<Progress> {
  table.readIds('kind' in decoding ? 'wide' : 'u64');
  const columns = columnsOf(decoding);
  const open = (kernels: Kernels) => new OpenOperation(rowDecoder(kernels, decoding));
  if (columns.length === 0) {
    // Ids are read nevertheless, for a column that is not written.
    const made = { open, types: ['UTINYINT'], columns: (_, count) => [new Uint8Array(count)] } satisfies MadeIds;
    return table.write(made, 'records.key', [], ([zero]) => `${zero} = 0`);
  }
  const types = columns.map(({ kind }) => (kind === 'u64' ? 'UBIGINT' : 'DOUBLE'));
  const made: MadeIds = { open, types, columns: ({ values }) => values };
  const added = columns.map((column, i): AddedColumn => {
    return { name: prefix + column.name, sql: (values) => writtenOf(column, values[i]) };
  });
  return table.write(made, 'records.key', added);
}

type MadeIds = MadeColumns<DecodedRows>;

/** What is written of a value, as SQL. A date is in UTC, and NULL for one that DuckDB does not have. */
function writtenOf({ kind, bits = 0, hasFractions }: DecodedColumn, value: string): string {
  if (kind === 'date') return `TRY(make_timestamp(CAST(round(${value} * 1000) AS BIGINT)))`;
  if (kind === 'ms') return hasFractions ? value : `CAST(${value} AS BIGINT)`;
  return bits > 32 ? value : `CAST(${value} AS UINTEGER)`;
}

/** How ids are decoded, or how that is guessed. */
function checkDecoding(options: Omit<DecodeFileOptions, 'out'>): Decoding | GuessOptions {
  const { records, format, layout = 'guess', text, raw = false, prefix, onGuess } = options;
  if (text !== undefined) checkOneOf('text', text, [...namesIn(TEXT_FORMATS), ...WIDE_ID_KINDS]);
  if (onGuess !== undefined) checkFunction('onGuess', onGuess);
  checkColumnName('prefix', prefix, records);
  if (format !== undefined && records !== undefined) throw wrongValue('format', 'undefined with records', format);
  if (text !== undefined && isWide(text)) {
    if (layout !== 'guess') throw wrongValue('layout', `undefined with text '${text}'`, layout);
    if (raw) throw wrongValue('raw', `undefined with text '${text}'`, raw);
    return { kind: text };
  }
  if (layout === 'guess') {
    const words = [records?.key ?? []].flat().map((key) => (typeof key === 'number' ? `column ${key}` : key));
    return { text, raw, words };
  }
  const { fields, places } = layoutOf('layout', layout);
  const taken = places.find(({ name }) => BESIDES.includes(name));
  if (taken !== undefined) throw wrongValue('layout', 'fields other than id and date', taken.name);
  return { fields, text: text ?? 'dec', raw };
}

const isWide = (text: TextFormat | WideIdKind): text is WideIdKind => WIDE_ID_KINDS.some((kind) => kind === text);

function checkIdJob(input: Inputs, options: IdFileOptions & Pick<LineJobOptions, 'records'>): Job {
  const { format, raw } = options;
  if (format !== undefined) checkOneOf('format', format, ['tsv', 'csv', 'json']);
  if (raw !== undefined) checkBoolean('raw', raw);
  return checkJob(input, options);
}

/**
 * Makes an id from every row of fields. The header of a table names the fields in any order; `json` is an object on each line,
 * in which a number is at most 2^53 - 1. The columns `id` and `date`, which {@link decodeFile} writes, are left out, unless
 * the layout has such a field. A time is Unix milliseconds, or a date such as `2024-03-01T10:30:15.500Z`.
 * @returns how many rows and bytes there were
 * @throws as {@link routeFile}; RangeError, with file and line, for a header without all fields, or with other columns. An
 *   error about the value of a field has the properties `field`, `expected` and `got`, and `isRawNeeded` if `raw` would help
 * @example
 * await encodeFile('rows.csv', { layout: layouts.snowflake, format: 'csv', out: 'ids.txt' });
 */
export async function encodeFile(input: Inputs, options: EncodeFileOptions): Promise<Progress> {
  const given = checkGiven(options, ID_FILE_OPTIONS);
  const layout = layoutOf('layout', given.layout);
  const job = checkIdJob(input, given);
  const { format = 'tsv', raw = false, onProgress } = given;
  const names = layout.places.map(({ name }) => name);
  const most = MAX_PATHS - BESIDES.length;
  if (format === 'json' && names.length > most) {
    throw wrongValue('layout', `at most ${most} fields with format 'json'`, names.length);
  }
  const records = fieldsFormat(format === 'json' ? 'ndjson' : format, names, BESIDES);
  const output = openOutput(given.out, given);

  /** Each table has a header of its own, which may name the fields in another order. */
  async function* all(): AsyncGenerator<RowsResult<Written>, Progress> {
    let read: Progress = { keys: 0, bytes: 0 };
    for (const [input, one] of job.inputs.entries()) {
      const { keys, bytes } = read;
      const onReject: Job['onReject'] = (line) => (job.onReject ?? fail)({ ...line, input });
      const part = { ...job, inputs: [one], format: records, onReject, isStrict: job.onReject === undefined };
      let hasHeader = format === 'json';
      for await (const result of runOperation(part, ENCODE, { fields: layout.fields, raw })) {
        hasHeader = true;
        read = { keys: keys + result.progress.keys, bytes: bytes + result.progress.bytes };
        yield { ...result, progress: read };
      }
      if (!hasHeader) throw new RangeError(`${nameOf(one)}:1: expected a header with ${names.join(', ')}, got nothing`);
    }
    return read;
  }

  return drain(all(), output, ({ value }) => output.write(value.bytes), onProgress);
}
