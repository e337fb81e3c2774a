import { Writable } from 'node:stream';
import { relativeTime } from '../../dates.js';
import type { Layout } from '../../index.js';
import type { GuessedIds } from '../../node/index.js';
import { type WideField, wideFieldsOf } from '../../tokens/wide-fields.js';
import { broken, INDENT, paint, print, type Screen } from '../terminal.js';

export interface Meaning {
  /** In words, a paragraph each; those of wider ids are not used. */
  readonly words: readonly string[];
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
  let names: readonly string[] = [];
  let widths: readonly number[] = [];
  const widest = (table: readonly (readonly string[])[]) =>
    table.reduce((most, cells) => cells.map(({ length }, i) => Math.max(length, most[i] ?? 0)), widths);
  const showTable = () => {
    const cellsOf = () => rows.map((row) => names.map((name) => String(row[name] ?? '')));
    const isFirst = widths.length === 0;
    if (isFirst) {
      onTable();
      names = columnsOf(meaningOf());
      const width = widest([names, ...cellsOf()]).reduce((sum, one) => sum + one + INDENT.length, -INDENT.length);
      const time = meaningOf().layout?.time?.name;
      const isTold = rows.every(({ date = '', [time ?? '']: ms }) => Math.floor(Number(ms)) === Date.parse(date));
      if (width > screen.width && isTold) names = names.filter((name) => name !== time); // the date tells it, too
    }
    const table = cellsOf();
    rows = [];
    widths = widest(isFirst ? [names, ...table] : table);
    const linesOf = (cells: readonly string[]) =>
      broken(
        cells.map((cell, i) => cell.padStart(widths[i])),
        screen.width,
      );
    const heading = isFirst ? linesOf(names).map((line) => paint(line, 'heading')) : [];
    const withId = ([first, ...more]: string[]) => [first.replace(/\S+/, (id) => paint(id, 'id')), ...more];
    return printLines([...heading, ...table.flatMap((cells) => withId(linesOf(cells)))]);
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

type CardField = { readonly name: string; readonly value: string | number | undefined; readonly bits: string };

function cardOf(row: Row, { words, layout, kind }: Meaning, screen: Screen): string[] {
  const { id, date } = row;
  const wide = kind && wideFieldsOf(id, kind);
  const fields = wide?.fields.map(fieldOfWide) ?? fieldsOf(row, layout?.places ?? []);
  const when = date === undefined ? [] : [`${date}, ${relativeTime(new Date(date), Date.now())}`];
  const texts = [...(wide ? [wide.name] : words), ...when].flatMap((text) =>
    broken(text.split(' '), screen.width, ' ', INDENT),
  );
  const paragraphs = [texts, bitsOf(fields, screen), listOf(fields, screen)].filter(({ length }) => length > 0);
  return [paint(id, 'id'), ...paragraphs.flatMap((lines) => ['', ...lines])];
}

const digitsOf = (value: bigint, bits: number): string => value.toString(2).padStart(bits, '0');

function fieldsOf(row: Row, places: Layout['places']): CardField[] {
  return places.map(({ name, bits, shift, mask }) => {
    return { name, value: row[name], bits: digitsOf((BigInt(row.id) >> BigInt(shift)) & mask, bits) };
  });
}

function fieldOfWide({ name, bits, value, note }: WideField): CardField {
  const shown = bits > 53 ? `0x${value.toString(16)}` : `${value}`;
  return { name, value: note === undefined ? shown : `${shown}  ${note}`, bits: digitsOf(value, bits) };
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
  const widest = Math.max(10, ...fields.map(({ bits }) => bits.length)).toString().length;
  return fields.map(({ name, bits: { length }, value }, i) => {
    const bits = `${String(length).padStart(widest)} ${length === 1 ? 'bit ' : 'bits'}`;
    const shown = hasColors ? painted(name, i) : name;
    return `${INDENT}${shown}${' '.repeat(longest - name.length)}  ${bits}  ${value}`;
  });
}
