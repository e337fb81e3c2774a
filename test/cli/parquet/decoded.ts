import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formatIds, type Layout } from '../../../src/index.js';
import { temporaryFolder } from '../../support/cli.js';
import { duckdb, writeParquet } from '../../support/parquet.js';
import { randomU64s } from '../../support/random.js';
import { runHere } from '../../support/run-here.js';

const COUNT = 300;

/** Ids of a layout, its smallest and its largest one among them. */
function idsOf(layout: Layout): bigint[] {
  // No field is below its smallest value, and times are those that dates can have.
  const least = layout.places.reduce((id, { min, shift }) => id | (BigInt(min) << BigInt(shift)), 0n);
  const mask = layout.time === undefined ? layout.mask : layout.mask >> 2n;
  return [least, mask, ...[...randomU64s(COUNT)].map((id) => (id & mask) | least)];
}

/** Writes ids as a column of texts. */
export function ndjson(path: string, ids: readonly unknown[], name = 'key'): void {
  writeFileSync(path, ids.map((id) => `${JSON.stringify({ [name]: String(id) })}\n`).join(''));
}

/** Numbers as texts, and a date to the millisecond. */
export function comparable(row: { [name: string]: unknown }) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (name !== 'date') return [name, typeof value === 'number' ? String(value) : value];
      const text = String(value).replace(' ', 'T').replace(/Z$/, '');
      return [name, new Date(`${text}Z`).toISOString()];
    }),
  );
}

/** Parquet and NDJSON with the same ids are decoded to the same values. */
export async function expectSameValues(name: string, layout: Layout, more: readonly string[] = []): Promise<void> {
  const cwd = temporaryFolder();
  ndjson(join(cwd, 'ids.ndjson'), idsOf(layout));
  const hex = formatIds(BigUint64Array.from(idsOf(layout)), 'hex');
  const texts = `read_json('${join(cwd, 'ids.ndjson')}', columns = { key: 'ubigint' })`;
  await writeParquet(join(cwd, 'ids.parquet'), `select key, printf('%016x', key) as hex from ${texts}`);
  expect(hex).toHaveLength(idsOf(layout).length);
  const options = ['--layout', name, ...more];
  const run = await runHere(['decode', 'ids.ndjson', '--ndjson', '--key', 'key', ...options, '--out', 'o'], { cwd });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const expected = readFileSync(join(cwd, 'o'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const column of [['key'], ['hex', '--text', 'hex']]) {
    const args = ['decode', 'ids.parquet', '--key', ...column, ...options, '--out', 'out.parquet'];
    expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    const got = await duckdb(`select * exclude (hex) from '${join(cwd, 'out.parquet')}'`);
    expect(got.map(comparable)).toEqual(expected.map(comparable));
  }
}
