import type { Case, Compared, Demand } from './compare.js';

/** RESULTS.md. */
export function markdown(cases: readonly Case[], demands: readonly Demand[]): string {
  const parts = [
    '# Contention on paper and in simulation',
    'Made by `npm run bench:contention`, the same on every machine: all random data has one seed.',
    'C transactions are in flight. Each reads the counter of one of 2^prefixBits prefixes, picked at random, and commits the next number, or a block of them, if the counter is then unchanged; else it starts again with another prefix. `prefixBits` 0 is one counter. Each cell has what the formula says, what the simulation counts, and by how much that is off; [model.ts](model.ts) has the formulas and where they come from.',
    '- **meets another**: of C that start at once, one has picked the same prefix. 1 - (1 - 1/P)^(C - 1)\n- **loses**: of C that start at once, those of one prefix commit one after the other, and all but the first fail. (C - P (1 - (1 - 1/P)^C)) / C\n- **conflicts**: writers without a pause, all transactions equally long. (C - 1) / (P + C - 1)\n- **conflicts, lengths vary**: the same with exponentially distributed lengths.',
    'Simulated are as many transactions as are expected to have 10,000 conflicts, from a million on, but at most 20 million (5 million of varying lengths): where conflicts are rare, few are counted, and deviations are large. Varying lengths are simulated up to a million in flight. A formula and its simulation may be four standard deviations of independent trials apart, and the cycles that the ends of the count cut through; the command fails if any are not, or if a number is given twice or left out.',
    '![conflicts by prefixBits](chart.svg)',
  ];
  for (const writers of new Set(cases.map(({ writers }) => writers))) {
    parts.push(`## ${writers.toLocaleString('en')} in flight`, table(CASE_COLUMNS, caseRows(cases, writers)));
  }
  parts.push(
    '## Strings a second',
    'Transactions of 10 ms, whatever they take, and so many writers that the commits, without those that conflict, are enough: C = R (P - 1) / (P - R) for R commits to a latency, of which (R - 1) / (P - 1) more or less conflict. P prefixes cannot have more than P commits to a latency.',
    table(DEMAND_COLUMNS, demands.map(demandRow)),
  );
  return `${parts.join('\n\n')}\n`;
}

const CASE_COLUMNS = ['prefixBits', 'meets another', 'loses', 'conflicts', 'conflicts, lengths vary'];

export function caseRows(cases: readonly Case[], writers: number): string[][] {
  return cases
    .filter((row) => row.writers === writers)
    .map(({ prefixBits, meeting, losing, conflicting, conflictingExponential }) => [
      `${prefixBits}`,
      ...[meeting, losing, conflicting, conflictingExponential].map(cell),
    ]);
}

const DEMAND_COLUMNS = ['strings/s', 'numbers a commit', 'prefixBits', 'in flight', 'conflicts', 'simulated strings/s'];

export function demandRow({ stringsPerSecond, block, prefixBits, ceiling, met }: Demand): string[] {
  const asked = [stringsPerSecond, block, prefixBits].map((value) => value.toLocaleString('en'));
  if (met === undefined) return [...asked, '', '', `at most ${ceiling.toLocaleString('en')}`];
  return [
    ...asked,
    met.writers.toLocaleString('en'),
    cell(met.conflicting),
    Number(met.simulatedStringsPerSecond.toPrecision(4)).toLocaleString('en'),
  ];
}

function cell({ expected, simulated }: Compared): string {
  if (simulated === undefined) return percent(expected);
  return `${percent(expected)}, ${percent(simulated)} (${relative(simulated / expected - 1)})`;
}

function percent(part: number): string {
  return `${(100 * part).toPrecision(3)} %`;
}

function relative(deviation: number): string {
  const text = (100 * Math.abs(deviation)).toFixed(Math.abs(deviation) < 0.1 ? 1 : 0);
  return Number(text) === 0 ? '0 %' : `${deviation < 0 ? '-' : '+'}${text} %`;
}

function table(columns: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${' ---: |'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}
