import { fastRangeMany, jumpHashMany, layouts, xxh64Many } from 'shardbits';

export const BUCKETS = 1024;

/** A piece of work, on whichever backend is in use, and the same by a loop written for just that. */
export interface Case {
  name: string;
  /** Does the work into columns that are kept, and returns them. */
  run(): readonly ArrayBufferView[];
  /** A BigInt loop with every constant in place, as one would write it for this one purpose. */
  specialised(): readonly ArrayBufferView[];
}

/** @param rows how many u64 keys or ids */
export function makeCases(rows: number): Case[] {
  const keys = new BigUint64Array(rows);
  for (let i = 0; i < rows; i++) keys[i] = BigInt(i) * 0x9e3779b97f4a7c15n;

  const layout = layouts.snowflake;
  const ids = keys.map((key) => key >> 1n); // the layout has 63 bits
  const fields = layout.unpackMany(ids) as { timestamp: Float64Array; shard: Uint16Array; sequence: Uint16Array };
  const shards = new Uint32Array(rows);
  const u64s = new BigUint64Array(rows);
  const unpacked = {
    timestamp: new Float64Array(rows),
    shard: new Uint16Array(rows),
    sequence: new Uint16Array(rows),
  };

  return [
    {
      name: `jumpHashMany, ${BUCKETS} buckets`,
      run: () => [jumpHashMany(keys, BUCKETS, { out: shards })],
      specialised() {
        for (let i = 0; i < rows; i++) {
          let key = keys[i] as bigint;
          let b = 0;
          let j = 0;
          while (j < BUCKETS) {
            b = j;
            key = BigInt.asUintN(64, BigInt.asUintN(64, key * 2862933555777941757n) + 1n);
            j = Math.floor((b + 1) * (2147483648 / (Number(BigInt.asUintN(64, key >> 33n)) + 1)));
          }
          shards[i] = b;
        }
        return [shards];
      },
    },
    {
      name: 'xxh64Many, u64 keys',
      run: () => [xxh64Many(keys, { out: u64s })],
      specialised() {
        for (let i = 0; i < rows; i++) {
          let lane = BigInt.asUintN(64, (keys[i] as bigint) * 0xc2b2ae3d27d4eb4fn);
          lane = BigInt.asUintN(64, BigInt.asUintN(64, lane << 31n) | (lane >> 33n));
          let acc = BigInt.asUintN(64, 0x27d4eb2f165667cdn ^ BigInt.asUintN(64, lane * 0x9e3779b185ebca87n));
          acc = BigInt.asUintN(64, BigInt.asUintN(64, acc << 27n) | (acc >> 37n));
          acc = BigInt.asUintN(64, BigInt.asUintN(64, acc * 0x9e3779b185ebca87n) + 0x85ebca77c2b2ae63n);
          acc = BigInt.asUintN(64, (acc ^ (acc >> 33n)) * 0xc2b2ae3d27d4eb4fn);
          acc = BigInt.asUintN(64, (acc ^ (acc >> 29n)) * 0x165667b19e3779f9n);
          u64s[i] = acc ^ (acc >> 32n);
        }
        return [u64s];
      },
    },
    {
      name: `fastRangeMany, n = ${BUCKETS}`,
      run: () => [fastRangeMany(keys, BUCKETS, { out: shards })],
      specialised() {
        for (let i = 0; i < rows; i++) shards[i] = Number(BigInt.asUintN(64, (keys[i] as bigint) >> 54n));
        return [shards];
      },
    },
    {
      name: 'packMany, snowflake',
      run: () => [layout.packMany(fields, { out: u64s })],
      specialised() {
        const { timestamp, shard, sequence } = fields;
        for (let i = 0; i < rows; i++) {
          u64s[i] =
            (BigInt(timestamp[i] as number) << 22n) |
            (BigInt(shard[i] as number) << 12n) |
            BigInt(sequence[i] as number);
        }
        return [u64s];
      },
    },
    {
      name: 'unpackMany, snowflake',
      run() {
        layout.unpackMany(ids, { out: unpacked });
        return Object.values(unpacked);
      },
      specialised() {
        const { timestamp, shard, sequence } = unpacked;
        for (let i = 0; i < rows; i++) {
          const id = ids[i] as bigint;
          timestamp[i] = Number(id >> 22n);
          shard[i] = Number((id >> 12n) & 1023n);
          sequence[i] = Number(id & 4095n);
        }
        return Object.values(unpacked);
      },
    },
  ];
}
