import { detailsOf } from '../../errors.js';
import { parseDateSpan, parseUnixMs, UTC, unitFrom, WRITTEN_DATE } from './dates.js';
import { allRows, BAD, filterRows, GOOD, idRows, sortRows, type ValueRange } from './order.js';
import type { Settings } from './settings.js';
import type { TableColumn } from './table.js';

/** What a filter can be about. A field that holds time shows Unix milliseconds, and the other columns of times dates. */
type FilterColumn = Pick<TableColumn, 'key'> & Partial<Pick<TableColumn, 'kind' | 'time' | 'rangeOf'>>;

/** A filter as it is read. `duplicate` holds for rows whose id is in another row, too. */
export type Filter<C> =
  | (ValueRange & { readonly kind: 'condition'; readonly column: C })
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'and'; readonly of: readonly Filter<C>[] }
  | { readonly kind: 'or'; readonly of: readonly Filter<C>[] };

/** An operator and a value: a word, a date as the page writes it, or anything in quotes. */
const COMPARISON = String.raw`\s*(<=|>=|!=|<|>|==?)\s*("[^"]*"|${WRITTEN_DATE}|[^\s()]+)`;
const CONDITION = new RegExp(String.raw`^("[^"]*"|[^\s()"<>=!]+)${COMPARISON}`, 'i');
const MAX = (1n << 64n) - 1n;

