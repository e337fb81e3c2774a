import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { wrongValue } from '../../arguments.js';
import { datesIn, type Guess, guess, ROUNDING, type ServiceGuess, textFormatOf } from '../../guess/index.js';
import type { Kernels, TextFormat } from '../../kernels/types.js';
import { type Batch, KeyError, LineError, newlinesIn } from '../../rows/batch.js';
import type { CheckedFormat } from '../../rows/format.js';
import { type Decoding, idReader } from '../../rows/operations/decode.js';
import { OpenOperation } from '../../rows/operations/operation.js';
import { namesOf } from '../../rows/sources/csv.js';
import { idsIn } from '../../tokens/find.js';
import { WIDE_ID_KINDS, type WideIdKind, wideIdKindOf } from '../../wide-ids/times.js';
import { type Input, openBytes, streamOf } from '../files/input.js';
import type { ParquetTable } from '../parquet/table.js';
import type { Job, RejectedLine } from './job.js';
import { onOneThread } from './run.js';

/** What ids are, as far as the first ones of an input show. */
export interface GuessedIds {
  /** The kind of ids that are wider than 64 bits. */
  readonly kind?: WideIdKind;
  /** The service whose layout they have, such as `discord`; undefined if they are more likely something else. */
  readonly layout?: string | undefined;
  /** Whether `layout` is much likelier than all others. */
  readonly isSure?: boolean;
  /** Other services whose layout they may have, the likeliest first: four of them, or five without `layout`. */
  readonly others: readonly string[];
  /** What a single number is that many programs have as a limit, such as 2^53. */
  readonly named?: string | undefined;
  /** What else numbers may be, such as `a time in Unix seconds`, and their earliest date if they have dates. */
  readonly perhaps: readonly { readonly what: string; readonly date: Date | undefined }[];
  /** If ids look as if a program had rounded them: how many of how many do, and which programs do so, in words. */
  readonly rounded?: { readonly ids: number; readonly of: number; readonly reason: string } | undefined;
}

export interface GuessOptions {
  /** Undefined: in decimal, unless they are wider ids. */
  readonly text: TextFormat | undefined;
  readonly raw: boolean;
  /** Texts that may name the service, such as the name of the column. */
  readonly words: readonly string[];
}

/** What was guessed, and the inputs, which start again with what was read for it. */
export interface GuessedInputs {
  readonly guessed: GuessedIds;
  readonly decoding: Decoding;
  readonly inputs: readonly Input[];
  /** Ends those that are streams, which otherwise keep the process alive until their writers are done. */
  stop(): void;
}

const MAX_LAYOUTS = 5;

/** Layouts that are less likely than this are not named for numbers that are more likely something else. */
const POSSIBLE = 0.0001;

const FIRST_ROWS = 1000;

/**
 * Guesses what the ids of some inputs are, by the first ones of the first input that has ids; of a table, by its first rows.
 * @throws RangeError if it finds none: about the first row of all, if there is one
 */
export async function guessIds(
  { inputs, format }: Pick<Job, 'inputs' | 'format'>,
  options: GuessOptions,
  table?: ParquetTable,
): Promise<GuessedInputs> {
  const begun: Input[] = [];
  let wrong: Error | undefined;
  const stop = () => {
    for (const input of begun) if (typeof input !== 'string') input.destroy();
  };
  try {
    if (table !== undefined) {
      table.readIds();
      const first = { batches: (kernels: Kernels) => table.batches(kernels, FIRST_ROWS) };
      const found = await guessOf({ inputs, format, table: first }, table.files[0], options);
      if (found instanceof Error) throw found;
      if (found !== undefined) return { ...found, inputs, stop };
    }
    for (const input of inputs) {
      const { start, whole } = await peek(input);
      begun.push(whole);
      const found = await guessOf({ inputs: [start], format }, input, options, begun.length - 1);
      if (found instanceof Error) wrong ??= found;
      else if (found !== undefined) return { ...found, inputs: [...begun, ...inputs.slice(begun.length)], stop };
    }
    throw wrong ?? wrongValue('layout', 'a Layout, because the input has no ids to guess it from', 'guess');
  } catch (error) {
    stop();
    throw error;
  }
}

