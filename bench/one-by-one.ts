// Ways that call a function for each value, and keep all results.
import type { Results, Way } from './area.js';
import type { Fields } from './by-hand.js';

export interface OneByOne extends Way {
  run(): Results;
}

export function toFields(name: string, ids: readonly bigint[], unpack: (id: bigint) => Fields): OneByOne {
  const timestamps = new Float64Array(ids.length);
  const shards = new Uint16Array(ids.length);
  const sequences = new Uint16Array(ids.length);
  return {
    name,
    run() {
      for (let i = 0; i < ids.length; i++) {
        const { timestamp, shard, sequence } = unpack(ids[i]);
        timestamps[i] = timestamp;
        shards[i] = shard;
        sequences[i] = sequence;
      }
      return [timestamps, shards, sequences];
    },
  };
}

export function toNumbers<T>(name: string, values: readonly T[], work: (value: T) => number): OneByOne {
  const numbers = new Float64Array(values.length);
  return {
    name,
    run() {
      for (let i = 0; i < values.length; i++) numbers[i] = work(values[i]);
      return [numbers];
    },
  };
}

export function toU64s<T>(name: string, values: readonly T[], work: (value: T) => bigint): OneByOne {
  const u64s = new BigUint64Array(values.length);
  return {
    name,
    run() {
      for (let i = 0; i < values.length; i++) u64s[i] = work(values[i]);
      return [u64s];
    },
  };
}

export function toStrings<T>(name: string, values: readonly T[], work: (value: T) => string): OneByOne {
  return { name, run: () => [values.map((value) => work(value))] };
}
