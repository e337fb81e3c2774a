// What is in CSV: where a record ends is said by patterns, and what it holds by Papa Parse.
import Papa from 'papaparse';
import { expect } from 'vitest';
import { NO_BYTE } from '../../src/kernels/record-types.js';
import type { CsvFormat } from '../../src/rows/sources/csv.js';
import { compound, type Fault, latin1, MARK, type Seen } from '../support/byte-strings.js';

export interface Csv {
  readonly rows: CsvFormat;
  /** The names of the columns in the header, which is spelt in several ways. */
  readonly headers: readonly string[];
  readonly names: readonly string[];
}

function csv(delimiter: string, keys: (string | number)[], ...added: string[]): Csv {
  const d = delimiter;
  const quoted = latin1('"b ""é""\n"');
  return {
    rows: {
      format: 'csv',
      delimiter: delimiter.charCodeAt(0),
      quote: 0x22,
      escaper: NO_BYTE,
      keys,
      hasHeader: true,
      isRagged: false,
      added,
    },
    headers: [`a${d}${quoted}${d}c\n`, `"a"${d}${quoted}${d}"c"\r\n`, `${MARK}a${d}${quoted}${d}"c"\n`],
    names: ['a', 'b "é"\n', 'c'],
  };
}

export const CSVS = [
  csv(',', ['a']),
  csv(',', ['b "é"\n'], 'shard'),
  csv('\t', ['c', 1]),
  csv(';', [3, 'b "é"\n', 'a'], 'shard'),
];

export interface Grammar {
  /** Fields as far as they are well-formed. */
  readonly fields: RegExp;
  readonly delimiter: string;
}

export function grammarOf(delimiter: string): Grammar {
  const field = `(?:"(?:[^"]|"")*"(?!")|[^"\n${delimiter}]*)`;
  return { fields: new RegExp(`${field}(?:${delimiter}${field})*`, 'y'), delimiter };
}

/** Where a record ends without its line end, and where the next one starts. */
type Bounds = readonly [end: number, next: number];

/** Those of the record that starts at a place, if it ends with the line of another. */
function lineEnd(text: string, start: number, at: number): Bounds {
  const newline = text.indexOf('\n', at);
  if (newline < 0) return [text.length, text.length];
  return [newline > start && text[newline - 1] === '\r' ? newline - 1 : newline, newline + 1];
}

/** The record that starts there, and what is wrong with it. */
function recordAt(text: string, start: number, { fields, delimiter }: Grammar): { bounds: Bounds; fault?: Fault } {
  fields.lastIndex = start;
  const at = start + (fields.exec(text)?.[0].length ?? 0);
  const bounds = lineEnd(text, start, at);
  if (at === text.length || text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n')) return { bounds };
  if (text[at] !== '"') return { bounds, fault: 'text after a quote' };
  const isOpen = at === start || text[at - 1] === delimiter;
  return isOpen
    ? { bounds: lineEnd(text, start, start), fault: 'an open quote' }
    : { bounds, fault: 'a quote in a field' };
}

export const newlinesIn = (text: string): number => text.split('\n').length - 1;

/** The records behind the header of a document. */
export function csvRecords(body: string, line: number, { rows, names }: Csv, grammar: Grammar): Seen[] {
  const seen: { line: number; record: string; fault?: Fault | undefined }[] = [];
  for (let at = 0; at < body.length; ) {
    const { bounds, fault } = recordAt(body, at, grammar);
    const [end, next] = bounds;
    if (end > at) seen.push({ line, record: body.slice(at, end), fault });
    line += newlinesIn(body.slice(at, next));
    at = next;
  }
  const whole = seen.filter(({ fault }) => fault === undefined).map(({ record }) => record);
  // A line end ends all but the last one, and of no bytes Papa Parse makes no record.
  const { data } = Papa.parse<string[]>(`${whole.join('\n')}\nx`, { delimiter: grammar.delimiter, newline: '\n' });
  expect(data.length).toBe(whole.length === 0 ? 2 : whole.length + 1);
  const places = rows.keys.map((key) => (typeof key === 'number' ? key - 1 : names.indexOf(key)));
  let i = 0;
  return seen.map(({ line, record, fault }) => {
    if (fault !== undefined) return { line, record, fault };
    const fields = data[i++];
    if (fields.length !== 3) return { line, record, fault: 'another number of fields' };
    return { line, record, key: compound(places.map((place) => fields[place])) };
  });
}
