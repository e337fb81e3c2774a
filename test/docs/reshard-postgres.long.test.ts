// Moves shards from two databases to three while others write, and kills the program again and again.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { IS_WHOLE } from '../support/scale.js';
import { SEED } from '../support/seed.js';
import { type Mover, Resharding } from './resharding.js';
import { randomFrom } from './resharding-ledger.js';
import { Writers } from './resharding-writers.js';

const KILLS = IS_WHOLE ? 50 : 16; // four at each point
const SHARDS = 330; // 110 of which move: more than the kills, so that there is always something left to do
const IDS = 12_000;

/** Of advisory locks of the test. */
const LOCK = 7715;

/** Where a run is killed. */
const POINTS = ['at any time', 'after a line', 'while a shard is frozen', 'between source and target'] as const;

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  await server.stop();
});

it(`loses, doubles and delays no row in ${KILLS} kills, and makes exactly the planned moves`, async () => {
  const resharding = await Resharding.on(server.url, { shards: SHARDS });
  onTestFinished(() => resharding.end());
  const writers = new Writers(resharding, IDS);
  await writers.fill();
  await resharding.run('init');
  await slowDown(resharding);
  await writers.begin({ isKilling: true });
  const random = randomFrom(SEED);
  const found = { frozen: 0, between: 0, moved: 0 };
  for (let kill = 0; kill < KILLS; kill++) {
    const mover = resharding.start('move', 'map', 'next');
    const goOn = await arrive(resharding, mover, POINTS[kill % POINTS.length], random);
    mover.child.kill('SIGKILL');
    expect(await mover.exit, `${mover.stderr} ${mover.lines.at(-1)}`).toBe('SIGKILL');
    await goOn?.();
    if (kill % POINTS.length < 2 && random(2) === 0) continue; // the next one begins at once
    await resharding.gone();
    const states = await resharding.states();
    const serving = states.map((state) => state.match(/owned|frozen/g)?.length ?? 0);
    expect(serving.filter((count) => count > 1)).toEqual([]);
    found.frozen += states.filter((state) => state.includes('frozen')).length;
    found.between += serving.filter((count) => count === 0).length;
    found.moved = states.filter((state) => state.includes('moved')).length;
  }
  await resharding.run();
  const summary = await writers.end();
  console.log(`${KILLS} kills: ${JSON.stringify(found)}; ${summary}`);
  expect(writers.faults).toEqual([]);
  expect(await resharding.misplaced()).toEqual([]);
  expect(found.frozen).toBeGreaterThan(0);
  expect(found.between).toBeGreaterThan(0);
  expect(writers.killed).toBeGreaterThan(1);
});

/** Makes the steps of a cut-over long enough to be killed in them, and stoppable. */
async function slowDown(resharding: Resharding): Promise<void> {
  for (const sql of Object.values(resharding.sql)) {
    await sql.unsafe(`
      create function slow() returns trigger language plpgsql as $$
        begin
          perform pg_sleep(0.03);
          -- Without waiting for the lock, which the program does for 2 s only.
          while not pg_try_advisory_xact_lock_shared(${LOCK}, case new.state when 'owned' then 1 else 0 end) loop
            perform pg_sleep(0.01);
          end loop;
          return new;
        end $$;
      create trigger slow before update on shards_here for each row when (new.state <> 'frozen') execute function slow();`);
  }
}

/** Stops every run before shards leave their sources, or before targets own them. @returns what ends its sessions and that */
async function hold(resharding: Resharding, step: 'leave' | 'own'): Promise<() => Promise<void>> {
  const databases = await Promise.all(Object.values(resharding.sql).map((sql) => sql.reserve()));
  const key = step === 'own' ? 1 : 0;
  for (const sql of databases) await sql`select pg_advisory_lock(${LOCK}, ${key})`;
  return async () => {
    for (const sql of databases) {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'reshard' and datname = current_database()`;
    }
    await resharding.gone();
    for (const sql of databases) {
      await sql`select pg_advisory_unlock(${LOCK}, ${key})`;
      sql.release();
    }
  };
}

/** Resolves when a run is at a point. @returns what has to be done when it was killed there */
async function arrive(
  resharding: Resharding,
  mover: Mover,
  point: (typeof POINTS)[number],
  random: (below: number) => number,
): Promise<(() => Promise<void>) | undefined> {
  const hasEnded = () => mover.child.exitCode !== null;
  if (point === 'at any time') return void (await setTimeout(random(700)));
  const isFrozen = point === 'while a shard is frozen';
  const isAnyLine = point === 'after a line';
  for (const lines = 1 + random(isAnyLine ? 5 : 3); mover.lines.length < lines && !hasEnded(); ) await setTimeout(1);
  if (isAnyLine) return void (await setTimeout(random(30)));
  const goOn = await hold(resharding, isFrozen ? 'leave' : 'own');
  const isThere = (state: string) => (isFrozen ? state.includes('frozen') : !/owned|frozen/.test(state));
  while (!hasEnded() && !(await resharding.states()).some(isThere));
  return goOn;
}
