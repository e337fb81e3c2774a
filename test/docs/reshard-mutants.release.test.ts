// The tests of docs/examples/reshard-postgres/ can fail: programs without one of its precautions lose or double rows.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { EXAMPLE, Resharding } from './resharding.js';
import { Writers } from './resharding-writers.js';

/** How often a mutant may get away. It needs a write at the wrong moment. */
const TRIES = 10;

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  await server.stop();
});

const CHANGE_SOURCE = "await change(from.query, shard, 'frozen', 'moved', to.name);";
const CHANGE_TARGET = "await change(to.query, shard, 'arriving', 'owned', null);";

it.each([
  [
    'does not catch up while the shard is frozen',
    'reshard.ts',
    'await Promise.race([table.catchUp(move, carried), late]);',
    '',
  ],
  [
    'does not wait for the writers inside',
    'schema.sql',
    'if will_write then perform pg_advisory_xact_lock_shared(7714, wanted); end if;',
    '',
  ],
  [
    'lets everybody in',
    'schema.sql',
    "if here.state = 'owned' or",
    "if here.state is not null or here.state = 'owned' or",
  ],
  [
    'lets the target serve the shard before the source stops',
    'reshard.ts',
    CHANGE_SOURCE,
    `${CHANGE_TARGET} ${CHANGE_SOURCE} return;`,
  ],
  ['notes no deleted rows', 'table.ts', 'after insert or update or delete on', 'after insert or update on'],
  ['follows no writes', 'table.ts', 'where shard = any(tg_argv[0]::integer[])', 'where false'],
  [
    'takes only entries of the outbox after the last one',
    'table.ts',
    'const entries = await from.query(select, [shard, batch]);',
    `const seen: number[] = ((globalThis as any).seen ??= []);
      const all = await from.query(select, [shard, batch]);
      const entries = all.filter(({ seq }) => Number(seq) > (seen[shard] ?? 0));
      seen[shard] = Math.max(seen[shard] ?? 0, ...all.map(({ seq }) => Number(seq)));`,
  ],
] as const)('a program that %s is noticed', async (name, file, text, replacement) => {
  const folder = `build/reshard-mutants/${name.replaceAll(' ', '-')}`;
  cpSync(EXAMPLE, folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(`${folder}/${file}`, 'utf8');
  expect(source.split(text)).toHaveLength(2);
  writeFileSync(
    `${folder}/${file}`,
    source.replace(text, () => replacement),
  );
  for (let tries = 0; tries < TRIES; tries++) {
    const faults = await faultsOf(folder);
    console.log(`${name}: ${faults.length} faults, such as ${faults[0]}`);
    if (faults.length > 0) return;
  }
  throw new Error('nobody has noticed');
});

/** What goes wrong in a run without kills, by the program itself or by what its writers find. */
async function faultsOf(folder: string): Promise<string[]> {
  const world = await Resharding.on(server.url, { folder, shards: 9 });
  try {
    const writers = new Writers(world, 900);
    await writers.fill();
    await world.run('init');
    // The moments in which something can go wrong are longer.
    for (const sql of Object.values(world.sql)) {
      await sql.unsafe(`
        create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return new; end';
        create trigger slow before update on shards_here for each row execute function slow();`);
    }
    await writers.begin();
    await setTimeout(500);
    const faults = await world.run().then(
      () => [],
      (error) => [error.message],
    );
    await writers.end();
    return [...faults, ...writers.faults, ...(faults.length > 0 ? [] : await world.misplaced())];
  } finally {
    await world.end();
  }
}
