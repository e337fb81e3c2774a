import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demandOf, meetingOdds, roundLosers, steadyConflicts, steadyConflictsExponential } from './formulas.js';

// docs/how-many-prefixes.md has the figures that the formulas give.

const page = readFileSync('docs/how-many-prefixes.md', 'utf8');

/** The cells of the table under a heading, its header row first. */
function tableUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|') && !/^[|:\- ]+$/.test(line));
  return lines.map((line) => line.split('|').slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

/** The number in a cell such as "10,000 in flight". */
function numberIn(cell: string | undefined): number {
  return Number(/[\d,]+/.exec(cell ?? '')?.[0].replaceAll(',', ''));
}

function percent(share: number): string {
  return `${(100 * share).toPrecision(3)} %`;
}

describe('every figure in a table is what the formulas give', () => {
  it('conflicts by prefixBits', () => {
    const [header = [], ...rows] = tableUnder('Conflicts by prefixBits');
    const writers = header.slice(1).map(numberIn);
    expect(writers).toEqual([1500, 10_000, 10_000_000]);
    expect(rows).toHaveLength(9);
    expect(rows).toEqual(
      rows.map(([bits = '']) => [bits, ...writers.map((count) => percent(steadyConflicts(count, 2 ** Number(bits))))]),
    );
  });

  it('strings a second', () => {
    const [header = [], ...rows] = tableUnder('Strings a second');
    const prefixes = header.slice(3).map((cell) => 2 ** numberIn(cell));
    expect(prefixes).toEqual([1, 2 ** 14, 2 ** 16, 2 ** 20]);
    expect(rows).toHaveLength(6);
    const expected = rows.map(([strings = '', batch = '']) => {
      const demands = prefixes.map((count) => demandOf(numberIn(strings), numberIn(batch), count));
      const cells = demands.map(({ writers, ceiling }, i) =>
        writers === undefined
          ? `at most ${ceiling.toLocaleString('en')}`
          : percent(steadyConflicts(writers, prefixes[i])),
      );
      return [strings, batch, Math.ceil(demands[0]?.commits ?? 0).toLocaleString('en'), ...cells];
    });
    expect(rows).toEqual(expected);
  });

  it('the four formulas', () => {
    const writers = 1500;
    const formulas: Record<string, (prefixes: number) => number> = {
      'meets another': (prefixes) => meetingOdds(writers, prefixes),
      'loses a round': (prefixes) => roundLosers(writers, prefixes) / writers,
      conflicts: (prefixes) => steadyConflicts(writers, prefixes),
      'conflicts, lengths vary': (prefixes) => steadyConflictsExponential(writers, prefixes),
    };
    expect(page).toContain(`With ${writers.toLocaleString('en')} transactions in flight:\n\n| prefixBits |`);
    const [header = [], ...rows] = tableUnder('The formulas');
    expect(header.slice(1)).toEqual(Object.keys(formulas));
    expect(rows).toHaveLength(9);
    expect(rows).toEqual(
      rows.map(([bits = '']) => [
        bits,
        ...Object.values(formulas).map((formula) => percent(formula(2 ** Number(bits)))),
      ]),
    );
  });
});

it('the figures of the advice hold', () => {
  const commits = numberIn(/up to [\d,]+ commits in flight/.exec(page)?.[0]);
  const perSecond = numberIn(/[\d,]+ commits a second if each takes 10 ms/.exec(page)?.[0]);
  const { commits: inFlight, writers = Number.POSITIVE_INFINITY } = demandOf(perSecond, 1, 2 ** 14);
  expect(inFlight).toBe(commits);
  expect(steadyConflicts(writers, 2 ** 14)).toBeLessThan(0.1);
  const batch = numberIn(/these should have [\d,]+ strings or more/.exec(page)?.[0]);
  const conflicts = (block: number) => steadyConflicts(demandOf(1e9, block, 2 ** 14).writers as number, 2 ** 14);
  expect(conflicts(batch)).toBeLessThan(0.1);
  expect(conflicts(batch / 10)).toBeGreaterThan(0.5);
});
