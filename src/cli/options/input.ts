import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { parseDate } from '../../dates.js';
import { detailsOf } from '../../errors.js';
import { defineLayout, type Layout, layouts, parseLayout } from '../../index.js';
import {
  type Compression,
  type Encoding,
  type Input,
  type LineKeys,
  matchingFiles,
  parquetFiles,
  type RecordFormat,
} from '../../node/index.js';
import { isProcessStdin, isStdout, say, streams } from '../terminal.js';
import { BadValue, fromOptions, integer, inUsage, refuse, required, shown, suggestion, UsageError } from './usage.js';

/** What --keys may be for a Router, and its description. */
export const LINE_KEYS = ['text', 'u64', 'hex', 'base64'] as const satisfies readonly LineKeys[];
export const KEYS =
  'text: a key is its bytes; u64: a key is an integer from 0 to 2^64 - 1 in decimal, or a negative integer with the same bits; hex, base64: the bytes that a key says';

/** Where a command writes. */
export interface Outputs {
  /** Standard output by default. */
  out?: string | undefined;
  compress?: Compression | undefined;
  rejects?: string | undefined;
  /** How many rows may be rejected. */
  maxRejects?: number | undefined;
  outDir?: string | undefined;
  outRows?: string | undefined;
}

/** The options of how rows are read, and where they go. A command has some of them. */
export interface RowOptions extends Outputs {
  threads?: number;
  encoding?: Encoding;
  null?: boolean;
  csv?: boolean;
  tsv?: boolean;
  ndjson?: boolean;
  key?: string[];
  delimiter?: string;
  quote?: 'none';
  escape?: string;
  /** False with --no-header. */
  header: boolean;
  ragged?: boolean;
  asColumn?: string;
  /** For records that have no key. */
  missingKey?: number | 'reject';
  /** The column that says where a row is. */
  shardColumn?: string;
}

/** Parses `--missing-key`. */
export const shardOrReject = Object.assign((given: string) => (given === 'reject' ? given : integer(given)), {
  words: ['reject'],
});

/** What to do about a record without a key; nothing about other rows. */
export async function missingKeyHint({ error }: { readonly error: Error }): Promise<string> {
  return detailsOf(error).isKeyMissing ? '; --missing-key gives such records a shard' : '';
}

/**
 * What to do about a record or header that is written in another way than the options say.
 * @param hasKey whether the command reads records by `--key`, and so has the other options of their format
 */
export function syntaxHint(error: Error, hasKey: boolean): string {
  const { syntax, lacking, got } = detailsOf(error);
  const text = String(got);
  if (hasKey && syntax === 'quotes') return '; with --quote none, quotes are characters like any other';
  if (hasKey && lacking !== undefined) {
    if (/^sep=.$/.test(text)) return '; this line is a note for Excel: tail -n +2 FILE | shardbits … leaves it out';
    const between = [';', '\t', '|', ','].find((one) => text.split(one).includes(lacking));
    const option = between === '\t' ? '--tsv' : `--csv --delimiter '${between}'`;
    return between === undefined ? '' : `; with ${option}, it has that column`;
  }
  if (syntax !== 'JSON') return '';
  if (text.startsWith('[')) return "; of an array, jq -c '.[]' FILE | shardbits … makes lines";
  if (text.startsWith('\x1e')) return "; of a JSON text sequence, tr -d '\\036' < FILE | shardbits … makes lines";
  return /^\s*\{[^}]*$/.test(text) ? '; of objects over several lines, jq -c . FILE | shardbits … makes lines' : '';
}

/** The rows that the options ask for; undefined for lines. */
export function recordFormatOf(options: RowOptions, isParquet = false): RecordFormat | undefined {
  const { key, delimiter, quote, escape: escaper, header: hasHeader, ragged } = options;
  if (isParquet) {
    if (key === undefined) throw new UsageError('Parquet requires --key');
    return { format: 'parquet', key };
  }
  const [format, other] = (['csv', 'tsv', 'ndjson'] as const).filter((name) => options[name]);
  if (other !== undefined) throw new UsageError(`--${format} cannot be combined with --${other}`);
  if (format === undefined) {
    refuse(options, ['key', 'delimiter'], 'requires --csv, --tsv or --ndjson');
    refuse(options, ['quote', 'escape'], 'requires --csv or --tsv');
    if (!hasHeader) throw new UsageError('--no-header requires --csv, --tsv or --ndjson');
    refuse(options, ['ragged', 'asColumn'], 'requires --csv, --tsv or --ndjson');
    return undefined;
  }
  if (key === undefined) throw new UsageError(`--${format} requires --key`);
  refuse(options, ['null'], `cannot be combined with --${format}`);
  if (format !== 'csv') refuse(options, ['delimiter'], 'requires --csv');
  if (format === 'ndjson') refuse(options, ['quote', 'escape', 'ragged'], 'requires --csv or --tsv');
  const syntax = { format, delimiter, quote, escape: escaper, ragged };
  if (hasHeader) return { ...syntax, key };
  if (format === 'ndjson') throw new UsageError('--no-header requires --csv or --tsv');
  return { ...syntax, key: key.map((one) => columnNumber(one)), header: false };
}

function columnNumber(name: string, flag = '--key'): number {
  if (!/^[1-9][0-9]{0,4}$/.test(name)) {
    throw new UsageError(`${flag}: expected the number of a column, from 1, with --no-header, got ${shown(name)}`);
  }
  return Number(name);
}

