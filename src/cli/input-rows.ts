import Papa from 'papaparse';
import type { TextLines } from './input-lines.js';
import { shown, suggestion } from './usage.js';

/** Rows of values as text: that of field i is `row[places[i]]`. */
export interface InputRows {
  readonly rows: readonly (readonly string[])[];
  readonly places: readonly number[];
  readonly firstLine: number;
  /** What is wrong with the row after these, if something is. */
  readonly problem: string | undefined;
}

/** What reads lines as rows with a value for each of some fields. */
export type RowReader = (lines: TextLines) => InputRows;

// What decode writes besides the fields.
const LEFT_OUT = ['id', 'date'];
const EMPTY_LINE = 'expected a row, got an empty line';

/**
 * Reads a table: the first line names its columns, in any order. A value may be in quotes, as RFC 4180 has
 * it, but has no line break, so that a row is a line.
 */
export function tableReader(fields: readonly string[], delimiter: ',' | '\t'): RowReader {
  let columns = 0;
  let places: readonly number[] | undefined;
  return ({ text, firstLine }) => {
    const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: '\n' });
    const malformed = errors[0]?.row ?? data.length;
    const quoted = text.includes('"');
    let first = 0;
    if (places === undefined) {
      const header = data[0] as string[];
      const problem =
        malformed === 0 || header.some(hasLineBreak) ? quotesProblem(header) : headerProblem(fields, header);
      if (problem !== undefined) return { rows: [], places: [], firstLine, problem };
      columns = header.length;
      places = fields.map((name) => header.indexOf(name));
      first = 1;
    }
    for (let row = first; row < data.length; row++) {
      const values = data[row] as string[];
      let problem: string | undefined;
      if (row === malformed || (quoted && values.some(hasLineBreak))) problem = quotesProblem(values);
      else if (isEmptyLine(values)) problem = EMPTY_LINE;
      else if (values.length !== columns) problem = `expected ${columns} values, got ${values.length}`;
      if (problem !== undefined) return { rows: data.slice(first, row), places, firstLine: firstLine + first, problem };
    }
    return { rows: data.slice(first), places, firstLine: firstLine + first, problem: undefined };
  };
}

function isEmptyLine(values: readonly string[]): boolean {
  return values.length === 1 && values[0] === '';
}

function hasLineBreak(value: string): boolean {
  return value.includes('\n');
}

/** The same wherever the input has been cut into pieces. */
function quotesProblem(values: readonly string[]): string {
  const value = values.find(hasLineBreak) ?? values.at(-1);
  return `expected a pair of quotes around a value, on one line, got ${shown(value?.replace(/\n.*/s, ''))}`;
}

function headerProblem(fields: readonly string[], header: readonly string[]): string | undefined {
  if (isEmptyLine(header)) return EMPTY_LINE;
  const missing = fields.filter((name) => !header.includes(name));
  const repeated = fields.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const unknown = unknownName(fields, header);
  if (unknown !== undefined) return unknown;
  if (missing.length > 0) return `expected a column for ${missing.join(', ')}, got none`;
  return repeated && `${repeated}: expected one column, got another`;
}

/** Reads a JSON object a line. */
export function jsonReader(fields: readonly string[]): RowReader {
  const places = fields.map((_, place) => place);
  return ({ text, firstLine }) => {
    const rows: string[][] = [];
    for (const line of text.split('\n')) {
      const row = jsonRow(fields, line);
      if (typeof row === 'string') return { rows, places, firstLine, problem: row };
      rows.push(row);
    }
    return { rows, places, firstLine, problem: undefined };
  };
}

/** The values of the fields, or what is wrong. */
function jsonRow(fields: readonly string[], line: string): string[] | string {
  if (line === '') return EMPTY_LINE;
  const values = parseObject(line);
  if (values === undefined) return `expected a JSON object, got ${shown(line)}`;
  const names = Object.keys(values);
  const unknown = unknownName(fields, names);
  if (unknown !== undefined) return unknown;
  const row: string[] = [];
  for (const name of fields) {
    if (!Object.hasOwn(values, name)) return `${name}: expected a value, got none`;
    const value = values[name];
    if (typeof value === 'string') row.push(value);
    else if (Number.isSafeInteger(value)) row.push(String(value));
    else return `${name}: expected digits in quotes or an integer up to 2^53 - 1, got ${shown(value)}`;
  }
  // Of a repeated name JSON.parse keeps the last. Without its strings an object has a colon for each name.
  if (line.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 !== names.length) {
    return `expected every name once, got ${shown(line)}`;
  }
  return row;
}

function parseObject(line: string): { [name: string]: unknown } | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unknownName(fields: readonly string[], names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !fields.includes(name) && !LEFT_OUT.includes(name));
  if (unknown === undefined) return undefined;
  return `expected one of ${fields.join(', ')}, got ${shown(unknown)}${suggestion(unknown, fields)}`;
}
