import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Interner } from '../../src/registry/index.js';

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

/** Expects a store to hold every acknowledged id, each once. @returns the outcome, in words */
export async function expectAllKept(interner: Interner, { idOf, count, changed }: Acknowledged): Promise<string> {
  const keys = [...idOf.keys()];
  const ids = BigUint64Array.from(idOf.values(), BigInt);
  const found = await interner.lookupMany(keys);
  const lost = found.reduce((sum, id, i) => (id === ids[i] ? sum : sum + 1), 0);
  const doubled = ids.length - new Set(ids).size;
  const outcome = `${count} ids of ${keys.length} keys acknowledged: ${lost} lost, ${changed} changed, ${doubled} given twice`;
  expect([lost, changed, doubled], outcome).toEqual([0, 0, 0]);
  expect(await interner.resolveMany(ids)).toEqual(keys);
  expect(keys.length).toBeGreaterThan(100);
  return outcome;
}
