import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineLayout, type Layout, layouts } from '../../src/index.js';
import { documentedSql } from '../support/markdown.js';
import { numberTimeMask } from '../support/number-times.js';
import { sharedPostgres } from '../support/postgres.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

const EPOCH = Date.UTC(2024, 0);
const ROWS = scaled(100_000, 50);
const random = randomU64s(ROWS);

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  sql = postgres(server.url);
  await sql`create table ids (n int primary key, "Order Id" bigint)`;
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

const LAYOUTS: [string, Layout][] = [
  ...Object.entries<Layout>(layouts),
  ['64', defineLayout({ all: 64 })],
  ['63', defineLayout({ all: 63 })],
  ['1', defineLayout({ all: 1 })],
  ['63, 1', defineLayout({ top: 63, low: 1 })],
  ['1, 63', defineLayout({ top: 1, rest: 63 })],
  ['1, 62, 1', defineLayout({ top: 1, middle: 62, low: 1 })],
  ['32, 32', defineLayout({ high: 32, low: 32 })],
  ['1, 31, 31, 1', defineLayout({ a: 1, b: 31, c: 31, d: 1 })],
  ['us', defineLayout({ timestamp: { bits: 52, epoch: EPOCH, unit: 'us' }, low: 12 })],
  ['10us', defineLayout({ timestamp: { bits: 48, epoch: EPOCH, unit: '10us' }, low: 16 })],
  ['10ms before 1970', defineLayout({ low: 24, born: { bits: 40, epoch: -EPOCH, unit: '10ms' } })],
  ['s, on top of 64 bits', defineLayout({ born: { bits: 40, epoch: -1, unit: 's', min: 3 }, low: 24 })],
];

/** Ids of a layout, its smallest and its largest among them. */
function idsOf(layout: Layout): BigUint64Array {
  const columns = layout.places.map(({ name, min }) => [name, BigInt(min)]);
  const smallest = layout.pack(Object.fromEntries(columns));
  const mask = numberTimeMask(layout);
  const ids = random.map((value) => (value & mask) | smallest); // the bits of a min are never missing
  ids.set([smallest, mask]);
  return ids;
}

/** Fills `ids` with rows numbered from 1, in a bigint column: ids from 2^63 on are negative there. */
async function load(ids: BigUint64Array): Promise<void> {
  await sql`truncate ids`;
  const signed = new BigInt64Array(ids.buffer, ids.byteOffset, ids.length);
  await sql`insert into ids select n, id from unnest(${`{${signed}}`}::text::bigint[]) with ordinality as given (id, n)`;
}

/** The first rows in which expressions give something else. */
async function differences(expressions: string[], columns: ArrayLike<number | bigint>[]): Promise<string[]> {
  const rows = `string_agg(concat_ws(' ', ${expressions}), ',' order by n)`;
  const [result] = await sql.unsafe<{ rows: string }[]>(`select ${rows} as rows from ids`);
  const got = result?.rows.split(',') ?? [];
  const expected = Array.from(columns[0] ?? [], (_, row) => columns.map((column) => column[row]).join(' '));
  const wrong = expected.flatMap((text, row) => (text === got[row] ? [] : [`row ${row}: ${got[row]}, not ${text}`]));
  return got.length === expected.length ? wrong.slice(0, 5) : [`${got.length} rows, not ${expected.length}`];
}

test.each(LAYOUTS)(`PostgreSQL unpacks ${ROWS} ids as unpackMany: %s`, async (_, layout) => {
  const ids = idsOf(layout);
  await load(ids);
  const columns = layout.unpackMany(ids, { wide: true });
  const { time } = layout;
  if (time === undefined) {
    expect(await differences(Object.values(layout.toSql('ids."Order Id"')), Object.values(columns))).toEqual([]);
    return;
  }
  // Fractions of milliseconds are numeric, with more digits than a double has.
  const { [time.name]: ms = '', ...others } = layout.toSql('ids."Order Id"');
  const { [time.name]: _units, ...otherColumns } = columns;
  expect(
    await differences(
      [time.unitMs < 1 ? `(${ms})::double precision` : ms, ...Object.values(others)],
      [layout.datesOf(ids), ...Object.values(otherColumns)],
    ),
  ).toEqual([]);
});

test('bits above a layout are dropped', async () => {
  const { pinterest } = layouts;
  await load(random);
  const columns = pinterest.unpackMany(random.map((id) => id & pinterest.mask));
  expect(await differences(Object.values(pinterest.toSql('"Order Id"')), Object.values(columns))).toEqual([]);
});

test('expressions stand in larger ones as they are', async () => {
  const ids = idsOf(defineLayout({ all: 64 }));
  await load(ids);
  for (const layout of [defineLayout({ a: 1, b: 53, c: 10 }), defineLayout({ a: 64 })] as Layout[]) {
    const columns = Object.values(layout.unpackMany(ids, { wide: true }));
    const larger = Object.values<string>(layout.toSql('public.ids."Order Id"')).map((field) => `10 - ${field} % 7`);
    const expected = columns.map((column) =>
      Array.from(column as ArrayLike<number | bigint>, (value) => 10n - (BigInt(value) % 7n)),
    );
    expect(await differences(larger, expected)).toEqual([]);
  }
});

test('what docs/sql.md asks a PostgreSQL', async () => {
  const { snowflake } = layouts;
  const date = new Date('2024-03-01T10:30:15.500Z');
  const ids = [122, 123].map((sequence) => snowflake.pack({ timestamp: date, shard: 5, sequence }));
  await sql`create table orders as select unnest(${`{${ids}}`}::text::bigint[]) as id`;
  const rows = await sql.unsafe(documentedSql("PostgreSQL: layouts.snowflake.toSql('id')"));
  expect([...rows]).toEqual([{ shard: '5', created: date }]);
});
