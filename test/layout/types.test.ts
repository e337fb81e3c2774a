import { describe, expectTypeOf, it } from 'vitest';
import * as idsApi from '../../src/ids/index.js';
import {
  defineLayout,
  type FieldSpecs,
  fastRangeMany,
  formatIdColumn,
  formatIds,
  groupByShard,
  type IdLayout,
  jumpHashMany,
  Layout,
  type LayoutTime,
  layouts,
  parseLayout,
  Router,
  SnowflakeGenerator,
  xxh64Many,
} from '../../src/index.js';
import type { ColumnArray } from '../../src/kernels/index.js';

// What the compiler knows: checked by `npm run lint`. None of it runs.

const own = defineLayout({ timestamp: { bits: 42, epoch: 0 }, shard: 8, sequence: 14 });
const mixed = defineLayout({ a: 8, b: 9, c: 16, d: 17, e: 1 });
const plain = defineLayout({ client: 10, entity: 54 });
const edges = { 1: 1, 8: 8, 9: 9, 16: 16, 17: 17, 32: 32, 33: 33, 53: 53, 54: 54, 64: 64 } as const;
const seconds = defineLayout({ shard: 12, born: { bits: 40, unit: 's' }, sequence: 12 });
const ids = new BigUint64Array(1);
const signed = new BigInt64Array(1);
declare const some: Layout;
declare const spec: string;
declare const bits: number;
declare const isTrue: boolean;
declare const perhaps: undefined;

const unchecked = (_: () => unknown): void => {};

describe('types of single values', () => {
  it('are numbers up to 53 bits and for times, and bigints above', () => {
    unchecked(() => {
      expectTypeOf(own.unpack(1n)).toEqualTypeOf<{ timestamp: number; shard: number; sequence: number }>();
      expectTypeOf(plain.unpack(1n)).toEqualTypeOf<{ client: number; entity: bigint }>();
      expectTypeOf(layouts.pinterest.unpack('1').local).toEqualTypeOf<number>();
      expectTypeOf(layouts.snowflake.unpack(1n).timestamp).toEqualTypeOf<number>();
      expectTypeOf(defineLayout({ timestamp: 64 }).unpack(1n)).toEqualTypeOf<{ timestamp: number }>();
      expectTypeOf(defineLayout({ born: { bits: 60, unit: 'us' } }).unpack(1n).born).toEqualTypeOf<number>();
      const each = <Bits extends number>(width: Bits) => new Layout<{ readonly f: Bits }>({ f: width }).unpack(1n).f;
      expectTypeOf(each(edges[53])).toEqualTypeOf<number>();
      expectTypeOf(each(edges[54])).toEqualTypeOf<bigint>();
      expectTypeOf(each(edges[64])).toEqualTypeOf<bigint>();
      expectTypeOf(each(bits)).toEqualTypeOf<number | bigint>();
      expectTypeOf(some.unpack(1n).anything).toEqualTypeOf<number | bigint>();
      // @ts-expect-error there is no such field
      own.unpack(1n).shrd;
      // @ts-expect-error an id is a bigint or its decimal digits
      own.unpack(1);
    });
  });

  it('are taken by pack: a Date, a number or a bigint for a time, and no Date for another field', () => {
    unchecked(() => {
      for (const timestamp of [new Date(), 5, 5n] as const) own.pack({ timestamp, shard: 1n, sequence: 2 });
      some.pack({ anything: new Date(), other: 5n });
      seconds.pack({ shard: 1, born: new Date(), sequence: 1 });
      // @ts-expect-error a Date is no shard
      own.pack({ timestamp: 1, shard: new Date(), sequence: 2 });
      // @ts-expect-error a Date is no shard, named before a time or not
      seconds.pack({ shard: new Date(), born: 1, sequence: 1 });
      // @ts-expect-error no field of this layout holds time
      layouts.ragedb.pack({ local: 1, type: new Date(), shard: 1 });
      // @ts-expect-error a field is missing
      own.pack({ timestamp: 1, shard: 1 });
      // @ts-expect-error a field is misspelt
      own.pack({ timestamp: 1, shard: 1, sequnce: 1 });
      // @ts-expect-error text is no value
      own.pack({ timestamp: '1', shard: 1, sequence: 1 });
      // @ts-expect-error undefined is no value
      own.pack({ timestamp: undefined, shard: 1, sequence: 1 });
      expectTypeOf(own.pack({ timestamp: 1, shard: 1, sequence: 1 })).toEqualTypeOf<bigint>();
      expectTypeOf(own.pack(own.unpack(1n))).toEqualTypeOf<bigint>();
      expectTypeOf(some.pack(some.unpack(1n))).toEqualTypeOf<bigint>();
    });
  });
});

