import { retrying } from '../retrying.js';
import { type Space, StoreConflictError } from '../store.js';
import { type Connection, codeOf } from './postgres-client.js';

const TABLES = [
  // A shard's row is never deleted: its token counts for ever.
  `create table if not exists shardbits_leases (
    shard integer primary key,
    owner bytea not null,
    token bigint not null,
    expires timestamptz not null, -- by the server's clock
    not_before bigint not null, -- up to when the holders before may have minted, in Unix milliseconds
    minted_until bigint not null -- and this one too
  )`,
  `create table if not exists shardbits_settings (
    name text primary key,
    value text not null
  )`,
  `create table if not exists shardbits_counters (
    space text not null,
    prefix bigint not null,
    last bigint not null,
    primary key (space, prefix)
  )`,
  keysTable('types'),
  keysTable('strings'), // the last one, so that where it is the others are
];

function keysTable(space: Space): string {
  return `create table if not exists shardbits_${space} (
    name bytea primary key, -- the key, or what stands for a long one
    whole bytea, -- a long key
    id bigint not null unique -- the same bits, so that ids from 2^63 on are negative
  )`;
}

/** Makes the tables that are missing, also when others do at the same time. */
export function createTables(connection: Connection): Promise<void> {
  return retrying(async () => {
    if (await hasTables(connection)) return;
    for (const table of TABLES) await connection.query(table).catch(whenRaced);
  });
}

// Asked first, so that those who may not create tables can use them.
async function hasTables(connection: Connection): Promise<boolean> {
  try {
    await connection.query('select id from shardbits_strings limit 0');
    return true;
  } catch (error) {
    if (codeOf(error) === '42P01') return false; // undefined_table
    throw error;
  }
}

// "if not exists" looks before it makes: in between others may have made the table (duplicate_table), its
// type (duplicate_object) or its entries in the catalogue (unique_violation).
function whenRaced(error: unknown): never {
  if (!['42P07', '42710', '23505'].includes(codeOf(error))) throw error;
  throw new StoreConflictError('others are making the tables', { cause: error });
}
