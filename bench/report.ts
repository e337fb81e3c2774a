// `npm run bench -- report [--charts FOLDER]`: writes RESULTS.md, and the tables and charts of README.md and
// docs/performance.md, from recorded results. With --charts it also draws a chart of every table into the folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chart } from './chart.js';
import { choosingTables, PLACEMENTS } from './choosing/table.js';
import { betweenMarks } from './everywhere/pages.js';
import { PAGE_TABLES } from './page-tables.js';
import { AREA_RESULTS, resultsPage } from './results-page.js';
import type { Report } from './run.js';

const PICTURES = 'docs/pictures';
const CHOOSING = 'docs/choosing.md';

const { values } = parseArgs({ options: { charts: { type: 'string' } } });
if (values.charts !== undefined) mkdirSync(values.charts, { recursive: true });

writeFileSync('bench/RESULTS.md', resultsPage());

const page = readFileSync('docs/performance.md', 'utf8');
for (const { json, prefix } of AREA_RESULTS) {
  const { machine, areas }: Report = JSON.parse(readFileSync(json, 'utf8'));
  for (const area of areas) {
    const file = `${prefix}${area.name}.svg`;
    const folders = page.includes(`pictures/${file}`) ? [PICTURES] : [];
    if (values.charts !== undefined) folders.push(values.charts);
    if (folders.length === 0) continue;
    const svg = await chart(area, `${machine.cpu}, Node ${machine.node}, ${machine.date}`);
    for (const folder of folders) writeFileSync(join(folder, file), svg);
  }
}

const choosing = choosingTables(
  JSON.parse(readFileSync(PLACEMENTS, 'utf8')),
  JSON.parse(readFileSync('bench/choosing/results.json', 'utf8')).areas,
);
writeFileSync(CHOOSING, betweenMarks(readFileSync(CHOOSING, 'utf8'), 'bench:choosing', choosing));
for (const [path, tables] of Object.entries(PAGE_TABLES)) {
  const filled = Object.entries(tables).reduce(
    (text, [mark, make]) => betweenMarks(text, mark, make()),
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, filled);
}
