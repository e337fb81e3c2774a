import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Layout } from '../index.js';
import { hashLines } from '../node/index.js';
import { inputsOf, type LayoutOptions, makeLayout, timeFieldOf, withLayoutOptions } from './options.js';
import { print } from './stdout.js';
import { inOwnWords, UsageError } from './usage.js';

interface DecodeOptions extends LayoutOptions {
  json?: boolean;
}

export function addDecode(program: Command): void {
  const command = program
    .command('decode')
    .summary('take ids apart')
    .description('Take ids apart, into a table with tabs. No ID: decimal ids from standard input, one a line.')
    .argument('[id...]');
  withLayoutOptions(command)
    .option('--json', 'write a JSON object a line; what a number may not hold exactly is a string')
    .addHelpText(
      'after',
      `
Examples:
  shardbits decode 286435872092454913 --layout snowflake
  shardbits decode 3939 --layout client:27,entity:5 --json
  shardbits decode --layout timestamp:41,shard:10,sequence:12 --epoch 2023-01-01T00:00:00Z < ids.txt`,
    )
    .action(decode);
}

async function decode(given: string[], options: DecodeOptions): Promise<void> {
  const layout = makeLayout(options);
  const taken = Object.keys(layout.fields).find((name) => name === 'id' || name === 'date');
  if (taken !== undefined) throw new UsageError(`--layout: expected fields other than id and date, got ${taken}`);

  const write = options.json ? jsonRows : tableRows;
  let header = options.json ? '' : headerOf(layout);
  // A key that is its own hash: the lines as u64s.
  const input = given.length > 0 ? Readable.from(given.map(asLine)) : inputsOf([]);
  try {
    for await (const { hashes: ids, lines } of hashLines(input, { keys: 'u64', hash: 'none' })) {
      await print(header + write(layout, ids, lines.firstLine));
      header = '';
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = inOwnWords(error.message);
    throw new RangeError(given.length > 0 ? message.replace(/^-:(\d+)/, 'argument $1') : message, { cause: error });
  }
}

/** One line for one argument, whatever is in it. */
function asLine(id: string): string {
  return `${id.replace(/[\r\n]/g, ' ')}\n`;
}

function headerOf(layout: Layout): string {
  const names = ['id', ...Object.keys(layout.fields), ...(timeFieldOf(layout) ? ['date'] : [])];
  return `${names.join('\t')}\n`;
}

function tableRows(layout: Layout, ids: BigUint64Array, firstLine: number): string {
  const columns = Object.values(unpack(layout, ids, firstLine));
  return rowsOf(layout, ids, (id, row, date) => {
    const values = [id, ...columns.map((column) => column[row]), ...(date === undefined ? [] : [date])];
    return values.join('\t');
  });
}

function jsonRows(layout: Layout, ids: BigUint64Array, firstLine: number): string {
  const columns = Object.entries(unpack(layout, ids, firstLine));
  return rowsOf(layout, ids, (id, row, date) => {
    const fields = columns.map(([name, column]) => {
      const value = column[row];
      return [name, typeof value === 'bigint' ? String(value) : value];
    });
    return JSON.stringify({ id: String(id), ...Object.fromEntries(fields), ...(date && { date }) });
  });
}

function unpack(layout: Layout, ids: BigUint64Array, firstLine: number) {
  try {
    return layout.unpackMany(ids);
  } catch (error) {
    const { row, message } = error as RangeError & { row?: number };
    if (row === undefined) throw error;
    throw new RangeError(message.replace(/^"ids" row \d+/, `-:${firstLine + row}`), { cause: error });
  }
}

function rowsOf(layout: Layout, ids: BigUint64Array, text: (id: bigint, row: number, date?: string) => string): string {
  const timed = timeFieldOf(layout) !== undefined;
  let rows = '';
  ids.forEach((id, row) => {
    rows += `${timed ? text(id, row, dateOf(layout, id)) : text(id, row)}\n`;
  });
  return rows;
}

/** Empty for an instant beyond what a Date holds. */
function dateOf(layout: Layout, id: bigint): string {
  try {
    return layout.dateOf(id).toISOString();
  } catch {
    return '';
  }
}
