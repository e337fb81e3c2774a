// Rows of two and three columns of every kind, a fifth of the values NULL, against the partitions in which a PostgreSQL
// stores them.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type KeyKind, partitioner, systems } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { sharedPostgres } from '../support/postgres.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { columnNames, type RandomRows, randomRows, signaturesOf, textRows } from './random-rows.js';
import { expectSameRows } from './real-systems.js';
import { inPlaces, type RowsInPlaces, WAYS } from './ways-of-rows.js';

/** PostgreSQL has no smaller integers, and none without a sign: those of 64 bits are stored as the same bits. */
const TYPES: { readonly [kind in KeyKind]?: string } = {
  ...{ text: 'text', bytes: 'bytea', uuid: 'uuid', date: 'date', time: 'time', timestamp: 'timestamp' },
  ...{ int8: 'smallint', int16: 'smallint', int32: 'int', int64: 'bigint' },
  ...{ uint8: 'smallint', uint16: 'int', uint32: 'bigint', u64: 'bigint' },
};

/** In the quick run every fourth one: all kinds are among them. */
const SIGNATURES = signaturesOf(systems.postgres.keys).filter((_, i) => IS_FULL || i % 4 === 0);
/** 100,000 rows of two columns and as many of three. */
const ROWS = scaled(Math.ceil(200_000 / SIGNATURES.length), 100);
const MODULUS = IS_FULL ? 97 : 7;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  server = await sharedPostgres();
  sql = postgres(server.url, { max: 1 });
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(SIGNATURES.map((kinds) => [kinds.join(', '), kinds] as const))('(%s)', (_, kinds) => {
  const rows = randomRows(kinds, ROWS, { hasNull: true });
  const by = partitioner('postgres', { modulus: MODULUS, key: kinds });
  let remainders: Uint32Array;
  let places: RowsInPlaces;

  beforeAll(async () => {
    remainders = await insertedInto(rows);
    places = await inPlaces(rows, mkdtempSync(join(folder, 'rows-')), [by]);
  });

  afterAll(() => places?.close());

  onBothBackends('is stored in the partitions of a table', () => {
    it.each(WAYS)('%s', async (way) => {
      const shards = await places.shards(way, by);
      if (shards !== undefined) expectSameRows(rows, shards, remainders);
    });

    it('a function of DuckDB', async () => {
      expectSameRows(rows, await places.inDuckDb((key) => `postgres_remainder(${key}, ${MODULUS})`), remainders);
    });
  });
});

/** Inserts rows into a partitioned table. @returns the remainders of the partitions in which they are */
async function insertedInto(rows: RandomRows): Promise<Uint32Array> {
  const names = columnNames(rows);
  const columns = rows.kinds.map((kind, i) => `${names[i]} ${TYPES[kind]}`);
  await sql.unsafe(`create table keys (row int, ${columns}) partition by hash (${names})`);
  await sql.unsafe(`do $$ begin
    for remainder in 0..${MODULUS - 1} loop
      execute format('create table keys_%1$s partition of keys for values with (modulus ${MODULUS}, remainder %1$s)', remainder);
    end loop;
  end $$`);
  const copy = await sql.unsafe('copy keys from stdin').writable();
  const lines = textRows(rows).map((values, row) => [row, ...values.map((text, i) => fieldOf(rows.kinds[i], text))]);
  copy.end(lines.map((fields) => `${fields.join('\t')}\n`).join(''));
  await once(copy, 'finish');
  const [row] = await sql.unsafe(
    `select string_agg(tableoid::regclass::text, ' ' order by row) as partitions from keys`,
  );
  await sql.unsafe('drop table keys');
  return Uint32Array.from(row?.partitions.split(' '), (name: string) => Number(name.slice('keys_'.length)));
}

/** A value for COPY. */
function fieldOf(kind: KeyKind, text: string | null): string {
  if (text === null) return '\\N';
  if (kind === 'bytes') return `\\\\x${text}`;
  if (kind === 'u64') return String(BigInt.asIntN(64, BigInt(text)));
  return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
