// The medians of several days, from which pages show ranges: one run on a noisy machine is not what others measure.
// `npm run bench -- day REPORT...` writes the file of a day.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import type { Machine } from './machine.js';
import { compactJson, type Report } from './run.js';

export const OWN = 'bench/results.json';
export const PEERS = 'bench/peers/results.json';
const FOLDER = 'bench/days';

/** The results of the same work in the oldest Node that is supported. */
export const onNode20 = (json: string): string => json.replace('.json', '.node20.json');

/** What a way took: nanoseconds a row, and how many times as long as shardbits, both medians. */
export type Median = readonly [ns: number, timesShardbits: number];

interface DayReport {
  readonly machine: Machine;
  readonly areas: { readonly [area: string]: { readonly [way: string]: Median } };
}

interface Day {
  readonly date: string;
  /** By the file that has all details of it while the day is the latest one. */
  readonly reports: { readonly [json: string]: DayReport };
}

/** The file that keeps such a report in detail. An area tells whose report it is: only `peers` has `start-esm`. */
export function fileOf({ machine, areas }: Report): string {
  const json = areas.some(({ name }) => name === 'start-esm') ? PEERS : OWN;
  return machine.node.startsWith(`v${manifest.engines.node.replace('>=', '')}.`) ? onNode20(json) : json;
}

/** Writes JSON with one area on each line. The date is the earliest one of the reports. Returns the date. */
export function writeDay(reports: readonly Report[]): string {
  const parts = reports.map((report) => {
    const areas = report.areas.map(({ name, ways }) => {
      const times = ways.flatMap((way) =>
        'differs' in way ? [] : [[way.name, [way.ns.median, way.timesShardbits].map(inFourDigits)]],
      );
      return `${JSON.stringify(name)}:${JSON.stringify(Object.fromEntries(times))}`;
    });
    const head = `${JSON.stringify(fileOf(report))}:{"machine":${compactJson(report.machine)}`;
    return `${head},"areas":{\n${areas.join(',\n')}\n}}`;
  });
  const date = reports.map(({ machine }) => machine.date).sort()[0] ?? '';
  writeFileSync(`${FOLDER}/${date}.json`, `{"date":"${date}","reports":{\n${parts.join(',\n')}\n}}\n`);
  return date;
}

/** Tables show two digits. */
const inFourDigits = (value: number): number => Number(value.toPrecision(4));

/** All days, the earliest first. */
export const readDays = (): readonly Day[] =>
  readdirSync(FOLDER)
    .sort()
    .map((name) => JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')));

/** What a way took on each day; the first way, which is shardbits, by default. Throws if it was not timed on all of them. */
export function onAllDays(json: string, area: string, way?: string): readonly Median[] {
  return readDays().map(({ date, reports }) => {
    const ways = reports[json]?.areas[area] ?? {};
    const median = way === undefined ? Object.values(ways)[0] : ways[way];
    if (median === undefined) throw new Error(`${FOLDER}/${date}.json has no time of ${way} in ${area} of ${json}`);
    return median;
  });
}
