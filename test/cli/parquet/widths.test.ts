// Columns of integers whose width matters to the system that hashes them: the system's own result, or an error.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { parquetColumn } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { quick } from './parts.js';
import { expectRefused, expectTextsRefused, FILES, INTEGERS, OTHER_WIDTHS, ROADS, TEXTS } from './widths.js';
import { widthsCases } from './widths-cases.js';

widthsCases(quick);

it.each(OTHER_WIDTHS)('%s hashes other columns in other ways: they are refused', async (system, [column]) => {
  await expectRefused(system, [String(column)], ROADS.slice(0, 1));
});

it.each(['u8', 'u16', 'u32', 'ip4'])('columns that ClickHouse wrote are where it has put them: %s', async (name) => {
  const file = join(FILES, `clickhouse-${name}.parquet`);
  const args = ['audit', file, '--key', 'k', '--shard-column', 'si', '--as', 'clickhouse:sipHash64', '--shards', '12'];
  const { code, stdout } = await runHere(args);
  expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^fit +100 \(100\.00 %\)$/m)]);
});

it('enumerations and JSON are refused where systems do not hash their text', async () => {
  await expectTextsRefused(TEXTS.map(([key, type, systems]) => [key, type, systems.slice(-1)]));
});

it('--keys says what a column is in the system', async () => {
  const cwd = temporaryFolder();
  for (const kind of ['int32', 'int64'] as const) {
    const args = ['route', INTEGERS, '--key', 'u8', '--as', 'clickhouse:sipHash64', '--keys', kind, '--shards', '12'];
    expect(await runHere([...args, '--out', `${kind}.parquet`], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const keys = kind === 'int32' ? Int32Array.of(42) : BigInt64Array.of(42n);
    const [shard] = make('clickhouse', { hash: 'sipHash64', shards: 12, key: kind }).routeMany(keys as never);
    expect((await parquetColumn(join(cwd, `${kind}.parquet`)))[0]).toBe(shard);
  }
});
