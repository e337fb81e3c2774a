import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layouts, SnowflakeGenerator } from 'shardbits';
import { Interner, leaseShard } from 'shardbits/registry';
import { sqliteStore } from 'shardbits/stores/sqlite';
import type { Checks } from './checks.js';

/** The embedded store where the runtime has SQLite, or the error that says what to do. */
export async function stores(checks: Checks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  try {
    const keys = ['at://alice', '', 'NUL \0 and more', 'жизнь', 'at://alice'];
    const interner = new Interner({ store: await sqliteStore(join(folder, 'ids.db')) });
    const ids = await interner.internMany(keys).catch((error: Error) => error);
    if (ids instanceof Error) {
      checks.same(
        'no SQLite',
        ids.message.startsWith('sqliteStore needs Node.js 22.13, 23.4 or later, or the package'),
        true,
      );
      return;
    }
    checks.same('equal strings have equal ids', [new Set(ids).size, ids[0] === ids[4]], [4, true]);
    checks.same('strings of ids', await interner.resolveMany(ids), keys);
    await interner.close();
    const store = await sqliteStore(join(folder, 'ids.db'));
    checks.same('ids of a file', await new Interner({ store }).lookupMany(keys), ids);
    const lease = await leaseShard({ store, shards: 8 });
    const generator = new SnowflakeGenerator({ shard: lease });
    checks.same('the shard of a lease', layouts.snowflake.shardOf(generator.next()), lease.shard);
    await lease.release();
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
