import { it } from 'vitest';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { KILLS, killWhileInterning } from '../support/killing.js';

it(`a store in LMDB loses, changes and doubles nothing when ${KILLS.lmdb} processes are killed`, async () => {
  await killWhileInterning(KILLS.lmdb, 'ids.lmdb', (path) => lmdbStore(path));
});
