import { writeFileSync } from 'node:fs';
import type { Area } from './area.js';
import { describeMachine, type Machine, machine } from './machine.js';
import { type MeasuredArea, measure } from './rounds.js';
import { plainTable } from './table.js';

/** What a run leaves behind. */
export interface Report {
  machine: Machine;
  areas: MeasuredArea[];
}

/** Makes areas one after the other, so that only one's columns are in memory. */
export type Group = (rows: number) => Iterable<Area> | AsyncIterable<Area>;

export const FULL = { rows: 4_000_000, rounds: 7 };
export const QUICK = { rows: 500_000, rounds: 3 };

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

export function writeReport(path: string, report: Report): void {
  writeFileSync(
    path,
    `${JSON.stringify(report, (_, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value), 1)}\n`,
  );
}
