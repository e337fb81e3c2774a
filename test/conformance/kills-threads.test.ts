import { it } from 'vitest';
import { sqliteStore } from '../../src/registry/stores/sqlite.js';
import { KILLS, killWhileInterning, startThread } from '../support/killing.js';
import { hasSqlite } from '../support/sqlite.js';

it.skipIf(!hasSqlite())(
  `a store in SQLite loses, changes and doubles nothing when ${KILLS.sqlite} threads are terminated`,
  async () => {
    await killWhileInterning(KILLS.sqlite, 'ids.db', (path) => sqliteStore(path, { readOnly: true }), {
      start: startThread,
      atOnce: 3,
    });
  },
  600_000,
);
