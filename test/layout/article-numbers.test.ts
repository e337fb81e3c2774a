import { expect, test } from 'vitest';
import { defineLayout, layouts } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { INSTANT, PREFIX_32_IDS, RAGEDB_TYPE_0_IDS } from '../vectors/ids.js';

// Where the articles behind these layouts are wrong, or JavaScript sets a trap: regressions.

onBothBackends('numbers of the snowflake article', () => {
  test('its example lies 36,757,815,500 ms after the epoch, not 39,486,615,500', () => {
    const id = layouts.snowflake.pack({ timestamp: new Date(INSTANT), shard: 5, sequence: 123 });
    expect(id >> 22n).toBe(36_757_815_500n);
    expect(layouts.snowflake.unpackMany(BigUint64Array.of(id), { wide: true }).timestamp[0]).toBe(36_757_815_500n);
    expect(layouts.snowflake.unpack(id).timestamp).toBe(1672531200000 + 36_757_815_500);
    const articles = layouts.snowflake.pack({ timestamp: 39_486_615_500n, shard: 5, sequence: 123 });
    expect(articles).not.toBe(id);
    expect(layouts.snowflake.dateOf(articles).toISOString()).toBe('2024-04-02T00:30:15.500Z');
  });

  test('the spare bit is the top one: 41 + 10 + 12 are the low 63 bits', () => {
    expect(layouts.snowflake.bits).toBe(63);
    expect(layouts.snowflake.mask).toBe(2n ** 63n - 1n);
    expect(layouts.snowflake.pack({ timestamp: 0n, shard: 0, sequence: 1 })).toBe(1n);
    expect(() => layouts.snowflake.unpack(2n ** 63n)).toThrow(RangeError);
  });

  test('286435872092454913 is exact as a bigint and as text; as a number it would end in 900', () => {
    expect(String(Number(286435872092454913n))).toMatch(/900$/);
    const fields = { timestamp: 1672531200000 + 68291633628, shard: 0, sequence: 1 };
    expect(layouts.snowflake.unpack(286435872092454913n)).toEqual(fields);
    expect(layouts.snowflake.unpack('286435872092454913')).toEqual(fields);
    expect(() => layouts.snowflake.unpack(Number(286435872092454913n) as unknown as bigint)).toThrow(TypeError);
  });

  test('shard 1024 is refused, as it would bleed into the time', () => {
    expect(layouts.snowflake.pack({ timestamp: 7n, shard: 1023, sequence: 0 })).toBe((7n << 22n) | (1023n << 12n));
    expect(() => layouts.snowflake.pack({ timestamp: 7n, shard: 1024, sequence: 0 })).toThrow(wrong('values.shard'));
    expect(() => layouts.snowflake.packMany({ timestamp: 7n, shard: Uint16Array.of(1024), sequence: 0 })).toThrow(
      /"columns.shard" row 0/,
    );
  });
});

