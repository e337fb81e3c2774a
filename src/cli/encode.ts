import type { Command } from 'commander';
import type { Layout } from '../index.js';
import { encodeRows, type InputFormat } from './encode-rows.js';
import { inputsOf, type LayoutOptions, makeLayout, withLayoutOptions } from './options.js';
import { print } from './stdout.js';
import { fromOptions, oneOf, suggestion, UsageError } from './usage.js';
import { notAValue, parseValue } from './values.js';

interface EncodeOptions extends LayoutOptions {
  format?: InputFormat;
}

export function addEncode(program: Command): void {
  const command = program
    .command('encode')
    .summary('make ids of values')
    .description(
      'Make an id of a value for every field. The timestamp can be a date. No field=value: rows from standard input. ' +
        'The header of a table names every field, in any order; id and date, as decode writes them, are left out.',
    )
    .argument('[field=value...]');
  withLayoutOptions(command)
    .option(
      '--format <name>',
      'of rows: tsv or csv: a table with a header; json: an object a line (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .addHelpText(
      'after',
      `
Examples:
  shardbits encode --layout snowflake timestamp=2024-03-01T10:30:15.500Z shard=5 sequence=123
  shardbits encode --layout snowflake --format csv < rows.csv
  shardbits decode --layout twitter --json < ids.txt | shardbits encode --layout twitter --format json`,
    )
    .action(encode);
}

async function encode(pairs: string[], options: EncodeOptions, command: Command): Promise<void> {
  const layout = makeLayout(options);
  const { format } = options;
  if (pairs.length > 0) {
    if (format !== undefined) throw new UsageError('--format: expected rows on standard input with it');
    await print(`${encodeOne(layout, pairs)}\n`);
    return;
  }
  if (process.stdin.isTTY) {
    command.outputHelp({ error: true });
    throw new UsageError('expected field=value, or rows on standard input, got neither');
  }
  inputsOf([]); // refuses what cannot be read
  await encodeRows(layout, format ?? 'tsv', process.stdin);
}

function encodeOne(layout: Layout, pairs: readonly string[]): bigint {
  const names = Object.keys(layout.fields);
  const values: Record<string, bigint | Date> = {};
  for (const pair of pairs) {
    const [, name, text] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined) throw new UsageError(`expected field=value, got "${pair}"`);
    if (!names.includes(name)) {
      throw new UsageError(`expected one of ${names.join(', ')}, got "${name}"${suggestion(name, names)}`);
    }
    if (Object.hasOwn(values, name)) throw new UsageError(`${name}: expected one value, got another`);
    const value = parseValue(layout, name, text);
    if (value === undefined) throw new UsageError(notAValue(layout, name, text));
    values[name] = value;
  }
  const missing = names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) throw new UsageError(`expected a value for ${missing.join(', ')}, got none`);
  return fromOptions(() => layout.pack(values));
}
