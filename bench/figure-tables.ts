// Figures that do not compare ways of doing the same work on columns: they are shown, recorded, and read by their names.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeMachine, type Machine, machine } from './machine.js';
import { compactJson } from './run.js';
import { markdownRows } from './table.js';

/** A row has a value for each column; null where nothing was measured. */
export interface FigureTable {
  readonly title: string;
  /** What the values are, with their unit. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly [name: string, ...values: (number | null)[]])[];
}

/** What a program recorded. */
export interface RecordedFigures {
  readonly machine: Machine;
  readonly tables: readonly FigureTable[];
}

/** Writes JSON with one row on each line, so that a diff shows which figures have changed. */
export function writeFigures(path: string, tables: readonly FigureTable[]): void {
  const parts = tables.map(({ rows, ...table }) => {
    const head = compactJson(table).slice(0, -1);
    return `${head},"rows":[\n${rows.map(compactJson).join(',\n')}\n]}`;
  });
  writeFileSync(path, `{"machine":${compactJson(machine())},"tables":[\n${parts.join(',\n')}\n]}\n`);
}

export const readFigures = (path: string): RecordedFigures => JSON.parse(readFileSync(path, 'utf8'));

/** A recorded figure. Throws if there is none. */
export function figureIn(path: string, title: string, row: string, column: string): number {
  const table = readFigures(path).tables.find((one) => one.title === title);
  const [, ...values] = table?.rows.find(([name]) => name === row) ?? [''];
  const value = values[table?.columns.indexOf(column) ?? -1];
  if (value === undefined || value === null) throw new Error(`${path} has no "${column}" of "${row}" in "${title}"`);
  return value;
}

const shown = (value: number | null): string =>
  value === null ? '' : value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** For a terminal. */
export function plainFigures({ title, columns, rows }: FigureTable): string {
  const lines = [['', ...columns], ...rows.map(([name, ...values]) => [name, ...values.map(shown)])];
  const widths = ['', ...columns].map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const line = ([name = '', ...cells]: readonly string[]) =>
    [name.padEnd(widths[0] ?? 0), ...cells.map((cell, i) => cell.padStart((widths[i + 1] ?? 0) + 3))].join('');
  return [title, ...lines.map(line), ''].join('\n');
}

/** For a page: what the machine was, and all tables. */
export function markdownFigures({ machine, tables }: RecordedFigures): string {
  const parts = tables.map(({ title, columns, rows }) => {
    const lines = rows.map(([name, ...values]) => [name, ...values.map(shown)]);
    return `${title}:\n\n${markdownRows(['', ...columns], lines)}`;
  });
  return [describeMachine(machine), ...parts].join('\n\n');
}
