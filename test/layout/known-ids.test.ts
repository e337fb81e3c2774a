import { expect, test } from 'vitest';
import { type IdLayout, type Layout, layouts } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { EXPIRIES, KNOWN_IDS, PRESET_TEXTS, RAGEDB_SHARDS, RAGEDB_TYPE_0_IDS, unpackedFields } from '../vectors/ids.js';
import { onBothEntries } from './entries.js';

test('there is a known id of every preset', () => {
  const known = new Set<string>(KNOWN_IDS.map(({ layout }) => layout));
  expect([...known].sort()).toEqual(Object.keys(layouts).sort());
});

onBothEntries('known ids', ({ layouts, formatId, parseId }) => {
  const presets: { readonly [name: string]: IdLayout } = layouts;

  test.each(KNOWN_IDS)('$layout: $id unpacks to its fields, in order, a time in Unix milliseconds', (known) => {
    const { layout, id } = known;
    expect(Object.entries(presets[layout].unpack(id))).toEqual(Object.entries(unpackedFields(known)));
  });

  test.each(KNOWN_IDS)('$layout: $id unpacks from its decimal digits', (known) => {
    expect(presets[known.layout].unpack(String(known.id))).toEqual(unpackedFields(known));
  });

  test.each(KNOWN_IDS)('$layout: $id packs from its fields, with the units of its source', ({ layout, id, fields }) => {
    expect(presets[layout].pack(fields)).toBe(id);
  });

  test.each(KNOWN_IDS)('$layout: $id packs from its fields, with Unix milliseconds', (known) => {
    expect(presets[known.layout].pack(unpackedFields(known))).toBe(known.id);
  });

  test.each(KNOWN_IDS.filter(({ date }) => date !== undefined))('$layout: $id is of $date', ({ layout, id, date }) => {
    expect(presets[layout].dateOf(id).toISOString()).toBe(date?.replace(/(\.\d{3})\d{3}Z/, '$1Z')); // whole milliseconds
  });

  test.each(KNOWN_IDS.filter(({ fields }) => 'shard' in fields))('$layout: the shard of $id', ({
    layout,
    id,
    fields,
  }) => {
    expect(presets[layout].shardOf(id)).toBe(fields.shard);
    expect(presets[layout].shardOf(String(id))).toBe(fields.shard);
  });

  test.each(EXPIRIES)('$layout expires at $date', ({ layout, date }) => {
    expect(layouts[layout].expiresAt().toISOString()).toBe(date);
    expect(layouts[layout].dateOf(layouts[layout].mask).toISOString()).toBe(date);
  });

  test.each(PRESET_TEXTS)('$layout: $text is $id in $format', ({ format, text, id }) => {
    expect(parseId(text, format)).toBe(id);
    expect(formatId(id, format)).toBe(text);
  });
});

onBothBackends('known ids as a column', () => {
  test.each(Object.entries<Layout>(layouts))('%s: there and back', (name, layout) => {
    const known = KNOWN_IDS.filter((one) => one.layout === name);
    const ids = BigUint64Array.from(known, ({ id }) => id);
    const columns = layout.unpackMany(ids);
    const wide = layout.unpackMany(ids, { wide: true });
    for (const field of Object.keys(layout.fields)) {
      expect(Array.from(columns[field], Number)).toEqual(known.map((one) => unpackedFields(one)[field]));
      const units = known.map(({ fields }) => BigInt(fields[field]));
      expect(wide[field]).toEqual(BigUint64Array.from(units));
    }
    expect(layout.packMany(columns)).toEqual(ids);
    expect(layout.packMany(wide)).toEqual(ids);
  });
});

