import type { Command } from 'commander';
import { SnowflakeGenerator } from '../index.js';
import { highWaterFile } from '../node/index.js';
import { type LayoutOptions, makeLayout, withLayoutOptions } from './options.js';
import { print } from './stdout.js';
import { fromOptions, integer, path, required } from './usage.js';

interface MintOptions extends LayoutOptions {
  shard: number;
  count: number;
  highWater?: string;
}

// Eight units of 4,096: what is lost by waiting for the next unit is then little, and so is what is held.
const IDS_A_TIME = 32_768;

export function addMint(program: Command): void {
  const command = program
    .command('mint')
    .summary('make new ids')
    .description('Make new ids, ascending, one a line. No two processes may have the same shard at one time.')
    .option('--shard <n>', 'the number in all fields but time and sequence, taken together (required)', integer)
    .option('--count <n>', 'how many', integer, 1);
  withLayoutOptions(command, 'snowflake')
    .option('--high-water <file>', 'keeps the time up to which ids were made, lest a clock set back repeats them', path)
    .addHelpText(
      'after',
      `
Examples:
  shardbits mint --shard 5
  shardbits mint --shard 5 --count 1000000 --layout twitter --high-water minted-until > ids.txt`,
    )
    .action(mint);
}

async function mint(options: MintOptions): Promise<void> {
  required(options, '--shard');
  const { shard, count, highWater } = options;
  const layout = makeLayout(options);
  const mark = highWater === undefined ? undefined : highWaterFile(highWater);
  const generator = fromOptions(
    () => new SnowflakeGenerator({ layout, shard, highWater: mark, onClockBackwards: 'wait' }),
  );
  for (let left = count; left > 0; left -= IDS_A_TIME) {
    const ids = await generator.nextManyAsync(Math.min(left, IDS_A_TIME));
    await print(`${ids.join('\n')}\n`);
  }
}
