// `npm run bench:report`: RESULTS.md and its charts from the JSON of `npm run bench -- --json bench/results.json`
// and `npm run bench:peers -- --json bench/peers/results.json`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chart } from './chart.js';
import { describeMachine } from './machine.js';
import type { MeasuredArea } from './rounds.js';
import type { Report } from './run.js';
import { COLUMNS, tableRows } from './table.js';

const SOURCES = [
  {
    title: 'In one process',
    command: 'npm run bench -- --json bench/results.json',
    json: 'bench/results.json',
    prefix: '',
  },
  {
    title: 'Against others',
    command: 'npm install --prefix bench/peers && npm run bench:peers -- --json bench/peers/results.json',
    json: 'bench/peers/results.json',
    prefix: 'peers-',
  },
  {
    title: 'Files: whole processes, with their peak memory',
    command: 'npm run bench:files -- --json bench/peers/files.results.json',
    json: 'bench/peers/files.results.json',
    prefix: 'files-',
  },
];

function markdownTable(area: MeasuredArea): string {
  const line = (cells: readonly string[]) => `| ${COLUMNS.map((_, i) => cells[i] ?? '').join(' | ')} |`;
  const rule = `| --- |${' ---: |'.repeat(COLUMNS.length - 1)}`;
  return [line(COLUMNS), rule, ...tableRows(area).map(line)].join('\n');
}

rmSync('bench/charts', { recursive: true, force: true });
mkdirSync('bench/charts');
const parts = [
  '# Results of the bench',
  'Made by `npm run bench:report`. Every way of doing the work gives the same results, compared before anything is timed; one that does not is named and not timed. Medians of interleaved rounds; "times shardbits" is the median of the ratios within a round: above 1, shardbits is faster; below 1, it is slower. Times differ between machines, ratios less so.',
];
for (const { title, command, json, prefix } of SOURCES) {
  const { machine, areas }: Report = JSON.parse(readFileSync(json, 'utf8'));
  parts.push(`## ${title}`, `\`${command}\``, describeMachine(machine));
  for (const area of areas) {
    const file = `charts/${prefix}${area.name}.svg`;
    writeFileSync(`bench/${file}`, await chart(area, `${machine.cpu}, Node ${machine.node}, ${machine.date}`));
    parts.push(
      `### ${area.title}`,
      `${area.rows.toLocaleString('en')} rows.`,
      markdownTable(area),
      `![${area.title}](${file})`,
    );
  }
}
writeFileSync('bench/RESULTS.md', `${parts.join('\n\n')}\n`);
