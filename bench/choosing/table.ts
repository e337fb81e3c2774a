import type { MeasuredArea } from '../rounds.js';
import { CHANGED, COUNTS, KEYS } from './ours.js';
import type { Moves, Placement } from './placement.js';

export const PLACEMENTS = 'bench/choosing/placements.results.json';

export const areaName = (count: number): string => `choosing-${count}`;

const numbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const counts = COUNTS.map((count) => count.toLocaleString('en'));

/** A line for each contender, after the titles of the columns. */
export function placementRows(placements: readonly Placement[]): string[][] {
  const titles = ['', ...counts.map((count) => `fullest, ${count} nodes`), 'one more', 'one less'];
  return [
    titles,
    ...placements.map((placement) => [placement.name, ...balanceCells(placement), ...moveCells(placement)]),
  ];
}

/** The tables of docs/choosing.md: balance and moves, then times. */
export function choosingTables(placements: readonly Placement[], areas: readonly MeasuredArea[]): string {
  const places = table(
    ['fullest ÷ average', ...counts.map((count) => `${count} nodes`)],
    placements.map((placement) => [placement.name, ...balanceCells(placement)]),
  );
  const moves = table(
    ['keys that move', `from ${CHANGED} nodes to ${CHANGED + 1}`, 'one of 100 is taken away'],
    placements.map((placement) => [placement.name, ...moveCells(placement)]),
  );
  const times = table(
    ['one lookup', ...counts.map((count) => `${count} nodes`)],
    placements.map(({ name }) => [name, ...COUNTS.map((count) => timeCell(name, count, areas))]),
  );
  return [places, moves, times].join('\n\n');
}

function balanceCells({ balance }: Placement): string[] {
  return balance.map((ratio) => ratio.toFixed(2));
}

function moveCells({ added, taken, isStable }: Placement): string[] {
  return isStable ? [added, taken].map(movesCell) : ['each process has other places', 'each process has other places'];
}

function movesCell({ moved, needless }: Moves): string {
  const percent = (count: number) => `${((100 * count) / KEYS).toFixed(2)} %`;
  return needless === 0 ? percent(moved) : `${percent(moved)}, of which ${percent(needless)} needlessly`;
}

function timeCell(name: string, count: number, areas: readonly MeasuredArea[]): string {
  const way = areas.find((area) => area.name === areaName(count))?.ways.find((other) => other.name === name);
  if (way === undefined || 'differs' in way) return '';
  const { median } = way.ns;
  return median < 1000 ? `${numbers.format(median)} ns` : `${numbers.format(median / 1000)} µs`;
}

function table(titles: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), `| --- |${' ---: |'.repeat(titles.length - 1)}`, ...rows.map(line)].join('\n');
}
