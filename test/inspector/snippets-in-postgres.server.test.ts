import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Layout, layouts } from '../../src/index.js';
import { snippetOf } from '../../src/inspector/decode/layout-choice.js';
import { sharedPostgres } from '../support/postgres.js';

const ID = 937847820382261308n;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  sql = postgres(server.url);
  await sql`create table ids (id bigint)`;
  await sql`insert into ids values (${String(ID)})`;
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

it.each([
  'discord',
  'sonyflake',
  'cockroachdb',
  'pinterest',
] as const)('a snippet for %s runs in PostgreSQL, and gives what the library gives', async (spec) => {
  const layout: Layout = layouts[spec];
  const [row] = await sql.unsafe(snippetOf('postgres', { spec }, layout));
  const { id, created_at: createdAt, ...fields } = row as postgres.Row;
  expect(id).toBe(String(ID));
  expect(createdAt).toEqual(layout.time && layout.dateOf(ID));
  const numbers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Number(value)]));
  const expected = Object.entries(layout.unpack(ID)).map(([name, value]) => [name, Number(value)]);
  expect(numbers).toEqual(Object.fromEntries(expected));
});
