import { basename } from 'node:path';
import { layouts, type TextFormat } from '../../index.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { Batch } from '../../lines/batch.js';
import { bytesColumnOf } from '../../lines/fields.js';
import type { CheckedFormat } from '../../lines/records.js';
import { type CellValues, TableWriter } from '../../lines/write/tables.js';
import { peek } from '../../node/files/peek.js';
import type { Input } from '../../node/index.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';
import { type LayoutOptions, makeLayout } from '../options/input.js';
import { problemOf, UsageError } from '../options/usage.js';
import { cellsOfRows, type DecodedColumn, type IdDecoding, type IdRowFormat, layoutDecoding } from './decode-rows.js';
import { guessLayout, type SampledIds, sampleIds, serviceLayouts } from './guess.js';
import { type IdSource, type IdText, isWide, textHint, wideKindOf } from './texts.js';

const ID: DecodedColumn = { name: 'id', kind: 'text', isText: true };

const COLUMNS: readonly DecodedColumn[] = [
  { name: 'timestamp', kind: 'ms' },
  { name: 'date', kind: 'date', isText: true },
];

/** Decodes ids that are wider than 64 bits. They stay as they are, and their times follow. */
export function wideIdDecoding(kind: WideIdKind): IdDecoding {
  const values = ({ keys }: Batch): CellValues[] => {
    const times = timesOf(bytesColumnOf(keys), kind);
    return [times, times];
  };
  return {
    format: undefined,
    columns: COLUMNS,
    values,
    rows: (format) => {
      const rows = new WideIdRows(format);
      return { header: rows.header, text: (batch) => rows.text(batch, values(batch)), free: () => rows.free() };
    },
  };
}

/** Writes rows of ids and values, as bytes that are valid until the next call. */
class WideIdRows {
  readonly header: string;
  readonly #before: Uint8Array;
  readonly #after: Uint8Array;
  readonly #values: TableWriter;
  #rows = new Uint8Array(0);

  constructor(format: IdRowFormat) {
    const { header, cells, end } = cellsOfRows([ID, ...COLUMNS], format);
    const [id, ...values] = cells;
    this.header = header;
    this.#before = new TextEncoder().encode(id?.before);
    this.#after = new TextEncoder().encode(id?.after);
    this.#values = new TableWriter(kernelsWithColumns(), values, end);
  }

  free(): void {
    this.#values.free();
  }

  /** The kernels write the values; this puts the ids, which need no quotes, in front. Together they take 0.5 µs a row. */
  text({ keys, count }: Batch, values: readonly CellValues[]): Uint8Array {
    this.#values.write(values);
    const { text, offsets } = this.#values.texts;
    const { data, starts, ends } = keys;
    const around = this.#before.length + this.#after.length;
    const rows = this.#room(ends[count - 1] - starts[0] + count * around + offsets[count]);
    let at = 0;
    const put = (from: Uint8Array, start: number, end: number) => {
      for (let i = start; i < end; i++) rows[at++] = from[i];
    };
    for (let row = 0; row < count; row++) {
      put(this.#before, 0, this.#before.length);
      put(data, starts[row], ends[row]);
      put(this.#after, 0, this.#after.length);
      put(text, offsets[row], offsets[row + 1]);
    }
    return rows.subarray(0, at);
  }

  #room(byteLength: number): Uint8Array {
    if (this.#rows.length < byteLength) this.#rows = new Uint8Array(byteLength);
    return this.#rows;
  }
}

/** The options that say how ids are decoded. */
export interface DecodingOptions extends Partial<LayoutOptions> {
  text?: IdText;
  raw?: boolean;
  key?: string[];
}

/** How ids are decoded, and their sources, which start again with the rows that were read for the guess. */
export interface SourcesToDecode {
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
  const { layout, epoch, text = 'dec', raw = false } = options;
  if (isWide(text)) {
    for (const option of ['layout', 'epoch', 'raw'] as const) {
      if (options[option] !== undefined) throw new UsageError(`--${option} cannot be combined with --text ${text}`);
    }
    return { decoding: wideIdDecoding(text), sources };
  }
  if (layout === undefined) {
    if (epoch !== undefined) throw new UsageError('--epoch requires --layout');
    return guessDecoding(sources, rows, text, options);
  }
  const others = Object.hasOwn(layouts, layout) ? undefined : await serviceLayouts();
  const given = makeLayout({ layout, ...(epoch !== undefined && { epoch }) }, others);
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
    process.stderr.write(`guessed ids: ${kind}\n`);
    return wideIdDecoding(kind);
  }
  if (ids.length > 0) {
    const words = [...(text === 'sortable32' ? [TID] : []), ...key, ...namesOf(source.input)];
    const guess = await guessLayout(ids, words, columns);
    const also = guess.others.length > 0 ? `; also: ${guess.others.join(', ')}` : '';
    process.stderr.write(`guessed layout: ${guess.name}${also}\n`);
    return layoutDecoding(guess.layout, text, raw);
  }
  const [first] = others;
  const hint = options.text === undefined ? textHint(texts) : '';
  if (first === undefined || hint === '') return undefined;
  const place = source.place(first.line) ?? `${first.file}:${first.line}`;
  throw new RangeError(`${place}: ${problemOf(first.error)}${hint}`);
}

/** A clue that points to AT Protocol, whose ids are written in sortable32. */
const TID = 'at://';

function namesOf(input: Input): string[] {
  return typeof input === 'string' ? [basename(input)] : [];
}
