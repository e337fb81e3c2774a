import { it } from 'vitest';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { KILLS, killWhileInterning, startThread } from '../support/killing.js';
import { hasNodeSqlite } from '../support/sqlite.js';

// better-sqlite3 12 aborts the whole process if a thread is terminated while a statement fails: 4 of 4,400 on two cores.
it.skipIf(!hasNodeSqlite())(
  `a store in Node's SQLite loses, changes and doubles nothing when ${KILLS.sqlite} threads are terminated`,
  async () => {
    await killWhileInterning(KILLS.sqlite, 'ids.db', (path) => sqliteStore(path, { readOnly: true }), {
      start: startThread,
      atOnce: 3,
    });
  },
  600_000,
);
