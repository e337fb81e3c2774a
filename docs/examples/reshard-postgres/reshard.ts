// Moves shards of a table between PostgreSQL databases while programs write to it. README.md has the steps and the limits.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ShardMap } from 'shardbits/map';
import { type Database, openDatabase, patiently, type Query } from './database.js';
import { type Move, openTable, type Table } from './table.js';

const FREEZE_MS = 10_000; // after which a shard that is not cut over is opened again

const databases: Database[] = [];
const stop = new AbortController();
let step = 'reshard'; // for errors

const read = (path: string | URL) => readFileSync(path, 'utf8');
const fail = (message: string): never => {
  throw new Error(message);
};
const named = (name = '') => databases.find((one) => one.name === name) ?? fail(`there is no URL of database ${name}`);

/** Opens frozen shards. That is always safe, because no other database serves a shard that is frozen here. */
const thaw = (at: Database) => at.query("update shards_here set state = 'owned', other = null where state = 'frozen'");

async function change(query: Query, shard: number, before: string, after: string, other: string | null): Promise<void> {
  const update = 'update shards_here set state = $3, other = $4 where shard = $1 and state = $2 returning shard';
  if ((await query(update, [shard, before, after, other])).length !== 1) fail(`shard ${shard} is not ${before}`);
}

/** The databases that have each shard in one of these states: one name, '' if there is none, or several of them. */
async function holders(shards: number, ...states: string[]): Promise<string[]> {
  const names = Array.from({ length: shards }, () => '');
  for (const { name, query } of databases) {
    const rows = await query('select shard from shards_here where state = any($1)', [states]);
    for (const { shard } of rows) names[Number(shard)] += names[Number(shard)] ? ` and ${name}` : name;
  }
  return names;
}

/** Gives the shards that no database knows to those that the map names. */
async function init(table: Table, map: ShardMap): Promise<void> {
  const known = await holders(map.shards, 'owned', 'arriving', 'moved');
  for (const { name, query } of map.nodes.map((node) => named(node.name))) {
    const shards = [...map.shardsOf(name)].filter((shard) => !known[shard]);
    await query("insert into shards_here (shard, state) select unnest($1::integer[]), 'owned'", [shards]);
    const owned = "select shard from shards_here where state = 'owned'";
    const [row] = await query(`select ${table.shardColumn} as shard from ${table.name} except ${owned} limit 1`);
    if (row !== undefined) fail(`${name} has rows of shard ${row.shard}, which it does not own`);
  }
}

/** Creates what the moves need in one database, all of it or nothing. */
async function prepare(table: Table, database: Database, todo: readonly Move[], plan: string): Promise<void> {
  const leaving = todo.filter(({ from }) => from === database).map(({ shard }) => shard);
  const work = async (query: Query) => {
    await query(`create schema reshard; comment on schema reshard is '${plan}'`);
    await query('create table reshard.copied (shard integer primary key, last_key text)');
    for (const { shard, from } of todo.filter(({ to }) => to === database)) {
      const update = "on conflict (shard) do update set state = 'arriving', other = $2";
      await query(`insert into shards_here values ($1, 'arriving', $2) ${update}`, [shard, from.name]);
    }
    await table.follow(query, leaving);
  };
  await patiently(`the table of ${database.name} is in use`, () => database.transaction(work));
}

/** Copies a shard. The target keeps how far that got, in the same transactions, for the next run. */
async function copy(table: Table, move: Move): Promise<void> {
  const { shard, from, to } = move;
  const [begun] = await to.query('select last_key from reshard.copied where shard = $1', [shard]);
  if (begun === undefined) {
    await from.query('delete from reshard.outbox where shard = $1', [shard]); // the copy will have these changes
    await to.query('insert into reshard.copied (shard) values ($1)', [shard]);
  }
  for await (const keys of table.keys(from, shard, begun?.last_key)) {
    stop.signal.throwIfAborted();
    const update = 'update reshard.copied set last_key = $2 where shard = $1';
    await table.carry(move, keys, (query) => query(update, [shard, keys.at(-1)]));
  }
}

