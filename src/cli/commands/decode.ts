import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { namesIn } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import { roundedWords, SERVICES, textFormatOf } from '../../guess/index.js';
import { type Layout, layouts, parseId, type TextFormat } from '../../index.js';
import { decodeFile, type GuessedIds, type Input } from '../../node/index.js';
import { idsIn, idTextIn } from '../../tokens/find.js';
import { isWideKind, WIDE_ID_KINDS } from '../../tokens/formats.js';
import { type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import type { Meaning } from '../io/card.js';
import { checkOutputs, type RejectedPlace, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import {
  checkParquetOut,
  filesNamed,
  inputOf,
  type LayoutOptions,
  makeLayout,
  type RowOptions,
  recordFormatOf,
  sourcesOf,
} from '../options/input.js';
import { inOwnWords, oneOf, type Refusal, refuse, shown, UsageError } from '../options/usage.js';
import { say, screen } from '../terminal.js';

const ID_FORMATS: readonly TextFormat[] = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'];

/** Layouts of services that the library does not have. `decode` takes their names, too. */
export const SERVICE_LAYOUTS: ReadonlyMap<string, Layout> = new Map(
  SERVICES.filter(({ name }) => !Object.hasOwn(layouts, name)).map(({ name, layout }) => [name, layout]),
);
const NAMES: readonly string[] = [...namesIn(layouts), ...SERVICE_LAYOUTS.keys()];

interface DecodeFlags extends RowOptions, Partial<LayoutOptions> {
  /** The format of 64-bit ids, or the kind of wider ids. */
  text?: TextFormat | WideIdKind;
  raw?: boolean;
  prefix?: string;
  format?: 'tsv' | 'csv' | 'json';
  json?: boolean;
}

export function define(command: CliCommand): void {
  command
    .description(
      'Write a row of fields for each id. A time is written as Unix milliseconds, with its date in the last column. Without --layout, it guesses the layout from the ids and names it on standard error. UUIDs, ULIDs, ObjectIds, KSUIDs and xids are recognised, too; they have only a timestamp and a date. An argument that looks like an id is an id, and any other is a file with an id on each line; ./123 is a file. A negative number is the id of the same 64 bits. With --csv, --tsv or --ndjson, the ids are in records, and the fields are added as columns; in Parquet, too. On a terminal, one id is shown as a card and several as a table, unless --format or --out is given. Without arguments, or for -, it reads standard input.',
    )
    .argument('[id|file...]')
    .layoutOptions(NAMES, ' (default: guessed from the first ids)')
    .rowOptions()
    .option(
      '--text <format>',
      `the format of 64-bit ids: ${ID_FORMATS.join(', ')} (hex may begin with 0x); or the kind of wider ids: ${WIDE_ID_KINDS.join(', ')} (default: "dec"; without --layout, wider ids are recognised)`,
      oneOf([...ID_FORMATS, ...WIDE_ID_KINDS]),
    )
    .option('--raw', "write times in the layout's own units since its epoch")
    .option(
      '--format <name>',
      'tsv or csv: a table with a header; json: an object on each line, with ids and wide fields as strings (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .option('--json', 'the same as --format json')
    .option('--prefix <text>', 'what the names of the columns that are added to records begin with, such as id_')
    .readOptions()
    .outOption()
    .compressOption()
    .rejectsOption()
    .examples(
      'shardbits decode 286435872092454913 --layout snowflake',
      'shardbits decode 1116551844710330458',
      'shardbits decode 017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
      'shardbits decode 3939 --layout client:27,entity:5 --json',
      'shardbits decode ids.txt --layout snowflake --format csv --out ids.csv',
      'shardbits decode ids.txt --layout snowflake --rejects bad-ids.tsv > good-ids.tsv',
      'shardbits decode 3jtg4ikxerr25 --text sortable32',
      'shardbits decode orders.csv --csv --key id --layout snowflake --prefix id_ --out orders-with-times.csv',
      'shardbits decode --layout timestamp:41,shard:10,sequence:12 --epoch 2023-01-01T00:00:00Z < ids.txt',
    )
    .action(decode);
}

async function decode(given: string[], options: DecodeFlags): Promise<void> {
  const named = given.map((argument) => filesNamed([argument]));
  const { inputs: files, isParquet } = await sourcesOf(named.flat(), options);
  const { json, format = json ? 'json' : undefined, key = [], text, prefix } = options;
  if (json && format !== 'json') throw new UsageError(`--json cannot be combined with --format ${format}`);
  if (isParquet) checkParquetOut(options.out);
  if (isParquet && format !== undefined) throw new UsageError('--format cannot be combined with Parquet');
  const records = recordFormatOf(options, isParquet);
  if (records !== undefined && format !== undefined) {
    throw new UsageError('--format cannot be combined with --csv, --tsv or --ndjson: records keep their format');
  }
  if (records === undefined) refuse(options, ['prefix'], 'requires --csv, --tsv or --ndjson');
  if (records && key.length > 1) throw new UsageError(`--key: expected one column of ids, got ${key.join(' and ')}`);
  const sources = records ? files.map((input): IdSource => ({ input })) : await idSources(given, named, options);
  const inputs = sources.map(({ input }) => input);
  checkOutputs(options, inputs);
  const decoding = decodingOf(options);
  const job = {
    ...options,
    placeOf: ({ input, line }: RejectedPlace) => sources[input]?.place?.(line),
    rawHint: '--raw prints its units',
    inWords: (refusal: Refusal) => new UsageError(inDecodingWords(refusal, prefix)),
    /** The first row may be an id in another format. */
    async hintFor({ error }: RejectedPlace, rows: number) {
      const { got, text: other, taken } = detailsOf(error);
      if (taken !== undefined) return prefixHint(taken, prefix);
      if (other !== undefined) return hintOf(other);
      return rows === 0 && text === undefined ? textHint(String(got)) : '';
    },
  };
  // Only rows that nobody asked for in another form are shown to a person.
  const terminal = (records ?? format ?? options.out ?? options.compress) === undefined ? screen() : undefined;
  await runJob(inputs, job, async ({ reading, writing }) => {
    if (terminal === undefined)
      return decodeFile(inputs, { ...reading, ...writing, ...decoding, records, prefix, format });
    const { idsOnScreen } = await import('../io/card.js');
    let guessed: GuessedIds | undefined;
    const onGuess = (guess: GuessedIds) => {
      guessed = guess;
    };
    const meaningOf = () => (guessed === undefined ? meaningIn(options, decoding.layout) : meaningOfGuess(guessed));
    const { out, end } = idsOnScreen(terminal, meaningOf, () => guessed && sayGuess(guessed));
    try {
      return await decodeFile(inputs, { ...reading, ...decoding, out, onGuess, format: 'json' });
    } finally {
      await end();
    }
  });
}

function meaningIn({ layout: spec, text }: DecodeFlags, layout: Layout | undefined): Meaning {
  if (layout === undefined) return { words: [], kind: WIDE_ID_KINDS.find((kind) => kind === text) };
  return { words: NAMES.filter((name) => name === spec), layout };
}

function meaningOfGuess({ kind, layout, isSure, others, named, perhaps, rounded }: GuessedIds): Meaning {
  const doubt = rounded === undefined ? [] : [`looks rounded: ${rounded.reason}`];
  const service = SERVICES.find(({ name }) => name === layout);
  if (service !== undefined) {
    const { name, what } = service;
    const words = isSure ? `${name}, if it is ${what}` : `perhaps ${[name, ...others].join(', ').replace(',', ', or')}`;
    return { words: [words, ...doubt], layout: service.layout };
  }
  const services = others.length > 0 ? [`possible: ${others.join(', ')}`] : [];
  const what = named === undefined ? ['not an id of a known service', ...readingsIn(perhaps)] : [named];
  return { words: [...what, ...services, ...doubt], kind };
}

/** `perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z, or a hash or a random number`. */
function readingsIn(perhaps: GuessedIds['perhaps']): string[] {
  const whats = perhaps.map(({ what, date }) => (date === undefined ? what : `${what}, ${date.toISOString()}`));
  return whats.length > 0 ? [`perhaps ${whats.join(', or ')}`] : [];
}

/** How ids are decoded. A guess is named on standard error. */
function decodingOf(options: DecodeFlags) {
  const { layout, text, raw } = options;
  if (text !== undefined && isWideKind(text)) {
    refuse(options, ['layout', 'epoch', 'raw'], `cannot be combined with --text ${text}`);
  }
  if (layout === undefined) {
    refuse(options, ['epoch'], 'requires --layout');
    return { layout: undefined, text, raw, onGuess: sayGuess };
  }
  return { layout: makeLayout({ ...options, layout }, SERVICE_LAYOUTS), text, raw };
}

/** `discord; also: twitter`, or `none; perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z; possible: tidb`. */
function sayGuess({ kind, layout, others, perhaps, rounded }: GuessedIds): void {
  if (kind !== undefined) {
    say(`guessed ids: ${kind}`);
    return;
  }
  const also = layout === undefined ? 'possible' : 'also';
  const parts = [
    layout ?? 'none',
    ...readingsIn(perhaps),
    ...(others.length > 0 ? [`${also}: ${others.join(', ')}`] : []),
  ];
  say(`guessed layout: ${parts.join('; ')}`);
  if (rounded === undefined) return;
  say(`warning: ${rounded.ids} of the first ${rounded.of} ids look rounded: ${rounded.reason}`);
}

/** An error of the library about how ids are decoded, in the words of the command line. */
function inDecodingWords(refusal: Refusal, prefix: string | undefined): string {
  const { argument, expected, got } = refusal;
  if (argument === 'layout' && got === 'guess') return '--layout is required: the input has no ids to guess it from';
  if (expected === 'a new name') return inOwnWords(refusal, { name: '--prefix' }) + prefixHint(String(got), prefix);
  if (argument === 'layout') return `--layout: expected ${expected}, got ${got}`;
  return argument === 'raw' ? `--raw: expected ${expected}, got ids of kind ${got}` : inOwnWords(refusal);
}

/** A hint for a table that has a column of the name of one that is added. */
function prefixHint(taken: string, prefix: string | undefined): string {
  return prefix === undefined ? `; --prefix id_ adds id_${taken} instead` : '; another --prefix adds other names';
}

/** A hint for texts that are not ids in decimal, if all are ids in the full width of another format, or one is rounded. */
function textHint(...texts: readonly string[]): string {
  const rounded = texts.length === 1 ? roundedWords(texts[0]) : undefined;
  if (rounded !== undefined) return `; ${rounded}`;
  const format = textFormatOf(texts);
  return format === undefined ? '' : hintOf(format);
}

const hintOf = (format: string): string => `; --text ${format} reads such ids`;

/** An input of ids, which may be arguments. */
interface IdSource {
  readonly input: Input;
  /** The place of a line that is an argument, for errors. */
  place?(line: number): string;
}

/**
 * The sources that arguments name: ids, standard input for `-`, and files.
 * @param named the files that each argument names, if it is not an id
 * @throws UsageError for an argument that is neither
 */
async function idSources(
  given: readonly string[],
  named: readonly string[][],
  options: DecodeFlags,
): Promise<IdSource[]> {
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
      const files = named[at] ?? [argument];
      if (argument !== '-' && files[0] === argument && !existsSync(argument)) {
        const hint = options.text === undefined ? textHint(argument) : '';
        throw new UsageError(`${shown(argument)} is neither an id nor a file${hint}`);
      }
      take(at);
      sources.push(...files.map((file) => ({ input: inputOf(file) })));
    }
  }
  take(given.length);
  return sources;
}

/** Whether an argument is an id in the format that was asked for, or in a format that is tried by default. */
function isId(argument: string, options: DecodeFlags): boolean {
  const { text, layout } = options;
  const isAny = text === undefined && layout === undefined;
  const kind = wideIdKindOf(argument);
  if (kind !== undefined && (isAny || text === kind)) return true;
  const found = isAny ? idsIn(argument)[0]?.id : idTextIn(argument, text ?? 'dec');
  if (found !== undefined && found !== argument && !existsSync(argument)) return isAny || isId(found, options);
  const format = ID_FORMATS.find((one) => one === (text ?? 'dec'));
  if (format === undefined) return false;
  try {
    // As in rows: a signed integer, and hexadecimal after 0x.
    if (format === 'dec' && /^-[0-9]{1,19}$/.test(argument)) return BigInt(argument) >= -(2n ** 63n);
    parseId(format === 'hex' ? argument.replace(/^0x/i, '') : argument, format);
    return true;
  } catch {
    return false;
  }
}