/** The column that says where a row is; undefined for lines. @param byDefault its name, if none is given */
export function shardColumnOf(
  options: RowOptions,
  records: RecordFormat | undefined,
  byDefault = 'shard',
): string | number | undefined {
  if (records === undefined) {
    refuse(options, ['shardColumn'], 'requires --csv, --tsv or --ndjson');
    return undefined;
  }
  const { shardColumn = byDefault, header: hasHeader, key = [] } = options;
  if (key.includes(shardColumn)) {
    throw new UsageError(`--shard-column: expected another column than --key, got ${shown(shardColumn)}`);
  }
  return hasHeader ? shardColumn : columnNumber(shardColumn, '--shard-column');
}

/** Parses `3,7`. */
export function shardList(given: string): number[] {
  if (/^[0-9]+(,[0-9]+)*$/.test(given)) return given.split(',').map(integer);
  throw new BadValue('whole numbers with commas between them');
}

/** The inputs that FILE… names. `-` is standard input, which is also the default. */
export function inputsOf(files: readonly string[]): Input[] {
  return files.length > 0 ? filesNamed(files).map(inputOf) : [standardInput()];
}

/** The files that FILE… names. Shells of Windows, and quotes, leave patterns to the command. */
export const filesNamed = (files: readonly string[]): string[] => fromOptions(() => matchingFiles(files));

/** What one name means: `-` is standard input. */
export const inputOf = (file: string): Input => (file === '-' ? standardInput() : file);

/** The files that options name. */
export const filesIn = (...files: readonly (string | undefined)[]): Input[] =>
  files.flatMap((file) => (file === undefined ? [] : [inputOf(file)]));

function standardInput(): Input {
  const { stdin } = streams();
  // Node.js reads a directory on standard input as an empty file.
  if (isProcessStdin(stdin) && fstatSync(0).isDirectory()) throw new Error('-: illegal operation on a directory');
  if (stdin.isTTY && !told.has(stdin)) say(`reading standard input; ${END} ends it`);
  told.add(stdin);
  return stdin;
}

const told = new WeakSet<object>();
const END = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D';

export interface LayoutOptions {
  layout: string;
  epoch?: Date;
}

/** Parses `--epoch`. */
export function epoch(given: string): Date {
  const value = new Date(/^-?[0-9]+$/.test(given) ? Number(given) : (parseDate(given)?.from ?? Number.NaN));
  if (!Number.isNaN(value.getTime())) return value;
  throw new BadValue('a date that exists, such as 2023-01-01T00:00:00Z, or Unix milliseconds');
}

/** @param others named layouts besides the presets */
export function makeLayout(options: LayoutOptions, others: ReadonlyMap<string, Layout> = new Map()): Layout {
  required(options, '--layout');
  const { layout: spec, epoch: since } = options;
  const names = [...Object.keys(layouts), ...others.keys()];
  if (/^\w+$/.test(spec) && !names.includes(spec)) {
    const expected = `one of ${names.join(', ')}, or fields as name:bits,name:bits`;
    throw new UsageError(`--layout: expected ${expected}, got ${shown(spec)}${suggestion(spec, names)}`);
  }
  return fromOptions(() => {
    const layout = others.get(spec) ?? parseLayout(spec);
    if (since === undefined) return layout;
    const { time } = layout;
    if (time === undefined) throw new UsageError(`--epoch: expected a layout with a timestamp field, got ${spec}`);
    const fields = Object.entries(layout.fields).map(([name, field]) => {
      return [name, name === time.name ? { ...field, epoch: since } : field] as const;
    });
    return defineLayout(Object.fromEntries(fields));
  });
}

/** Options that only text has. */
const OF_TEXT = [
  ...(['null', 'csv', 'tsv', 'ndjson', 'delimiter', 'quote', 'escape', 'ragged'] as const),
  ...(['encoding', 'rejects', 'maxRejects'] as const),
] as const;

/** The beginning of an object in JSON, or of an array of such. */
const JSON_START = /^\s*(?:\[\s*)?\{\s*"/;

/** Warns if the lines of the first file are keys although they are not meant to be. */
export function warnOfJson([input]: readonly Input[]): void {
  if (typeof input !== 'string' || !statSync(input, { throwIfNoEntry: false })?.isFile()) return;
  const file = openSync(input, 'r');
  const head = new Uint8Array(64);
  const length = readSync(file, head);
  closeSync(file);
  if (!JSON_START.test(new TextDecoder().decode(head.subarray(0, length)))) return;
  say(`warning: ${input} looks like JSON, and without --ndjson each of its lines is a key`);
}

/** The inputs that FILE… names, which are all files of Parquet or all text. */
export async function sourcesOf(files: readonly string[], options: RowOptions) {
  const named = filesNamed(files);
  const found = await inUsage(parquetFiles(named));
  if (found !== undefined) refuseText(options);
  return { inputs: found ?? inputsOf(named), isParquet: found !== undefined };
}

function refuseText(options: RowOptions): void {
  refuse(options, OF_TEXT, 'cannot be combined with Parquet');
  if (!options.header) throw new UsageError('--no-header cannot be combined with Parquet');
}

/** @param flags the options with which Parquet goes elsewhere */
export function checkParquetOut(out: string | undefined, flags = '--out'): void {
  if (isStdout(out)) throw new UsageError(`Parquet requires ${flags}, and is not written to standard output`);
}
