// What docs/examples/reshard-postgres/ refuses, and in which state it leaves shards when it cannot go on.
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ShardedDatabase } from '../../docs/examples/reshard-postgres/shards.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type Mover, Resharding } from './resharding.js';
import { keyOf } from './resharding-ledger.js';
import { Writers } from './resharding-writers.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  await server.stop();
});

async function filled(): Promise<Resharding> {
  const world = await Resharding.on(server.url, { shards: 24 });
  onTestFinished(() => world.end());
  await new Writers(world, 2000).fill();
  return world;
}

/** Two databases, and eight shards that will move from them. */
async function ready(): Promise<Resharding> {
  const world = await filled();
  await world.run('init');
  return world;
}

async function linesOf(mover: Mover, count: number): Promise<void> {
  while (mover.lines.length < count && mover.child.exitCode === null) await setTimeout(1);
}

const idOf = ({ router, next }: Resharding, node: string): number =>
  Array.from({ length: 1000 }, (_, i) => 2 * i).find((id) => next.nodesOf(router.route(keyOf(id)))[0] === node) ?? -1;

const owners = async (world: Resharding) => (await world.states()).filter((state) => /owned/.test(state)).length;

it('a second mover is refused, and the first one goes on', async () => {
  const world = await ready();
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 3);
  first.child.kill('SIGSTOP');
  await expect(world.run()).rejects.toThrow('another mover is at work in db1: no lock after 5 tries');
  first.child.kill('SIGCONT');
  expect(await first.exit, first.stderr).toBe(0);
  expect(await world.misplaced()).toEqual([]);
});

it('a table that differs, or has no unique key, is refused before anything changes', async () => {
  const world = await ready();
  await world.sql.db3`alter table items alter column value type varchar(10)`;
  await expect(world.run()).rejects.toThrow(
    /"items" has the columns .*value character varying\(10\) in db3, and .*value text/,
  );
  await world.sql.db3`alter table items alter column value type text, drop constraint items_pkey`;
  await expect(world.run()).rejects.toThrow(
    '"id" is not a unique smallint or integer or bigint or uuid or text in db3',
  );
  expect(await owners(world)).toBe(24);
});

it('shards that nobody owns, rows in the wrong database, and maps that do not follow each other are refused', async () => {
  const world = await filled();
  await expect(world.run()).rejects.toThrow(/shard 0: expected db\d to own it, got none: run init/);
  const id = idOf(world, 'db2');
  await world.sql.db1`insert into items values (${id}, ${world.router.route(keyOf(id))}, 'of db2')`;
  await expect(world.run('init')).rejects.toThrow(/db1 has rows of shard \d+, which it does not own/);
  await world.sql.db1`delete from items where id = ${id}`;
  await world.run('init');
  await expect(world.run('move', 'next', 'map')).rejects.toThrow('expected a map and the next one');
});

it('another plan is refused until the first one is finished', async () => {
  const world = await ready();
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 3);
  first.child.kill('SIGKILL');
  const [db1, ...others] = world.next.nodes;
  world.save('other', world.map.with({ nodes: [{ ...db1, weight: 3 }, ...others] }));
  await expect(world.run('move', 'map', 'other')).rejects.toThrow(
    /db1 is in another change, from map \w+ to \w+: finish/,
  );
  await world.run();
  expect(await world.misplaced()).toEqual([]);
});

it('Ctrl-C ends a run between two batches, with no shard frozen', async () => {
  const world = await ready();
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 3);
  first.child.kill('SIGINT');
  expect(await first.exit).toBe(1);
  expect(first.stderr).toMatch(/^shard \d+, from db\d to db3: interrupted/);
  expect(await owners(world)).toBe(24);
  await world.run();
  expect(await world.misplaced()).toEqual([]);
});

