// What is done with rows. A row travels and is compared as the text of the whole row, in which no type loses anything.
import type { Database, Query } from './database.js';

const KEY_TYPES = ['smallint', 'integer', 'bigint', 'uuid', 'text']; // equal keys of these have equal texts

export type Move = Readonly<{ shard: number; from: Database; to: Database }>;
export type Table = Awaited<ReturnType<typeof openTable>>;
type Config = Readonly<{ table: string; key: string; shard: string; batch?: number }>;

const quoted = (name: string) => name.replaceAll('"', '""').replace(/[^.]+/g, '"$&"');

/** @throws Error if the table cannot be moved, or is not the same in all databases */
export async function openTable(databases: readonly Database[], config: Config) {
  const { batch = 500 } = config; // rows a statement
  const [table, key, shardColumn] = [config.table, config.key, config.shard].map(quoted);
  const columns = `
    select string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), nullif(attgenerated, '')), ', ' order by attnum) as all,
      string_agg(quote_ident(attname), ', ') filter (where attgenerated = '') as written,
      max(format_type(atttypid, atttypmod)) filter (where attname = $2 and attnotnull and exists (select from pg_index
        where indrelid = attrelid and indkey::text = attnum::text and indisunique and indpred is null)) as type
    from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped`;
  const found = await Promise.all(databases.map(({ query }) => query(columns, [table, config.key])));
  const [{ all, type, written }] = found[0];
  for (const [i, [own]] of found.entries()) {
    const [here, there] = [databases[i].name, databases[0].name];
    if (own.all !== all) throw new Error(`${table} has the columns ${own.all} in ${here}, and ${all} in ${there}`);
    if (!KEY_TYPES.includes(own.type)) throw new Error(`${key} is not a unique ${KEY_TYPES.join(' or ')} in ${here}`);
  }
  const picked = `where ${shardColumn} = $1 and ${key} = any($2::text[]::${type}[])`;
  const erase = (query: Query, shard: number, some: string[]) => query(`delete from ${table} ${picked}`, [shard, some]);

  /** Notes the key of each row of some shards that changes from now on. */
  async function follow(query: Query, shards: readonly number[]): Promise<void> {
    // The trigger itself names the shards: in a table, a transaction with an old snapshot would not find them. Creating it
    // waits for the transactions that have written to the table, and all that write to it later fire the trigger.
    await query(`
      create table reshard.outbox (shard integer, seq bigserial, key text, primary key (shard, seq));
      create function reshard.note() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
      begin
        if tg_op = 'TRUNCATE' then raise 'TRUNCATE is not possible while shards move'; end if;
        insert into reshard.outbox (shard, key)
          select distinct * from (values (old.${shardColumn}, old.${key}::text), (new.${shardColumn}, new.${key}::text))
            as changed (shard, key) where shard = any(tg_argv[0]::integer[]);
        return null;
      end $$;
      create trigger reshard_note after insert or update or delete on ${table}
        for each row execute function reshard.note('{${shards.join()}}');
      create trigger reshard_truncate before truncate on ${table} execute function reshard.note('{}');`);
  }

  /** The keys of a shard in their order, in batches, after a key. */
  async function* keys({ query }: Database, shard: number, after: string | null = null): AsyncGenerator<string[]> {
    for (let last = after; ; ) {
      const condition = last === null ? '' : `and ${key} > $2::text::${type}`;
      const select = `select ${key}::text as key from ${table} where ${shardColumn} = $1 ${condition}`;
      const rows = await query(`${select} order by ${key} limit ${batch}`, last === null ? [shard] : [shard, last]);
      if (rows.length > 0) yield rows.map((row) => row.key);
      if (rows.length < batch) return;
      last = rows[batch - 1].key;
    }
  }

  /**
   * Gives the target the rows with these keys that the source has now, and no others. Since it takes the newest rows, it
   * may do so twice, and in any order.
   * @param also what belongs to the same transaction
   */
  async function carry({ shard, from, to }: Move, some: string[], also?: (query: Query) => Promise<unknown>) {
    const rows = await from.query(`select whole::text from ${table} whole ${picked}`, [shard, some]);
    await to.transaction(async (query) => {
      await erase(query, shard, some);
      const insert = `insert into ${table} (${written}) overriding system value select ${written}`;
      await query(`${insert} from unnest($1::text[]::${table}[])`, [rows.map(({ whole }) => whole)]);
      await also?.(query);
    });
  }

  /**
   * Carries the rows that the outbox names, until it has less than a batch. It deletes entries by their number. A position
   * would not do: numbers are given before the commit, so that a smaller one may appear after a larger one.
   */
  async function catchUp(move: Move, carried = new Set<string>()): Promise<void> {
    const { shard, from } = move;
    for (let count = batch; count === batch; ) {
      const select = 'select seq, key from reshard.outbox where shard = $1 order by seq limit $2';
      const entries = await from.query(select, [shard, batch]);
      for (const entry of entries) carried.add(entry.key);
      await carry(move, [...new Set(entries.map((entry) => entry.key))]);
      const seqs = entries.map(({ seq }) => seq);
      await from.query('delete from reshard.outbox where shard = $1 and seq = any($2)', [shard, seqs]);
      count = entries.length;
    }
  }

  /** Those of these keys whose rows are not the same in both databases, or only in one of them. */
  async function differing({ shard, from, to }: Move, some: string[]): Promise<string[]> {
    const hashes = `select ${key}::text as key, md5(whole::text) from ${table} whole ${picked}`;
    const rows = await Promise.all([from, to].map(({ query }) => query(hashes, [shard, some])));
    const [a, b] = rows.map((side) => new Map(side.map((row) => [row.key, row.md5])));
    return some.filter((one) => a.get(one) !== b.get(one));
  }

  return { name: table, shardColumn, follow, keys, carry, catchUp, differing, erase };
}