/** Compares a copied shard, stops its writes for a moment, and lets the target serve it. */
async function cutOver(table: Table, move: Move): Promise<void> {
  const { shard, from, to } = move;
  const refuse = ([key]: string[]) => key === undefined || fail(`the rows with the key ${key} differ`);
  await table.catchUp(move);
  // All rows are compared while writes go on. Those that differ have to be in the outbox by then. While the shard is
  // frozen, only the rows that the outbox has named since are compared; the others have not changed on either side.
  const carried = new Set<string>();
  const differing: string[] = [];
  for (const side of [from, to]) {
    for await (const keys of table.keys(side, shard)) {
      stop.signal.throwIfAborted();
      differing.push(...(await table.differing(move, keys)));
    }
  }
  await table.catchUp(move, carried);
  refuse(differing.filter((key) => !carried.has(key)));
  const freeze = async (query: Query) => {
    await query('select pg_advisory_xact_lock(7714, $1)', [shard]); // waits for the writers inside: see schema.sql
    await change(query, shard, 'owned', 'frozen', to.name);
  };
  await patiently('its writers do not end', () => from.transaction(freeze));
  const began = performance.now();
  const late = setTimeout(FREEZE_MS).then(() => fail(`it was frozen for ${FREEZE_MS} ms`));
  try {
    await Promise.race([table.catchUp(move, carried), late]);
    refuse(await Promise.race([table.differing(move, [...carried]), late]));
    await change(from.query, shard, 'frozen', 'moved', to.name); // from here on, it can only go forward
  } catch (error) {
    await thaw(from);
    throw error;
  }
  await change(to.query, shard, 'arriving', 'owned', null);
  console.log(`${step}: moved, after writes had stopped for ${Math.ceil(performance.now() - began)} ms`);
}

async function move(table: Table, map: ShardMap, next: ShardMap): Promise<void> {
  if (next.parent !== map.digest || next.replicas !== 1) fail('expected a map and the next one, with one replica each');
  const moves = map.movesTo(next).map(({ shard, from, to }) => ({ shard, from: named(from), to: named(to) }));
  const plan = `${map.digest} to ${next.digest}`;
  const unprepared: Database[] = [];
  for (const database of databases) {
    const [{ kept }] = await database.query("select obj_description(to_regnamespace('reshard'), 'pg_namespace') kept");
    if (kept === null) unprepared.push(database);
    else if (kept !== plan) fail(`${database.name} is in another change, from map ${kept}: finish that one first`);
  }
  const before = await holders(map.shards, 'owned');
  const todo = moves.filter(({ shard, from }) => before[shard] === from.name);
  // Shards that no database owns were between the two sides of a cut-over when the last run was killed.
  const finish = "update shards_here set state = 'owned', other = null where shard = $1 and state = 'arriving'";
  for (const { shard, to } of moves.filter((one) => !before[one.shard])) await to.query(finish, [shard]);
  const check = async (left: readonly Move[]) => {
    for (const [shard, name] of (await holders(map.shards, 'owned')).entries()) {
      const [expected] = (left.some((one) => one.shard === shard) ? map : next).nodesOf(shard);
      if (name !== expected) fail(`shard ${shard}: expected ${expected} to own it, got ${name || 'none: run init?'}`);
    }
  };
  await check(todo);
  for (const database of todo.length > 0 ? unprepared : []) await prepare(table, database, todo, plan);
  for (const one of todo) {
    step = `shard ${one.shard}, from ${one.from.name} to ${one.to.name}`;
    await copy(table, one);
    console.log(`${step}: copied`);
    await cutOver(table, one);
  }
  step = 'cleaning up';
  await check([]);
  for (const { name, query } of databases) {
    // The triggers go before the outbox: a writer has the table and then needs the outbox, which could deadlock.
    await patiently(`the table of ${name} is in use`, () => query('drop function if exists reshard.note cascade'));
    await query('drop schema if exists reshard cascade');
  }
  for (const { shard, from } of moves) {
    for await (const keys of table.keys(from, shard)) await table.erase(from.query, shard, keys);
  }
  console.log(`${moves.length} shards have moved, as planned: publish version ${next.version} of the map`);
}

async function main([command, configPath = '', ...paths]: string[]): Promise<void> {
  const isInit = command === 'init' && paths.length === 1;
  if (!isInit && !(command === 'move' && paths.length === 2)) fail('usage: init CONFIG MAP | move CONFIG MAP NEXT');
  const { databases: urls, ...config } = JSON.parse(read(configPath));
  const [map, next] = paths.map((path) => ShardMap.from(read(path)));
  for (const [name, url] of Object.entries<string>(urls).sort()) {
    const database = await openDatabase(name, url);
    databases.push(database);
    await database.query(read(new URL('schema.sql', import.meta.url)));
    await thaw(database); // what a killed run has left frozen, even if another database cannot be reached
  }
  const table = await openTable(databases, config);
  await (isInit ? init(table, map) : move(table, map, next));
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error('interrupted')));
const work = main(process.argv.slice(2)).catch((error) => {
  console.error(`${step}: ${error.message}`, error.detail ?? '');
  process.exitCode = 1;
});
work.finally(() => process.exit());
