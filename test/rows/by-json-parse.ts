// What is in NDJSON, as JSON.parse has it.
import { isUtf8 } from 'node:buffer';
import type { NdjsonFormat } from '../../src/rows/sources/ndjson.js';
import { compound, latin1, MARK, type Seen } from '../support/byte-strings.js';

export const JSONS: NdjsonFormat[] = [
  { format: 'ndjson', paths: [['a']], added: [] },
  { format: 'ndjson', paths: [['a', 'a']], added: ['shard'] },
  { format: 'ndjson', paths: [['b'], ['a', 'b', 'a']], added: [] },
  { format: 'ndjson', paths: [['a', 'é'], ['b'], ['a', 'b']], added: ['é'] },
];

const NUMBER = '\u0001'; // no string of these documents starts with it
const RAW = 0xe000; // a byte that is no UTF-8 is a character from there on

/** A line as the text that JSON.parse takes. */
function textOf(line: string): string {
  const bytes = Buffer.from(line, 'latin1');
  if (isUtf8(bytes)) return bytes.toString();
  const raw = (text: string) => text.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(RAW + byte.charCodeAt(0)));
  return raw(line).replaceAll(raw(latin1('é')), 'é'); // which is a name
}

/** A text as bytes, half of a surrogate pair as U+FFFD. */
function bytesOf(text: string): string {
  return text
    .split(/([\ue080-\ue0ff])/)
    .map((part) => (/^[\ue080-\ue0ff]$/.test(part) ? String.fromCharCode(part.charCodeAt(0) - RAW) : latin1(part)))
    .join('');
}

/** What is at the end of a path, as bytes; null if nothing is there, and undefined for what cannot be a key. */
function valueAt(record: unknown, path: readonly string[]): string | null | undefined {
  let value = record;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === 'string') return value.startsWith(NUMBER) ? value.slice(1) : bytesOf(value);
  if (value === null) return null;
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** The record of a line, numbers as texts of their digits; undefined if it is not JSON. */
function parsed(line: string): unknown {
  const text = textOf(line);
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const digits = /"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*/g;
  return JSON.parse(text.replace(digits, (token) => (token.startsWith('"') ? token : `"\\u0001${token}"`)));
}

function jsonRecord(line: string, { paths, added }: NdjsonFormat): Pick<Seen, 'key' | 'fault'> {
  const record = parsed(line);
  if (record === undefined) return { fault: 'no JSON' };
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return { fault: 'no object' };
  if (added.some((name) => Object.hasOwn(record, name))) return { fault: 'a property that is added' };
  const values = paths.map((path) => valueAt(record, path));
  if (values.includes(undefined)) return { fault: 'no key' };
  if (values.includes(null)) return { fault: 'a key that is NULL' };
  return { key: compound(values as string[]) };
}

export function jsonRecords(document: string, rows: NdjsonFormat): Seen[] {
  const body = document.startsWith(MARK) ? document.slice(MARK.length) : document;
  const lines = body
    .split('\n')
    .map((line, i, all) => (i < all.length - 1 && line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines
    .map((record, i) => ({ line: i + 1, record, ...jsonRecord(record, rows) }))
    .filter(({ record }) => !/^[ \t\r]*$/.test(record));
}
