// `npm run bench -- day [REPORT...]`: keeps the medians of a day in bench/days, and writes the pages anew. The reports are
// what `npm run bench -- --json FILE` and `npm run bench -- peers --json FILE` wrote on that day, each with Node 24 and with
// Node 20; by default, those in bench/, where the reports of the latest day are kept whole for RESULTS.md.
import { readFileSync } from 'node:fs';
import { fileOf, OWN, onNode20, PEERS, readDays, writeDay } from './days.js';
import { type Report, writeReport } from './run.js';

const FILES = [OWN, onNode20(OWN), PEERS, onNode20(PEERS)];

const named = process.argv.splice(2); // report.ts would take them for its own
const reports = (named.length > 0 ? named : FILES).map((path): Report => JSON.parse(readFileSync(path, 'utf8')));
const found = reports.map(fileOf);
const missing = FILES.filter((json) => !found.includes(json));
if (missing.length > 0) throw new Error(`Expected reports such as ${FILES}, got none such as ${missing}`);

const date = writeDay(reports);
if (readDays().at(-1)?.date === date) for (const report of reports) writeReport(fileOf(report), report);
await import('./report.js');