/**
 * Guesses from the first ids of an input. If it has none, this gives the error of its first row; undefined without rows.
 * @param start a job on the start of the input
 * @param from the input, which has a name if it is a path
 * @param input its number; undefined for a table
 */
async function guessOf(start: Job, from: Input, { text, raw, words }: GuessOptions, input?: number) {
  const { ids, others, first, columns, links } = await sampleIds(start, text ?? 'dec');
  const texts = others.map(({ error }) => String(error.got)).map((text) => idsIn(text)[0]?.id ?? text);
  const kind = text === undefined ? wideKindOf(texts, ids.length) : undefined;
  if (kind !== undefined) {
    if (raw) throw wrongValue('raw', 'ids of 64 bits', kind, undefined, `ids of kind ${kind}`);
    return { guessed: { kind, others: [], perhaps: [] }, decoding: { kind } };
  }
  if (ids.length === 0) {
    if (first === undefined) return undefined;
    const { error, file } = first;
    const other = text === undefined ? textFormatOf(texts) : undefined;
    const field = error instanceof KeyError && words.length > 0 ? { field: words[0] } : {};
    const details = { ...field, ...(other && { text: other }) };
    return input === undefined ? error.inRow(file, details) : error.in(file, { input, ...details });
  }
  // The first word that points to a service counts, and dates that agree with those of the ids do, too.
  const name = typeof from === 'string' ? [basename(from)] : [];
  const clues = { now: Date.now(), words: [...words, ...links, ...name], dates: datesIn(columns), format: text };
  const found = guess(ids, clues);
  const { services, perhaps, rounded, named, isKnown, isSure } = found;
  const known = isKnown ? services[0].service : undefined;
  const format = text ?? 'dec';
  const guessed = {
    layout: known?.name,
    isSure,
    named,
    others: othersIn(found),
    perhaps: isKnown
      ? []
      : perhaps.map(({ kind, dates }) => ({ what: kind.what, date: dates && new Date(dates.first) })),
    rounded:
      rounded && format === 'dec' ? { ids: rounded.rows, of: ids.length, reason: ROUNDING[rounded.by] } : undefined,
  };
  return { guessed, decoding: { fields: known?.layout.fields, text: format, raw } };
}

function othersIn({ isKnown, services }: Guess): string[] {
  const isPossible = ({ misfit, isInUse, probability }: ServiceGuess) =>
    misfit === undefined && isInUse && (isKnown || probability >= POSSIBLE);
  const from = isKnown ? 1 : 0;
  const others = services.slice(from).filter(isPossible);
  return others.slice(0, MAX_LAYOUTS - from).map(({ service }) => service.name);
}

/** The kind of wide ids that most rows have. The rows are `texts`, and as many 64-bit ids as `ids` says. */
function wideKindOf(texts: readonly string[], ids: number): WideIdKind | undefined {
  const kinds = texts.map(wideIdKindOf);
  return WIDE_ID_KINDS.find((kind) => 2 * kinds.filter((one) => one === kind).length > texts.length + ids);
}

/** How many records are searched for clues in other columns. */
const MAX_RECORDS = 50;

/** A key is an id, in some text format. */
export const ID_KEYS = { keys: 'u64', hash: 'none', seed: 0n } as const;

type Refusal<E> = RejectedLine & { readonly error: E };

/**
 * Reads the first rows of an input, and skips malformed records.
 * @param text how the ids are written
 * @returns the ids; the values of the first records with ids, column by column, '' where a record has none; and the `others`,
 *   which are not ids in the format, and the `first` row that is rejected
 * @throws what reading `start` throws, if that is before the first row
 */
