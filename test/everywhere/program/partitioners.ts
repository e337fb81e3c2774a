import * as core from 'shardbits';
import { type PartitionKeys, partitioner, partitionerFrom } from 'shardbits/partitioners';
import { routeStream } from 'shardbits/streams';
import { splitMix64 } from '../../support/split-mix.js';
import type { VectorKind } from '../../vectors/partitioner-vector.js';
import { PARTITIONER_VECTORS } from '../../vectors/partitioners.js';
import type { Checks } from './checks.js';
import { texts } from './inputs.js';

const make = partitioner as unknown as (system: string, options: object) => ReturnType<typeof partitionerFrom>;

/** Where other systems place keys, by the backend in use. */
export async function placedKeys(checks: Checks): Promise<void> {
  const by = (what: string) => `${what} [${core.getBackend()}]`;
  for (const { system, options, vectors } of PARTITIONER_VECTORS) {
    for (const { kind, key, token, shard } of vectors) {
      const what = by(`${system} ${kind} ${key}`);
      const made = make(system, { ...options, key: kind });
      const column = columnOf(kind, key);
      if (token !== undefined) checks.same(`${what}: token`, BigInt(made.tokens(column)[0] ?? 0), BigInt(token));
      if (shard === undefined) continue;
      checks.same(what, made.route(key), shard);
      checks.same(`${what}: column`, made.routeMany(column), Uint32Array.of(shard));
      checks.same(`${what}: from JSON`, partitionerFrom(JSON.parse(JSON.stringify(made))).route(key), shard);
    }
  }
  checks.same(by('a plan'), core.planReshard(['a'], make('redis', {}), make('redis', {})).total, 1);
  const redis = partitioner('redis');
  const lines = new Blob(['foo\n123456789']).stream();
  const reader = lines.pipeThrough(routeStream(redis)).getReader();
  const slots: number[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) slots.push(...part.value);
  checks.same(by('a stream'), slots, [12182, 12739]);
  await checks.fails(by('no such system'), () => make('kafak', {}), RangeError);
  await checks.fails(by('keys of another kind'), () => redis.routeMany(new Int32Array(1)), TypeError);
  const kafka = partitioner('kafka', { partitions: 12, key: 'uuid' });
  await checks.fails(by('text that is not a UUID'), () => kafka.routeMany(['a']), RangeError);
}

/** The same by both backends, in columns of several pieces. */
export function placedAlike(checks: Checks): void {
  const int64s = new BigInt64Array(splitMix64(40_001).buffer);
  const uuids = {
    data: new Uint8Array(int64s.buffer),
    offsets: Uint32Array.from({ length: 20_001 }, (_, i) => 16 * i),
  };
  const long = texts();
  // FarmHash of ClickHouse has only keys of up to 256 bytes.
  const short = long.filter((text) => text.length < 64);
  const columns = { text: long, int32: new Int32Array(int64s.buffer), int64: int64s, uuid: uuids };
  for (const { system, options, vectors } of PARTITIONER_VECTORS) {
    for (const kind of new Set(vectors.map((vector) => vector.kind))) {
      if (kind === 'bytes') continue;
      const made = make(system, { ...options, key: kind });
      const isFarm = 'hash' in options && options.hash === 'farmHash64';
      const column = kind === 'text' && isFarm ? short : columns[kind];
      core.setBackend('bigint');
      const expected = made.tokens(column);
      core.setBackend('wasm');
      checks.same(`${system}, a column of ${kind}: WebAssembly and BigInt`, made.tokens(column), expected);
    }
  }
}

function columnOf(kind: VectorKind, key: string | Uint8Array | number | bigint): PartitionKeys {
  if (typeof key === 'number') return Int32Array.of(key);
  if (typeof key === 'bigint') return BigInt64Array.of(key);
  if (kind !== 'bytes') return [key as string];
  return { data: key as Uint8Array, offsets: Uint32Array.of(0, key.length) };
}
