import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { namesIn, withoutPassword } from '../../arguments.js';
import { hasCode } from '../../errors.js';
import { formatIds, type Layout, layouts, SnowflakeGenerator, type SnowflakeGeneratorOptions } from '../../index.js';
import { highWaterFile } from '../../node/index.js';
import { leaseShard, type ShardLease } from '../../registry/index.js';
import { checkOutputs, type Print, withOutput } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { type LayoutOptions, makeLayout } from '../options/input.js';
import { filesOfStore, STORES_IN_SHORT, storeName, withStore } from '../options/store.js';
import { fromOptions, integer, path, UsageError } from '../options/usage.js';
import { interruptible } from '../signals.js';
import { say } from '../terminal.js';

interface MintOptions extends LayoutOptions {
  shard?: number;
  lease?: string;
  count: number;
  highWater?: string;
  out?: string;
}

// Four units of 4,096 ids: few waits for the next unit, and little memory. A layout with few ids a unit gets fewer, because
// a call of the generator waits for five seconds at most.
const MAX_AT_A_TIME = 16_384;
const QUICK_MS = 500;

// More processes than any fleet has. The limit is needed because a store looks through all shards that were ever leased.
const MAX_LEASED = 1024;

// Leasing a free shard takes less than this.
const NOTICE_MS = 1000;

export function define(command: CliCommand): void {
  command
    .description(
      'Make new ids in ascending order, one on each line. Two processes must never use the same shard at the same time: --lease takes a shard that nobody else has, and gives it back at the end, also after Ctrl-C.',
    )
    .option(
      '--shard <n>',
      'the number in all fields except time and sequence, taken together (required without --lease)',
      integer,
    )
    .option('--lease <path|url>', `take a shard that nobody else has, from a store: ${STORES_IN_SHORT}`, storeName)
    .option('--count <n>', 'the number of ids', integer, 1)
    .layoutOptions(namesIn(layouts).filter(canMint), '', 'snowflake')
    .option(
      '--high-water <file>',
      'keep a time in this file that is later than every id, so that no id is repeated after the clock is set back',
      path,
    )
    .outOption()
    .examples(
      'shardbits mint --shard 5',
      'shardbits mint --lease ids.db --count 1000',
      'shardbits mint --shard 5 --count 1000000 --layout twitter --high-water minted-until --out ids.txt',
    )
    .action(mint);
}

/** Whether new ids can have a layout: it has the fields that this takes, and its timestamps have not come to their end. */
function canMint(name: keyof typeof layouts): boolean {
  const layout: Layout = layouts[name];
  try {
    new SnowflakeGenerator({ layout, shard: 0 });
  } catch {
    return false;
  }
  return layout.expiresAt().getTime() > Date.now();
}

async function mint(options: MintOptions): Promise<void> {
  const { shard, lease, highWater, count, out } = options;
  if ((shard === undefined) === (lease === undefined)) {
    throw new UsageError(`expected one of --shard and --lease, got ${shard === undefined ? 'neither' : 'both'}`);
  }
  const layout = makeLayout(options);
  // This checks the options before a shard is leased.
  const make = () => new SnowflakeGenerator({ layout, shard: shard ?? 0 });
  const { shards } = fromOptions(make, { layout: { got: options.layout } });
  checkOutputs(options, [...filesOfStore(lease), ...(highWater === undefined ? [] : [highWater])]);
  await interruptible((signal) => {
    const work = (print: Print) => {
      const writeIds = (held: SnowflakeGeneratorOptions['shard']) => {
        const kept = highWater === undefined ? undefined : highWaterFile(highWater);
        const generator = new SnowflakeGenerator({ layout, shard: held, highWater: kept, onClockBackwards: 'wait' });
        return write(generator, count, signal, print);
      };
      if (lease === undefined) return writeIds(shard ?? 0);
      return withLease(lease, Math.min(shards, MAX_LEASED), signal, writeIds);
    };
    return withOutput(out, work, signal);
  });
}

async function withLease(
  where: string,
  shards: number,
  signal: AbortSignal,
  work: (shard: ShardLease) => Promise<void>,
): Promise<void> {
  await withStore(where, 'create', async (store) => {
    const notice = setTimeout(() => {
      // All shards are held, or the store does not answer.
      say(`waiting for ${withoutPassword(where)} to lease one of ${shards} shards`);
    }, NOTICE_MS);
    const owner = `${hostname()} pid ${process.pid}`;
    const held = await leaseShard({ store, shards, owner, signal }).finally(() => clearTimeout(notice));
    try {
      await work(held);
    } catch (error) {
      const isLost = hasCode(error, 'ERR_LEASE_LOST') && held.validUntil() === Number.NEGATIVE_INFINITY;
      throw isLost ? await held.lost : error; // the lease knows the reason
    } finally {
      await held.release();
    }
  });
}

async function write(generator: SnowflakeGenerator, count: number, signal: AbortSignal, print: Print): Promise<void> {
  signal.addEventListener('abort', () => {
    try {
      generator.close(); // ends a call that waits
    } catch {} // the process ends
  });
  try {
    for (let left = count, atATime = 1; left > 0; ) {
      await setImmediate(); // lets signals and the renewal of the lease run, even if writing never waits
      const start = performance.now();
      const ids = await generator.nextManyAsync(Math.min(left, atATime));
      const isQuick = performance.now() - start < QUICK_MS;
      atATime = Math.ceil(Math.min(isQuick ? 2 * atATime : atATime / 2, MAX_AT_A_TIME));
      await print(`${formatIds(ids, 'dec', { padded: false }).join('\n')}\n`);
      left -= ids.length;
    }
  } finally {
    generator.close();
  }
}
