import { shown, suggestion } from '../options/usage.js';
import { BadRow } from './job.js';

/** Rows of values as text, in the order of the fields. */
export type InputRows = readonly (readonly string[])[];

// The columns that decode writes besides the fields.
const LEFT_OUT = ['id', 'date'];

export const EMPTY_LINE = 'expected a row, got an empty line';

/** The header of a table, which names the columns in any order. */
export interface TableHeader {
  readonly columns: number;
  readonly places: readonly number[];
}

/** Reads a header. Returns a message if it is wrong. */
export function readHeader(fields: readonly string[], line: string, delimiter: string): TableHeader | string {
  const header = valuesOf(line, delimiter);
  const problem = typeof header === 'string' ? header : headerProblem(fields, header);
  return problem ?? { columns: header.length, places: fields.map((name) => header.indexOf(name)) };
}

/**
 * Reads the rows of a table.
 * @throws BadRow for the first malformed row
 */
export function readTable({ columns, places }: TableHeader, text: string, delimiter: string): InputRows {
  return text.split('\n').map((line, row) => {
    const values = valuesOf(line, delimiter);
    if (typeof values === 'string') throw new BadRow(row, values);
    if (isEmptyLine(values)) throw new BadRow(row, EMPTY_LINE);
    if (values.length !== columns) throw new BadRow(row, `expected ${columns} values, got ${values.length}`);
    return places.map((place) => values[place]);
  });
}

const QUOTED = /"[^"]*(?:""[^"]*)*"/y;

/**
 * The values of a line of a table. Returns a message if quotes are wrong. A value may be in quotes as in RFC 4180, but
 * without line breaks, because a row is a line.
 */
function valuesOf(line: string, delimiter: string): string[] | string {
  if (!line.includes('"')) return line.split(delimiter);
  const values: string[] = [];
  for (let at = 0; at <= line.length; at++) {
    const start = at;
    if (line[at] !== '"') {
      const end = line.indexOf(delimiter, at);
      at = end < 0 ? line.length : end;
      values.push(line.slice(start, at));
      continue;
    }
    QUOTED.lastIndex = at;
    const [value] = QUOTED.exec(line) ?? [''];
    at += value.length;
    if (value === '' || (at < line.length && line[at] !== delimiter)) {
      const got = line.slice(start + 1).replaceAll('""', '"');
      return `expected a pair of quotes around a value, on one line, got ${shown(got)}`;
    }
    values.push(value.slice(1, -1).replaceAll('""', '"'));
  }
  return values;
}

function isEmptyLine(values: readonly string[]): boolean {
  return values.length === 1 && values[0] === '';
}

function headerProblem(fields: readonly string[], header: readonly string[]): string | undefined {
  if (isEmptyLine(header)) return EMPTY_LINE;
  const missing = fields.filter((name) => !header.includes(name));
  const repeated = fields.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const unknown = unknownName(fields, header);
  if (unknown !== undefined) return unknown;
  if (missing.length > 0) return `expected a column for ${missing.join(', ')}, got none`;
  return repeated && `${repeated}: expected one column, got two`;
}

/**
 * Reads rows that are a JSON object on each line.
 * @param time the field that may have decimals
 * @throws BadRow for the first malformed row
 */
export function readObjects(fields: readonly string[], text: string, time: string | undefined): InputRows {
  return text.split('\n').map((line, row) => {
    const values = jsonRow(fields, line, time);
    if (typeof values === 'string') throw new BadRow(row, values);
    return values;
  });
}

/** The values of the fields. Returns a message if the row is malformed. */
function jsonRow(fields: readonly string[], line: string, time: string | undefined): string[] | string {
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
    const hasDecimals = name === time && typeof value === 'number' && !Number.isInteger(value);
    if (typeof value === 'string') row.push(value);
    else if (Number.isSafeInteger(value) || hasDecimals) row.push(String(value));
    else return `${name}: expected digits in quotes or an integer up to 2^53 - 1, got ${shown(value)}`;
  }
  // JSON.parse hides repeated names. An object without its strings has one colon for each name.
  if (line.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 !== names.length) {
    return `expected every name once, got ${shown(line)}`;
  }
  return row;
}

export function parseObject(line: string): { [name: string]: unknown } | undefined {
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
