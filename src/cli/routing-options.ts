import type { Command } from 'commander';
import { Router, type Routing } from '../index.js';
import type { LineKeys } from '../node/index.js';
import type { KeyKind } from '../partitioners/index.js';
import { type AsSystem, makePartitioner, withAsSystem } from './as-system.js';
import { KEYS } from './options.js';
import { inOwnWords, isRefusal, oneOf, required, seed, UsageError } from './usage.js';

/** The options that say what a key is and how its shard is found. */
export interface RoutingOptions {
  keys?: LineKeys | Exclude<KeyKind, 'bytes'>;
  hash?: 'xxh64' | 'none';
  seed?: bigint;
  strategy?: 'jump' | 'fastrange' | 'modulo';
  down?: number[];
  as?: AsSystem;
  /** For records. */
  key?: string[];
}

const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;
const KINDS = ['text', 'u64', 'int32', 'int64', 'uuid'] as const;

export function withRoutingOptions(command: Command): Command {
  const withRouter = command
    .option(
      '--strategy <name>',
      `how a hash becomes a shard: ${STRATEGIES.join(', ')} (default: "jump")`,
      oneOf(STRATEGIES),
    )
    .option('--keys <kind>', `${KEYS}; with --as: text, int32, int64 or uuid (default: "text")`, oneOf(KINDS))
    .option('--hash <name>', 'xxh64; none: a u64 key is its own hash (default: "xxh64")', oneOf(['xxh64', 'none']))
    .option('--seed <n>', 'the seed of the hash, modulo 2^64 (default: 0)', seed);
  return withAsSystem(withRouter);
}

/**
 * Makes the routing of keys to shards.
 * @param flag the option that gives the number of shards
 */
export function makeRouting(
  flag: '--shards' | '--from' | '--to',
  shards: number | undefined,
  options: RoutingOptions,
): Routing {
  const { as, keys } = options;
  if (as === undefined) return makeRouter(flag, shards, options);
  for (const name of ['strategy', 'hash', 'seed', 'down'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name} cannot be combined with --as`);
  }
  if ((options.key?.length ?? 0) > 1) {
    throw new UsageError(`--key: expected one column with --as, got ${options.key?.join(' and ')}`);
  }
  if (keys === 'u64') throw new UsageError('--keys u64 cannot be combined with --as: int64 is the kind for integers');
  return makePartitioner(as, flag, shards, keys);
}

function makeRouter(flag: string, shards: number | undefined, options: RoutingOptions): Routing {
  const { strategy, hash, seed, down, keys = 'text' } = options;
  if (shards === undefined) required({}, flag as '--shards');
  if (keys !== 'text' && keys !== 'u64') throw new UsageError(`--keys ${keys} requires --as`);
  if (hash === 'none' && keys !== 'u64') throw new UsageError('--hash none requires --keys u64');
  try {
    return new Router({ shards: shards as number, strategy, hash, seed, down });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { argument, expected } = error;
    throw new UsageError(argument === 'shards' ? `${flag}: expected ${expected}, got ${shards}` : inOwnWords(error));
  }
}

/** The kind of keys in lines, for a Router. A partitioner has its own. */
export function lineKeysOf({ as, keys }: RoutingOptions): LineKeys | undefined {
  return as === undefined ? (keys as LineKeys | undefined) : undefined;
}
