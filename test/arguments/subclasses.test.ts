import { expect, test } from 'vitest';
import { groupByShard, jumpHashMany, layouts, Router, xxh64, xxh64Many } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

// `subarray` and `slice` make what the subclass says; here that is the whole of something else.
class Ids extends BigUint64Array {
  constructor(length: number) {
    super(Number(length)); // of a buffer and a place in it, not a number
  }
}
class Shards extends Uint32Array {
  constructor(length: number) {
    super(Number(length)); // of a buffer and a place in it, not a number
  }
}
class Data extends Uint8Array {
  constructor(length: number) {
    super(Number(length)); // of a buffer and a place in it, not a number
  }
}
class Texts extends Array<string> {
  static override get [Symbol.species](): ArrayConstructor {
    return (() => ['not', 'these']) as unknown as ArrayConstructor;
  }
}

const ROWS = 40_000; // more than two pieces
const plain = randomU64s(ROWS);

function filled<T extends BigUint64Array | Uint32Array | Uint8Array>(array: T, values: ArrayLike<unknown>): T {
  array.set(values as never);
  return array;
}

onBothBackends('arrays of a subclass', (kernels) => {
  test('are keys, and outputs, like those of the class itself', () => {
    const keys = filled(new Ids(ROWS), plain);
    const router = new Router({ shards: 1000, down: [3] });
    expect(xxh64Many(keys)).toEqual(xxh64Many(plain));
    expect(jumpHashMany(keys, 77)).toEqual(jumpHashMany(plain, 77));
    const out = new Shards(ROWS);
    expect(router.routeMany(keys, { out })).toBe(out);
    expect(Uint32Array.from(out)).toEqual(router.routeMany(plain));
    expect(groupByShard(out, 1000)).toEqual(groupByShard(Uint32Array.from(out), 1000));
  });

  test('are bytes like those of the class itself, also longer ones than a piece', () => {
    const data = filled(new Data(ROWS * 8), new Uint8Array(plain.buffer));
    const offsets = filled(new Shards(4), [0, 5, 300_000, ROWS * 8]);
    const column = { data: new Uint8Array(plain.buffer), offsets: Uint32Array.from(offsets) };
    expect(xxh64Many({ data, offsets })).toEqual(xxh64Many(column));
    expect(xxh64(data)).toBe(xxh64(column.data));
  });

  test('are ids and columns like those of the class itself', () => {
    const { snowflake } = layouts;
    const ids = filled(
      new Ids(ROWS),
      plain.map((id) => id & snowflake.mask),
    );
    const columns = snowflake.unpackMany(BigUint64Array.from(ids));
    expect(snowflake.unpackMany(ids)).toEqual(columns);
    const shard = filled(new Shards(ROWS), columns.shard);
    const packed = snowflake.packMany({ ...columns, shard }, { out: new Ids(ROWS) });
    expect(BigUint64Array.from(packed)).toEqual(BigUint64Array.from(ids));
  });

  test('are texts like those of an Array', () => {
    const texts = Array.from(kernels === wasm ? plain : plain.subarray(0, 20_000), String); // here more than one piece
    const ours = Texts.from(texts) as Texts;
    expect(new Router({ shards: 1000 }).routeMany(ours)).toEqual(new Router({ shards: 1000 }).routeMany(texts));
    expect(xxh64Many(ours)).toEqual(xxh64Many(texts));
  });
});
