// `node working-process.mjs STORE LOG SHARDS TTL_MS JOBS`: interns strings, mints ids with a lease, or both, until it is
// killed. The store must exist. Appends what it is given to a file, one JSON array on each line:
// ["interned", [string, id], …], ["lease", shard, token], ["renewed"], ["minted", id, …], ["failed", failure], ["paused"].
// SIGUSR2 pauses it between two calls, until the next SIGUSR2.
// A job that fails begins anew, like a process that does not care about errors, and ends if it fails three times in a row.
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { SnowflakeGenerator } from 'shardbits';
import { Interner, leaseShard } from 'shardbits/registry';
import { openStore } from './open-store.mjs';

const TRIES = 3;
const PAUSE_MS = 100;
// New strings come with the time, so that processes intern the same ones at once, and a restored store some that it lost.
const SPAN_MS = 100;
const STRINGS_A_SPAN = 8;
const SPANS_BACK = 100;

const [, , where, log, shards, ttlMs, jobs] = process.argv;
const write = (...row) => appendFileSync(log, `${JSON.stringify(row)}\n`);

const JOBS = {
  intern(store) {
    const interner = new Interner({ store });
    let round = 0;
    return async () => {
      const now = Math.floor(Date.now() / SPAN_MS);
      const spans = [now, now - (round++ % SPANS_BACK)];
      const strings = spans.flatMap((span) => Array.from({ length: STRINGS_A_SPAN }, (_, i) => `${span} ${i}`));
      const ids = await interner.internMany(strings);
      write('interned', ...strings.map((string, row) => [string, String(ids[row])]));
    };
  },
  async mint(store) {
    const onEvent = ({ type }) => type === 'lease' && write('renewed');
    const lease = await leaseShard({ store, shards: Number(shards), ttlMs: Number(ttlMs), onEvent });
    write('lease', lease.shard, String(lease.token));
    const generator = new SnowflakeGenerator({ shard: lease, onClockBackwards: 'wait', maxWaitMs: 60_000 });
    return async () => write('minted', ...Array.from(await generator.nextManyAsync(20), String));
  },
};

async function work(job) {
  let round;
  for (let failures = 0; failures < TRIES; ) {
    try {
      round ??= await JOBS[job](await store);
      await round();
      failures = 0;
    } catch (error) {
      round = undefined;
      const reasons = [];
      for (let reason = error; reason !== undefined; reason = reason.cause) reasons.push(reason.message);
      write('failed', { job, isTransient: error.isTransient, message: reasons.join(': ') });
      failures++;
    }
    await setTimeout(PAUSE_MS);
    if (isPaused) write('paused');
    while (isPaused) await setTimeout(PAUSE_MS);
  }
}

let isPaused = false;
process.on('SIGUSR2', () => {
  isPaused = !isPaused;
});

const store = openStore(where, { mustExist: true });
await Promise.all(jobs.split(',').map(work));
process.exit();
