import { basename } from 'node:path';
import type { Guess, Reading } from '../../guess/index.js';
import { type Layout, layouts, type TextFormat } from '../../index.js';
import { peek } from '../../node/files/peek.js';
import type { Input, RejectedLine } from '../../node/index.js';
import { idResults } from '../../node/jobs/lines.js';
import { type Batch, KeyError } from '../../rows/batch.js';
import type { CheckedFormat } from '../../rows/format.js';
import { namesOf } from '../../rows/sources/csv.js';
import { say } from '../io/messages.js';
import { type LayoutOptions, makeLayout } from '../options/input.js';
import { problemOf, refuse, UsageError } from '../options/usage.js';
import { type IdDecoding, layoutDecoding, wideIdDecoding } from './decode-rows.js';
import { parseObject } from './encode-rows.js';
import { type IdSource, type IdText, isWide, textHint, wideKindOf } from './texts.js';

/** Services whose layouts the library does not have. `decode` takes their names, too. */
export const SERVICE_LAYOUTS: readonly string[] = ['tiktok'];

/** How many possible layouts a guess names. */
const MAX_LAYOUTS = 5;

/** Layouts that are less likely than this are not named for numbers that are more likely something else. */
const POSSIBLE = 0.0001;

/** A clue that points to AT Protocol, whose ids are written in sortable32. */
const TID = 'at://';

/** The options that say how ids are decoded. */
export interface DecodingOptions extends Partial<LayoutOptions> {
  text?: IdText;
  raw?: boolean;
  key?: string[];
}

/** How ids are decoded, and their sources, which start again with the rows that were read for the guess. */
interface SourcesToDecode {
  readonly decoding: IdDecoding;
  readonly sources: readonly IdSource[];
}

/**
 * How the ids of some sources are decoded: as the options say, or as guessed from the first ids. A guess is named on
 * standard error.
 * @param rows undefined for lines
 */
export async function idDecoding(
  sources: readonly IdSource[],
  rows: CheckedFormat | undefined,
  options: DecodingOptions,
): Promise<SourcesToDecode> {
  const { layout, text = 'dec', raw = false } = options;
  if (isWide(text)) {
    refuse(options, ['layout', 'epoch', 'raw'], `cannot be combined with --text ${text}`);
    return { decoding: wideIdDecoding(text), sources };
  }
  if (layout === undefined) {
    refuse(options, ['epoch'], 'requires --layout');
    return guessDecoding(sources, rows, text, options);
  }
  const others = Object.hasOwn(layouts, layout) ? undefined : await serviceLayouts();
  const given = makeLayout({ ...options, layout }, others);
  const taken = given.places.find(({ name }) => name === 'id' || name === 'date');
  if (taken !== undefined) {
    throw new UsageError(`--layout: expected fields other than id and date, got ${taken.name}`);
  }
  return { decoding: layoutDecoding(given, text, raw), sources };
}

async function guessDecoding(
  sources: readonly IdSource[],
  rows: CheckedFormat | undefined,
  text: TextFormat,
  options: DecodingOptions,
): Promise<SourcesToDecode> {
  const begun: IdSource[] = [];
  try {
    for (const source of sources) {
      const { start, whole } = await peek(source.input);
      begun.push({ ...source, input: whole });
      const sample = await sampleIds(start, rows, text);
      const decoding = await decodingOf(sample, source, text, options);
      if (decoding !== undefined) return { decoding, sources: [...begun, ...sources.slice(begun.length)] };
    }
    throw new UsageError('--layout is required: the input has no ids to guess it from');
  } catch (error) {
    for (const { input } of begun) if (typeof input !== 'string') input.destroy();
    throw error;
  }
}

