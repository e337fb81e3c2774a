import { afterEach, describe, expect, it } from 'vitest';
import type { BytesColumn } from '../../src/index.js';
import type { Column, ColumnType } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { columnsOf, kindsOf, make, SAMPLES, SYSTEMS, titleOf } from './samples.js';

type Memory = (byteLength: number) => { buffer: ArrayBufferLike; byteOffset: number };
type Typed = Uint8Array | Uint32Array | Int32Array | BigInt64Array;

const UNTOUCHED = 0x55555555;

/** A copy of an array in memory from elsewhere. */
function copied<T extends Typed>(array: T, memory: Memory): T {
  const { buffer, byteOffset } = memory(array.byteLength);
  const copy = new (array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => T)(
    buffer,
    byteOffset,
    array.length,
  );
  copy.set(array as never);
  return copy;
}

/** A copy of a column in memory from elsewhere. Strings have no memory. */
function moved(column: unknown, memory: Memory): unknown {
  if (ArrayBuffer.isView(column)) return copied(column as Typed, memory);
  if (Array.isArray(column)) return column;
  const { data, offsets } = column as BytesColumn;
  return { data: copied(data, memory), offsets: copied(offsets, memory) };
}

onBothBackends('a partitioner', (kernels) => {
  const resident: Column<ColumnType>[] = [];
  afterEach(() => {
    for (const column of resident.splice(0)) column.free();
  });

  const MEMORIES: { readonly [name: string]: Memory } = {
    'a SharedArrayBuffer': (byteLength) => ({ buffer: new SharedArrayBuffer(byteLength + 8), byteOffset: 8 }),
    'the middle of an ArrayBuffer': (byteLength) => ({ buffer: new ArrayBuffer(byteLength + 48), byteOffset: 24 }),
    'a resident column': (byteLength) => {
      const column = kernels.column('u64', Math.ceil(byteLength / 8) + 1);
      resident.push(column);
      return column.array;
    },
  };

  describe.each(SYSTEMS.map((one) => [titleOf(one), one] as const))('%s', (_, { system, options }) => {
    it.each(Object.keys(MEMORIES))('takes keys in %s, and writes there', (name) => {
      const memory = MEMORIES[name];
      for (const kind of kindsOf(system, options)) {
        const made = make(system, { ...options, key: kind });
        for (const column of columnsOf(kind, SAMPLES[kind].slice(0, 40))) {
          const [shards, tokens] = [made.routeMany(column), made.tokens(column)];
          const keys = moved(column, memory);
          const out = copied(new Uint32Array(shards.length), memory);
          expect(made.routeMany(keys, { out })).toBe(out);
          expect(out.slice()).toEqual(shards);
          expect(made.tokens(keys)).toEqual(tokens);
        }
      }
    });

    it('writes to `out` and nothing beside it, and does not change the keys', () => {
      for (const kind of kindsOf(system, options)) {
        const made = make(system, { ...options, key: kind });
        const keys = SAMPLES[kind].slice(0, 40);
        for (const [i, column] of columnsOf(kind, keys).entries()) {
          const around = new Uint32Array(keys.length + 2).fill(UNTOUCHED);
          const out = around.subarray(1, -1);
          expect(made.routeMany(column, { out })).toBe(out);
          expect(out).toEqual(made.routeMany(columnsOf(kind, keys)[i]));
          expect([around[0], around.at(-1)]).toEqual([UNTOUCHED, UNTOUCHED]);
          expect(column).toEqual(columnsOf(kind, keys)[i]);
        }
      }
    });

    it('gives nothing for no keys', () => {
      for (const kind of kindsOf(system, options)) {
        const made = make(system, { ...options, key: kind });
        for (const column of columnsOf(kind, [])) {
          expect(made.routeMany(column)).toEqual(new Uint32Array());
          expect(made.routeMany(column, { out: undefined })).toEqual(new Uint32Array());
          expect(made.tokens(column)).toHaveLength(0);
        }
      }
      if (!kindsOf(system, options).includes('text')) return;
      const made = make(system, options);
      expect(made.routeMany({ data: new Uint8Array(), offsets: new Uint32Array() })).toEqual(new Uint32Array());
    });
  });
});
