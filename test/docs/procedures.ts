// The procedures of docs/operating.md, as steps: commands of the page, and what an operator does besides.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { Interner, leases, storeState } from '../../src/registry/index.js';
import { PREFIX_BITS, type Worker } from '../support/crew.js';
import type { Snapshot } from '../support/ledger.js';
import type { Names } from '../support/operator.js';
import { openSqlite } from '../support/sqlite.js';
import type { Procedure, Step, World } from './procedure-world.js';

const MOVED = /the store was moved to /;
const MISSING = /no such file|has no tables of shardbits/;
const TWO_OF_SIX = { size: 2, shards: 6 };

const URL = 'postgres://user@host/database';
const EMPTY_URL = 'postgres://user@host/empty';

/** What a world keeps between the steps of a round, or between rounds. */
class Kept<T> {
  readonly #values = new WeakMap<World, T>();

  set(world: World, value: T): T {
    this.#values.set(world, value);
    return value;
  }

  of(world: World): T {
    return this.#values.get(world) as T;
  }
}

// Moving to another store.

/** Where the store is moved to. */
const next = new Kept<string>();

/** After an interrupted move. Whatever had been done, the first store can be used after this, or the second one. */
async function takeBack(world: World): Promise<void> {
  if (world.round % 2 === 0) return;
  const { code, stderr } = await world.run(/^shardbits store move \S+ \S+ --back$/);
  if (code === 0) {
    await world.crew.crash(world.store);
    await world.crew.working();
  } else {
    expect(stderr).toMatch(/the move is complete|is not being moved|no such file|has no tables of shardbits/);
  }
}

const MOVE: Procedure = {
  title: 'moving to another store',
  section: 'Moving to another store',
  crew: TWO_OF_SIX,
  async prepare(world) {
    return { 'ids.db': world.store, 'moved.db': next.set(world, await world.place.newName()) };
  },
  steps: () => [
    { run: /^shardbits store move \S+ \S+$/, afterKill: takeBack },
    async function startAgain(world) {
      await world.crew.refused(MOVED);
      world.store = next.of(world);
      await world.start();
    },
    async function deleteFirst(world) {
      await world.place.remove(world.names['ids.db'] as string);
    },
  ],
  logged: { entry: /\tmove\tfrom /, times: (rounds) => rounds },
};

const REPLACE_DISK: Procedure = {
  title: 'replacing a disk',
  section: 'Replacing a disk',
  crew: TWO_OF_SIX,
  async prepare(world) {
    return { '/old/ids.db': world.store, '/new/ids.db': next.set(world, await world.place.elsewhere()) };
  },
  steps: () => [
    { run: /^shardbits store move \S+ \S+$/ },
    { run: /^shardbits store check \S+$/, isReading: true },
    async function mountNew(world) {
      await world.crew.refused(MOVED);
      world.store = await world.place.exchange(world.store, next.of(world));
    },
    (world) => world.start(),
  ],
  logged: { entry: /\tmove\tfrom /, times: (rounds) => rounds },
};

// Backups and restores.

interface Backup {
  readonly file: string;
  readonly snapshot: Snapshot;
  /** PostgreSQL: a database to try it in. */
  readonly empty: string;
}

const backups = new Kept<Backup>();

/** Prepares a backup: it has what is acknowledged now. */
async function prepareBackup(world: World): Promise<Names> {
  const { engine, store, place, crew } = world;
  const file = join(world.newFolder(), engine === 'SQLite' ? 'backup.db' : 'backup.dump');
  const empty = engine === 'SQLite' ? '' : await place.newName();
  backups.set(world, { file, empty, snapshot: crew.ledger.snapshot() });
  return namesOf(world, store);
}

function namesOf(world: World, store: string): Names {
  const { file, empty } = backups.of(world);
  if (world.engine === 'SQLite') return { 'ids.db': store, 'backup.db': file };
  return { [URL]: store, [EMPTY_URL]: empty, 'backup.dump': file };
}

const BACK_UP = { SQLite: /^shardbits store backup ids\.db /, PostgreSQL: /^pg_dump / };

