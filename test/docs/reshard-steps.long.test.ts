import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { EXAMPLE, Resharding, type ReshardingOptions } from './resharding.js';
import { keyOf } from './resharding-ledger.js';
import { Writers } from './resharding-writers.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  await server.stop();
});

async function resharding(options?: ReshardingOptions): Promise<Resharding> {
  const made = await Resharding.on(server.url, options);
  onTestFinished(() => made.end());
  return made;
}

it('has at most 400 lines of code', () => {
  const code = readdirSync(EXAMPLE).filter((name) => name !== 'README.md');
  const lines = code.map((name) => readFileSync(`${EXAMPLE}/${name}`, 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(400);
});

it('is run with tsx', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', `${EXAMPLE}/reshard.ts`, 'help']);
  expect([status, stderr.toString()]).toEqual([1, 'reshard: usage: init CONFIG MAP | move CONFIG MAP NEXT \n']);
});

it('moves shards from two databases to three while others write, over a kill', async () => {
  const world = await resharding({ shards: 36 });
  const writers = new Writers(world, 2000);
  await writers.fill();
  await world.run('init');
  await writers.begin();
  const first = world.start('move', 'map', 'next');
  while (first.lines.length < 8) await setTimeout(1);
  first.child.kill('SIGKILL');
  const lines = await world.run();
  await writers.end();
  expect(writers.faults).toEqual([]);
  expect(await world.misplaced()).toEqual([]);
  const moves = world.map.movesTo(world.next);
  expect(lines.at(-1)).toBe(`${moves.length} shards have moved, as planned: publish version 2 of the map`);
  expect(await world.run()).toEqual(lines.slice(-1));
});

it('moves values of every type as they are, and names that have to be quoted', async () => {
  const values = {
    key: ['text', '\'a "quoted" \\ (key), {…}\''],
    shard: ['integer not null', '1'],
    'Two Words': ['text', 'E\'line\\n\\\\ "x" (,) {NULL} \\u00e9\''],
    empty: ['text', "''"],
    missing: ['text', 'null'],
    bytes: ['bytea', "'\\x00ff5c'"],
    exact: ['numeric', "'-123456789012345678901234567890.000100'"],
    none: ['numeric', "'NaN'"],
    float: ['float8', '0.1::float8 + 0.2::float8'],
    real: ['float4', "'1e-45'"],
    time: ['timestamptz', "'2024-02-29 23:59:59.999999+05:30'"],
    never: ['timestamp', "'infinity'"],
    long: ['interval', "'-1 year 2 mons -3 days 04:05:06.789'"],
    json: ['json', `'{"b": 1.0,  "a": 1e400, "b": "\\u0000"}'`],
    jsonb: ['jsonb', `'{"b": 12345678901234567890.10}'`],
    texts: ['text[]', `'{"a,b",NULL,"\\"",""}'`],
    span: ['int8range', "'[1,5)'"],
    padded: ['char(5)', "'a'"],
    number: ['bigint generated always as identity (start with 9007199254740993)', 'default'],
    twice: ['text generated always as ("Two Words" || empty) stored', 'default'],
  } as const;
  const columns = Object.entries(values).map(([name, [type]]) => `"${name}" ${type}`);
  const options = { table: '"Odd ""Table"""', key: '"key"', columns: `${columns.join(', ')}, primary key ("key")` };
  const world = await resharding({ shards: 6, ...options, config: { table: 'Odd "Table"', key: 'key' } });
  const [{ shard, from, to }] = world.map.movesTo(world.next);
  const insert = `insert into "Odd ""Table""" values (${Object.values(values).map(([, value]) => value)})`;
  await world.sql[from as string].unsafe(insert.replace('1,', `${shard},`));
  const rows = (name: unknown) => world.sql[name as string].unsafe('select whole::text from "Odd ""Table""" whole');
  const before = await rows(from);
  expect(before).toHaveLength(1);
  await world.run('init');
  await world.run();
  expect(await rows(to)).toEqual(before);
  expect(await rows(from)).toEqual([]);
});

it('does not cut over a shard whose rows differ', async () => {
  const world = await resharding({ shards: 36 });
  const writers = new Writers(world, 2000);
  await writers.fill();
  await world.run('init');
  const { sql, router, next } = world;
  const id = Array.from({ length: 1000 }, (_, i) => 2 * i).find(
    (i) => next.nodesOf(router.route(keyOf(i)))[0] === 'db3',
  );
  await sql.db3.unsafe(`
    create function damage() returns trigger language plpgsql as 'begin new.value = new.value || chr(32); return new; end';
    create trigger damage before insert on items for each row when (new.id = ${id}) execute function damage();`);
  const shard = router.route(keyOf(Number(id)));
  const [from] = world.map.nodesOf(shard);
  await expect(world.run()).rejects.toThrow(`shard ${shard}, from ${from} to db3: the rows with the key ${id} differ`);
  expect((await world.states())[shard]).toMatch(/^db[12] owned, db3 arriving$/);

  await sql.db3.unsafe('drop trigger damage on items');
  await sql.db3`delete from items where shard = ${shard}`;
  await sql.db3`insert into items values (-1, ${shard}, 'not from here')`;
  await sql.db3`delete from reshard.copied where shard = ${shard}`;
  await expect(world.run()).rejects.toThrow('to db3: the rows with the key -1 differ');

  await sql.db3`delete from items where id = -1`;
  await world.run();
  await writers.end();
  expect(writers.faults).toEqual([]);
  expect(await world.misplaced()).toEqual([]);
});
