// `node minting-process.mjs STORE MINTED TTL_MS`: leases the only shard, and appends the ids that it mints to a file until
// the lease is lost; then the word lost. Prints a line whenever it has taken or renewed the lease.
import { appendFileSync } from 'node:fs';
import { LeaseLostError, SnowflakeGenerator } from 'shardbits';
import { leaseShard } from 'shardbits/registry';
import { openStore } from './open-store.mjs';

const [, , where, minted, ttlMs] = process.argv;
const lease = await leaseShard({
  store: await openStore(where),
  shards: 1,
  ttlMs: Number(ttlMs),
  onEvent: ({ type }) => type === 'lease' && process.stdout.write('lease\n'),
});
const generator = new SnowflakeGenerator({ shard: lease, onClockBackwards: 'wait', maxWaitMs: 60_000 });
try {
  for (;;) {
    const ids = await generator.nextManyAsync(200);
    appendFileSync(minted, `${ids.join('\n')}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
} catch (error) {
  if (!(error instanceof LeaseLostError)) throw error;
  appendFileSync(minted, 'lost\n');
  process.exit(0);
}
