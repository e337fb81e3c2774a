import { Writable } from 'node:stream';
import { namesIn } from '../../arguments.js';
import type { Layout } from '../../index.js';
import type { GuessedIds } from '../../node/index.js';
import { print, type Screen } from '../terminal.js';

/** What ids are. */
export interface Meaning {
  /** In words, a paragraph each. */
  readonly words: readonly string[];
  /** Undefined if no layout is known. */
  readonly layout?: Layout | undefined;
  /** Of ids that are wider than 64 bits. */
  readonly kind?: GuessedIds['kind'] | undefined;
}

/** A decoded id: an object of JSON, as `decodeFile` writes it. */
interface Row {
  readonly id: string;
  readonly date?: string;
  readonly [field: string]: string | number | undefined;
}

/**
 * Shows decoded ids on a terminal: one as a card, several as a table with aligned columns.
 * @param meaningOf called when there are ids
 * @param onTable called before a table, and if there are no ids
 * @returns `out`, which takes a line of JSON for each id; and `end`, which shows an id that is the only one
 */
export function idsOnScreen(screen: Screen, meaningOf: () => Meaning, onTable: () => void) {
  let cut = '';
  let rows: Row[] = [];
  let widths: readonly number[] = [];
  const showTable = () => {
    const names = columnsOf(meaningOf());
    const table = rows.map((row) => names.map((name) => String(row[name] ?? '')));
    rows = [];
    if (widths.length === 0) {
      onTable();
      table.unshift(names);
    }
    widths = table.reduce((most, cells) => cells.map(({ length }, i) => Math.max(length, most[i] ?? 0)), widths);
    const cellsOf = (cells: readonly string[]) => cells.map((cell, i) => cell.padStart(widths[i]));
    return printLines(table.flatMap((cells) => broken(cellsOf(cells), screen.width)));
  };
  const out = new Writable({
    write(bytes: Uint8Array, _, done) {
      const lines = `${cut}${bytes}`.split('\n');
      cut = lines.pop() ?? '';
      rows = rows.concat(lines.map((line) => JSON.parse(line)));
      const isTable = rows.length > 1 || (rows.length === 1 && widths.length > 0);
      (isTable ? showTable() : Promise.resolve()).then(() => done(), done);
    },
  });
  const end = async () => {
    if (rows.length === 1) await printLines(cardOf(rows[0], meaningOf(), screen));
    else if (widths.length === 0) onTable();
  };
  return { out, end };
}

const printLines = (lines: readonly string[]): Promise<void> => print(lines.map((line) => `${line}\n`).join(''));

/** The date is next to the id. */
function columnsOf({ layout, kind }: Meaning): string[] {
  if (kind !== undefined) return ['id', 'date', 'timestamp'];
  if (layout === undefined) return ['id'];
  return ['id', ...(layout.time ? ['date'] : []), ...layout.places.map(({ name }) => name)];
}

const INDENT = '  ';

/** Breaks words, or the cells of a row, into lines. All but the first are indented. */
function broken(parts: readonly string[], width: number, between = '  ', first = ''): string[] {
  const lines = [first + parts[0]];
  for (const part of parts.slice(1)) {
    const line = lines[lines.length - 1] + between + part;
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(INDENT + part);
  }
  return lines;
}

/** A field on a card. Its bits are drawn if there are any. */
interface CardField {
  readonly name: string;
  readonly value: string | number | undefined;
  readonly bits: string;
}

function cardOf(row: Row, { words, layout, kind }: Meaning, screen: Screen): string[] {
  const { id, date } = row;
  const fields = layout === undefined ? wideFields(row) : fieldsOf(row, layout);
  const when = date === undefined ? [] : [`${date}, ${agoOf(Date.parse(date), Date.now())}`];
  const version = kind === 'uuid' ? `, version ${id.replaceAll('-', '').charAt(12)}` : '';
  const what = kind === undefined ? words : [NAMES[kind] + version];
  const texts = [...what, ...when].flatMap((text) => broken(text.split(' '), screen.width, ' ', INDENT));
  const paragraphs = [texts, bitsOf(fields, screen), listOf(fields, screen)].filter(({ length }) => length > 0);
  return [screen.hasColors ? `\x1b[1m${id}\x1b[0m` : id, ...paragraphs.flatMap((lines) => ['', ...lines])];
}

const NAMES = { uuid: 'UUID', ulid: 'ULID', objectid: 'ObjectId', ksuid: 'KSUID', xid: 'xid' } as const;

function fieldsOf(row: Row, { places, bits: all }: Layout): CardField[] {
  const digits = BigInt.asUintN(64, BigInt(row.id)).toString(2).padStart(all, '0');
  return places.map(({ name, bits, shift }) => ({
    name,
    value: row[name],
    bits: digits.slice(-shift - bits).slice(0, bits),
  }));
}

/** The fields of an id without a layout. Those of ids that are wider than 64 bits have no bits yet. */
function wideFields({ timestamp }: Row): CardField[] {
  return timestamp === undefined ? [] : [{ name: 'timestamp', value: timestamp, bits: '' }];
}

/** Backgrounds on which black is easy to read: cyan, yellow, green, magenta, white and red. */
const BACKGROUNDS = [46, 43, 42, 45, 47, 41];

function painted(text: string, field: number): string {
  return `\x1b[30;${BACKGROUNDS[field % BACKGROUNDS.length]}m${text}\x1b[0m`;
}

/** The bits of all fields, each field in a colour of its own, or in brackets. */
function bitsOf(fields: readonly CardField[], { width, hasColors }: Screen): string[] {
  const room = width - INDENT.length - (hasColors ? 0 : 2 * fields.length);
  const most = [64, 32, 16].find((bits) => bits <= room) ?? 8;
  const lines: string[] = [];
  let at = 0;
  for (const [i, { bits }] of fields.entries()) {
    for (let from = 0, to = 0; from < bits.length; from = to) {
      to = Math.min(bits.length, from + most - (at % most));
      const piece = bits.slice(from, to);
      const inBrackets = `${from === 0 ? '[' : ' '}${piece}${to === bits.length ? ']' : ''}`;
      const line = Math.floor(at / most);
      lines[line] = (lines[line] ?? INDENT) + (hasColors ? painted(piece, i) : inBrackets);
      at += piece.length;
    }
  }
  return lines;
}

/** A line for each field: its name, how many bits it has, and its value. */
function listOf(fields: readonly CardField[], { hasColors }: Screen): string[] {
  const longest = Math.max(...fields.map(({ name }) => name.length));
  return fields.map(({ name, bits: { length }, value }, i) => {
    const bits = length === 0 ? '' : `  ${String(length).padStart(2)} ${length === 1 ? 'bit ' : 'bits'}`;
    const shown = hasColors && length > 0 ? painted(name, i) : name;
    return `${INDENT}${shown}${' '.repeat(longest - name.length)}${bits}  ${value}`;
  });
}

/** In seconds; a year is a mean one of the Gregorian calendar. */
const UNITS = { year: 31556952, month: 2629746, day: 86400, hour: 3600, minute: 60, second: 1 };

/** `3 years ago`, or `in 5 hours`, in the largest unit of which it is at least one. */
function agoOf(ms: number, now: number): string {
  const seconds = (ms - now) / 1000;
  const unit = namesIn(UNITS).find((one) => Math.abs(seconds) >= UNITS[one]) ?? 'second';
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(seconds / UNITS[unit]), unit);
}
