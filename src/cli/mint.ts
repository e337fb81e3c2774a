import type { Command } from 'commander';
import { type Layout, SnowflakeGenerator } from '../index.js';
import { highWaterFile } from '../node/index.js';
import { leaseShard } from '../registry/index.js';
import { type LayoutOptions, makeLayout, withLayoutOptions } from './options.js';
import { print } from './stdout.js';
import { openStore, STORES } from './store.js';
import { fromOptions, integer, path, UsageError } from './usage.js';

interface MintOptions extends LayoutOptions {
  shard?: number;
  lease?: string;
  count: number;
  highWater?: string;
}

// Eight units of 4,096: what is lost by waiting for the next unit is then little, and so is what is held.
const IDS_A_TIME = 32_768;

// More than any fleet has; a store looks through all that have ever been leased.
const MOST_LEASED = 1024;

export function addMint(program: Command): void {
  const command = program
    .command('mint')
    .summary('make new ids')
    .description('Make new ids, ascending, one a line. No two processes may have the same shard at one time.')
    .option('--shard <n>', 'the number in all fields but time and sequence, taken together (this, or --lease)', integer)
    .option('--lease <file>', `take a shard that nobody else has, from a store: ${STORES}`, path)
    .option('--count <n>', 'how many', integer, 1);
  withLayoutOptions(command, 'snowflake')
    .option('--high-water <file>', 'keeps the time up to which ids were made, lest a clock set back repeats them', path)
    .addHelpText(
      'after',
      `
Examples:
  shardbits mint --shard 5
  shardbits mint --lease ids.lmdb --count 1000
  shardbits mint --shard 5 --count 1000000 --layout twitter --high-water minted-until > ids.txt`,
    )
    .action(mint);
}

async function mint(options: MintOptions): Promise<void> {
  const { shard, lease, highWater } = options;
  if ((shard === undefined) === (lease === undefined)) {
    throw new UsageError(`expected one of --shard and --lease, got ${shard === undefined ? 'none' : 'both'}`);
  }
  const layout = makeLayout(options);
  const policies = {
    layout,
    highWater: highWater === undefined ? undefined : highWaterFile(highWater),
    onClockBackwards: 'wait',
  } as const;
  if (shard !== undefined) {
    await write(
      fromOptions(() => new SnowflakeGenerator({ ...policies, shard })),
      options.count,
    );
    return;
  }
  const store = await openStore(lease as string);
  try {
    const held = await leaseShard({ store, shards: shardsOf(layout) });
    try {
      await write(
        fromOptions(() => new SnowflakeGenerator({ ...policies, shard: held })),
        options.count,
      );
    } finally {
      await held.release();
    }
  } finally {
    await store.close();
  }
}

async function write(generator: SnowflakeGenerator, count: number): Promise<void> {
  for (let left = count; left > 0; left -= IDS_A_TIME) {
    const ids = await generator.nextManyAsync(Math.min(left, IDS_A_TIME));
    await print(`${ids.join('\n')}\n`);
  }
}

/** How many numbers there are for shards, up to what can be leased. */
function shardsOf(layout: Layout): number {
  const fields = Object.entries(layout.fields).filter(
    ([name, { epoch }]) => epoch === undefined && !['sequence', 'increment'].includes(name),
  );
  return Math.min(2 ** fields.reduce((bits, [, field]) => bits + field.bits, 0), MOST_LEASED);
}
