// RESULTS.md, made of recorded results.
import { existsSync, readFileSync } from 'node:fs';
import { markdownTables } from './everywhere/table.js';
import { markdownFigures, readFigures } from './figure-tables.js';
import { describeMachine } from './machine.js';
import type { MeasuredArea } from './rounds.js';
import type { Report } from './run.js';
import { COLUMNS, markdownRows, tableRows } from './table.js';

/** Results of areas, each a table, and for some a chart. */
const AREAS = [
  {
    title: 'In one process',
    command: 'npm run bench -- --json bench/results.json',
    json: 'bench/results.json',
    prefix: '',
  },
  {
    title: 'Against others',
    command: 'npm install --prefix bench/peers && npm run bench -- peers --json bench/peers/results.json',
    json: 'bench/peers/results.json',
    prefix: 'peers-',
  },
  {
    title: 'Files: whole processes, with their peak memory',
    command: 'npm run bench -- files --json bench/peers/files.results.json',
    json: 'bench/peers/files.results.json',
    prefix: 'files-',
  },
];

/** docs/choosing.md shows these results in a shorter form. */
const CHOOSING = {
  title: 'The node of a key',
  command: 'npm install --prefix bench/peers && npm run bench -- choosing --json bench/choosing/results.json',
  json: 'bench/choosing/results.json',
  prefix: 'choosing-',
};

const ENGINES = {
  command: 'npm run bench -- everywhere --json bench/everywhere/results.json',
  json: 'bench/everywhere/results.json',
};

/** Results that are not areas. */
const FIGURES = [
  {
    title: 'Threads',
    command: 'npm run bench -- threads --json bench/threads.results.json',
    json: 'bench/threads.results.json',
  },
  {
    title: 'Interning',
    command: 'npm run bench -- registry --json bench/registry/results.json',
    json: 'bench/registry/results.json',
  },
  {
    title: 'Parquet',
    command: 'ROWS=4000000 npm run verify -- parquet --json bench/peers/parquet.results.json',
    json: 'bench/peers/parquet.results.json',
  },
  {
    title: 'The module for ClickHouse',
    command: 'npm run verify -- sql --json bench/peers/module.results.json',
    json: 'bench/peers/module.results.json',
  },
  {
    title: 'The inspector',
    command: 'UPDATE=1 npx vitest run --mode all --project timed test/inspector/million',
    json: 'bench/inspector.results.json',
  },
];

/** @param before the same area in the oldest Node that is supported: a column more */
function markdownTable(area: MeasuredArea, before: MeasuredArea | undefined): string {
  const columns = before === undefined ? COLUMNS : [...COLUMNS, 'ns a row, Node 20'];
  const nanoseconds = (row: number) => {
    const way = before?.ways.find(({ name }) => name === area.ways[row]?.name);
    return way === undefined || 'differs' in way ? '' : way.ns.median.toFixed(2);
  };
  const rows = tableRows(area).map((cells, row) => [...COLUMNS.map((_, i) => cells[i] ?? ''), nanoseconds(row)]);
  return markdownRows(columns, rows);
}

/** All results of areas. */
export const AREA_RESULTS = [...AREAS, CHOOSING];

const readReport = (json: string): Report => JSON.parse(readFileSync(json, 'utf8'));

/** The text of RESULTS.md. */
export function resultsPage(): string {
  const parts = [
    '# Results of the bench',
    'Made by `npm run bench -- report`. Every way of doing the work gives the same results, compared before anything is timed; one that does not is named and not timed. Medians of interleaved rounds; "times shardbits" is the median of the ratios within a round: above 1, shardbits is faster; below 1, it is slower. Times differ between machines, ratios less so. The machine is noisy: other machines share its cores, and at times everything takes twice as long. These are single runs; [docs/performance.md](../docs/performance.md) has ranges over several days.',
    '`npm run bench -- report --charts FOLDER` draws a chart of every table into a folder.',
  ];
  for (const { title, command, json } of AREA_RESULTS) {
    const { machine, areas } = readReport(json);
    const node20 = json.replace('.json', '.node20.json');
    const before = existsSync(node20) ? readReport(node20) : undefined;
    parts.push(`## ${title}`, `\`${command}\``, describeMachine(machine));
    if (before) parts.push(`The last column: ${describeMachine(before.machine)}`);
    for (const area of areas) {
      const older = before?.areas.find(({ name }) => name === area.name);
      parts.push(`### ${area.title}`, `${area.rows.toLocaleString('en')} rows.`, markdownTable(area, older));
    }
  }
  for (const { title, command, json } of FIGURES) {
    parts.push(`## ${title}`, `\`${command}\``, markdownFigures(readFigures(json)));
  }
  const engines = markdownTables(JSON.parse(readFileSync(ENGINES.json, 'utf8')));
  parts.push('## In every engine', `\`${ENGINES.command}\``, engines);
  return `${parts.join('\n\n')}\n`;
}
