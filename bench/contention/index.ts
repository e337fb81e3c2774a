// `npm run bench:contention [-- --json FILE]`: conflicts of transactions on one counter, on random prefixes and in
// blocks, by formula and as simulated. Writes RESULTS.md and chart.svg; exit code 1 if the two do not agree.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chart } from './chart.js';
import { agrees, type Case, type Compared, compare, type Demand, meetDemand } from './compare.js';
import { caseRows, demandRow, markdown } from './results.js';

const SEED = 20231101;
const PREFIX_BITS = [0, 4, 8, 10, 12, 14, 16, 18, 20];
/** 1,500 and 10^7 are 150,000 and a billion strings a second; 2 and 10,000 are those in blocks of 1,000. */
const WRITERS = [2, 10, 100, 1500, 10_000, 10_000_000];
const DEMANDS = [
  { stringsPerSecond: 150_000, blocks: [1, 1000] },
  { stringsPerSecond: 1_000_000_000, blocks: [1, 1000, 10_000, 100_000] },
];
const DEMANDED_OF = [0, 14, 16, 20];

const { values } = parseArgs({ options: { json: { type: 'string' } } });

const problems: string[] = [];
function check(what: string, compared: readonly Compared[], wrongNumbers: number): void {
  if (!compared.every(agrees)) problems.push(`${what}: formula and simulation are too far apart`);
  if (wrongNumbers > 0) problems.push(`${what}: ${wrongNumbers} blocks of numbers given twice or skipped`);
}

console.log(
  'each: expected, simulated (deviation) of: meets another; loses a round; conflicts; with varying lengths\n',
);
const cases: Case[] = [];
for (const writers of WRITERS) {
  console.log(`${writers.toLocaleString('en')} in flight`);
  for (const prefixBits of PREFIX_BITS) {
    const row = compare(writers, prefixBits, SEED + cases.length);
    cases.push(row);
    const { meeting, losing, conflicting, conflictingExponential, wrongNumbers } = row;
    check(
      `${writers} in flight, prefixBits ${prefixBits}`,
      [meeting, losing, conflicting, conflictingExponential],
      wrongNumbers,
    );
    print(caseRows([row], writers)[0] ?? [], [4, 36, 36, 36, 36]);
  }
}

console.log('\nstrings/s, numbers a commit, prefixBits, in flight, conflicts, simulated strings/s');
const demands: Demand[] = [];
for (const { stringsPerSecond, blocks } of DEMANDS) {
  for (const block of blocks) {
    for (const prefixBits of DEMANDED_OF) {
      const demand = meetDemand(stringsPerSecond, block, prefixBits, SEED + demands.length);
      demands.push(demand);
      const { met } = demand;
      if (met)
        check(
          `${stringsPerSecond} strings/s in blocks of ${block}, prefixBits ${prefixBits}`,
          [met.conflicting],
          met.wrongNumbers,
        );
      print(demandRow(demand), [13, 9, 4, 12, 36, 24]);
    }
  }
}

function print(cells: readonly string[], widths: readonly number[]): void {
  console.log(cells.map((text, i) => text.padStart(widths[i] ?? 0)).join(''));
}

writeFileSync('bench/contention/chart.svg', await chart(cases));
writeFileSync('bench/contention/RESULTS.md', markdown(cases, demands));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ cases, demands }, undefined, 1)}\n`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('\nformulas and simulations agree; no number is given twice, none is left out');