describe('types of columns', () => {
  it('are the narrowest that hold the field', () => {
    unchecked(() => {
      expectTypeOf(own.unpackMany(ids)).toEqualTypeOf<{
        timestamp: Float64Array;
        shard: Uint8Array;
        sequence: Uint16Array;
      }>();
      expectTypeOf(mixed.unpackMany(signed)).toEqualTypeOf<{
        a: Uint8Array;
        b: Uint16Array;
        c: Uint16Array;
        d: Uint32Array;
        e: Uint8Array;
      }>();
      const each = <Bits extends number>(width: Bits) =>
        new Layout<{ readonly f: Bits }>({ f: width }).unpackMany(ids).f;
      expectTypeOf(each(edges[1])).toEqualTypeOf<Uint8Array>();
      expectTypeOf(each(edges[8])).toEqualTypeOf<Uint8Array>();
      expectTypeOf(each(edges[9])).toEqualTypeOf<Uint16Array>();
      expectTypeOf(each(edges[16])).toEqualTypeOf<Uint16Array>();
      expectTypeOf(each(edges[17])).toEqualTypeOf<Uint32Array>();
      expectTypeOf(each(edges[32])).toEqualTypeOf<Uint32Array>();
      expectTypeOf(each(edges[33])).toEqualTypeOf<Float64Array>();
      expectTypeOf(each(edges[53])).toEqualTypeOf<Float64Array>();
      expectTypeOf(each(edges[54])).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(each(edges[64])).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(each(bits)).toEqualTypeOf<ColumnArray>();
      expectTypeOf(defineLayout({ timestamp: 8 }).unpackMany(ids).timestamp).toEqualTypeOf<Float64Array>();
      expectTypeOf(defineLayout({ timestamp: 64 }).unpackMany(ids).timestamp).toEqualTypeOf<Float64Array>();
      expectTypeOf(some.unpackMany(ids).anything).toEqualTypeOf<ColumnArray>();
    });
  });

  it('are all of u64s if wide, and some of them if only the run time knows', () => {
    unchecked(() => {
      type Wide = { timestamp: BigUint64Array; shard: BigUint64Array; sequence: BigUint64Array };
      expectTypeOf(own.unpackMany(ids, { wide: true })).toEqualTypeOf<Wide>();
      expectTypeOf(own.unpackMany(ids, { wide: false }).shard).toEqualTypeOf<Uint8Array>();
      expectTypeOf(own.unpackMany(ids, { wide: undefined }).shard).toEqualTypeOf<Uint8Array>();
      expectTypeOf(own.unpackMany(ids, { wide: isTrue }).shard).toEqualTypeOf<Uint8Array | BigUint64Array>();
      expectTypeOf(own.unpackMany(ids, { wide: isTrue ? true : undefined }).timestamp).toEqualTypeOf<
        Float64Array | BigUint64Array
      >();
      expectTypeOf(some.unpackMany(ids, { wide: true }).anything).toEqualTypeOf<BigUint64Array>();
    });
  });

  it('are those of the fields asked for', () => {
    unchecked(() => {
      expectTypeOf(own.unpackMany(ids, { fields: ['shard'] })).toEqualTypeOf<{ shard: Uint8Array }>();
      expectTypeOf(own.unpackMany(ids, { fields: ['sequence', 'timestamp'], wide: true })).toEqualTypeOf<{
        sequence: BigUint64Array;
        timestamp: BigUint64Array;
      }>();
      expectTypeOf(own.unpackMany(ids, { fields: [] })).toEqualTypeOf<Record<never, never>>();
      expectTypeOf(own.unpackMany(ids, { fields: undefined }).shard).toEqualTypeOf<Uint8Array>();
      const names = ['shard', 'sequence'] as const;
      expectTypeOf(own.unpackMany(ids, { fields: names })).toEqualTypeOf<{
        shard: Uint8Array;
        sequence: Uint16Array;
      }>();
      expectTypeOf(some.unpackMany(ids, { fields: [spec] })).toEqualTypeOf<{ [name: string]: ColumnArray }>();
      // @ts-expect-error it was not asked for
      own.unpackMany(ids, { fields: ['shard'] }).sequence;
      // @ts-expect-error there is no such field
      own.unpackMany(ids, { fields: ['shrd'] });
    });
  });

  it('are those of `out`, which has to hold the field', () => {
    unchecked(() => {
      const timestamp = new BigUint64Array(1);
      const shard = new Uint32Array(1);
      expectTypeOf(own.unpackMany(ids, { out: { timestamp, shard } })).toEqualTypeOf<{
        timestamp: BigUint64Array<ArrayBuffer>;
        shard: Uint32Array<ArrayBuffer>;
        sequence: Uint16Array;
      }>();
      expectTypeOf(own.unpackMany(ids, { out: { shard }, wide: true }).timestamp).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(own.unpackMany(ids, { out: { shard }, fields: ['shard'] })).toEqualTypeOf<{
        shard: Uint32Array<ArrayBuffer>;
      }>();
      expectTypeOf(own.unpackMany(ids, { out: undefined }).shard).toEqualTypeOf<Uint8Array>();
      expectTypeOf(own.unpackMany(ids, { out: isTrue ? { shard } : undefined }).shard).toEqualTypeOf<
        Uint8Array | Uint32Array<ArrayBuffer>
      >();
      const given: { shard?: Uint32Array | undefined } = {};
      expectTypeOf(own.unpackMany(ids, { out: given }).shard).toEqualTypeOf<Uint8Array | Uint32Array>();
      expectTypeOf(own.unpackMany(ids, { out: { shard: undefined } }).shard).toEqualTypeOf<Uint8Array>();
      own.unpackMany(ids, { out: { timestamp: new Float64Array(1) } });
      // @ts-expect-error a time goes to a Float64Array or a BigUint64Array only
      own.unpackMany(ids, { out: { timestamp: new Uint32Array(1) } });
      // @ts-expect-error a time goes to a Float64Array or a BigUint64Array only
      defineLayout({ timestamp: 8 }).unpackMany(ids, { out: { timestamp: new Uint8Array(1) } });
      // @ts-expect-error 14 bits do not go into 8
      own.unpackMany(ids, { out: { sequence: new Uint8Array(1) } });
      // @ts-expect-error 54 bits do not go into a number
      plain.unpackMany(ids, { out: { entity: new Float64Array(1) } });
      // @ts-expect-error what comes out is unsigned
      own.unpackMany(ids, { out: { shard: new BigInt64Array(1) } });
      // @ts-expect-error there is no such field
      own.unpackMany(ids, { out: { shrd: new Uint8Array(1) } });
    });
  });

  it('go into packMany: Unix milliseconds or units for a time, integers of any type for other fields', () => {
    unchecked(() => {
      const shard = new Uint8Array(1);
      for (const timestamp of [new Float64Array(1), ids, signed, new Date(), 5, 5n] as const) {
        expectTypeOf(own.packMany({ timestamp, shard, sequence: 5n })).toEqualTypeOf<BigUint64Array>();
      }
      const signedInts = [new Int8Array(1), new Int16Array(1), new Int32Array(1)] as const;
      for (const sequence of [...signedInts, new Uint8ClampedArray(1), new Float32Array(1), ids, signed] as const) {
        own.packMany({ timestamp: 5, shard, sequence }, { out: undefined });
      }
      own.packMany(own.unpackMany(ids));
      own.packMany(own.unpackMany(ids, { wide: true }), { out: ids });
      some.packMany(some.unpackMany(ids));
      // @ts-expect-error neither milliseconds nor units
      own.packMany({ timestamp: new Uint32Array(1), shard, sequence: 1 });
      // @ts-expect-error a Date is no shard
      own.packMany({ timestamp: 5, shard: new Date(), sequence: 1 });
      // @ts-expect-error numbers are not in lists
      own.packMany({ timestamp: 5, shard: [1], sequence: 1 });
      // @ts-expect-error a field is missing
      own.packMany({ timestamp: 5, shard });
      // @ts-expect-error ids are unsigned where they come out
      own.packMany({ timestamp: 5, shard, sequence: 1 }, { out: signed });
    });
  });
});

