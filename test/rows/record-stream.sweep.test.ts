import { expect, it } from 'vitest';
import { onBothBackends } from '../support/backends.js';
import { recordsOf, router, shardsOf, shardsOfLines, TABLES } from './record-samples.js';

onBothBackends('streams of records', () => {
  it.each(TABLES)('are the same wherever their chunks end: %s', async (_, rows, text, records, keys) => {
    const { length } = Buffer.from(text);
    for (let at = 0; at <= length; at++) {
      expect(await recordsOf(rows, text, at, length)).toEqual({ records, keys }); // also where no bytes come first
    }
    for (const byteLength of [1, 2, 3]) expect(await recordsOf(rows, text, byteLength)).toEqual({ records, keys });
  });

  it.each(TABLES)('are routed by their keys, as routeLines does: %s', async (_, rows, text, _records, keys) => {
    const expected = [...router.routeMany(keys)];
    expect(await shardsOfLines(rows, text)).toEqual(expected);
    const { length } = Buffer.from(text);
    for (let at = 0; at <= length; at++) expect(await shardsOf(rows, text, at, length)).toEqual(expected);
    expect(await shardsOf(rows, text, 1)).toEqual(expected);
  });
});
