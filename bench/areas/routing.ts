import { fastRangeMany, jumpHashMany, Router } from 'shardbits';
import { type Area, copying, onBackends } from '../area.js';
import { u64s } from '../inputs.js';

const BUCKETS = [2, 10, 100, 1024, 100_000, 1_000_000, 2 ** 31 - 1];

export function routing(rows: number): Area[] {
  const keys = u64s(rows);
  const shards = new Uint32Array(rows);
  return [...BUCKETS.map((buckets) => jump(keys, shards, buckets)), fastRange(keys, shards), route(keys, shards)];
}

function jump(keys: BigUint64Array, shards: Uint32Array, buckets: number): Area {
  const rows = keys.length;
  const slice = Math.ceil(rows / 10);
  return {
    name: `jump-${buckets}`,
    title: `jumpHashMany, ${buckets.toLocaleString('en')} buckets`,
    rows,
    bytesPerRow: 12,
    ways: [
      ...onBackends(rows, (count) => [
        jumpHashMany(keys.subarray(0, count), buckets, { out: shards.subarray(0, count) }),
      ]),
      {
        name: 'specialised',
        rows: slice,
        run() {
          for (let i = 0; i < slice; i++) {
            let key = keys[i];
            let b = 0;
            let j = 0;
            while (j < buckets) {
              b = j;
              key = BigInt.asUintN(64, BigInt.asUintN(64, key * 2862933555777941757n) + 1n);
              j = Math.floor((b + 1) * (2147483648 / (Number(BigInt.asUintN(64, key >> 33n)) + 1)));
            }
            shards[i] = b;
          }
          return [shards.subarray(0, slice)];
        },
      },
      copying(keys, shards),
    ],
  };
}

function fastRange(hashes: BigUint64Array, shards: Uint32Array): Area {
  const rows = hashes.length;
  const halves = new Uint32Array(hashes.buffer);
  const n = 1000;
  return {
    name: 'fast-range',
    title: `fastRangeMany, n = ${n}`,
    rows,
    bytesPerRow: 12,
    ways: [
      ...onBackends(rows, (count) => [fastRangeMany(hashes.subarray(0, count), n, { out: shards.subarray(0, count) })]),
      {
        name: 'u32 pairs',
        run() {
          // Both products and their sum stay below 2^53, because n is below 2^20.
          for (let i = 0; i < rows; i++) {
            const low = halves[2 * i] * n;
            const high = halves[2 * i + 1] * n;
            shards[i] = Math.floor((high + Math.floor(low / 4294967296)) / 4294967296);
          }
          return [shards];
        },
      },
      copying(hashes, shards),
    ],
  };
}

function route(keys: BigUint64Array, shards: Uint32Array): Area {
  const router = new Router({ shards: 1024 });
  return {
    name: 'route-u64',
    title: 'Router.routeMany, u64 keys: hash and jump, 1,024 shards',
    rows: keys.length,
    bytesPerRow: 12,
    ways: [
      ...onBackends(keys.length, (count) => [
        router.routeMany(keys.subarray(0, count), { out: shards.subarray(0, count) }),
      ]),
      copying(keys, shards),
    ],
  };
}