onBothBackends('numbers of the Ruby article', () => {
  const small = defineLayout({ client: 7, entity: 5 });

  test('123 << 5 | 3 is 3939', () => {
    expect(small.pack({ client: 123, entity: 0 })).toBe(3936n);
    expect(small.pack({ client: 123, entity: 3 })).toBe(3939n);
    expect(small.unpack(3939n)).toEqual({ client: 123, entity: 3 });
    expect(small.packMany({ client: Uint8Array.of(123, 123), entity: Uint8Array.of(0, 3) })).toEqual(
      BigUint64Array.of(3936n, 3939n),
    );
  });

  test('client 123 is 123 * 2^40, and not the 31488 of `123 << 40` in JavaScript', () => {
    const id = layouts.clientEntity.pack({ client: 123, entity: 0 });
    expect(id).toBe(135239930216448n);
    expect(id).not.toBe(BigInt(123 << 40));
    expect(layouts.clientEntity.packMany({ client: Uint32Array.of(123), entity: 0 })[0]).toBe(135239930216448n);
  });

  test('the last client is 4194303: 4194304 is refused', () => {
    expect(layouts.clientEntity.pack({ client: 4194303, entity: 0 })).toBe(4194303n << 40n);
    for (const [client, row] of [[4194304], [4194304n], [Uint32Array.of(4194303, 4194304), 1]] as const) {
      expect(() => layouts.clientEntity.packMany({ client, entity: 0 })).toThrow(wrong('columns.client', row));
    }
    expect(() => layouts.clientEntity.pack({ client: 4194304, entity: 0 })).toThrow(wrong('values.client'));
  });

  test('the last entity is 1099511627775: 1099511627776 is refused, not carried into the client', () => {
    expect(layouts.clientEntity.pack({ client: 0, entity: 1099511627775 })).toBe(1099511627775n);
    expect(() => layouts.clientEntity.pack({ client: 0, entity: 1099511627776 })).toThrow(wrong('values.entity'));
    expect(() => layouts.clientEntity.packMany({ client: 0, entity: Float64Array.of(1099511627776) })).toThrow(
      /"columns.entity" row 0/,
    );
  });

  test('the largest id is 2^62 - 1; the two spare bits must be zero', () => {
    expect(layouts.clientEntity.mask).toBe(2n ** 62n - 1n);
    expect(layouts.clientEntity.pack({ client: 4194303, entity: 1099511627775 })).toBe(2n ** 62n - 1n);
    for (const id of [2n ** 62n, 2n ** 63n, 2n ** 64n - 1n]) {
      expect(() => layouts.clientEntity.unpack(id)).toThrow(RangeError);
      expect(() => layouts.clientEntity.unpackMany(BigUint64Array.of(0n, id))).toThrow(wrong('ids', 1));
    }
  });

  test('the spare bits can be a third field', () => {
    const layout = defineLayout({ kind: 2, client: 22, entity: 40 });
    expect(layout.unpack(2n ** 64n - 1n)).toEqual({ kind: 3, client: 4194303, entity: 1099511627775 });
  });
});

onBothBackends('numbers of the interning article', () => {
  const layout = defineLayout({ prefix: 32, sequence: 32 });

  test.each(PREFIX_32_IDS)('prefix $prefix, sequence $sequence is $id', ({ id, prefix, sequence }) => {
    expect(layout.pack({ prefix, sequence })).toBe(id);
    expect(layout.unpack(id)).toEqual({ prefix, sequence });
    expect(layout.packMany({ prefix: Uint32Array.of(prefix), sequence: Uint32Array.of(sequence) })[0]).toBe(id);
    expect(layout.packMany({ prefix, sequence: Uint32Array.of(sequence) })[0]).toBe(id);
  });

  test('`37<<32+5` in JavaScript is 1184, an id of prefix 0', () => {
    expect(37 << (32 + 5)).toBe(1184);
    expect(layout.unpack(1184n)).toEqual({ prefix: 0, sequence: 1184 });
  });

  test('the preset never has sequence 0, so that 0 is not an id', () => {
    expect(layouts.interned.pack({ prefix: 0, sequence: 1 })).toBe(1n);
    expect(() => layouts.interned.pack({ prefix: 37, sequence: 0 })).toThrow(wrong('values.sequence'));
    expect(() => layouts.interned.unpack(0n)).toThrow(RangeError);
    expect(() => layouts.interned.unpack(37n << 50n)).toThrow(RangeError);
    expect(() => layouts.interned.unpackMany(BigUint64Array.of(1n, 37n << 50n))).toThrow(wrong('ids', 1));
    expect(() => layouts.interned.packMany({ prefix: 37, sequence: Uint8Array.of(1, 2, 0) })).toThrow(
      /"columns.sequence" row 2/,
    );
  });
});

onBothBackends("numbers of RageDB's tests", () => {
  const withoutMin = defineLayout({ local: 38, type: 16, shard: 10 });

  test.each(RAGEDB_TYPE_0_IDS)('without a smallest type, $id has local $local', ({ id, local, shard }) => {
    expect(withoutMin.unpack(id)).toEqual({ local, type: 0, shard });
    expect(withoutMin.pack({ local, type: 0, shard })).toBe(id);
    expect(withoutMin.shardOf(id)).toBe(shard);
  });
});
