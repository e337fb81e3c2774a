import { layouts, setBackend } from 'shardbits';
import { type ColumnArray, type ColumnType, wasm } from 'shardbits/kernels';
import { type Area, copyingInPieces, onBackends, type Results, type Way } from '../area.js';
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

/** Sizes besides that of all areas: what fits the second-level cache, and what fits the third. */
const SIZES = { '-64k': 64 * 1024, '-1m': 1024 * 1024 };

/** Packs and unpacks the snowflake layout, from and to the narrowest columns and u64 columns. */
export function* bitFields(rows: number): Iterable<Area> {
  for (const [suffix, size] of Object.entries({ '': rows, ...SIZES })) {
    if (size <= rows) yield* bitFieldsOf(suffix, size);
  }
}

function* bitFieldsOf(suffix: string, rows: number): Iterable<Area> {
  const layout = layouts.snowflake;
  const ids = u64s(rows).map((key) => key >> 1n); // the layout has 63 bits
  const narrow = layout.unpackMany(ids);
  const wide = layout.unpackMany(ids, { wide: true });
  const area = (name: string, title: string, bytesPerRow: number, ways: Way[]): Area => ({
    name: name + suffix,
    title,
    rows,
    bytesPerRow,
    ways,
  });
  yield area('pack-narrow', 'packMany, snowflake from f64, u16 and u16', 20, [
    ...packing(narrow, ids),
    ...packNarrow(narrow),
  ]);
  yield area('pack-wide', 'packMany, snowflake from three u64 columns', 32, [...packing(wide, ids), ...packWide(wide)]);
  yield area('unpack-narrow', 'unpackMany, snowflake to f64, u16 and u16', 20, [
    ...unpacking(ids, narrow),
    ...unpackNarrow(ids, narrow),
  ]);
  yield area('unpack-wide', 'unpackMany, snowflake to three u64 columns', 32, [
    ...unpacking(ids, wide),
    ...unpackWide(ids),
  ]);
}

function packing(columns: Narrow | Wide, ids: BigUint64Array): Way[] {
  const out = new BigUint64Array(ids.length);
  const from = Object.values(columns);
  return [
    ...onBackends(ids.length, (count) => [
      layouts.snowflake.packMany(
        {
          timestamp: columns.timestamp.subarray(0, count),
          shard: columns.shard.subarray(0, count),
          sequence: columns.sequence.subarray(0, count),
        },
        { out: out.subarray(0, count) },
      ),
    ]),
    withoutOut(() => [layouts.snowflake.packMany({ ...columns })]),
    inResident(columns, ids, (own, column) => [layouts.snowflake.packMany(own as never, { out: column })]),
    copyingInPieces('copy', from, [out]),
    copyingInPieces('copy, new', from, () => [new BigUint64Array(ids.length)]),
  ];
}

function unpacking(ids: BigUint64Array, like: Narrow | Wide): Way[] {
  const out = { timestamp: like.timestamp.slice(), shard: like.shard.slice(), sequence: like.sequence.slice() };
  const wide = like.shard instanceof BigUint64Array;
  const same = () => Object.values(like).map((column) => new (column.constructor as typeof Uint16Array)(ids.length));
  return [
    ...onBackends(ids.length, (count) => {
      const columns = {
        timestamp: out.timestamp.subarray(0, count),
        shard: out.shard.subarray(0, count),
        sequence: out.sequence.subarray(0, count),
      };
      layouts.snowflake.unpackMany(ids.subarray(0, count), { out: columns });
      return Object.values(columns);
    }),
    withoutOut(() => Object.values(layouts.snowflake.unpackMany(ids, { wide }))),
    inResident(like, ids, (own, column) =>
      Object.values<ColumnArray>(layouts.snowflake.unpackMany(column, { out: own as never })),
    ),
    copyingInPieces('copy', [ids], Object.values(out)),
    copyingInPieces('copy, new', [ids], same),
  ];
}

