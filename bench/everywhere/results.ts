import { writeFileSync } from 'node:fs';
import type { Machine } from '../machine.js';
import { compactJson } from '../run.js';
import type { Engine } from './engines.js';
import type { Measured } from './measure.js';

export interface TimedEngine extends Pick<Engine, 'name' | 'javascript'> {
  readonly version: string;
  readonly figures: readonly Measured[];
}

/** The report of `npm run bench -- everywhere`. */
export interface EngineReport {
  readonly machine: Machine;
  readonly engines: readonly TimedEngine[];
  /** Engines that were requested but have no figures, and why. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** The figures whose results in an engine differ from those in the first one, in words. */
export function differences(engines: readonly TimedEngine[]): string[] {
  const [first, ...others] = engines;
  return others.flatMap(({ name, figures }) =>
    figures.flatMap((figure) => {
      const expected = first?.figures.find((other) => other.name === figure.name);
      if (expected === undefined || expected.checksum === figure.checksum) return [];
      return [`${figure.title}: the results of ${name} differ from those of ${first?.name}`];
    }),
  );
}

/** As JSON with one figure on each line, so that a diff shows which figures have changed. */
export function writeEngineReport(path: string, { machine, engines, missing }: EngineReport): void {
  const lists = engines.map(({ figures, ...engine }) => {
    const head = compactJson(engine).slice(0, -1);
    return `${head},"figures":[\n${figures.map(compactJson).join(',\n')}\n]}`;
  });
  const head = `"machine":${compactJson(machine)},"missing":${compactJson(missing)}`;
  writeFileSync(path, `{${head},"engines":[\n${lists.join(',\n')}\n]}\n`);
}
