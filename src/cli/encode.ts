import type { Command } from 'commander';
import type { Layout } from '../index.js';
import { type LayoutOptions, makeLayout, parseDate, timeFieldOf, withLayoutOptions } from './options.js';
import { print } from './stdout.js';
import { fromOptions, suggestion, UsageError } from './usage.js';

export function addEncode(program: Command): void {
  const command = program
    .command('encode')
    .summary('make an id of values')
    .description('Make an id of a value for every field. The timestamp can be a date.')
    .argument('<field=value...>');
  withLayoutOptions(command)
    .addHelpText(
      'after',
      '\nExample:\n  shardbits encode --layout snowflake timestamp=2024-03-01T10:30:15.500Z shard=5 sequence=123',
    )
    .action(encode);
}

async function encode(pairs: string[], options: LayoutOptions): Promise<void> {
  const layout = makeLayout(options);
  const names = Object.keys(layout.fields);
  const values: Record<string, bigint | Date> = {};
  for (const pair of pairs) {
    const [, name, text] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined) throw new UsageError(`expected field=value, got "${pair}"`);
    if (!names.includes(name)) {
      throw new UsageError(`expected one of ${names.join(', ')}, got "${name}"${suggestion(name, names)}`);
    }
    if (Object.hasOwn(values, name)) throw new UsageError(`${name}: expected one value, got another`);
    values[name] = parseValue(layout, name, text);
  }
  const missing = names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) throw new UsageError(`expected a value for ${missing.join(', ')}, got none`);
  await print(`${fromOptions(() => layout.pack(values))}\n`);
}

function parseValue(layout: Layout, name: string, text: string): bigint | Date {
  if (/^[0-9]+$/.test(text)) return BigInt(text);
  const timed = name === timeFieldOf(layout);
  const date = timed ? parseDate(text) : undefined;
  if (date !== undefined) return date;
  throw new UsageError(
    `${name}: expected a whole number${timed ? ' or a date such as 2024-03-01T10:30:15.500Z' : ''}, got "${text}"`,
  );
}
