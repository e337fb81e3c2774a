// Closes a pool after the replies of its threads have arrived and before they are handled.
import { Router } from 'shardbits';
import { WorkerPool } from 'shardbits/node';

const router = new Router({ shards: 8 });
const keys = new BigUint64Array(256 * 1024);
const pool = new WorkerPool({ threads: 4 });
await pool.routeMany(router, keys);
const running = pool.routeMany(router, keys).catch(() => {});
for (const end = performance.now() + 100; performance.now() < end; );
await pool.close();
await running;
console.log('closed');
