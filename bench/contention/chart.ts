import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Case } from './compare.js';
import { steadyConflicts } from './model.js';

const BILLION = '#b3541e';
const MANY = '#0b6e4f';
const OTHERS = '#7b8794';
const MUTED = '#52606d';
const LEAST = 5e-7;

/** What the numbers of writers stand for. Those in blocks are dashed. */
const LINES = [
  { writers: 10_000_000, color: BILLION, inBlocks: false, text: 'a billion strings/s, one by one' },
  { writers: 10_000, color: BILLION, inBlocks: true, text: 'the same in blocks of 1,000' },
  { writers: 1500, color: MANY, inBlocks: false, text: '150,000 strings/s, one by one' },
  { writers: 100, color: OTHERS, inBlocks: false, text: '' },
  { writers: 10, color: OTHERS, inBlocks: false, text: '' },
  { writers: 2, color: MANY, inBlocks: true, text: '150,000/s in blocks of 1,000' },
] as const;

/** Conflicts by prefixBits: lines from the formula, points from the simulation, as SVG. */
export async function chart(cases: readonly Case[]): Promise<string> {
  const lines = LINES.flatMap((line) =>
    Array.from({ length: 81 }, (_, i) => ({
      ...line,
      bits: i / 4,
      part: steadyConflicts(line.writers, 2 ** (i / 4)),
    })),
  );
  const points = cases.flatMap(({ writers, prefixBits, conflicting: { simulated = 0 } }) => {
    const line = LINES.find((line) => line.writers === writers);
    return line && simulated > 0 ? [{ ...line, bits: prefixBits, part: simulated }] : [];
  });
  const labels = LINES.map(({ writers, color, text }) => ({
    color,
    part: steadyConflicts(writers, 2 ** 20),
    label: `${writers.toLocaleString('en')} in flight${text && `\n${text}`}`,
  }));
  const color = { field: 'color', type: 'nominal', scale: null } as const;
  const y = {
    field: 'part',
    type: 'quantitative' as const,
    scale: { type: 'log' as const, domain: [LEAST, 1], nice: false },
    axis: {
      title: 'part of the transactions that conflicts (logarithmic)',
      values: [1, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6],
      labelExpr: "datum.value >= 0.01 ? format(datum.value, '.0%') : format(100 * datum.value, '~f') + '%'",
      titleColor: MUTED,
      titleFontWeight: 'normal' as const,
      gridColor: '#e4e7eb',
      domain: false,
      ticks: false,
      labelPadding: 6,
    },
  };
  const x = {
    field: 'bits',
    type: 'quantitative' as const,
    scale: { domain: [0, 20], nice: false },
    axis: {
      title: 'prefixBits: a counter for each of 2^prefixBits prefixes',
      values: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20],
      labelExpr: "datum.value === 0 ? ['0', 'one counter'] : datum.value === 14 ? ['14', 'default'] : datum.label",
      titleColor: MUTED,
      titleFontWeight: 'normal' as const,
      grid: false,
      labelFlush: false,
      labelOverlap: false,
      labelPadding: 6,
    },
  };
  const spec: TopLevelSpec = {
    background: 'white',
    // Without fonts, text is taken to be wider than it is: the labels on the right leave room.
    padding: { left: 16, top: 16, bottom: 16, right: -60 },
    width: 520,
    height: 400,
    title: {
      text: 'Conflicts of transactions that each take the next number of a random prefix',
      subtitle: [
        'lines: (C - 1) / (2^prefixBits + C - 1), with C transactions in flight; points: simulated',
        'a transaction takes 10 ms; dashed: it takes a block of 1,000 numbers',
      ],
      anchor: 'start',
      fontSize: 14,
      subtitleFontSize: 11,
      subtitleColor: MUTED,
      offset: 16,
    },
    layer: [
      {
        data: { values: [{ bits: 14 }] },
        mark: { type: 'rule', color: '#cbd2d9', strokeWidth: 1.5 },
        encoding: { x: { field: 'bits', type: 'quantitative' } },
      },
      {
        data: { values: lines },
        mark: { type: 'line', strokeWidth: 2, clip: true },
        encoding: {
          x,
          y,
          color,
          detail: { field: 'writers' },
          strokeDash: { condition: { test: 'datum.inBlocks', value: [6, 4] }, value: [1, 0] },
        },
      },
      {
        data: { values: points },
        mark: { type: 'point', filled: true, size: 46, opacity: 1, stroke: 'white', strokeWidth: 1 },
        encoding: { x, y, fill: color },
      },
      {
        data: { values: labels },
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 10, fontSize: 11, lineBreak: '\n' },
        encoding: { x: { datum: 20 }, y, color, text: { field: 'label' } },
      },
    ],
    config: { font: 'Helvetica, Arial, sans-serif', view: { stroke: null } },
  };
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  return `${await view.toSVG()}\n`;
}
