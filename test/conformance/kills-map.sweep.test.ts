import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { currentMap, mapHistory, rollbackMap, type ShardMap, watchMap } from '../../src/map/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { hasEtcd, startEtcd } from '../support/etcd.js';
import { killAtRandom, startScript } from '../support/killing.js';
import { startPostgres } from '../support/postgres.js';
import { expectPublishedOnce } from '../support/publishing.js';
import { IS_WHOLE } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

/** How many processes are killed for each store. `MAP_KILLS=1000` for more. */
const KILLS = Number(process.env.MAP_KILLS ?? (IS_WHOLE ? 100 : 5));
const PROCESSES = 8;
/** How many are published after the last kill. */
const VERSIONS = IS_WHOLE ? 500 : 30;

async function startedPostgres(): Promise<string> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  return server.newSchema();
}

async function startedEtcd(): Promise<string> {
  const cluster = await startEtcd();
  onTestFinished(() => cluster.stop());
  return cluster.hosts[0];
}

/** The stores that processes can share. The quick run has had one of them before the sweeps. */
const STORES = [
  { name: 'PostgreSQL', where: startedPostgres, open: postgresStore },
  ...(hasSqlite()
    ? [{ name: 'SQLite', where: async (folder: string) => join(folder, 'ids.db'), open: sqliteStore }]
    : []),
  ...(hasEtcd() ? [{ name: 'etcd', where: startedEtcd, open: etcdStore }] : []),
];

describe.each(STORES)('maps in $name', ({ name, where, open }) => {
  it(`are published once, and seen as they were, by ${PROCESSES} processes of which ${KILLS} are killed`, async () => {
    const folder = temporaryFolder();
    const place = await where(folder);
    const start = (file: string, number: number) =>
      startScript(['test/support/publishing-process.mjs', place, file, String(number)]);
    const store = await open(place);
    onTestFinished(() => store.close());
    const untilEnough = async () => {
      const enough = ((await currentMap(store))?.version ?? 0) + VERSIONS;
      for await (const { version } of watchMap(store, { intervalMs: 20 })) if (version >= enough) return;
    };
    const options = { atOnce: PROCESSES, begunAtLeast: PROCESSES / 2, untilEnough };
    const files = await killAtRandom(KILLS, folder, start, options);
    const last = (await currentMap(store)) as ShardMap;
    const history = (await mapHistory(store)).map(({ version }) => version);
    expect(history.length).toBeGreaterThanOrEqual(Math.min(last.version, 99)); // one may be archived already
    expect(history).toEqual(history.map((_, i) => last.version - history.length + 1 + i));
    const rolled = await rollbackMap(store, history[0] as number);
    expect([rolled.version, rolled.parent]).toEqual([last.version + 1, last.digest]);
    console.log(`${name}, ${files.length} processes: ${expectPublishedOnce(files, last)}`);
  });
});
