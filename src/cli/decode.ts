import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { formatIdColumn, type Layout } from '../index.js';
import { hashLines } from '../node/index.js';
import { inputsOf, type LayoutOptions, makeLayout, timeFieldOf, withLayoutOptions } from './options.js';
import { RowText, type TextColumn } from './row-text.js';
import { print } from './stdout.js';
import { dateColumn, instantsOf } from './timestamps.js';
import { type BadData, badLine, isRefusal, oneOf, UsageError } from './usage.js';

interface DecodeOptions extends LayoutOptions {
  format?: 'tsv' | 'csv' | 'json';
  json?: boolean;
}

export function addDecode(program: Command): void {
  const command = program
    .command('decode')
    .summary('take ids apart')
    .description('Take ids apart, into a row for each. No ID: decimal ids from standard input, one a line.')
    .argument('[id...]');
  withLayoutOptions(command)
    .option(
      '--format <name>',
      'tsv or csv: a table with a header; json: an object a line, what a number may not hold exactly is a string (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .option('--json', 'the same as --format json')
    .addHelpText(
      'after',
      `
Examples:
  shardbits decode 286435872092454913 --layout snowflake
  shardbits decode 3939 --layout client:27,entity:5 --json
  shardbits decode --layout snowflake --format csv < ids.txt > ids.csv
  shardbits decode --layout timestamp:41,shard:10,sequence:12 --epoch 2023-01-01T00:00:00Z < ids.txt`,
    )
    .action(decode);
}

async function decode(given: string[], options: DecodeOptions): Promise<void> {
  const layout = makeLayout(options);
  const { json, format = json ? 'json' : 'tsv' } = options;
  if (json && format !== 'json') throw new UsageError(`--json: expected no other --format with it, got ${format}`);
  const taken = Object.keys(layout.fields).find((name) => name === 'id' || name === 'date');
  if (taken !== undefined) throw new UsageError(`--layout: expected fields other than id and date, got ${taken}`);

  const rows = format === 'json' ? jsonRows(layout) : tableRows(layout, format === 'csv' ? ',' : '\t');
  let { header } = rows;
  // A key that is its own hash: the lines as u64s.
  const input = given.length > 0 ? Readable.from(given.map(asLine)) : inputsOf([]);
  try {
    for await (const { hashes: ids, lines } of hashLines(input, { keys: 'u64', hash: 'none' })) {
      const text = rows.text(ids, lines.firstLine);
      if (header !== '') await print(header);
      header = '';
      await print(text);
    }
  } catch (error) {
    const { line } = error as { line?: number };
    if (line === undefined) throw error;
    throw badLine(given.length > 0 ? `argument ${line}` : `-:${line}`, error as BadData);
  }
  await print(header); // also of no rows
}

/** One line for one argument, whatever is in it. */
function asLine(id: string): string {
  return `${id.replace(/[\r\n]/g, ' ')}\n`;
}

interface DecodedRows {
  header: string;
  text(ids: BigUint64Array, firstLine: number): Uint8Array;
}

/** No value needs quotes: all are digits, and dates. */
function tableRows(layout: Layout, separator: string): DecodedRows {
  const time = timeFieldOf(layout);
  const names = Object.keys(layout.fields);
  const header = ['id', ...names, ...(time === undefined ? [] : ['date'])];
  const rows = new RowText(['', ...header.slice(1).map(() => separator), '\n']);
  return {
    header: `${header.join(separator)}\n`,
    text: (ids, firstLine) => {
      const dates = (column: BigUint64Array) =>
        time === undefined ? [] : [dateColumn(instantsOf(layout, time, column), '', '')];
      return rows.write([...numberColumns(layout, ids, firstLine), ...dates(ids)]);
    },
  };
}

function jsonRows(layout: Layout): DecodedRows {
  const time = timeFieldOf(layout);
  const before = ['{"id":"'];
  let quote = '"';
  for (const [name, { bits }] of Object.entries(layout.fields)) {
    const next = bits > 53 ? '"' : '';
    before.push(`${quote},"${name}":${next}`);
    quote = next;
  }
  const rows = new RowText(time === undefined ? [...before, `${quote}}\n`] : [...before, quote, '}\n']);
  return {
    header: '',
    text: (ids, firstLine) => {
      const numbers = numberColumns(layout, ids, firstLine);
      const dates = time === undefined ? [] : [dateColumn(instantsOf(layout, time, ids), ',"date":"', '"')];
      return rows.write([...numbers, ...dates]);
    },
  };
}

/** The ids and their fields. */
function numberColumns(layout: Layout, ids: BigUint64Array, firstLine: number): TextColumn[] {
  const fields = Object.entries(unpack(layout, ids, firstLine));
  return [
    { ...formatIdColumn(ids, 'dec'), digits: digitsOf(layout.bits) },
    ...fields.map(([name, column]) => ({
      ...formatIdColumn(column, 'dec'),
      digits: digitsOf(layout.fields[name]?.bits ?? 64),
    })),
  ];
}

/** Of the largest number of so many bits. */
function digitsOf(bits: number): number {
  return String((1n << BigInt(bits)) - 1n).length;
}

function unpack(layout: Layout, ids: BigUint64Array, firstLine: number): { [name: string]: BigUint64Array } {
  try {
    return layout.unpackMany(ids, { wide: true }) as { [name: string]: BigUint64Array };
  } catch (error) {
    if (!isRefusal(error) || error.row === undefined) throw error;
    throw Object.assign(error, { line: firstLine + error.row });
  }
}
