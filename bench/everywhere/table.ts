import { describeMachine } from '../machine.js';
import { markdownRows } from '../table.js';
import { KINDS } from './figures.js';
import type { Measured } from './measure.js';
import type { EngineReport } from './results.js';

/** Facts about all figures. */
export function head({ machine, engines, missing }: EngineReport): string[] {
  const versions = engines.map(({ name, version, javascript }) => `${name}: ${version} (${javascript})`);
  const gone = missing.map(({ name, why }) => `${name} (${why})`);
  return [
    describeMachine(machine),
    ...(versions.length > 0 ? [`${versions.join('; ')}.`] : []),
    ...(gone.length > 0 ? [`Missing: ${gone.join('; ')}.`] : []),
    'Nanoseconds a row, and how many times as long BigInt takes: medians of rounds, after the results were compared.',
  ];
}

/** For a terminal. */
export function plainTables(report: EngineReport): string {
  const all = tables(report);
  const widths = (all[0]?.rows[0] ?? []).map((_, i) =>
    Math.max(...all.flatMap(({ rows }) => rows.map((row) => row[i]?.length ?? 0))),
  );
  const line = ([title = '', ...cells]: readonly string[]) =>
    [title.padEnd(widths[0] ?? 0), ...cells.map((cell, i) => cell.padStart((widths[i + 1] ?? 0) + 3))].join('');
  const parts = all.map(({ title, rows }) => [title, ...rows.map(line), ''].join('\n'));
  return [...head(report), '', ...parts].join('\n');
}

/** For a page. */
export function markdownTables(report: EngineReport): string {
  const parts = tables(report).map(({ title, rows: [names = [], ...rows] }) => {
    return `${title}:\n\n${markdownRows(names, rows)}`;
  });
  return [...head(report), ...parts].join('\n\n');
}

interface Table {
  readonly title: string;
  /** The names of the engines, then a line for each figure. */
  readonly rows: readonly (readonly string[])[];
}

/** A table for each kind of figures. */
function tables({ engines }: EngineReport): Table[] {
  const all = engines[0]?.figures ?? [];
  return Object.entries(KINDS).flatMap(([kind, what]) => {
    const some = all.filter((figure) => figure.kind === kind);
    if (some.length === 0) return [];
    const lines = some.map(({ name, title }) => [
      title,
      ...engines.map(({ figures }) => cell(figures.find((figure) => figure.name === name))),
    ]);
    const title = `${what}; ${some[0]?.rows.toLocaleString('en')} rows`;
    return [{ title, rows: [['', ...engines.map(({ name }) => name)], ...lines] }];
  });
}

function cell(figure: Measured | undefined): string {
  if (figure === undefined) return '';
  const { shardbits, bigint } = figure;
  return `${short(shardbits.ns.median)} / ${short(bigint.ns.median)}, ${short(bigint.timesShardbits)}×`;
}

/** A number with about two digits: two decimals below 1, one below 10, none above. */
function short(value: number): string {
  return value.toFixed(value < 0.995 ? 2 : value < 9.95 ? 1 : 0);
}
