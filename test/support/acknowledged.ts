import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Interner } from '../../src/registry/index.js';
import type { Batch } from './ledger.js';

/** The ids that interning processes were given, and how often they contradict each other. */
export interface Acknowledged {
  readonly idOf: Map<string, string>;
  readonly count: number;
  readonly changed: number;
}

/** Reads the files to which `interning-process.mjs` appends. */
export function readAcknowledged(files: readonly string[]): Acknowledged {
  const idOf = new Map<string, string>();
  let count = 0;
  let changed = 0;
  for (const file of files.filter((path) => existsSync(path))) {
    const lines = readFileSync(file, 'utf8').split('\n');
    // A last line without its newline was cut by the end of the process.
    for (const line of lines.slice(0, -1)) {
      const [id, key] = line.split('\t') as [string, string];
      if ((idOf.get(key) ?? id) !== id) changed++;
      idOf.set(key, id);
      count++;
    }
  }
  return { idOf, count, changed };
}

/** What a store does not have as it was acknowledged, in words: strings by their ids, and ids by their strings. */
export async function lostIn(interner: Interner, acknowledged: Iterable<Batch>): Promise<string[]> {
  const lost: string[] = [];
  for (const { strings, ids } of acknowledged) {
    const found = await interner.lookupMany(strings);
    const resolved = await interner.resolveMany(ids);
    for (const [row, string] of strings.entries()) {
      if (found[row] !== ids[row]) lost.push(`"${string}" has the id ${found[row]}, not ${ids[row]}`);
      if (resolved[row] !== string) lost.push(`${ids[row]} is the id of "${resolved[row]}", not of "${string}"`);
    }
  }
  return lost;
}

/** Expects a store to hold every acknowledged id, each once. @returns the outcome, in words */
export async function expectAllKept(interner: Interner, { idOf, count, changed }: Acknowledged): Promise<string> {
  const strings = [...idOf.keys()];
  const ids = BigUint64Array.from(idOf.values(), BigInt);
  const lost = await lostIn(interner, [{ strings, ids }]);
  const doubled = ids.length - new Set(ids).size;
  const outcome = `${count} ids of ${strings.length} keys acknowledged: ${lost.length} lost, ${changed} changed, ${doubled} given twice`;
  expect([lost, changed, doubled], outcome).toEqual([[], 0, 0]);
  expect(strings.length).toBeGreaterThan(100);
  return outcome;
}
