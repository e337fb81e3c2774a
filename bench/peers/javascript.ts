// Other libraries from npm, which are called once for each key.
import { createRequire } from 'node:module';
import type { Way } from '../area.js';

const require = createRequire(import.meta.url);

interface XxhashWasm {
  h64(text: string): bigint;
  h64Raw(data: Uint8Array): bigint;
}

interface HashWasm {
  init(): HashWasm;
  update(data: string | Uint8Array): HashWasm;
  digest(kind: 'hex'): string;
}

/** Hashers of strings, or of bytes. */
export async function hashers(): Promise<
  { name: string; text(key: string): bigint; bytes(key: Uint8Array): bigint }[]
> {
  const wasm = await (require('xxhash-wasm') as () => Promise<XxhashWasm>)();
  const node = require('@node-rs/xxhash') as { xxh64(key: string | Uint8Array): bigint };
  const hash = await (require('hash-wasm') as { createXXHash64(): Promise<HashWasm> }).createXXHash64();
  const digest = (key: string | Uint8Array) => BigInt(`0x${hash.init().update(key).digest('hex')}`);
  return [
    { name: 'xxhash-wasm', text: (key) => wasm.h64(key), bytes: (key) => wasm.h64Raw(key) },
    { name: '@node-rs/xxhash', text: (key) => node.xxh64(key), bytes: (key) => node.xxh64(key) },
    { name: 'hash-wasm', text: digest, bytes: digest },
  ];
}

export async function stringHashers(texts: readonly string[]): Promise<Way[]> {
  const hashes = new BigUint64Array(texts.length);
  return (await hashers()).map(({ name, text }) => ({
    name,
    run() {
      for (let i = 0; i < texts.length; i++) hashes[i] = text(texts[i]);
      return [hashes];
    },
  }));
}

export async function bytesHashers(data: Uint8Array, offsets: Uint32Array): Promise<Way[]> {
  const rows = Math.ceil((offsets.length - 1) / 4);
  const hashes = new BigUint64Array(rows);
  return (await hashers()).map(({ name, bytes }) => ({
    name,
    rows,
    run() {
      for (let i = 0; i < rows; i++) hashes[i] = bytes(data.subarray(offsets[i], offsets[i + 1]));
      return [hashes];
    },
  }));
}

/** jumphash hashes the decimal text of a bigint instead of jumping by it: it gives other buckets. */
export function jumphash(keys: BigUint64Array, buckets: number): Way {
  const jump = require('jumphash') as (key: bigint, buckets: number) => number;
  const rows = Math.ceil(keys.length / 100);
  const shards = new Uint32Array(rows);
  return {
    name: 'jumphash',
    rows,
    run() {
      for (let i = 0; i < rows; i++) shards[i] = jump(keys[i], buckets);
      return [shards];
    },
  };
}

/** Libraries that read one id. Only the timestamp is compared, because it is all that they have in common. */
export function snowflakes(ids: BigUint64Array, epoch: number): Way[] {
  const { Snowflake } = require('nodejs-snowflake') as {
    Snowflake: { timestampFromID(id: bigint, epoch: number): number };
  };
  const sapphire = require('@sapphire/snowflake') as {
    Snowflake: new (epoch: number) => { deconstruct(id: bigint): { timestamp: bigint } };
  };
  const decoder = new sapphire.Snowflake(epoch);
  const rows = Math.ceil(ids.length / 10);
  const timestamps = new Float64Array(rows);
  const way = (name: string, timestampOf: (id: bigint) => number): Way => ({
    name,
    rows,
    run() {
      for (let i = 0; i < rows; i++) timestamps[i] = timestampOf(ids[i]);
      return [timestamps];
    },
  });
  return [
    way('nodejs-snowflake', (id) => Snowflake.timestampFromID(id, epoch)),
    way('@sapphire/snowflake', (id) => Number(decoder.deconstruct(id).timestamp)),
  ];
}
