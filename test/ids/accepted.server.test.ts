import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeVector } from 'apache-arrow';
import { expect, expectTypeOf, it } from 'vitest';
import { unpackVector } from '../../src/arrow/index.js';
import { register } from '../../src/engines/duckdb/index.js';
import { layoutSql } from '../../src/engines/sql/index.js';
import { registerSqlite } from '../../src/engines/sqlite/functions.js';
import { layouts as idLayouts } from '../../src/ids/index.js';
import { type IdLayout, Layout, layouts, SnowflakeGenerator } from '../../src/index.js';
import { layoutOf } from '../../src/layout/layout.js';
import { decodeFile, encodeFile } from '../../src/node/index.js';

type Snowflake = typeof idLayouts.snowflake;

const ID = 286435872092454913n;

/** What jobs on files write. */
async function written(input: string, job: (path: string, out: string) => Promise<unknown>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  try {
    const [path, out] = [join(folder, 'in.txt'), join(folder, 'out.txt')];
    writeFileSync(path, input);
    await job(path, out);
    return readFileSync(out, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inDuckdb(layout: IdLayout): Promise<unknown> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await register(connection, { layouts: { mine: layout } });
  const reader = await connection.runAndReadAll(`
    select id_time(${ID}::bigint, 'mine'), (id_fields(${ID}::bigint, 'mine')).sequence,
      id_range('2024-03-01'::timestamp, 'mine'), pack_id({ timestamp: '2024-03-01'::timestamp, shard: 5, sequence: 1 }, 'mine')`);
  const [row] = reader.getRows();
  connection.closeSync();
  instance.closeSync();
  return row.map(String);
}

function inSqlite(layout: IdLayout): unknown {
  const functions: { [name: string]: (...values: unknown[]) => unknown } = {};
  registerSqlite({ function: (name, _, call) => (functions[name] = call) }, { layouts: { mine: layout } });
  return [functions.id_time(ID, 'mine'), functions.id_fields(ID, 'mine'), functions.min_id_at(1740822833628n, 'mine')];
}

it.each<[where: string, call: (layout: Snowflake) => unknown]>([
  ['SnowflakeGenerator', (layout) => new SnowflakeGenerator({ layout, shard: 5, clock: () => 1740822833628 }).next()],
  ['layoutSql', (layout) => layoutSql('spark', layout, 'snowflake')],
  ['unpackVector', (layout) => [...unpackVector(layout, makeVector([BigUint64Array.of(ID)])).sequence]],
  ['register of shardbits/duckdb', inDuckdb],
  ['registerSqlite', inSqlite],
  ['decodeFile', (layout) => written(`${ID}\n`, (path, out) => decodeFile(path, { layout, out }))],
  [
    'encodeFile',
    (layout) =>
      written('timestamp\tshard\tsequence\n1740822833628\t0\t1\n', (path, out) => encodeFile(path, { layout, out })),
  ],
])('%s takes a layout of shardbits/ids, and gives the same as with one of shardbits', async (_, call) => {
  const expected = await call(layouts.snowflake);
  expect(expected).toBeTruthy();
  expect(await call(idLayouts.snowflake)).toEqual(expected);
});

it('a generator has the layout with methods for columns', () => {
  const { layout } = new SnowflakeGenerator({ layout: idLayouts.snowflake, shard: 5 });
  expect(layout.unpackMany(BigUint64Array.of(ID))).toEqual(layouts.snowflake.unpackMany(BigUint64Array.of(ID)));
  expect(new SnowflakeGenerator({ layout: layouts.discord, shard: 5 }).layout).toBe(layouts.discord);
});

it('layouts of shardbits/ids have no methods for columns', () => {
  for (const name of ['packMany', 'unpackMany', 'datesOf', 'toSql']) {
    expect(name in idLayouts.snowflake, name).toBe(false);
    expect(name in layouts.snowflake, name).toBe(true);
  }
});

it('layoutOf gives a layout with them, of the same fields', () => {
  for (const [name, layout] of Object.entries<IdLayout>(idLayouts)) {
    const full = layoutOf('layout', layout);
    expect(full).toBeInstanceOf(Layout);
    expect([full.toJSON(), full.places]).toEqual([layout.toJSON(), layout.places]);
    expect(layoutOf('layout', full), name).toBe(full);
  }
});

it('the compiler knows the fields of a layout where it is accepted', () => {
  const vector = makeVector([BigUint64Array.of(ID)]);
  for (const layout of [layouts.snowflake, idLayouts.snowflake] as const) {
    expectTypeOf(unpackVector(layout, vector)).toHaveProperty('sequence');
    // @ts-expect-error there is no such field
    expect(unpackVector(layout, vector).nothing).toBeUndefined();
  }
});
