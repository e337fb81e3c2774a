// A process that writes to a sharded table all the time, by the access of the example, until it is killed or gets SIGTERM.
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { ShardMap } from 'shardbits/map';
import type { ShardedDatabase } from '../../docs/examples/reshard-postgres/shards.js';
import { keyOf, Ledger, randomFrom, type Value } from './resharding-ledger.js';

/** How many changes are under way at the same time, each of other rows. */
const LOOPS = 10;

const [name, folder, log, urls, mapText, ids] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const { ShardedDatabase: Access } = await import(`${folder}/shards.js`);
const ledger = new Ledger(log);
const options = { max: LOOPS, connection: { application_name: name } };
const clients = Object.entries<string>(JSON.parse(urls)).map(([database, url]) => [database, postgres(url, options)]);
const database: ShardedDatabase = new Access(Object.fromEntries(clients), ShardMap.from(mapText));

let isEnding = false;
process.once('SIGTERM', () => {
  isEnding = true;
});

async function read(id: number): Promise<void> {
  const rows = await database.read(keyOf(id), (sql) => sql`select value from items where id = ${id}`);
  ledger.add(['read', id, rows[0]?.value ?? null]);
}

/** @param pauseMs how long the transaction waits before its commit */
async function change(id: number, before: Value, value: Value, pauseMs: number): Promise<void> {
  ledger.add(['tried', id, value]);
  const count = await database.write(keyOf(id), async (sql, shard) => {
    const changed =
      before === null
        ? await sql`insert into items (id, shard, value) values (${id}, ${shard}, ${value})`
        : value === null
          ? await sql`delete from items where id = ${id}`
          : await sql`update items set value = ${value} where id = ${id}`;
    await setTimeout(pauseMs);
    return changed.count;
  });
  ledger.add(['done', id, value]);
  if (count !== 1) ledger.add(['fault', `lost: there was no row ${id} to change from ${before} to ${value}`]);
}

/** Changes rows of its own, one after the other. */
async function work(loop: number): Promise<void> {
  const random = randomFrom(Date.now() + loop);
  for (let n = 0; !isEnding; n++) {
    const id = loop + LOOPS * random(Math.floor(Number(ids) / LOOPS));
    const possible = ledger.possible(id);
    const kind = random(10);
    const value = kind < 4 && possible[0] !== null ? null : `${name} ${process.pid} ${loop} ${n}`;
    try {
      // A row whose last answer was lost is read first.
      if (kind < 2 || possible.length > 1) await read(id);
      else await change(id, possible[0], value, random(2) * random(40));
    } catch (error) {
      ledger.add(['fault', `the row ${id} cannot be used: ${error}`]);
    }
    await setTimeout(random(30));
  }
}

await Promise.all(Array.from({ length: LOOPS }, (_, loop) => work(loop)));
process.exit();
