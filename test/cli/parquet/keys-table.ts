import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BytesColumn, Keys, Routing } from '../../../src/index.js';
import { randomKeys } from '../../partitioners/random-keys.js';
import { utf8 } from '../../support/bytes.js';
import { temporaryFolder } from '../../support/cli.js';
import { parquetTypes, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { IS_FULL } from '../../support/scale.js';

/** More rows than one piece of 2,048 in the full run. The quick run has pieces in the test of equal keys. */
const COUNT = IS_FULL ? 2500 : 250;

/** Keys of every kind, as the library takes them. */
export const KEYS = {
  texts: (randomKeys('text', COUNT).keys as string[]).map((text) => text.replace(/\p{Surrogate}/gu, '')),
  bytes: randomKeys('bytes', COUNT).keys as BytesColumn,
  int32s: randomKeys('int32', COUNT).keys as Int32Array,
  int64s: randomKeys('int64', COUNT).keys as BigInt64Array,
  uuids: (randomKeys('uuid', COUNT).keys as string[]).map((uuid) => uuid.toLowerCase()),
};

const bytesOf = (row: number) => KEYS.bytes.data.subarray(KEYS.bytes.offsets[row], KEYS.bytes.offsets[row + 1]);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The numbers of the rows. */
export const numbers = Array.from({ length: COUNT }, (_, n) => n);

export const shards = (routing: Routing<any>, keys: unknown) => [...routing.routeMany(keys as Keys)];

/** Runs a command that must succeed, into a folder of its own. */
export async function succeed(args: string[]): Promise<string> {
  const cwd = temporaryFolder();
  const run = await runHere(args, { cwd });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return cwd;
}

/** A Parquet file with a column for each type of keys. @returns its path */
export async function keysTable(folder: string): Promise<string> {
  const json = join(folder, 'keys.ndjson');
  const rows = KEYS.texts.map((text, row) => ({
    n: row,
    text: hex(utf8(text)),
    bytes: hex(bytesOf(row)),
    int32: KEYS.int32s[row],
    int64: String(KEYS.int64s[row]),
    u64: String(BigInt.asUintN(64, KEYS.int64s[row])),
    uuid: KEYS.uuids[row],
  }));
  writeFileSync(json, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const path = join(folder, 'keys.parquet');
  await writeParquet(
    path,
    `select n, decode(unhex(text)) as text, unhex(bytes) as bytes, int32, int64, u64, uuid,
      { 'key': decode(unhex(text)), 'tags': [n, n + 1] } as user, case when n % 10 = 0 then null else int64 end as nullable,
      (n % 100)::tinyint as tiny, (n % 200)::utinyint as utiny, (n % 30000)::smallint as small, n::usmallint as usmall,
      (int64 & 4294967295)::uinteger as uint, int64::varchar as int64_text, upper(uuid::varchar) as uuid_text,
      int64::decimal(38, 0) as whole, n / 2 as fraction, date '2024-01-01' + n::integer as day,
      (['red', 'green', 'blue'])[n % 3 + 1]::enum('red', 'green', 'blue') as colour, decode(unhex(text)) as "a.b"
    from read_json('${json}', columns = { n: 'bigint', text: 'varchar', bytes: 'varchar', int32: 'integer',
      int64: 'bigint', u64: 'ubigint', uuid: 'uuid' }) order by n`,
  );
  return path;
}

/** A directory has a file with all columns of a table for each shard, also for those without rows. */
export async function expectEmptyFiles(out: string, shards: number, table: string): Promise<void> {
  expect(readdirSync(out)).toHaveLength(shards + 1);
  const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  const { name } = files.find(({ rows }: { rows: number }) => rows === 0);
  expect(await parquetTypes(join(out, name))).toEqual(await parquetTypes(table));
}
