import { Memory } from '../../src/registry/stores/memory.js';

/** A copy of what a store holds now. */
export function snapshot(memory: Memory): Memory {
  const copy = new Memory();
  replaceContents(copy, memory);
  return copy;
}

/** Puts what a store holds in the place of what another one holds. */
export function replaceContents(memory: Memory, by: Memory): void {
  replaceMap(memory.settings, by.settings);
  replaceMap(memory.records, by.records);
  for (const space of ['strings', 'types'] as const) {
    for (const part of ['ids', 'keys', 'counters'] as const) {
      replaceMap<unknown, unknown>(memory.spaces[space][part], by.spaces[space][part]);
    }
  }
}

function replaceMap<K, V>(map: Map<K, V>, by: Map<K, V>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}