const BACKUP: Procedure = {
  title: 'backing up',
  section: 'Backups',
  crew: TWO_OF_SIX,
  needsDumps: true,
  prepare: prepareBackup,
  steps: (engine) =>
    engine === 'SQLite'
      ? [
          { run: BACK_UP.SQLite, wasDone: /the file exists already/ },
          { run: /^shardbits store check backup\.db$/, isReading: true },
        ]
      : [{ run: /^pg_dump / }, { run: /^pg_restore / }, { run: /^shardbits store check postgres:/, isReading: true }],
  async check(world) {
    const { file, snapshot, empty } = backups.of(world);
    // What a killed process leaves, with the journal that SQLite had of it.
    const isBackup = world.engine === 'SQLite' ? /^backup\.db(\.[0-9a-f]{12}\.tmp(-journal)?)?$/ : /^backup\.dump$/;
    await world.checkKept(snapshot.idOf, empty || file);
    expect(readdirSync(dirname(file)).filter((name) => !isBackup.test(name))).toEqual([]);
    if (empty !== '') await world.place.remove(empty);
  },
};

/** A process that nobody stopped before a restore. It does nothing meanwhile. */
const forgotten = new Kept<Worker>();

async function stopAllButOne(world: World): Promise<void> {
  await world.crew.pause(forgotten.of(world)); // in the middle of a call it would keep its locks
  await world.crew.stop();
  if (world.engine === 'PostgreSQL') return;
  // A file that somebody has open is not replaced.
  const { code, stderr } = await world.run(RESTORE_FILE);
  expect([code, stderr]).toEqual([1, expect.stringContaining('other processes use the store. Stop them first')]);
  await forgotten.of(world).kill();
}

/** After an interrupted restore. */
async function expectUnusable(world: World): Promise<void> {
  await world.withStore(async (store) => {
    const isIncomplete = async () => (await storeState(store))?.incomplete !== undefined;
    if (!(await isIncomplete())) return;
    const said = await new Interner({ store, prefixBits: PREFIX_BITS }).intern('new').catch(String);
    // PostgreSQL may end what the killed command had sent, even now.
    if (await isIncomplete()) expect(said).toContain('nobody may use the store yet: a restore is not');
  });
}

async function startRestored(world: World): Promise<void> {
  world.crew.ledger.restore(backups.of(world).snapshot);
  await world.start();
  if (world.engine === 'SQLite') return;
  forgotten.of(world).signal('SIGUSR2');
  await world.crew.isRefused(forgotten.of(world), /was restored or moved since it was opened/);
}

const RESTORE_FILE = /^shardbits store restore backup\.db --store ids\.db /;

const RESTORE: Procedure = {
  title: 'restoring a backup',
  section: 'After a restore',
  crew: TWO_OF_SIX,
  needsDumps: true,
  async prepare(world) {
    // Every second time the same backup is restored once more.
    if (world.round % 2 === 1) {
      world.names = await prepareBackup(world);
      const { code, stderr } = await world.run(BACK_UP[world.engine], BACKUP.section);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^(wrote a backup of \S+ to \S+\n)?$/)]);
    }
    forgotten.set(world, world.crew.start(world.store, { jobs: ['intern'] }));
    await world.crew.works(forgotten.of(world), 'interned');
    await world.crew.working(); // what is given now is lost
    return namesOf(world, world.store);
  },
  steps: (engine) => [
    stopAllButOne,
    ...(engine === 'SQLite'
      ? [{ run: RESTORE_FILE, afterKill: expectUnusable }]
      : [{ run: /^pg_restore / }, { run: /^shardbits store restore --store postgres:/, afterKill: expectUnusable }]),
    startRestored,
  ],
  async check({ engine, store }) {
    if (engine === 'PostgreSQL') return;
    const isStore = /^ids\.db(-wal|-shm|\.replaced(\.\d+)?|\.[0-9a-f]{12}\.tmp(-wal|-shm|-journal)?)?$/;
    expect(readdirSync(dirname(store)).filter((name) => !isStore.test(name))).toEqual([]);
  },
  // The backup lacks the entries of later restores.
  logged: { entry: /\trestore\tminting resumes at /, times: () => 1 },
};

// Leases and clocks.

/** A process that has to give back its shard, or whose clock is wrong. */
const holders = new Kept<Worker>();

const LIST: Step = { run: /^shardbits leases --store ids\.db$/, isReading: true };
const RELEASE: Step = { run: /^shardbits leases --store ids\.db --release 7$/, stderr: /is free now|was free already/ };