async function sampleIds(start: Job, text: TextFormat) {
  const { format } = start;
  const ids: bigint[] = [];
  const records: unknown[] = [];
  const others: Refusal<KeyError>[] = [];
  const links: string[] = [];
  let first: Refusal<LineError> | undefined;
  const onReject = (row: RejectedLine) => {
    const { error } = row;
    if (error instanceof LineError) first ??= { ...row, error };
    if (error instanceof KeyError) others.push({ ...row, error });
  };
  try {
    const open = (kernels: Kernels) => new OpenOperation(idReader(kernels, text));
    for await (const { value } of onOneThread({ ...start, onReject }, open)) {
      if (format !== undefined) records.push(...recordsOf(value, format, MAX_RECORDS - records.length));
      if (links.length === 0) links.push(...linksIn(value));
      ids.push(...value.hashes);
    }
  } catch (error) {
    if (ids.length + others.length === 0) throw error;
  }
  return { ids: BigUint64Array.from(ids), columns: columnsOf(records), others, first, links };
}

/** So much of a line is searched for links. */
const MAX_LINE = 1000;

/** The links in the first row, which name the service of its id. */
function linksIn({ data, starts, ends }: Batch): string[] {
  const text = new TextDecoder().decode(data.slice(starts[0], Math.min(ends[0], starts[0] + MAX_LINE)));
  return text.match(/(?:\w+:\/\/|\b[\w-]+\.[a-z]{2,}\/)[^\s"',;]*|\burn:[\w:]+/gi) ?? [];
}

/** The first records of a batch: arrays for tables, parsed JSON for NDJSON. */
function recordsOf({ data, starts, ends, count }: Batch, format: CheckedFormat, most: number): unknown[] {
  return Array.from({ length: Math.min(count, most) }, (_, row) => {
    const record = data.slice(starts[row], ends[row]); // a copy, because decoders refuse shared memory
    return format.format === 'csv' ? namesOf(record, format) : JSON.parse(new TextDecoder().decode(record));
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

// The writer of a pipe may wait for an answer, so no more lines than this are read ahead.
const MAX_LINES = 1000;
const MAX_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/**
 * Reads the first lines of an input ahead: up to 1,000, or those of the first 256 KiB. A file is later read again from its
 * start; the bytes of a stream are kept.
 * @returns the first lines, decompressed, or all lines if there are few; and what replaces the input: the bytes that have
 *   been read, and the rest
 * @throws the error of reading, if there is no byte before it. A later error is thrown while `whole` is read
 */
export async function peek(input: Input): Promise<{ readonly start: Input; readonly whole: Input }> {
  const isFile = typeof input === 'string' && statSync(input).isFile();
  const { bytes, stop } = openBytes(input);
  const chunks: Uint8Array[] = [];
  let isAll = false;
  let failure: unknown;
  try {
    for (let byteLength = 0, lines = 0; byteLength < MAX_BYTES && lines < MAX_LINES; ) {
      const { value, done } = await bytes.next();
      isAll = done === true;
      if (done) break;
      chunks.push(value);
      byteLength += value.length;
      lines += newlinesIn(value, 0, value.length);
    }
  } catch (error) {
    if (chunks.length === 0) throw error;
    failure = error;
  }
  const start = streamOf(input, [firstLines(Buffer.concat(chunks), isAll)]);
  if (isFile) {
    await bytes.return();
    return { start, whole: input };
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    // Each chunk is dropped when it has been read.
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    if (failure !== undefined) throw failure;
    yield* bytes;
  }
  const whole = streamOf(input, all());
  whole.once('close', () => {
    bytes.return().catch(() => {}); // not awaited, as in decompressed()
    stop(); // also while bytes are awaited
  });
  return { start, whole };
}

/** The first MAX_LINES lines, without one that is not complete yet. */
function firstLines(bytes: Uint8Array, isAll: boolean): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const next = bytes.indexOf(NEWLINE, end) + 1;
    if (next === 0) return isAll || end === 0 ? bytes : bytes.subarray(0, end);
    end = next;
  }
  return bytes.subarray(0, end);
}
