import { it } from 'vitest';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { KILLS, killWhileInterning } from '../support/killing.js';
import { hasSqlite } from '../support/sqlite.js';

it.skipIf(!hasSqlite())(
  `a store in SQLite loses, changes and doubles nothing when ${KILLS.sqlite} processes are killed`,
  async () => {
    await killWhileInterning(KILLS.sqlite, 'ids.db', (path) => sqliteStore(path, { readOnly: true }));
  },
  600_000,
);