function namesOfShard(world: World): Names {
  const { shard } = holders.of(world).log;
  return {
    'ids.db': world.store,
    '--release 7': `--release ${shard}`,
    '--reset-mark 7': `--reset-mark ${shard}`,
  };
}

const WRONG_TTL_MS = 1000;

const WRONG_CLOCK: Procedure = {
  title: 'a wrong clock',
  section: 'Leases and clocks',
  crew: TWO_OF_SIX,
  async prepare(world) {
    const { crew, place } = world;
    const { store, node } = await place.withWrongClock(world.store);
    const holder = holders.set(world, crew.start(store, { node, ttlMs: WRONG_TTL_MS }));
    await crew.works(holder);
    await holder.kill();
    // By that clock the leases of all others had ended, so it may have taken the shard of one of them.
    await crew.crash(world.store);
    await crew.working();
    return namesOfShard(world);
  },
  steps: () => [
    { ...LIST, stderr: /is too far ahead: a clock was wrong\. .* reset the mark with: / },
    RELEASE,
    async function waitForTtl() {
      await setTimeout(WRONG_TTL_MS);
    },
    {
      run: /^shardbits leases --store ids\.db --reset-mark 7$/,
      stderr: /: set the mark of shard |, is not in the future; nothing was changed/,
    },
  ],
  async check(world) {
    const { shard } = holders.of(world).log;
    const record = await world.withStore(async (store) => (await leases(store)).find((one) => one.shard === shard));
    expect(record?.mintedUntil.getTime()).toBeLessThan(Date.now() + 10_000);
  },
  logged: { entry: /\treset-mark\tlowered the mark of shard /, times: (rounds) => rounds - 2 },
};

const HANGING_TTL_MS = 4000;

/** Stops a process when it does not hold the lock of the file: it would keep it, as a process that hangs does. */
async function hang({ crew, engine, store }: World, holder: Worker): Promise<void> {
  for (;;) {
    await crew.renews(holder);
    holder.signal('SIGSTOP');
    await setTimeout(50); // until it has stopped
    if (engine !== 'SQLite' || canWrite(store)) return;
    holder.signal('SIGCONT');
  }
}

/** Whether nobody keeps the lock of a file for long. */
function canWrite(file: string): boolean {
  const database = openSqlite(file);
  try {
    database.exec('pragma busy_timeout = 1000; begin immediate; rollback');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

const DEAD_HOLDER: Procedure = {
  title: 'a dead holder',
  section: 'Leases and clocks',
  crew: { size: 2, shards: 3 },
  async prepare(world) {
    const holder = holders.set(world, world.crew.start(world.store, { jobs: ['mint'], ttlMs: HANGING_TTL_MS }));
    await world.crew.works(holder, 'minted');
    if (world.round % 2 === 1) await hang(world, holder);
    else await holder.kill();
    return namesOfShard(world);
  },
  steps: () => [
    LIST,
    RELEASE,
    async function mintAgain(world) {
      const { crew, store } = world;
      const successor = crew.start(store, { jobs: ['mint'], ttlMs: HANGING_TTL_MS });
      await crew.works(successor, 'minted');
      holders.of(world).signal('SIGCONT');
      if (world.round % 2 === 1) await crew.losesLease(holders.of(world));
      await holders.of(world).kill();
      await successor.kill();
    },
  ],
  logged: { entry: /\trelease\tended the lease of shard /, times: () => 1 },
};

// When the store is down, or something else fails.

const UNMOUNTED: Procedure = {
  title: 'an unmounted volume',
  section: 'When the store is down, or something else fails',
  crew: TWO_OF_SIX,
  async prepare({ store }) {
    return { 'ids.db': store };
  },
  steps: () => [
    async function startWithoutVolume({ crew, place, store }) {
      await crew.stop();
      await place.takeAway(store);
      crew.begin(store);
    },
    { run: /^shardbits store check ids\.db$/, isReading: true, code: 1, stderr: MISSING },
    async function mount({ crew, place, store }) {
      await crew.refused(MISSING);
      expect(await place.isEmpty(store)).toBe(true);
      await place.bringBack(store);
    },
    { run: /^shardbits store check ids\.db$/, isReading: true },
    (world) => world.start(),
  ],
};

export const PROCEDURES: readonly Procedure[] = [
  MOVE,
  BACKUP,
  RESTORE,
  REPLACE_DISK,
  WRONG_CLOCK,
  DEAD_HOLDER,
  UNMOUNTED,
];