describe('methods that need a field', () => {
  it('of time exist if there is one', () => {
    unchecked(() => {
      expectTypeOf(own.dateOf('1')).toEqualTypeOf<Date>();
      expectTypeOf(seconds.datesOf(signed, { out: undefined })).toEqualTypeOf<Float64Array>();
      expectTypeOf(own.minIdAt(5)).toEqualTypeOf<bigint>();
      expectTypeOf(layouts.sonyflake.maxIdAt(new Date())).toEqualTypeOf<bigint>();
      expectTypeOf(defineLayout({ at: { bits: 8, epoch: new Date(0) } }).expiresAt()).toEqualTypeOf<Date>();
      const perhapsTime = defineLayout({ at: { bits: 8, epoch: isTrue ? 5 : undefined } });
      expectTypeOf(perhapsTime.dateOf(1n)).toEqualTypeOf<Date>(); // only the run time knows
      some.dateOf(1n);
      some.datesOf(ids);
      some.minIdAt(1);
      some.maxIdAt(1);
      some.expiresAt();
      // @ts-expect-error there is no time
      plain.dateOf(1n);
      // @ts-expect-error there is no time
      plain.datesOf(ids);
      // @ts-expect-error there is no time
      plain.minIdAt(1);
      // @ts-expect-error there is no time
      plain.maxIdAt(1);
      // @ts-expect-error there is no time
      plain.expiresAt();
      // @ts-expect-error a smallest value makes no time
      layouts.ragedb.dateOf(1n);
      // @ts-expect-error neither does an epoch that is undefined
      defineLayout({ a: { bits: 8, epoch: undefined } }).dateOf(1n);
      // @ts-expect-error a bigint is no instant here
      own.minIdAt(5n);
      // @ts-expect-error dates go to numbers
      own.datesOf(ids, { out: ids });
    });
  });

  it('of a shard exists if there is one', () => {
    unchecked(() => {
      expectTypeOf(own.shardOf(1n)).toEqualTypeOf<number>();
      expectTypeOf(some.shardOf('1')).toEqualTypeOf<number>();
      // @ts-expect-error there is no shard
      plain.shardOf(1n);
      // @ts-expect-error there is no shard
      layouts.twitter.shardOf(1n);
    });
  });

  it('makes a generator need a time and a sequence', () => {
    unchecked(() => {
      const shard = 1;
      new SnowflakeGenerator({ layout: own, shard });
      new SnowflakeGenerator({ layout: seconds, shard });
      new SnowflakeGenerator({ layout: layouts.discord, shard });
      new SnowflakeGenerator({ layout: some, shard });
      new SnowflakeGenerator({ layout: undefined, shard });
      new SnowflakeGenerator({ shard, clock: undefined, highWater: undefined, maxWaitMs: undefined });
      new SnowflakeGenerator({ shard, onClockBackwards: undefined, onSequenceExhausted: undefined });
      const generator: SnowflakeGenerator = new SnowflakeGenerator({ layout: layouts.twitter, shard });
      expectTypeOf(generator.next()).toEqualTypeOf<bigint>();
      // @ts-expect-error there is no time
      new SnowflakeGenerator({ layout: layouts.interned, shard });
      // @ts-expect-error there is neither
      new SnowflakeGenerator({ layout: plain, shard });
      // @ts-expect-error there is no sequence
      new SnowflakeGenerator({ layout: layouts.mastodon, shard });
      // @ts-expect-error of whom?
      new SnowflakeGenerator({ layout: layouts.snowflake });
    });
  });
});

