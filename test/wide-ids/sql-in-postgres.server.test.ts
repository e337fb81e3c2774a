import postgres from 'postgres';
import { ulid } from 'ulid';
import { v4, v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxUlidAt, maxUuidAt, minUlidAt, minUuidAt } from '../../src/wide-ids/index.js';
import { documentedSql } from '../support/markdown.js';
import { sharedPostgres } from '../support/postgres.js';
import { randomBytes, randomU64s } from '../support/random.js';

const FROM = Date.UTC(2022, 2);
const TO = Date.UTC(2022, 3);

/** Milliseconds of 2022, and those around the month of the query. */
const times = [
  ...Array.from(randomU64s(1000), (value) => Date.UTC(2022, 0) + Number(value % 31_536_000_000n)),
  ...[FROM - 1, FROM, FROM + 1, TO - 1, TO],
];
const inMonth = times.filter((ms) => ms >= FROM && ms < TO).length;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  sql = postgres(server.url);
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

test('what docs/sql.md asks a PostgreSQL about UUIDs', async () => {
  const title = "PostgreSQL: from minUuidAt(new Date('2022-03-01')) to maxUuidAt(new Date('2022-03-31T23:59:59.999Z'))";
  const statement = documentedSql(title);
  expect(statement).toContain(`'${minUuidAt(FROM)}'`);
  expect(statement).toContain(`'${maxUuidAt(TO - 1)}'`);
  const ids = times.map((msecs, i) => v7({ msecs, random: randomBytes(16, i) }));
  await sql`create table users as select unnest(${`{${ids}}`}::text::uuid[]) as id`;
  expect([...(await sql.unsafe(statement))]).toEqual([{ count: `${inMonth}` }]);
  await sql`insert into users values (${v4({ random: new Uint8Array(16) })}::uuid)`; // of 1970, if it had a time
  expect([...(await sql.unsafe(statement))]).toEqual([{ count: `${inMonth}` }]);
});

test.each(['"C"', '"en-x-icu"'])('ULIDs as text with collation %s', async (collation) => {
  const ids = times.map((ms) => ulid(ms));
  const [row] = await sql`
    select count(*) from unnest(${`{${ids}}`}::text::text[]) as id
    where id >= ${minUlidAt(FROM)} collate ${sql.unsafe(collation)}
      and id <= ${maxUlidAt(TO - 1)} collate ${sql.unsafe(collation)}`;
  expect(row).toEqual({ count: `${inMonth}` });
});
