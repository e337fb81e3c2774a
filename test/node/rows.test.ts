import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashLines, planLines, routeFile, routeLines, routeToDirectory } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { router, testRows } from './rows-of-tables.js';

onBothBackends('rows of a table', () => testRows(250));

describe('options of the wrong kind or value', () => {
  const rows = { format: 'csv', key: 'a' };
  it.each<[kind: typeof TypeError | typeof RangeError, argument: string, options: object]>([
    [TypeError, 'records', { records: 5 }],
    [TypeError, 'records', { records: null }],
    [TypeError, 'records', { records: 'csv' }],
    [TypeError, 'records.format', { records: { key: 'a' } }],
    [RangeError, 'records.format', { records: { ...rows, format: 'CSV' } }],
    [RangeError, 'records', { records: { ...rows, keys: 'a' } }],
    [TypeError, 'records.key', { records: { format: 'csv' } }],
    [TypeError, 'records.key', { records: { ...rows, key: null } }],
    [TypeError, 'records.key', { records: { ...rows, key: true } }],
    [TypeError, 'records.key', { records: { ...rows, key: ['a', ['b']] } }],
    [TypeError, 'records.key', { records: { format: 'ndjson', key: 1 } }],
    [RangeError, 'records.key', { records: { ...rows, key: [] } }],
    [RangeError, 'records.key', { records: { ...rows, key: ['a', 'a'] } }],
    [RangeError, 'records.key', { records: { ...rows, key: 0 } }],
    [RangeError, 'records.key', { records: { ...rows, key: 1.5 } }],
    [RangeError, 'records.key', { records: { ...rows, key: Number.NaN } }],
    [RangeError, 'records.key', { records: { ...rows, key: 65_537 } }],
    [RangeError, 'records.key', { records: { ...rows, header: false } }],
    [RangeError, 'records.key', { records: { ...rows, key: Array.from({ length: 256 }, (_, i) => i + 1) } }],
    [RangeError, 'records.key', { records: { format: 'ndjson', key: Array.from({ length: 32 }, (_, i) => `a${i}`) } }],
    ...['', '.', 'a.', '.a', 'a..b'].map((key): [typeof RangeError, string, object] => {
      return [RangeError, 'records.key', { records: { format: 'ndjson', key } }];
    }),
    [TypeError, 'records.delimiter', { records: { ...rows, delimiter: 44 } }],
    ...['', ';;', '"', '\n', '\r', 'é', '😀'].map((delimiter): [typeof RangeError, string, object] => {
      return [RangeError, 'records.delimiter', { records: { ...rows, delimiter } }];
    }),
    [RangeError, 'records.delimiter', { records: { ...rows, format: 'tsv', delimiter: '\t' } }],
    [RangeError, 'records.delimiter', { records: { ...rows, format: 'ndjson', delimiter: ',' } }],
    [TypeError, 'records.header', { records: { ...rows, header: 'yes' } }],
    [RangeError, 'records.header', { records: { ...rows, format: 'ndjson', header: true } }],
  ])('are refused: %o "%s" %j', async (Kind, argument, options) => {
    const folder = temporaryFolder();
    const [out, directory] = [join(folder, 'out'), join(folder, 'dir')];
    const refused = { name: Kind.name, argument, message: expect.stringContaining(`"${argument}": expected `) };
    await expect(routeFile('none', { router, out, ...options })).rejects.toMatchObject(refused);
    await expect(routeToDirectory('none', { router, directory, ...options })).rejects.toMatchObject(refused);
    await expect(planLines('none', router, router, options)).rejects.toMatchObject(refused);
    for (const call of [() => hashLines('none', options), () => routeLines('none', router, options)]) {
      expect(call).toThrow(expect.objectContaining(refused));
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[kind: typeof TypeError | typeof RangeError, argument: string, options: object]>([
    [RangeError, 'format', { records: rows, format: 'tsv' }],
    [RangeError, 'asColumn', { records: rows, format: 'shard', asColumn: 'x' }],
    [RangeError, 'asColumn', { asColumn: 'x' }],
    [TypeError, 'asColumn', { records: rows, asColumn: 5 }],
  ])('of routeFile are refused: %o "%s" %j', async (Kind, argument, options) => {
    const running = routeFile('none', { router, out: '/dev/null', ...options });
    await expect(running).rejects.toMatchObject({ name: Kind.name, argument });
  });
});