describe('layouts from elsewhere', () => {
  it('parseLayout knows a literal, with spaces or not, and presets by name', () => {
    unchecked(() => {
      type Columns = { timestamp: Float64Array; shard: Uint16Array; sequence: Uint16Array };
      expectTypeOf(parseLayout('timestamp:41,shard:10,sequence:12').unpackMany(ids)).toEqualTypeOf<Columns>();
      expectTypeOf(
        parseLayout(' timestamp : 41 ,\n shard:10,\tsequence: 12 ').unpackMany(ids),
      ).toEqualTypeOf<Columns>();
      expectTypeOf(parseLayout('client:10,entity:54').unpack(1n)).toEqualTypeOf<{ client: number; entity: bigint }>();
      expectTypeOf(parseLayout('a:1').unpackMany(ids)).toEqualTypeOf<{ a: Uint8Array }>();
      expectTypeOf(parseLayout('a:08').unpack(1n)).toEqualTypeOf<{ a: number | bigint }>();
      expectTypeOf(parseLayout('sonyflake')).toEqualTypeOf(layouts.sonyflake);
      expectTypeOf(parseLayout(spec)).toEqualTypeOf<Layout>();
      // @ts-expect-error there is no time
      parseLayout('client:22,entity:40').dateOf(1n);
      // @ts-expect-error there is no time
      parseLayout('interned').dateOf(1n);
      const many = parseLayout(
        'a0:1,a1:1,a2:1,a3:1,a4:1,a5:1,a6:1,a7:1,a8:1,a9:1,b0:1,b1:1,b2:1,b3:1,b4:1,b5:1,b6:1,b7:1,b8:1,b9:1,c0:1,c1:1,c2:1,c3:1,c4:1,c5:1,c6:1,c7:1,c8:1,c9:1,d0:1,d1:1,d2:1,d3:1,d4:1,d5:1,d6:1,d7:1,d8:1,d9:1,e0:1,e1:1,e2:1,e3:1,e4:1,e5:1,e6:1,e7:1,e8:1,e9:1,f0:1,f1:1,f2:1,f3:1,f4:1,f5:1,f6:1,f7:1,f8:1,f9:1,g0:1,g1:1,g2:1,g3:1',
      );
      expectTypeOf(many.unpackMany(ids).g3).toEqualTypeOf<Uint8Array>();
    });
  });

  it('presets know their fields', () => {
    unchecked(() => {
      expectTypeOf(layouts.pinterest.unpackMany(ids)).toEqualTypeOf<{
        shard: Uint16Array;
        type: Uint16Array;
        local: Float64Array;
      }>();
      expectTypeOf(layouts.uidGenerator.unpackMany(ids).timestamp).toEqualTypeOf<Float64Array>();
      expectTypeOf(layouts.interned.unpackMany(ids).prefix).toEqualTypeOf<Uint16Array>();
      expectTypeOf(layouts.mastodon.fields).toHaveProperty('tail');
      expectTypeOf(layouts.twitter.toSql('id').worker).toEqualTypeOf<string>();
    });
  });

  it('through JSON keep their names, if the compiler has seen them', () => {
    unchecked(() => {
      const again = defineLayout(own.toJSON());
      expectTypeOf(again.unpack(1n).shard).toEqualTypeOf<number | bigint>();
      expectTypeOf(again.unpack(1n).timestamp).toEqualTypeOf<number>();
      expectTypeOf(defineLayout(own.fields).unpackMany(ids).shard).toEqualTypeOf<ColumnArray>();
      expectTypeOf(Layout.from(own.toJSON())).toEqualTypeOf<Layout>();
      expectTypeOf(Layout.from(JSON.parse(JSON.stringify(own)))).toEqualTypeOf<Layout>();
      // @ts-expect-error there is no such field
      again.unpack(1n).shrd;
      // @ts-expect-error text is no layout
      Layout.from('snowflake');
    });
  });

  it('all are Layouts, alone, in lists and in unions', () => {
    unchecked(() => {
      const all: Layout[] = [own, mixed, plain, seconds, ...Object.values(layouts), parseLayout('a:8'), some];
      const byName: Record<string, Layout> = { ...layouts, own };
      const readonlyFields: FieldSpecs = { a: 8, b: { bits: 8, min: 1, epoch: undefined, unit: undefined } };
      expectTypeOf(defineLayout(readonlyFields)).toEqualTypeOf<Layout>();
      expectTypeOf(all[0]?.time).toEqualTypeOf<LayoutTime | undefined>();
      expectTypeOf(byName.own?.places[0]?.mask).toEqualTypeOf<bigint>();
      for (const layout of [layouts.snowflake, layouts.sonyflake]) {
        expectTypeOf(layout.dateOf(1n)).toEqualTypeOf<Date>();
        expectTypeOf(layout.datesOf(ids)).toEqualTypeOf<Float64Array>();
        expectTypeOf(layout.unpack(1n).timestamp).toEqualTypeOf<number>();
        expectTypeOf(layout.unpackMany(ids).sequence).toEqualTypeOf<Uint16Array | Uint8Array>();
        expectTypeOf(layout.unpackMany(ids, { wide: true }).sequence).toEqualTypeOf<BigUint64Array>();
      }
      const either = isTrue ? layouts.snowflake : layouts.pinterest;
      expectTypeOf(either.shardOf(1n)).toEqualTypeOf<number>();
      // @ts-expect-error one of them has no time
      either.dateOf(1n);
    });
  });
});

