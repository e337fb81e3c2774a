import { layouts } from 'shardbits';
import { type Area, copying, onBackends, type Way } from '../area.js';
import { u64s } from '../inputs.js';

interface Narrow {
  /** Unix milliseconds. */
  timestamp: Float64Array;
  shard: Uint16Array;
  sequence: Uint16Array;
}

interface Wide {
  /** Since the layout's epoch. */
  timestamp: BigUint64Array;
  shard: BigUint64Array;
  sequence: BigUint64Array;
}

const EPOCH = layouts.snowflake.time?.epoch ?? 0;

/** Packs and unpacks the snowflake layout, from and to the narrowest columns and u64 columns. */
export function bitFields(rows: number): Area[] {
  const layout = layouts.snowflake;
  const ids = u64s(rows).map((key) => key >> 1n); // the layout has 63 bits
  const narrow = layout.unpackMany(ids);
  const wide = layout.unpackMany(ids, { wide: true });
  const area = (name: string, title: string, bytesPerRow: number, ways: Way[]): Area => ({
    name,
    title,
    rows,
    bytesPerRow,
    ways,
  });
  return [
    area('pack-narrow', 'packMany, snowflake from f64, u16 and u16', 20, [
      ...packing(narrow, ids),
      ...packNarrow(narrow),
      copying(...Object.values(narrow), ids),
    ]),
    area('pack-wide', 'packMany, snowflake from three u64 columns', 32, [
      ...packing(wide, ids),
      ...packWide(wide),
      copying(...Object.values(wide), ids),
    ]),
    area('unpack-narrow', 'unpackMany, snowflake to f64, u16 and u16', 20, [
      ...unpacking(ids, narrow),
      ...unpackNarrow(ids, narrow),
      copying(...Object.values(narrow), ids),
    ]),
    area('unpack-wide', 'unpackMany, snowflake to three u64 columns', 32, [
      ...unpacking(ids, wide),
      ...unpackWide(ids),
      copying(...Object.values(wide), ids),
    ]),
  ];
}

function packing(columns: Narrow | Wide, ids: BigUint64Array): Way[] {
  const out = new BigUint64Array(ids.length);
  return onBackends(ids.length, (count) => [
    layouts.snowflake.packMany(
      {
        timestamp: columns.timestamp.subarray(0, count),
        shard: columns.shard.subarray(0, count),
        sequence: columns.sequence.subarray(0, count),
      },
      { out: out.subarray(0, count) },
    ),
  ]);
}

function unpacking(ids: BigUint64Array, like: Narrow | Wide): Way[] {
  const out = { timestamp: like.timestamp.slice(), shard: like.shard.slice(), sequence: like.sequence.slice() };
  return onBackends(ids.length, (count) => {
    const columns = {
      timestamp: out.timestamp.subarray(0, count),
      shard: out.shard.subarray(0, count),
      sequence: out.sequence.subarray(0, count),
    };
    layouts.snowflake.unpackMany(ids.subarray(0, count), { out: columns });
    return Object.values(columns);
  });
}

// V8 compiles these loops to machine words only if the columns are locals, which is why each begins as it does.

function packNarrow(columns: Narrow): Way[] {
  const rows = columns.timestamp.length;
  const out = new BigUint64Array(rows);
  const halves = new Uint32Array(out.buffer);
  return [
    {
      name: 'specialised',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          out[i] = (BigInt(timestamp[i] - EPOCH) << 22n) | (BigInt(shard[i]) << 12n) | BigInt(sequence[i]);
        }
        return [out];
      },
    },
    {
      name: 'u32 pairs',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          const time = timestamp[i] - EPOCH;
          const high = Math.floor(time / 1024);
          halves[2 * i] = ((time - high * 1024) << 22) | (shard[i] << 12) | sequence[i];
          halves[2 * i + 1] = high;
        }
        return [out];
      },
    },
  ];
}

function packWide(columns: Wide): Way[] {
  const rows = columns.timestamp.length;
  const out = new BigUint64Array(rows);
  return [
    {
      name: 'specialised',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          out[i] = (timestamp[i] << 22n) | (shard[i] << 12n) | sequence[i];
        }
        return [out];
      },
    },
  ];
}

function unpackNarrow(ids: BigUint64Array, like: Narrow): Way[] {
  const rows = ids.length;
  const halves = new Uint32Array(ids.buffer);
  const columns = { timestamp: like.timestamp.slice(), shard: like.shard.slice(), sequence: like.sequence.slice() };
  return [
    {
      name: 'specialised',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          const id = ids[i];
          timestamp[i] = Number(id >> 22n) + EPOCH;
          shard[i] = Number((id >> 12n) & 1023n);
          sequence[i] = Number(id & 4095n);
        }
        return [timestamp, shard, sequence];
      },
    },
    {
      name: 'u32 pairs',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          const low = halves[2 * i];
          timestamp[i] = halves[2 * i + 1] * 1024 + (low >>> 22) + EPOCH;
          shard[i] = (low >>> 12) & 1023;
          sequence[i] = low & 4095;
        }
        return [timestamp, shard, sequence];
      },
    },
  ];
}

function unpackWide(ids: BigUint64Array): Way[] {
  const rows = ids.length;
  const columns: Wide = {
    timestamp: new BigUint64Array(rows),
    shard: new BigUint64Array(rows),
    sequence: new BigUint64Array(rows),
  };
  return [
    {
      name: 'specialised',
      run() {
        const { timestamp, shard, sequence } = columns;
        for (let i = 0; i < rows; i++) {
          const id = ids[i];
          timestamp[i] = id >> 22n;
          shard[i] = (id >> 12n) & 1023n;
          sequence[i] = id & 4095n;
        }
        return [timestamp, shard, sequence];
      },
    },
  ];
}
