import { basename } from 'node:path';
import { layouts, type TextFormat } from '../../index.js';
import type { CheckedFormat } from '../../lines/records.js';
import { peek } from '../../node/files/peek.js';
import { type LayoutOptions, makeLayout } from '../options/input.js';
import { problemOf, refuse, UsageError } from '../options/usage.js';
import { type IdDecoding, layoutDecoding, wideIdDecoding } from './decode-rows.js';
import { guessLayout, type SampledIds, sampleIds, serviceLayouts } from './guess.js';
import { type IdSource, type IdText, isWide, textHint, wideKindOf } from './texts.js';

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
  const { layout, epoch, text = 'dec', raw = false } = options;
  if (isWide(text)) {
    refuse(options, ['layout', 'epoch', 'raw'], `cannot be combined with --text ${text}`);
    return { decoding: wideIdDecoding(text), sources };
  }
  if (layout === undefined) {
    refuse(options, ['epoch'], 'requires --layout');
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
    const fileName = typeof source.input === 'string' ? [basename(source.input)] : [];
    const words = [...(text === 'sortable32' ? [TID] : []), ...key, ...fileName];
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
