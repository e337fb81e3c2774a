import type { Command } from 'commander';
import { MAX_U64 } from '../arguments.js';
import type { Layout } from '../index.js';
import { hashLines } from '../node/lines.js';
import { writeTo } from '../node/output.js';
import { inputsOf, type LayoutOptions, makeLayout, timeFieldOf, withLayoutOptions } from './options.js';
import { inOwnWords } from './usage.js';

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

async function decode(ids: string[], options: DecodeOptions): Promise<void> {
  const layout = makeLayout(options);
  const write = options.json ? jsonRows : tableRows;
  let header = options.json ? '' : headerOf(layout);
  if (ids.length > 0) {
    const column = BigUint64Array.from(ids, (id, i) => parseArgument(id, i));
    await writeTo(process.stdout, header + write(layout, column, (row) => `argument ${row + 1}`));
    return;
  }
  for await (const { hashes, lines } of hashLines(inputsOf([]), { keys: 'u64', hash: 'none' })) {
    await writeTo(process.stdout, header + write(layout, hashes, (row) => `-:${lines.firstLine + row}`));
    header = '';
  }
}

function parseArgument(id: string, index: number): bigint {
  const value = /^[0-9]{1,64}$/.test(id) ? BigInt(id) : -1n;
  if (value >= 0n && value <= MAX_U64) return value;
  throw new RangeError(`argument ${index + 1}: expected a decimal integer from 0 to 2^64 - 1, got "${id}"`);
}

function headerOf(layout: Layout): string {
  const names = ['id', ...Object.keys(layout.fields), ...(timeFieldOf(layout) ? ['date'] : [])];
  return `${names.join('\t')}\n`;
}

type NameRow = (row: number) => string;

function tableRows(layout: Layout, ids: BigUint64Array, nameRow: NameRow): string {
  const columns = Object.values(unpack(layout, ids, nameRow));
  return rowsOf(layout, ids, (id, row, date) => {
    const values = [id, ...columns.map((column) => column[row]), ...(date ? [date.toISOString()] : [])];
    return values.join('\t');
  });
}

function jsonRows(layout: Layout, ids: BigUint64Array, nameRow: NameRow): string {
  const columns = Object.entries(unpack(layout, ids, nameRow));
  return rowsOf(layout, ids, (id, row, date) => {
    const fields = columns.map(([name, column]) => {
      const value = column[row];
      return [name, typeof value === 'bigint' ? String(value) : value];
    });
    return JSON.stringify({ id: String(id), ...Object.fromEntries(fields), ...(date && { date }) });
  });
}

function unpack(layout: Layout, ids: BigUint64Array, nameRow: NameRow) {
  try {
    return layout.unpackMany(ids);
  } catch (error) {
    const { row, message } = error as RangeError & { row?: number };
    if (row === undefined) throw error;
    throw new RangeError(inOwnWords(message.replace(/^"ids" row \d+/, nameRow(row))), { cause: error });
  }
}

function rowsOf(layout: Layout, ids: BigUint64Array, text: (id: bigint, row: number, date?: Date) => string): string {
  const timed = timeFieldOf(layout) !== undefined;
  let rows = '';
  ids.forEach((id, row) => {
    rows += `${timed ? text(id, row, layout.dateOf(id)) : text(id, row)}\n`;
  });
  return rows;
}