/** A name or a text as a filter has it: in quotes if need be. Of one that has a quote itself, what is before that. */
export const quotedIn = (text: string): string =>
  /^[^\s()"<>=!]+$/.test(text) ? text : `"${/^[^"\r\n]*/.exec(text)}"`;

/**
 * Conditions such as `shard=5 date>=2024-03 sequence<10`. Conditions beside each other must all hold; `or` stands between
 * those of which one is enough, and parentheses around what belongs together.
 * @param zone of dates that have no offset
 * @throws RangeError with a message for people
 */
export function parseFilter<C extends FilterColumn>(text: string, columns: readonly C[], zone = UTC): Filter<C> {
  let rest = text.trim();
  const next = () => (rest === '' ? 'the end' : `“${rest}”`);

  /** Takes a word or a parenthesis, if it comes next. A column may have the name of a word. */
  const takes = (token: string) => {
    const pattern = /\w/.test(token) ? String.raw`^${token}\b(?!\s*[<>=!])\s*` : String.raw`^[${token}]\s*`;
    const match = new RegExp(pattern, 'i').exec(rest);
    if (match !== null) rest = rest.slice(match[0].length);
    return match !== null;
  };
  const sameName = (key: string, name: string) =>
    [key, quotedIn(key), `"${key}"`].some((each) => each.toLowerCase() === name.toLowerCase());
  const condition = (): Filter<C> => {
    const match = CONDITION.exec(rest);
    // A number alone is an id.
    const [id] = (match === null && /^-?\d{5,20}(?![^\s)])/.exec(rest)) || [];
    if (match === null && id === undefined)
      throw new RangeError(`expected a condition such as ${example(columns)}, got ${next()}`);
    const [all, name, operator, value] = match ?? [id ?? '', 'id', '=', id ?? ''];
    const column = columns.find(({ key }) => sameName(key, name));
    if (column === undefined) {
      const names = columns.map(({ key }) => quotedIn(key)).join(', ');
      throw new RangeError(`there is no column “${name.replaceAll('"', '')}”, only ${names}`);
    }
    const range = unitsOf(column, value.replaceAll('"', ''), zone);
    const least = column.kind === 'apart' || column.kind === 'source' ? 1n : 0n; // 0 stands for none
    const ranges: { readonly [operator: string]: ValueRange } = {
      '<': { min: least, max: range.min - 1n },
      '<=': { min: least, max: range.max },
      '>': { min: range.max + 1n, max: MAX },
      '>=': { min: range.min, max: MAX },
      '!=': { ...range, outside: true },
    };
    rest = rest.slice(all.length).trimStart();
    return { kind: 'condition', column, ...(ranges[operator] ?? range) };
  };
  const factor = (): Filter<C> => {
    takes('and'); // it stands between conditions, and is first if the one before has been taken out
    if (takes('duplicates?')) return { kind: 'duplicate' };
    if (!takes('(')) return condition();
    const inner = either();
    if (!takes(')')) throw new RangeError(`expected “)”, got ${next()}`);
    return inner;
  };
  const both = (): Filter<C> => {
    const of = [factor()];
    while (rest !== '' && rest[0] !== ')' && !/^or\b(?!\s*[<>=!])/i.test(rest)) of.push(factor());
    return { kind: 'and', of };
  };
  const either = (): Filter<C> => {
    const of = [both()];
    while (takes('or')) of.push(both());
    return of.length === 1 ? of[0] : { kind: 'or', of };
  };

  if (rest === '') return { kind: 'and', of: [] };
  const filter = either();
  if (rest !== '') throw new RangeError(`expected a condition or “or”, got ${next()}`);
  return filter;
}

export function example(columns: readonly FilterColumn[]): string {
  const column = columns.find(({ kind = 'field', time, key }) => kind === 'field' && !time && key !== 'id');
  return `${column?.key ?? 'line'}=5`;
}

/** What a value stands for: of a time the units that begin within it, of which those before the epoch are below 0. */
function unitsOf({ key, time, kind, rangeOf }: FilterColumn, value: string, zone: string): ValueRange {
  if (rangeOf) return rangeOf(value);
  if (kind === 'apart' && /^\d+(\.\d+)?$/.test(value)) {
    const ms = BigInt(Math.max(1, Math.round(Number(value) * 1000)));
    return { min: ms, max: ms };
  }
  const showsMs = kind === 'field';
  if (time) {
    const span = (showsMs && parseUnixMs(value)) || parseDateSpan(value, zone);
    if (span) return { min: unitFrom(time, span.from), max: unitFrom(time, span.to) - 1n };
  } else if (/^(\d{1,20}|0x[0-9a-f]{1,16})$/i.test(value)) return { min: BigInt(value), max: BigInt(value) };
  else if (kind === 'id' && /^-\d{1,19}$/.test(value)) {
    const bits = BigInt.asUintN(64, BigInt(value)); // databases show ids above 2^63 - 1 as negative numbers
    return { min: bits, max: bits };
  }
  const expected = time
    ? `${showsMs ? 'Unix milliseconds, or ' : ''}a date such as 2024-03-01 or 2024-03-01T10:30`
    : 'a number in decimal or 0x…';
  throw new RangeError(`${key}: expected ${expected}, got “${value}”`);
}

/** A filter in parentheses if it has `or` outside of some, so that what is added to it holds for all of it. */
function enclosed(filter: string): string {
  let [outside, depth] = ['', 0];
  for (const [piece] of filter.replace(/"[^"]*"/g, '').matchAll(/[()]|[^()]+/g)) {
    if (piece === '(') depth++;
    else if (piece === ')') depth--;
    else if (depth === 0) outside += ` ${piece}`;
  }
  return /\bor\b/i.test(outside) ? `(${filter.trim()})` : filter;
}

/** A filter without the conditions that it has of a column; those in parentheses stay. */
export function withoutColumn(filter: string, column: string): string {
  const at = filter.lastIndexOf(')') + 1;
  const name = quotedIn(column).replace(/[^\w\s"]/g, String.raw`\$&`);
  const conditions = new RegExp(String.raw`(?<!\s)\s*(?:\band\s+)?(?<![^\s()])${name}${COMPARISON}`, 'gi');
  const all = enclosed(filter);
  return all === filter ? (filter.slice(0, at) + filter.slice(at).replace(conditions, '')).trim() : all;
}

/**
 * A filter with one more condition, in place of those of the same column; without it, if it is there already.
 * @param column '' if the condition is of none
 */
export function toggled(filter: string, column: string, condition: string): string {
  if (` ${filter} `.includes(` ${condition} `)) return ` ${filter} `.replace(` ${condition} `, ' ').trim();
  const others = column === '' ? enclosed(filter) : withoutColumn(filter, column);
  return `${others} ${condition}`.trim();
}

/**
 * The rows to show, and those among them that have values.
 * @param duplicates 1 for each row whose id is in another row, too
 */
export function select(
  columns: readonly TableColumn[],
  problems: Uint8Array,
  show: Settings['show'],
  filter: string,
  zone: string,
  duplicates: () => Uint8Array,
) {
  const all = allRows(problems);
  const shown = show === 'all' ? all : filterRows(all, problems, show === 'good' ? GOOD : BAD);
  /** An unreadable row has a line, and what is beside it, and no other value: it is sought by these. */
  const matching = (filter: Filter<TableColumn>, rows: Uint32Array): Uint32Array => {
    if (filter.kind === 'and') return filter.of.reduce((left, each) => matching(each, left), rows);
    if (filter.kind === 'or') {
      const isIn = new Uint8Array(problems.length);
      for (const each of filter.of) for (const row of matching(each, rows)) isIn[row] = 1;
      return rows.filter((row) => isIn[row] === 1);
    }
    if (filter.kind === 'duplicate') return filterRows(rows, duplicates(), BAD);
    const { kind, values } = filter.column;
    const isOfAll = /line|kind|source/.test(kind);
    if (!isOfAll && show === 'bad') return rows;
    const some = kind === 'id' ? idRows(problems, rows) : filterRows(rows, problems, GOOD);
    return filterRows(isOfAll ? rows : some, values, filter);
  };
  let rows = shown;
  let filterError: string | undefined;
  try {
    rows = matching(parseFilter(filter, columns, zone), shown);
  } catch (error) {
    // A filter that cannot be read filters nothing, and the page says so.
    filterError = detailsOf(error).message;
  }
  return { rows, good: filterRows(rows, problems, GOOD), filterError };
}

/** Good rows in the order asked for, and then the bad ones, which have no value to be sorted by. */
export function sortSelected(
  { rows, good }: ReturnType<typeof select>,
  problems: Uint8Array,
  columns: readonly TableColumn[],
  key: string | undefined,
  descending: boolean | undefined,
): Uint32Array {
  const column = columns.find((each) => each.key === key);
  if (!column) return rows;
  if (column.kind === 'line') return sortRows(rows, column.values, descending);
  const sorted = rows.slice();
  sorted.set(sortRows(good, column.values, descending));
  sorted.set(filterRows(rows, problems, BAD), good.length);
  return sorted;
}