describe('layouts of shardbits/ids', () => {
  it('know their fields, and have only the methods that the fields allow', () => {
    unchecked(() => {
      const single = idsApi.defineLayout({ timestamp: { bits: 42, epoch: 0 }, shard: 8, wide: 14 });
      expectTypeOf(single.unpack(1n)).toEqualTypeOf<{ timestamp: number; shard: number; wide: number }>();
      expectTypeOf(single.shardOf('1')).toEqualTypeOf<number>();
      expectTypeOf(single.dateOf(1n)).toEqualTypeOf<Date>();
      expectTypeOf(idsApi.layouts.clientEntity.unpack(1n)).toEqualTypeOf<{ client: number; entity: number }>();
      expectTypeOf(idsApi.parseLayout('a:1,b:54').unpack(1n)).toEqualTypeOf<{ a: number; b: bigint }>();
      expectTypeOf(idsApi.parseLayout('sonyflake')).toEqualTypeOf(idsApi.layouts.sonyflake);
      expectTypeOf(idsApi.parseLayout(spec)).toEqualTypeOf<IdLayout>();
      // @ts-expect-error a field is missing
      single.pack({ timestamp: 1, shard: 1 });
      // @ts-expect-error there is no time
      idsApi.layouts.pinterest.dateOf(1n);
      // @ts-expect-error there is no shard
      idsApi.layouts.twitter.shardOf(1n);
      // @ts-expect-error columns are for layouts of shardbits
      single.unpackMany(ids);
    });
  });

  it('are what every Layout is, and no Layouts', () => {
    unchecked(() => {
      const all: IdLayout[] = [own, plain, some, ...Object.values(layouts), ...Object.values(idsApi.layouts)];
      const fieldsOf = <S extends FieldSpecs>(layout: IdLayout<S>): keyof S => Object.keys(layout.fields)[0];
      expectTypeOf(fieldsOf(layouts.pinterest)).toEqualTypeOf<'shard' | 'type' | 'local'>();
      expectTypeOf(fieldsOf(idsApi.layouts.pinterest)).toEqualTypeOf<'shard' | 'type' | 'local'>();
      // @ts-expect-error it has no methods for columns
      const full: Layout | undefined = all[0];
      full?.time;
    });
  });

  it('are taken by a generator, if they have a time and a sequence', () => {
    unchecked(() => {
      new SnowflakeGenerator({ layout: idsApi.layouts.discord, shard: 1 });
      // @ts-expect-error there is no time
      new SnowflakeGenerator({ layout: idsApi.layouts.interned, shard: 1 });
    });
  });
});

