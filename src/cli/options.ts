import { fstatSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { defineLayout, type Layout, layouts, parseLayout } from '../index.js';
import { type CheckedRows, checkRows } from '../lines/rows.js';
import type { Input, Rows } from '../node/index.js';
import { totalBytes } from './progress.js';
import { fromOptions, integer, oftenOneOf, required, suggestion, UsageError } from './usage.js';
import { parseDate } from './values.js';

/** The description of --keys. */
export const KEYS = 'text: a key is bytes; u64: it is an integer from 0 to 2^64 - 1 in decimal';

/** What says that the input is a table of records, and which of their values is the key. */
export interface RowOptions {
  csv?: boolean;
  tsv?: boolean;
  ndjson?: boolean;
  key?: string[];
  delimiter?: string;
  /** False with --no-header. */
  header: boolean;
  asColumn?: string;
}

/** @param asColumn the column that is added to a table, in quotes; nothing where none is, or more are */
export function withRowOptions(command: Command, asColumn?: string): Command {
  const withRows = command
    .option('--csv', 'the input is CSV, and a key is the value of --key')
    .option('--tsv', 'the same with tabs between fields')
    .option('--ndjson', 'the input is a JSON object on each line')
    .option(
      '--key <name>',
      'a column by its name, or by its number from 1 with --no-header; a path of names with dots in JSON; again for a key of several',
      (name: string, names: string[] = []) => [...names, name],
    )
    .option('--delimiter <c>', 'the character between the fields of CSV (default: ",")')
    .option('--no-header', 'the first record of the table is a row, too');
  if (asColumn === undefined) return withRows;
  return withRows.option('--as-column <name>', `the column that is added to a table (default: ${asColumn})`);
}

/** The rows that options ask for; nothing for lines. */
export function makeRows(options: RowOptions): Rows | undefined {
  const { key, delimiter, header } = options;
  const formats = (['csv', 'tsv', 'ndjson'] as const).filter((name) => options[name]);
  const [format, other] = formats;
  if (other !== undefined) throw new UsageError(`--${format} cannot be combined with --${other}`);
  if (format === undefined) {
    const given = {
      '--key': key !== undefined,
      '--delimiter': delimiter !== undefined,
      '--no-header': !header,
      '--as-column': options.asColumn !== undefined,
    };
    for (const [option, isGiven] of Object.entries(given)) {
      if (isGiven) throw new UsageError(`${option} requires --csv, --tsv or --ndjson`);
    }
    return undefined;
  }
  if (key === undefined) throw new UsageError(`--${format} requires --key`);
  if (delimiter !== undefined && format !== 'csv') throw new UsageError('--delimiter requires --csv');
  if (!header && format === 'ndjson') throw new UsageError('--no-header requires --csv or --tsv');
  return {
    format,
    key: header || format === 'ndjson' ? key : key.map(columnNumber),
    ...(delimiter !== undefined && { delimiter }),
    ...(!header && { header }),
  };
}

/** The same, checked, with columns that are to be added. */
export function makeCheckedRows(options: RowOptions, added: readonly string[]): CheckedRows | undefined {
  return fromOptions(() => checkRows(makeRows(options), added));
}

function columnNumber(key: string): number {
  if (!/^[1-9][0-9]{0,4}$/.test(key)) {
    throw new UsageError(`--key: expected the number of a column with --no-header, got "${key}"`);
  }
  return Number(key);
}

/** Parses `3,7`. */
export function shardList(given: string): number[] {
  return given.split(',').map(integer);
}

/** The inputs that FILE… stands for: standard input for none and for `-`. */
export function inputsOf(files: readonly string[]): Input[] {
  return (files.length > 0 ? files : ['-']).map((file) => (file === '-' ? standardInput() : file));
}

// What several threads save on less is not worth their start.
const SHARED_BYTES = 8 * 1024 * 1024;

/** As many threads as there are cores for what takes longer than their start; one for the rest. */
export function defaultThreads(inputs: readonly Input[]): number {
  return (totalBytes(inputs) ?? 0) > SHARED_BYTES ? availableParallelism() : 1;
}

function standardInput(): Input {
  // Node takes a directory there for an empty file.
  if (fstatSync(0).isDirectory()) throw new Error('-: illegal operation on a directory');
  return process.stdin;
}

export interface LayoutOptions {
  layout: string;
  epoch?: Date;
}

interface LayoutWords {
  /** The layout that is used by default. */
  readonly byDefault?: keyof typeof layouts;
  /** What else happens by default. */
  readonly otherwise?: string;
  /** Names of layouts besides the presets. */
  readonly others?: readonly string[];
}

export function withLayoutOptions(
  command: Command,
  { byDefault, otherwise = byDefault ? '' : ' (required)', others = [] }: LayoutWords = {},
): Command {
  const names = [...Object.keys(layouts), ...others];
  const known = `${names.join(', ')}, or fields such as timestamp:41,shard:10,sequence:12`;
  return command
    .option('--layout <name|spec>', known + otherwise, oftenOneOf(names), byDefault)
    .option('--epoch <date>', 'the time at which the timestamp is 0, as a date or in Unix milliseconds', epoch);
}

function epoch(given: string): Date {
  const value = /^-?[0-9]+$/.test(given) ? new Date(Number(given)) : parseDate(given);
  if (value !== undefined && !Number.isNaN(value.getTime())) return value;
  throw new InvalidArgumentError('It is a date that exists, such as 2023-01-01T00:00:00Z, or Unix milliseconds.');
}

/** @param others layouts that have names besides the presets */
export function makeLayout(options: LayoutOptions, others: ReadonlyMap<string, Layout> = new Map()): Layout {
  required(options, '--layout');
  const { layout: spec, epoch: since } = options;
  const names = [...Object.keys(layouts), ...others.keys()];
  if (/^\w+$/.test(spec) && !names.includes(spec)) {
    const expected = `one of ${names.join(', ')}, or fields as name:bits,name:bits`;
    throw new UsageError(`--layout: expected ${expected}, got "${spec}"${suggestion(spec, names)}`);
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
