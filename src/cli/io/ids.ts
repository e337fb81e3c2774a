import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type Layout, layouts, parseId, type TextFormat } from '../../index.js';
import type { DecodeFileOptions, GuessedIds, Input } from '../../node/index.js';
import { type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import { inputsOf, type LayoutOptions, makeLayout } from '../options/input.js';
import { inOwnWords, type Refusal, refuse, shown, UsageError } from '../options/usage.js';
import { say } from '../terminal.js';

/** The format of 64-bit ids, or the kind of wider ids. */
export type IdText = TextFormat | WideIdKind;

export const ID_FORMATS: readonly TextFormat[] = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'];
export const WIDE_IDS: readonly WideIdKind[] = ['uuid', 'ulid', 'objectid', 'ksuid', 'xid'];

/** Services whose layouts the library does not have. `decode` takes their names, too. */
export const SERVICE_LAYOUTS: readonly string[] = ['tiktok'];

/** The options that say how ids are decoded. */
export interface DecodingOptions extends Partial<LayoutOptions> {
  text?: IdText;
  raw?: boolean;
}

/** How ids are decoded. A guess is named on standard error. */
export async function decodingOf(
  options: DecodingOptions,
): Promise<Pick<DecodeFileOptions, 'layout' | 'text' | 'raw' | 'onGuess'>> {
  const { layout, text, raw } = options;
  if (WIDE_IDS.some((kind) => kind === text)) {
    refuse(options, ['layout', 'epoch', 'raw'], `cannot be combined with --text ${text}`);
  }
  if (layout === undefined) {
    refuse(options, ['epoch'], 'requires --layout');
    return { text, raw, onGuess: sayGuess };
  }
  const others = Object.hasOwn(layouts, layout) ? undefined : await serviceLayouts();
  return { layout: makeLayout({ ...options, layout }, others), text, raw };
}

/** The layouts of {@link SERVICE_LAYOUTS}. They are loaded only when needed. */
async function serviceLayouts(): Promise<ReadonlyMap<string, Layout>> {
  const { SERVICES } = await import('../../guess/index.js');
  const services = SERVICES.filter(({ name }) => SERVICE_LAYOUTS.includes(name));
  return new Map(services.map(({ name, layout }) => [name, layout]));
}

/** `discord; also: twitter`, or `none; perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z; possible: tidb`. */
function sayGuess({ kind, layout, others, perhaps, rounded }: GuessedIds): void {
  if (kind !== undefined) {
    say(`guessed ids: ${kind}`);
    return;
  }
  const whats = perhaps.map(({ what, date }) => (date === undefined ? what : `${what}, ${date.toISOString()}`));
  const also = layout === undefined ? 'possible' : 'also';
  const parts = [
    layout ?? 'none',
    ...(whats.length > 0 ? [`perhaps ${whats.join(', or ')}`] : []),
    ...(others.length > 0 ? [`${also}: ${others.join(', ')}`] : []),
  ];
  say(`guessed layout: ${parts.join('; ')}`);
  if (rounded === undefined) return;
  say(`warning: ${rounded.ids} of the first ${rounded.of} ids look rounded: ${rounded.reason}`);
}

/** An error of the library about how ids are decoded, in the words of the command line. */
export function inDecodingWords(refusal: Refusal): string {
  const { argument, expected, got } = refusal;
  if (argument === 'layout' && got === 'guess') return '--layout is required: the input has no ids to guess it from';
  if (argument === 'layout') return `--layout: expected ${expected}, got ${got}`;
  return argument === 'raw' ? `--raw: expected ${expected}, got ids of kind ${got}` : inOwnWords(refusal);
}

/** A hint for texts that are not ids in decimal, if all are ids in the full width of another format. */
export async function textHint(...texts: readonly string[]): Promise<string> {
  const { textFormatOf } = await import('../../guess/index.js');
  const format = textFormatOf(texts);
  return format === undefined ? '' : hintOf(format);
}

export const hintOf = (format: string): string => `; --text ${format} reads such ids`;

/** An input of ids, which may be arguments. */
export interface IdSource {
  readonly input: Input;
  /** The place of a line that is an argument, for errors. */
  place?(line: number): string;
}

/**
 * The sources that arguments name: ids, standard input for `-`, and files.
 * @throws UsageError for an argument that is neither
 */
export async function idSources(given: readonly string[], options: DecodingOptions): Promise<IdSource[]> {
  const sources: IdSource[] = [];
  let ids: string[] = [];
  const take = (end: number) => {
    const from = end - ids.length;
    const lines = ids.map((id) => `${id}\n`);
    if (lines.length > 0) sources.push({ input: Readable.from(lines), place: (line) => `argument ${from + line}` });
    ids = [];
  };
  for (const [at, argument] of (given.length > 0 ? given : ['-']).entries()) {
    if (isId(argument, options)) ids.push(argument);
    else {
      if (argument !== '-' && !existsSync(argument)) {
        const hint = options.text === undefined ? await textHint(argument) : '';
        throw new UsageError(`${shown(argument)} is neither an id nor a file${hint}`);
      }
      take(at);
      sources.push(...inputsOf([argument]).map((input) => ({ input })));
    }
  }
  take(given.length);
  return sources;
}

/** Whether an argument is an id in the format that was asked for, or in a format that is tried by default. */
function isId(argument: string, { text, layout }: DecodingOptions): boolean {
  const kind = wideIdKindOf(argument);
  if (kind !== undefined && (text === kind || (text === undefined && layout === undefined))) return true;
  const format = ID_FORMATS.find((one) => one === (text ?? 'dec'));
  if (format === undefined) return false;
  try {
    parseId(argument, format);
    return true;
  } catch {
    return false;
  }
}