it('a shard that cannot be cut over is opened again', async () => {
  const world = await ready();
  for (const sql of Object.values(world.sql)) {
    await sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger refuse before update on shards_here for each row when (new.state = 'moved') execute function refuse()`);
  }
  await expect(world.run()).rejects.toThrow(/^move ended with 1: shard \d+, from db\d to db3: not now/);
  expect((await world.states()).filter((state) => /frozen|moved/.test(state))).toEqual([]);
  for (const sql of Object.values(world.sql)) await sql`drop trigger refuse on shards_here`;
  await world.run();
  expect(await world.misplaced()).toEqual([]);
});

it('a writer that stays in a shard delays its cut-over, and loses nothing', async () => {
  const world = await ready();
  const [{ shard, from }] = world.map.movesTo(world.next);
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 1);
  first.child.kill('SIGKILL'); // the triggers are there now
  await world.gone();
  const writer = postgres(world.urls[from as string], { max: 1 });
  const { mover, change } = await writer.begin(async (sql) => {
    await sql`select enter_shard(${shard}, true)`;
    const [change] = await sql`update items set value = 'late' where shard = ${shard} returning id`;
    const mover = world.start('move', 'map', 'next');
    expect(await mover.exit).toBe(1);
    return { mover, change };
  });
  await writer.end();
  expect(mover.stderr).toContain('its writers do not end: no lock after 5 tries');
  await world.run();
  const rows = await world.sql.db3`select value from items where id = ${change.id}`;
  expect(rows).toMatchObject([{ value: 'late' }]);
  expect(await world.misplaced()).toEqual([]);
});

it('a key that the target has in another shard ends the run, and overwrites nothing', async () => {
  const world = await ready();
  const id = idOf(world, 'db3');
  await world.sql.db3`insert into items values (${id}, 1000, 'of another shard')`;
  await expect(world.run()).rejects.toThrow(`"items_pkey" Key (id)=(${id}) already exists`);
  expect(await world.sql.db3`select shard, value from items where id = ${id}`).toMatchObject([
    { shard: 1000, value: 'of another shard' },
  ]);
  expect(await owners(world)).toBe(24);
});

it.each([
  ['smallint', '-7'],
  ['integer', '2147483647'],
  ['uuid', "'00000000-0000-7000-8000-00000000abcd'"],
])('rows with a key of the type %s are moved', async (type, key) => {
  const columns = `id ${type} primary key, shard integer not null, value text`;
  const world = await Resharding.on(server.url, { shards: 6, columns, batch: 1 });
  onTestFinished(() => world.end());
  const [{ shard, from }] = world.map.movesTo(world.next);
  await world.sql[from as string].unsafe(`insert into items values (${key}, ${shard}, 'moved')`);
  await world.run('init');
  await world.run();
  expect(await world.sql.db3.unsafe(`select value from items where id = ${key}`)).toMatchObject([{ value: 'moved' }]);
  expect(await world.misplaced()).toEqual([]);
});

it('TRUNCATE is refused while shards move', async () => {
  const world = await ready();
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 3);
  first.child.kill('SIGKILL');
  await world.gone();
  for (const sql of Object.values(world.sql)) {
    await expect(sql`truncate items`.then()).rejects.toThrow('TRUNCATE is not possible while shards move');
  }
  await world.run();
  await world.sql.db3`truncate items`;
});

it('transactions of the wrong isolation are refused, and programs find a shard with either map', async () => {
  const world = await ready();
  const enter = (isolation: string, willWrite: boolean) =>
    world.sql.db1.begin(`isolation level ${isolation}`, (sql) => sql`select enter_shard(0, ${willWrite})`);
  await expect(enter('repeatable read', true)).rejects.toThrow('writers have to be READ COMMITTED');
  await expect(enter('read committed', false)).rejects.toThrow('readers REPEATABLE READ');

  const [old, current] = [world.map, world.next].map((map) => new ShardedDatabase(world.sql, map));
  const id = idOf(world, 'db3');
  const read = (database: ShardedDatabase) =>
    database.read(keyOf(id), (sql) => sql`select id::int from items where id = ${id}`);
  const first = world.start('move', 'map', 'next');
  await linesOf(first, 1);
  first.child.kill('SIGKILL');
  await world.gone();
  for (const database of [old, current]) expect(await read(database)).toMatchObject([{ id }]);
  await world.run();
  for (const database of [old, current]) expect(await read(database)).toMatchObject([{ id }]);
});
