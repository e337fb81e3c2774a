// How hashes become shards, as in src/routing/router.ts, with shards that are down.

import { fastRange, fastRangeColumn, moduloColumn } from '../fast-range';
import { jumpHash, jumpHashColumn } from '../jump-hash';
import { SCRATCH } from '../memory';
import { splitMix64Column } from '../split-mix';
import { fail, say, sayNumber } from './messages';

export const JUMP: u32 = 0;
export const FASTRANGE: u32 = 1;
export const MODULO: u32 = 2;

const MAX_SHARDS: u64 = 0x7fffffff;

export function checkShards(shards: u64): u32 {
  if (shards - 1 >= MAX_SHARDS) {
    say('shards: expected an integer from 1 to 2147483647, got ');
    sayNumber(shards);
    fail();
  }
  return <u32>shards;
}

export function placeColumn(hashes: usize, shards: usize, rows: u32, n: u32, strategy: u32): void {
  if (strategy == JUMP) jumpHashColumn(hashes, shards, rows, n);
  else if (strategy == FASTRANGE) fastRangeColumn(hashes, shards, rows, n);
  else moduloColumn(hashes, shards, rows, n);
}

function place(hash: u64, n: u32, strategy: u32): u32 {
  if (strategy == JUMP) return jumpHash(hash, n);
  return strategy == FASTRANGE ? fastRange(hash, n) : <u32>(hash % <u64>n);
}

/** `down` has to be ascending, so that a shard is found in a few steps. */
export function checkDown(down: usize, count: u32, n: u32): void {
  let least: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const shard = load<u32>(down + (<usize>i << 2));
    if (shard < least || shard >= n) {
      say('down: expected ascending shards from 0 to ');
      sayNumber(n - 1);
      say(', got ');
      sayNumber(shard);
      fail();
    }
    least = shard + 1;
  }
  if (count == n) {
    say('down: expected at least one shard to be up');
    fail();
  }
}

function isDown(shard: u32, down: usize, count: u32): bool {
  let from: u32 = 0;
  let to = count;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (load<u32>(down + (<usize>middle << 2)) < shard) from = middle + 1;
    else to = middle;
  }
  return from < count && load<u32>(down + (<usize>from << 2)) == shard;
}

const GOLDEN_GAMMA: u64 = 0x9e3779b97f4a7c15;
const MAX_PROBES: u32 = 256;

function mix(key: u64, increment: u64): u64 {
  store<u64>(SCRATCH, key);
  splitMix64Column(SCRATCH, SCRATCH, 1, increment);
  return load<u64>(SCRATCH);
}

/** The first shard that is up in the order of preference of a hash; see Failover in router.ts. */
function placeAround(hash: u64, n: u32, strategy: u32, down: usize, count: u32): u32 {
  for (let probe: u32 = 1; probe <= MAX_PROBES; probe++) {
    const shard = place(mix(hash, GOLDEN_GAMMA * probe), n, strategy);
    if (!isDown(shard, down, count)) return shard;
  }
  let best: u32 = 0;
  let highest: u64 = 0;
  let isFirst = true;
  for (let shard: u32 = 0, next: u32 = 0; shard < n; shard++) {
    if (next < count && load<u32>(down + (<usize>next << 2)) == shard) {
      next++;
      continue;
    }
    const score = mix(mix(shard, GOLDEN_GAMMA), hash);
    if (isFirst || score > highest) {
      best = shard;
      highest = score;
      isFirst = false;
    }
  }
  return best;
}

export function avoidDown(
  hashes: usize,
  shards: usize,
  rows: u32,
  n: u32,
  strategy: u32,
  down: usize,
  count: u32,
): void {
  for (let i: u32 = 0; i < rows; i++, hashes += 8, shards += 4) {
    if (isDown(load<u32>(shards), down, count)) {
      store<u32>(shards, placeAround(load<u64>(hashes), n, strategy, down, count));
    }
  }
}
