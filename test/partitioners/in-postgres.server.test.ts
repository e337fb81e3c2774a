import { once } from 'node:events';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { sharedPostgres } from '../support/postgres.js';
import { scaled } from '../support/scale.js';
import { type RandomKeys, randomKeys } from './random-keys.js';
import { expectSame } from './real-systems.js';

const MODULI = [12, 7];
const KEYS = scaled(100_000, 40);
/** Of each kind of key: its type in PostgreSQL, and the functions that hash it to 32 bits and with a seed to 64. */
const TYPES = {
  text: ['text', 'hashtext', 'hashtextextended'],
  bytes: ['bytea', 'hashbytea', 'hashbyteaextended'],
  int32: ['int', 'hashint4', 'hashint4extended'],
  int64: ['bigint', 'hashint8', 'hashint8extended'],
  uuid: ['uuid', 'uuid_hash', 'uuid_hash_extended'],
} as const;

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  sql = postgres(server.url, { max: 1 });
  await sql`set work_mem = '256MB'`; // to sort the rows in memory
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

describe.each(['text', 'bytes', 'int32', 'int64', 'uuid'] as const)('%s keys', (kind) => {
  const [type, hash32, hash64] = TYPES[kind];
  let keys: RandomKeys;
  let hashes: { citus: Int32Array; postgres: BigUint64Array };
  const remainders = new Map<number, Uint32Array>();

  beforeAll(async () => {
    keys = kind === 'text' ? textsWithoutNul() : randomKeys(kind, KEYS);
    await sql.unsafe(`create temporary table keys (row int, key ${type})`);
    const copy = await sql.unsafe('copy keys from stdin (format binary)').writable();
    copy.end(binaryRows(keys.rows));
    await once(copy, 'finish');
    for (const modulus of MODULI) remainders.set(modulus, await insertedInto(modulus, kind, type));
    const [row] = await sql.unsafe(`
      select string_agg(${hash32}(key)::text, ' ' order by row) as citus,
        string_agg(${hash64}(key, ${0x7a5b22367996dcfdn})::text, ' ' order by row) as postgres from keys`);
    hashes = {
      citus: Int32Array.from(row?.citus.split(' ')),
      postgres: BigUint64Array.from(row?.postgres.split(' '), (hash: string) => BigInt(hash) + 0x49a0f4dd15e5a8e3n),
    };
  });

  afterAll(() => sql.unsafe('drop table keys'));

  it('are told from the partitions of a table, with some of Citus', () => {
    const others = partitioner('citus', { shards: 12, key: kind }).routeMany(keys.keys);
    const ofKind = kind === 'text' || kind === 'bytes' ? '' : ` --keys ${kind}`;
    expectDetected(keys.keys, remainders.get(12) ?? [], others, `--as postgres --shards 12${ofKind}`);
  });

  onBothBackends('in PostgreSQL', () => {
    it.each(MODULI)('are stored in the partitions of a table, modulus %i', (modulus) => {
      const ours = partitioner('postgres', { modulus, key: kind }).routeMany(keys.keys);
      expectSame(keys, ours, remainders.get(modulus) ?? []);
    });

    it('have the row hashes of the partitioned table as tokens', () => {
      expectSame(keys, partitioner('postgres', { modulus: 12, key: kind }).tokens(keys.keys), hashes.postgres);
    });

    it('have the hashes of hash indexes as the tokens of Citus', () => {
      expectSame(keys, partitioner('citus', { shards: 32, key: kind }).tokens(keys.keys), hashes.citus);
    });
  });
});

/** Text in PostgreSQL cannot have the character NUL. */
function textsWithoutNul(): RandomKeys {
  const { keys } = randomKeys('text', KEYS);
  const texts = (keys as string[]).map((key) => key.replaceAll('\0', ''));
  return { kind: 'text', keys: texts, rows: texts.map(utf8) };
}

/** Numbered rows in the binary format of COPY, which takes values of each of our types as they are in `rows`. */
function binaryRows(rows: readonly Uint8Array[]): Buffer {
  const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
  const tuples = rows.map((row, i) => {
    const tuple = Buffer.alloc(14 + row.length);
    tuple.writeInt16BE(2, 0); // fields, each after its length
    tuple.writeInt32BE(4, 2);
    tuple.writeInt32BE(i, 6);
    tuple.writeInt32BE(row.length, 10);
    tuple.set(row, 14);
    return tuple;
  });
  return Buffer.concat([header, ...tuples, Buffer.from([0xff, 0xff])]);
}

/** Inserts all keys into a partitioned table. @returns the remainders of the partitions in which they are */
async function insertedInto(modulus: number, kind: string, type: string): Promise<Uint32Array> {
  const table = `${kind}_of_${modulus}`;
  await sql.unsafe(`create table ${table} (row int, key ${type}) partition by hash (key)`);
  for (let remainder = 0; remainder < modulus; remainder++) {
    await sql.unsafe(
      `create table ${table}_${remainder} partition of ${table} for values with (modulus ${modulus}, remainder ${remainder})`,
    );
  }
  await sql.unsafe(`insert into ${table} select * from keys`);
  const [row] = await sql.unsafe(
    `select string_agg(tableoid::regclass::text, ' ' order by row) as partitions from ${table}`,
  );
  await sql.unsafe(`drop table ${table}`);
  return Uint32Array.from(row?.partitions.split(' '), (name: string) => Number(name.slice(table.length + 1)));
}