onBothBackends('ids of AT Protocol after 2248, whose microseconds a number does not hold', () => {
  const { atproto } = layouts;

  test('are packed and unpacked in units, and refused as numbers', () => {
    const ids = BigUint64Array.of(atproto.mask);
    expect(atproto.unpackMany(ids, { wide: true }).timestamp).toEqual(BigUint64Array.of(2n ** 53n - 1n));
    expect(atproto.pack({ timestamp: 2n ** 53n - 1n, clock: 1023 })).toBe(atproto.mask);
    expect(atproto.dateOf(atproto.mask).toISOString()).toBe('2255-06-05T23:47:34.740Z');
    expect(() => atproto.unpack(atproto.mask)).toThrow(expect.objectContaining({ argument: 'id', got: atproto.mask }));
    expect(() => atproto.unpackMany(ids)).toThrow(wrong('ids', 0));
  });

  test('the first of them, and the one before', () => {
    const before = { timestamp: 2 ** 43, clock: 0 };
    expect(atproto.unpack(atproto.pack(before))).toEqual(before);
    expect(() => atproto.unpack(atproto.pack(before) + 1024n)).toThrow(RangeError);
  });
});

/** For the local id of RageDB. */
const TOO_LARGE = [2 ** 38, 2 ** 38 + 1, 2 ** 39, 2n ** 38n, 2n ** 63n];

onBothEntries("RageDB's ids", ({ layouts }) => {
  test.each(RAGEDB_SHARDS)('$id belongs to shard $shard', ({ id, shard }) => {
    expect(layouts.ragedb.shardOf(id)).toBe(shard);
    expect(layouts.ragedb.shardOf(String(id))).toBe(shard);
  });

  test('every id below 1024 belongs to shard 0, and 1024 + s to s', () => {
    const below = Array.from({ length: 1024 }, (_, id) => layouts.ragedb.shardOf(BigInt(id)));
    const above = Array.from({ length: 1024 }, (_, id) => layouts.ragedb.shardOf(BigInt(1024 + id)));
    expect(new Set(below)).toEqual(new Set([0]));
    expect(above).toEqual(Array.from({ length: 1024 }, (_, shard) => shard));
  });

  test.each(RAGEDB_TYPE_0_IDS)('$id has type 0, which unpack refuses', ({ id }) => {
    expect(() => layouts.ragedb.unpack(id)).toThrow(RangeError);
    expect(() => layouts.ragedb.unpack(id)).toThrow(/type/);
  });

  test('type 0 is refused by pack', () => {
    expect(() => layouts.ragedb.pack({ local: 1, type: 0, shard: 0 })).toThrow(RangeError);
  });

  test('a local id of 2^38 or more is refused, and not truncated as in the original', () => {
    const largest = 2 ** 38 - 1;
    expect(layouts.ragedb.unpack(layouts.ragedb.pack({ local: largest, type: 1, shard: 2 })).local).toBe(largest);
    for (const local of TOO_LARGE) {
      expect(() => layouts.ragedb.pack({ local, type: 1, shard: 2 })).toThrow(wrong('values.local'));
    }
  });
});

onBothBackends("columns of RageDB's ids", () => {
  test.each(RAGEDB_TYPE_0_IDS)('$id has type 0, which unpackMany refuses', ({ id }) => {
    expect(() => layouts.ragedb.unpackMany(BigUint64Array.of(67109888n, id))).toThrow(/"ids" row 1.*type/);
  });

  test('type 0 is refused by packMany', () => {
    expect(() => layouts.ragedb.packMany({ local: 1, type: Uint16Array.of(1, 0), shard: 0 })).toThrow(
      /"columns.type" row 1/,
    );
  });

  test('a local id of 2^38 or more is refused', () => {
    for (const local of TOO_LARGE) {
      expect(() => layouts.ragedb.packMany({ local, type: 1, shard: 2 })).toThrow(wrong('columns.local'));
    }
    expect(() => layouts.ragedb.packMany({ local: Float64Array.of(1, 2 ** 38), type: 1, shard: 2 })).toThrow(
      /"columns.local" row 1/,
    );
  });
});