/** Guesses from the first ids of a source how to decode them; undefined if it has no ids. */
async function decodingOf(
  { ids, others, columns }: SampledIds,
  source: IdSource,
  text: TextFormat,
  options: DecodingOptions,
): Promise<IdDecoding | undefined> {
  const { raw = false, key = [] } = options;
  const texts = others.map(({ error }) => String(error.got));
  const kind = options.text === undefined ? wideKindOf(texts, ids.length) : undefined;
  if (kind !== undefined) {
    if (raw) throw new UsageError(`--raw: expected ids of 64 bits, got ids of kind ${kind}`);
    say(`guessed ids: ${kind}`);
    return wideIdDecoding(kind);
  }
  if (ids.length > 0) {
    const file = typeof source.input === 'string' ? source.input : source.file;
    const words = [...(text === 'sortable32' ? [TID] : []), ...key, ...(file === undefined ? [] : [basename(file)])];
    const { datesIn, guess, ROUNDING } = await import('../../guess/index.js');
    // The first word that points to a service counts, and dates that agree with those of the ids do, too.
    const guessed = guess(ids, { now: Date.now(), words, dates: datesIn(columns) });
    say(`guessed layout: ${guessText(guessed)}`);
    const { rounded } = guessed;
    if (rounded !== undefined && text === 'dec') {
      const which = `${rounded.rows} of the first ${ids.length} ids`;
      say(`warning: ${which} look rounded: ${ROUNDING[rounded.by]}`);
    }
    return layoutDecoding(guessed.isKnown ? guessed.services[0].service.layout : undefined, text, raw);
  }
  const [first] = others;
  const hint = options.text === undefined ? textHint(texts) : '';
  if (first === undefined || hint === '') return undefined;
  const place = source.place(first.line) ?? `${first.file}:${first.line}`;
  throw new RangeError(`${place}: ${problemOf(first.error)}${hint}`);
}

/** `discord; also: twitter`, or `none; perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z; possible: tidb`. */
function guessText({ isKnown, services, perhaps }: Guess): string {
  const isPossible = ({ misfit, isInUse, probability }: Reading) =>
    misfit === undefined && isInUse && (isKnown || probability >= POSSIBLE);
  const [first, ...rest] = services;
  const others = (isKnown ? rest : services).filter(isPossible).slice(0, isKnown ? MAX_LAYOUTS - 1 : MAX_LAYOUTS);
  const names = others.map(({ service }) => service.name).join(', ');
  if (isKnown) return `${first.service.name}${names && `; also: ${names}`}`;
  const whats = perhaps
    .map(({ kind, dates }) => kind.what + (dates ? `, ${new Date(dates.first).toISOString()}` : ''))
    .join(', or ');
  return `none${whats && `; perhaps ${whats}`}${names && `; possible: ${names}`}`;
}

/** The layouts of {@link SERVICE_LAYOUTS}. They are loaded only when needed. */
async function serviceLayouts(): Promise<ReadonlyMap<string, Layout>> {
  const { SERVICES } = await import('../../guess/index.js');
  const services = SERVICES.filter(({ name }) => SERVICE_LAYOUTS.includes(name));
  return new Map(services.map(({ name, layout }) => [name, layout]));
}

/** How many records are searched for clues in other columns. */
const MAX_RECORDS = 50;

/** The first rows of an input. */
interface SampledIds {
  readonly ids: BigUint64Array;
  /** The values of the first records with ids, column by column; '' where a record has none. */
  readonly columns: readonly (readonly string[])[];
  /** The rows that are not ids in the format, without malformed records. */
  readonly others: readonly NotAnId[];
}

type NotAnId = RejectedLine & { readonly error: KeyError };

/**
 * Reads ids, and skips malformed records.
 * @param start the start of an input
 * @param text how the ids are written
 * @throws what reading `start` throws, if that is before the first row
 */
async function sampleIds(start: Input, format: CheckedFormat | undefined, text: TextFormat): Promise<SampledIds> {
  const ids: bigint[] = [];
  const records: unknown[] = [];
  const others: NotAnId[] = [];
  const idsOf = (batch: Batch) => {
    if (format !== undefined) records.push(...recordsOf(batch, format, MAX_RECORDS - records.length));
    return batch.hashes;
  };
  const onReject = (row: RejectedLine) => {
    const { error } = row;
    if (error instanceof KeyError) others.push({ ...row, error });
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
    if (format.format === 'csv') return namesOf(record, format);
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
