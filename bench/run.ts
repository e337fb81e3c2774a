import { writeFileSync } from 'node:fs';
import type { Area } from './area.js';
import { describeMachine, type Machine, machine } from './machine.js';
import { type MeasuredArea, measure } from './rounds.js';
import { plainTable } from './table.js';

/** The report of a run. */
export interface Report {
  machine: Machine;
  areas: MeasuredArea[];
}

/** Makes areas one after the other, so that only the columns of one are in memory. */
export type Group = (rows: number) => Iterable<Area> | AsyncIterable<Area>;

export const FULL = { rows: 4_000_000, rounds: 7 };
export const QUICK = { rows: 500_000, rounds: 5 };

export async function run(groups: readonly Group[], { rows, rounds }: typeof FULL): Promise<Report> {
  const report: Report = { machine: machine(), areas: [] };
  console.log(`${describeMachine(report.machine)}\nmedians of ${rounds} interleaved rounds; results compared first\n`);
  for (const group of groups) {
    for await (const area of group(rows)) {
      const measured = await measure(area, rounds);
      report.areas.push(measured);
      console.log(plainTable(measured));
    }
  }
  return report;
}

/** Writes a report as JSON with one way on each line, so that a diff shows which ways have changed. */
export function writeReport(path: string, { machine, areas }: Report): void {
  const lists = areas.map(({ ways, ...area }) => {
    const head = compactJson(area).slice(0, -1);
    return `${head},"ways":[\n${ways.map(compactJson).join(',\n')}\n]}`;
  });
  writeFileSync(path, `{"machine":${compactJson(machine)},"areas":[\n${lists.join(',\n')}\n]}\n`);
}

/** JSON in which numbers have seven digits, more than tables show. */
export function compactJson(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'number' && !Number.isInteger(part) ? Number(part.toPrecision(7)) : part,
  );
}
