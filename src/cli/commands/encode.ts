import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { namesIn } from '../../arguments.js';
import { type Layout, layouts } from '../../index.js';
import { encodeFile } from '../../node/index.js';
import { checkOutputs, runJob, withOutput } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { filesNamed, inputsOf, type LayoutOptions, makeLayout, type RowOptions } from '../options/input.js';
import { isBadData, oneOf, problemOf, refuse, shown, suggestion, UsageError } from '../options/usage.js';
import { isStdout, streams } from '../terminal.js';

type EncodeFlags = LayoutOptions & RowOptions & { raw?: boolean; format?: 'tsv' | 'csv' | 'json' };

export function define(command: CliCommand): void {
  command
    .description(
      'Make an id from a value for every field. A time is Unix milliseconds or a date. Without field=value, it makes an id from every row of the files, or of standard input. The header of a table names the fields in any order. The columns id and date, which decode writes, are ignored, unless the layout has a field with that name.',
    )
    .argument('[field=value|file...]')
    .layoutOptions(namesIn(layouts), ' (required)')
    .option('--raw', "read times in the layout's own units since its epoch")
    .option(
      '--format <name>',
      'tsv or csv: the rows are a table with a header; json: they are an object on each line (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .readOptions()
    .outOption()
    .compressOption()
    .rejectsOption()
    .examples(
      'shardbits encode --layout snowflake timestamp=2024-03-01T10:30:15.500Z shard=5 sequence=123',
      'shardbits encode rows.csv --layout snowflake --format csv --out ids.txt',
      'shardbits decode --layout twitter --json < ids.txt | shardbits encode --layout twitter --format json',
    )
    .action(encode);
}

async function encode(given: string[], options: EncodeFlags, command: CliCommand): Promise<void> {
  const layout = makeLayout(options);
  const pairs = given.filter(isPair);
  const files = filesNamed(given.filter((argument) => !isPair(argument)));
  const missing = files.find((file) => given.includes(file) && file !== '-' && !existsSync(file));
  if (missing !== undefined) {
    throw new UsageError(`expected field=value, got ${shown(missing)}, which is not a file either`);
  }
  if (pairs.length > 0) {
    if (files.length > 0) throw new UsageError('expected files or field=value, got both');
    refuse(options, ['format', 'rejects', 'encoding', 'threads', 'compress'], 'cannot be combined with field=value');
    return encodePairs(layout, pairs, options);
  }
  if (files.length === 0 && streams().stdin.isTTY) {
    command.outputHelp({ error: true });
    throw new UsageError('expected field=value, a file of rows, or rows on standard input, got nothing');
  }
  const { format, raw } = options;
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  await runJob(inputs, { ...options, rawHint: RAW_HINT }, ({ reading, writing }) =>
    encodeFile(inputs, { ...reading, ...writing, layout, format, raw }),
  );
}

/** Whether an argument is a field with its value rather than a path. */
function isPair(argument: string): boolean {
  return argument.includes('=') && !/^(?:\.{0,2}|[a-z]:)[\\/]/i.test(argument);
}

const RAW_HINT = '--raw reads units of the field';

/** The id of values that are given as arguments: a table of one row. */
async function encodePairs(layout: Layout, pairs: readonly string[], { raw, out }: EncodeFlags): Promise<void> {
  const texts = textsIn(pairs, layout);
  const row = Array.from(texts.values(), (text) => `"${text.replaceAll('"', '""')}"`);
  const table = Readable.from([`${[...texts.keys()].join()}\n${row.join()}\n`]);
  await withOutput(undefined, async () => {
    try {
      await encodeFile(table, { layout, raw, format: 'csv', out: isStdout(out) ? streams().stdout : out });
    } catch (error) {
      if (!(error instanceof Error) || !isBadData(error) || error.field === undefined) throw error;
      throw new UsageError(problemOf(error, RAW_HINT), { cause: error });
    }
  });
}

function textsIn(pairs: readonly string[], { places }: Layout): Map<string, string> {
  const names = places.map(({ name }) => name);
  const texts = new Map<string, string>();
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!names.includes(name)) {
      throw new UsageError(`expected one of ${names.join(', ')}, got ${shown(name)}${suggestion(name, names)}`);
    }
    if (texts.has(name)) throw new UsageError(`${name}: expected one value, got two`);
    texts.set(name, text);
  }
  const missing = names.filter((name) => !texts.has(name));
  if (missing.length > 0) throw new UsageError(`expected a value for ${missing.join(', ')}, got none`);
  return texts;
}