/** The results are new arrays in each run. */
function withoutOut(run: () => Results): Way {
  return {
    name: 'wasm, new',
    run() {
      setBackend('wasm');
      return run();
    },
  };
}

/** Columns that lie in WebAssembly's memory, and nothing else. */
function inResident(
  columns: Narrow | Wide,
  ids: BigUint64Array,
  run: (columns: { [name: string]: ColumnArray }, ids: BigUint64Array) => Results,
): Way {
  const made = Object.entries({ ...columns, ids }).map(([name, array]) => {
    const type = array instanceof Uint16Array ? 'u16' : array instanceof Float64Array ? 'f64' : 'u64';
    return [name, array, wasm.column<ColumnType>(type, array.length)] as const;
  });
  for (const [, array, column] of made) (column.array as Uint16Array).set(array as Uint16Array);
  return {
    name: 'wasm, resident',
    run() {
      setBackend('wasm');
      const { ids: own, ...others } = Object.fromEntries(made.map(([name, , column]) => [name, column.array]));
      return run(others, own as BigUint64Array);
    },
  };
}

function refuse(row: number): never {
  throw new RangeError(`row ${row} does not fit`);
}

const halvesOf = (column: BigUint64Array) => new Uint32Array(column.buffer);

// V8 compiles these loops to machine words only if the columns are locals, which is why each begins as it does.

function packNarrow(columns: Narrow): Way[] {
  const rows = columns.timestamp.length;
  const out = new BigUint64Array(rows);
  const halves = halvesOf(out);
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
    {
      name: 'u32 pairs, checked',
      run() {
        const { timestamp, shard, sequence } = columns;
        const halves = halvesOf(out);
        for (let i = 0; i < rows; i++) {
          const time = timestamp[i] - EPOCH;
          if (!(time >= 0 && time < 2 ** 41 && Math.floor(time) === time)) refuse(i);
          if (shard[i] > 1023 || sequence[i] > 4095) refuse(i);
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
    {
      name: 'u32 pairs, checked',
      run() {
        const [halves, times] = [halvesOf(out), halvesOf(columns.timestamp)];
        const [shards, sequences] = [halvesOf(columns.shard), halvesOf(columns.sequence)];
        for (let i = 0; i < 2 * rows; i += 2) {
          const low = times[i];
          const high = times[i + 1];
          const shard = shards[i];
          const sequence = sequences[i];
          if (high > 511 || shard > 1023 || sequence > 4095 || shards[i + 1] || sequences[i + 1]) refuse(i / 2);
          halves[i] = (low << 22) | (shard << 12) | sequence;
          halves[i + 1] = (high << 22) | (low >>> 10);
        }
        return [out];
      },
    },
  ];
}

function unpackNarrow(ids: BigUint64Array, like: Narrow): Way[] {
  const rows = ids.length;
  const halves = halvesOf(ids);
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
    {
      name: 'u32 pairs, checked',
      run() {
        const { timestamp, shard, sequence } = columns;
        const given = halvesOf(ids);
        for (let i = 0; i < rows; i++) {
          const low = given[2 * i];
          const high = given[2 * i + 1];
          if (high >>> 31) refuse(i);
          timestamp[i] = high * 1024 + (low >>> 22) + EPOCH;
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
    {
      name: 'u32 pairs, checked',
      run() {
        const [halves, times] = [halvesOf(ids), halvesOf(columns.timestamp)];
        const [shards, sequences] = [halvesOf(columns.shard), halvesOf(columns.sequence)];
        for (let i = 0; i < 2 * rows; i += 2) {
          const low = halves[i];
          const high = halves[i + 1];
          if (high >>> 31) refuse(i / 2);
          times[i] = (high << 10) | (low >>> 22);
          times[i + 1] = high >>> 22;
          shards[i] = (low >>> 12) & 1023;
          shards[i + 1] = 0;
          sequences[i] = low & 4095;
          sequences[i + 1] = 0;
        }
        return [columns.timestamp, columns.shard, columns.sequence];
      },
    },
  ];
}