describe('types of other functions', () => {
  it('take signed columns, and undefined for what is optional', () => {
    unchecked(() => {
      expectTypeOf(formatIds(signed, 'dec')).toEqualTypeOf<string[]>();
      formatIdColumn(signed, 'dec');
      jumpHashMany(signed, 5, { out: undefined });
      fastRangeMany(signed, 5, { out: undefined });
      xxh64Many(signed, { seed: perhaps, out: perhaps });
      const router = new Router({ shards: 5, strategy: perhaps, hash: perhaps, seed: perhaps, down: perhaps });
      router.routeMany(signed, { out: perhaps });
      own.packMany({ timestamp: signed, shard: signed, sequence: signed }, { out: perhaps });
      own.unpackMany(signed, { fields: perhaps, wide: perhaps, out: perhaps });
      own.datesOf(signed, { out: perhaps });
      defineLayout({ a: { bits: 8, epoch: perhaps, unit: perhaps, min: perhaps } });
    });
  });

  it('group the shards that layouts and routers give', () => {
    unchecked(() => {
      groupByShard(own.unpackMany(ids).shard, 256);
      groupByShard(layouts.snowflake.unpackMany(ids).shard, 1024);
      groupByShard(new Router({ shards: 5 }).routeMany(ids), 5);
      // @ts-expect-error shards are integers without a sign
      groupByShard(new Int32Array(1), 5);
    });
  });
});
