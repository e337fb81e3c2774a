import { formatIdColumn, type Layout, parseIds } from '../index.js';
import { linesOf } from './input-lines.js';
import { type InputRows, jsonReader, tableReader } from './input-rows.js';
import { timeFieldOf } from './options.js';
import { RowText } from './row-text.js';
import { print } from './stdout.js';
import { unitsAt } from './timestamps.js';
import { inOwnWords, isRefusal } from './usage.js';
import { notAValue, parseValue } from './values.js';

export type InputFormat = 'tsv' | 'csv' | 'json';

/**
 * Writes the ids of rows, some at a time.
 * @throws RangeError, with the line, for what is no row or does not fit its field
 */
export async function encodeRows(layout: Layout, format: InputFormat, input: AsyncIterable<Uint8Array>): Promise<void> {
  const names = Object.keys(layout.fields);
  const read = format === 'json' ? jsonReader(names) : tableReader(names, format === 'csv' ? ',' : '\t');
  const rows = new RowText(['', '\n']);
  let headerExpected = format !== 'json';
  for await (const lines of linesOf(input)) {
    headerExpected = false;
    const batch = read(lines);
    const ids = packRows(layout, names, batch);
    if (batch.problem !== undefined) throw atLine(batch.firstLine + batch.rows.length, batch.problem);
    await print(rows.write([{ ...formatIdColumn(ids, 'dec'), digits: 20 }]));
  }
  if (headerExpected) throw atLine(1, `expected a header with ${names.join(', ')}, got nothing`);
}

/** By columns; if a value does not fit, one by one, to say which. */
function packRows(layout: Layout, names: readonly string[], batch: InputRows): BigUint64Array {
  const { rows, places, firstLine } = batch;
  try {
    const columns = names.map((name, i) => {
      const texts = rows.map((row) => row[places[i] as number] as string);
      return [name, name === timeFieldOf(layout) ? timeColumn(layout, name, texts) : parseIds(texts, 'dec')];
    });
    return layout.packMany(Object.fromEntries(columns));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return BigUint64Array.from(rows, (row, i) => {
      const texts = places.map((place) => row[place] as string);
      return packRow(layout, names, texts, firstLine + i);
    });
  }
}

/** NaN for what is neither digits nor a date. */
function timeColumn(layout: Layout, name: string, texts: readonly string[]): BigUint64Array | Float64Array {
  try {
    return parseIds(texts, 'dec');
  } catch {
    return Float64Array.from(texts, (text) => {
      const value = parseValue(layout, name, text);
      return value instanceof Date ? unitsAt(layout, name, value) : Number(value);
    });
  }
}

function packRow(layout: Layout, names: readonly string[], texts: readonly string[], line: number): bigint {
  const values = names.map((name, i): [string, bigint | Date] => {
    const text = texts[i] as string;
    const value = parseValue(layout, name, text);
    if (value === undefined) throw atLine(line, notAValue(layout, name, text));
    return [name, value];
  });
  try {
    return layout.pack(Object.fromEntries(values));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw atLine(line, inOwnWords(error), error);
  }
}

function atLine(line: number, problem: string, cause?: Error): RangeError {
  return new RangeError(`-:${line}: ${problem}`, { cause });
}
