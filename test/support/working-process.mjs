// `node working-process.mjs STORE LOG OPTIONS`: interns strings, mints ids with a lease, or both, and watches the shard map
// if it is told to, until it is killed. The store must exist. Appends what it is given to a file, one JSON array on each
// line, where numbers of 64 bits follow in binary: ["interned", count] the number of each string and its id, ["minted",
// count] ids, ["lease", shard, token], ["renewed"], ["saw", version, digest], ["failed", failure], ["paused"].
// SIGUSR2 pauses it between two calls, until the next SIGUSR2.
// A job that fails begins anew, like a process that does not care about errors, and ends if it fails three times in a row.
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { SnowflakeGenerator } from 'shardbits';
import { watchMap } from 'shardbits/map';
import { Interner, leaseShard } from 'shardbits/registry';
import { openStore } from './open-store.mjs';

const TRIES = 3;
const WAIT_MS = 100;
/** One of so many rounds interns an earlier block once more. */
const ROUNDS_BACK = 8;
const WATCH_MS = 200;

const [, , where, log, options] = process.argv;
const { jobs, shards, ttlMs, head, from, last, lane, lanes, strings, prefixBits, ids, pauseMs } = JSON.parse(options);

function write(row, numbers) {
  const line = Buffer.from(`${JSON.stringify(row)}\n`);
  appendFileSync(log, numbers === undefined ? line : Buffer.concat([line, Buffer.from(numbers.buffer)]));
}

// Blocks of strings that follow each other, from one on that is not known to be complete. Every block has two processes, if
// there are two. The second one is faster, because it only finds the strings, until it has caught up with the first one.
const blocks = Math.ceil(last / strings);
let next = Math.floor((from - 1) / strings);

function isMine(block) {
  return block % lanes === lane || (block + 1) % lanes === lane;
}

/** Interns a block. */
async function internBlock(interner, block) {
  const first = block * strings + 1;
  const numbers = Array.from({ length: Math.min(strings, last - first + 1) }, (_, i) => first + i);
  const found = await interner.internMany(numbers.map((number) => `${head}${number}`));
  const pairs = new BigUint64Array(2 * numbers.length);
  for (const [row, number] of numbers.entries()) pairs.set([BigInt(number), found[row]], 2 * row);
  write(['interned', numbers.length], pairs);
}

const JOBS = {
  intern(store) {
    const interner = new Interner({ store, prefixBits });
    let round = 0;
    return async () => {
      while (next < blocks && !isMine(next)) next++;
      if (next >= blocks) await setTimeout(WAIT_MS);
      const isNew = next < blocks && ++round % ROUNDS_BACK !== 0;
      await internBlock(interner, isNew ? next : Math.floor(Math.random() * Math.min(next + 1, blocks)));
      if (isNew) next++;
    };
  },
  async mint(store) {
    const onEvent = ({ type }) => type === 'lease' && write(['renewed']);
    const lease = await leaseShard({ store, shards, ttlMs, onEvent });
    write(['lease', lease.shard, String(lease.token)]);
    const generator = new SnowflakeGenerator({ shard: lease, onClockBackwards: 'wait', maxWaitMs: 60_000 });
    return async () => {
      const minted = await generator.nextManyAsync(ids);
      write(['minted', minted.length], minted);
    };
  },
  watch(store) {
    const maps = watchMap(store, { intervalMs: WATCH_MS });
    return async () => {
      const { value } = await maps.next();
      write(['saw', value.version, value.digest]);
    };
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
      write(['failed', { job, isTransient: error.isTransient, message: reasons.join(': ') }]);
      failures++;
      await setTimeout(WAIT_MS);
    }
    await setTimeout(pauseMs);
    if (isPaused) write(['paused']);
    while (isPaused) await setTimeout(WAIT_MS);
  }
}

let isPaused = false;
process.on('SIGUSR2', () => {
  isPaused = !isPaused;
});

const store = openStore(where, { mustExist: true });
const working = jobs.map((job) => [job, work(job)]);
// A store that was moved away can be watched for ever.
await Promise.all(working.filter(([job]) => job !== 'watch').map(([, work]) => work));
process.exit();
