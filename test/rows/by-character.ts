// Tables with escapes, or without quotes, read a character at a time: a reference that is slow and obvious.
import { compound, type Fault, type Seen } from '../support/byte-strings.js';

export interface Dump {
  readonly delimiter: string;
  readonly hasQuotes: boolean;
  readonly escaper?: string | undefined;
  /** How many fields each record has. */
  readonly width: number;
  /** Which fields the key has, counted from 0. */
  readonly places: readonly number[];
}

/** A character, or several that an escape character makes one. */
interface Unit {
  readonly raw: string;
  readonly value: string;
  readonly isEscaped: boolean;
}

const CONTROLS = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0', Z: '\x1a' }));

function unitsOf(text: string, escaper: string | undefined): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < text.length; at += units.at(-1)?.raw.length ?? 0) {
    const [one, next] = [text[at] as string, text[at + 1]];
    if (one !== escaper || next === undefined) units.push({ raw: one, value: one, isEscaped: false });
    else if (text.startsWith('\r\n', at + 1)) units.push({ raw: `${one}\r\n`, value: '\r\n', isEscaped: true });
    else units.push({ raw: one + next, value: CONTROLS.get(next) ?? next, isEscaped: true });
  }
  return units;
}

interface Field {
  raw: string;
  value: string;
}

/** The records of a table without a header, from some line on. */
export function recordsOfDump(text: string, line: number, dump: Dump): Seen[] {
  const { escaper } = dump;
  const units = unitsOf(text, escaper);
  const seen: Seen[] = [];
  for (let start = 0; start < units.length; ) {
    const { fields, fault, at } = fieldsFrom(units, start, dump);
    let end = fault === 'an open quote' ? start : at;
    while (end < units.length && !isPlain(units[end], '\n')) end++;
    const whole = units.slice(start, end).map(({ raw }) => raw);
    const record = (end < units.length && whole.at(-1) === '\r' ? whole.slice(0, -1) : whole).join('');
    const key = compound(dump.places.map((place) => fields[place]?.value ?? ''));
    const isEmpty = record === '' && end < units.length;
    if (fault !== undefined) seen.push({ line, record, fault });
    else if (!isEmpty && fields.length !== dump.width) seen.push({ line, record, fault: 'another number of fields' });
    else if (!isEmpty && dump.places.some((place) => fields[place]?.raw === `${escaper}N`)) {
      seen.push({ line, record, fault: 'a key that is NULL' });
    } else if (!isEmpty) seen.push({ line, record, key });
    const next = Math.min(end + 1, units.length);
    line += units.slice(start, next).filter(({ raw }) => raw.endsWith('\n')).length;
    start = next;
  }
  return seen;
}

function isPlain(unit: Unit | undefined, character: string): boolean {
  return unit?.raw === character;
}

/** The fields of the record that starts at a unit, up to its line end or its fault. */
function fieldsFrom(units: readonly Unit[], start: number, { delimiter, hasQuotes, escaper }: Dump) {
  const fields: Field[] = [{ raw: '', value: '' }];
  let state: 'at the start' | 'bare' | 'quoted' | 'closed' | 'returned' = 'at the start';
  const stop = (at: number, fault?: Fault) => ({ fields, fault, at });
  for (let at = start; at < units.length; at++) {
    const unit = units[at] as Unit;
    const field = fields.at(-1) as Field;
    const isQuote = hasQuotes && isPlain(unit, '"');
    if (state === 'quoted') {
      if (!isQuote) take(field, unit);
      else if (isPlain(units[at + 1], '"')) take(field, units[++at] as Unit);
      else state = 'closed';
    } else if (isPlain(unit, '\n')) {
      if (state === 'bare' && isPlain(units[at - 1], '\r')) shorten(field);
      return stop(at);
    } else if (state === 'returned') return stop(at, 'text after a quote');
    else if (isPlain(unit, delimiter)) {
      fields.push({ raw: '', value: '' });
      state = 'at the start';
    } else if (state === 'closed') {
      if (!isPlain(unit, '\r')) return stop(at, 'text after a quote');
      state = 'returned';
    } else if (isQuote) {
      if (state === 'bare') return stop(at, 'a quote in a field');
      state = 'quoted';
    } else {
      if (isPlain(unit, escaper ?? '')) return stop(at, 'an open escape');
      take(field, unit);
      state = 'bare';
    }
  }
  const faults = { quoted: 'an open quote', returned: 'text after a quote' } as const;
  return stop(units.length, state === 'quoted' || state === 'returned' ? faults[state] : undefined);
}

/** Without its last character. */
function shorten(field: Field): void {
  field.raw = field.raw.slice(0, -1);
  field.value = field.value.slice(0, -1);
}

function take(field: Field, { raw, value }: Unit): void {
  field.raw += raw;
  field.value += value;
}
