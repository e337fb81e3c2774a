import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ShardMap } from '../../../src/map/index.js';
import { temporaryFolder } from '../../support/cli.js';
import { writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';

/** Names of nodes that a reader of directories of Hive takes for another value. */
export const MISREAD = [
  ...['null', 'NULL', 'Null', '__HIVE_DEFAULT_PARTITION__', '__hive_default_partition__'],
  ...[
    '007',
    '+1',
    '-0',
    '1.0',
    '.5',
    '1e3',
    '1d',
    '0x10',
    'NaN',
    'infinity',
    'epoch',
    '2024-1-1',
    '2024-01-01 10:00',
    '2024 1 1',
    '1_000',
    '0b101',
    ' 7',
    '- ',
  ],
  'ж'.repeat(50),
];

export const MAP = (names: readonly string[]) =>
  JSON.stringify(ShardMap.create({ shards: 64, nodes: names.map((name) => ({ name })) }));
export const ROUTE = [
  'route',
  'k.parquet',
  '--key',
  'k',
  '--keys',
  'u64',
  '--map',
  'map.json',
  '--hive',
  '--out-dir',
  'd',
];

/** A map with such a name is refused for directories of Hive, but not for files. */
export async function expectMisread(name: string): Promise<void> {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), 'select i as k from range(9) r(i)');
  writeFileSync(join(cwd, 'map.json'), MAP(['a', name]));
  const { code, stderr } = await runHere(ROUTE, { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`map.json: --out-dir: expected names`)]);
  expect([stderr.includes(name), readdirSync(cwd)]).toEqual([true, ['k.parquet', 'map.json']]);
  // Files have any name.
  const files = ROUTE.filter((option) => option !== '--hive');
  expect(await runHere(files, { cwd })).toMatchObject({ code: 0, stderr: '' });
}
