import { createRequire } from 'node:module';
import type { Area, Way } from '../area.js';
import { strings, u64s } from '../inputs.js';
import { toNumbers, toU64s } from '../one-by-one.js';
import { layouts, Router, SnowflakeGenerator, setBackend, xxh64 } from '../shardbits.js';
import { hashers } from './javascript.js';

const require = createRequire(import.meta.url);

interface Discord<T> {
  readonly timestamp: T;
  readonly workerId: T;
  readonly processId: T;
  readonly increment: T;
}

interface Sapphire {
  deconstruct(id: bigint): Discord<bigint>;
  generate(): bigint;
}

const BUCKETS = 1024;

/** One call for each value, against libraries that work this way. */
export async function* singleValues(all: number): AsyncIterable<Area> {
  setBackend('wasm');
  const rows = Math.ceil(all / 10);
  const area = (name: string, title: string, bytesPerRow: number, ways: Way[]): Area => {
    return { name: `single-${name}`, title, rows, bytesPerRow, ways };
  };
  const { Snowflake } = require('@sapphire/snowflake') as { Snowflake: new (epoch: number) => Sapphire };
  const sapphire = new Snowflake(layouts.discord.time?.epoch ?? 0);
  const ids = Array.from(u64s(rows));
  yield area('unpack', 'layout.unpack, discord', 36, [
    unpacking('shardbits', ids, (id) => {
      const { timestamp, worker, process, increment } = layouts.discord.unpack(id);
      return { timestamp, workerId: worker, processId: process, increment };
    }),
    unpacking('@sapphire/snowflake', ids, (id) => sapphire.deconstruct(id)),
  ]);
  // This does not wait for the clock. @sapphire/snowflake does not either: it gives ids twice.
  const generator = new SnowflakeGenerator({ shard: 1, onSequenceExhausted: 'borrow', maxWaitMs: 2 ** 31 - 1 });
  yield area('next', 'generator.next', 8, [
    minting('shardbits', rows, () => generator.next()),
    minting('@sapphire/snowflake', rows, () => sapphire.generate()),
  ]);
  const others = await hashers();
  const texts = strings(rows, 70, 'at://did:plc:');
  yield area('xxh64-text', 'xxh64, strings of 70', 78, [
    toU64s('shardbits', texts, (text) => xxh64(text)),
    ...others.map(({ name, text }) => toU64s(name, texts, text)),
  ]);
  const bytes = texts.map((text) => new TextEncoder().encode(text));
  yield area('xxh64-bytes', 'xxh64, 70 bytes', 78, [
    toU64s('shardbits', bytes, (data) => xxh64(data)),
    ...others.map(({ name, bytes: hash }) => toU64s(name, bytes, hash)),
  ]);
  const router = new Router({ shards: BUCKETS });
  yield area('route', `router.route, ${BUCKETS} shards`, 74, [
    toNumbers('shardbits', texts, (text) => router.route(text)),
    ...others.map(({ name, text }) => toNumbers(`${name}, BigInt jump`, texts, (key) => jump(text(key)))),
  ]);
}

/** The loop of the paper, by Lamping and Veach, 2014. */
function jump(hash: bigint): number {
  let key = hash;
  let [b, j] = [0, 0];
  while (j < BUCKETS) {
    b = j;
    key = BigInt.asUintN(64, key * 2862933555777941757n + 1n);
    j = Math.floor((b + 1) * (2147483648 / (Number(key >> 33n) + 1)));
  }
  return b;
}

function unpacking(name: string, ids: readonly bigint[], unpack: (id: bigint) => Discord<number | bigint>): Way {
  const timestamps = new Float64Array(ids.length);
  const others = new Uint32Array(ids.length);
  return {
    name,
    run() {
      for (let i = 0; i < ids.length; i++) {
        const { timestamp, workerId, processId, increment } = unpack(ids[i]);
        timestamps[i] = Number(timestamp);
        others[i] = (Number(workerId) << 17) | (Number(processId) << 12) | Number(increment);
      }
      return [timestamps, others];
    },
  };
}

/** Ids contain the time, so the results of two ways differ and are not compared. */
function minting(name: string, rows: number, next: () => bigint): Way {
  const ids = new BigUint64Array(rows);
  return {
    name,
    run() {
      for (let i = 0; i < rows; i++) ids[i] = next();
      return undefined;
    },
  };
}
