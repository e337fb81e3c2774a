import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Int32, makeVector, Table, tableFromIPC, tableToIPC, type Vector, vectorFromArray } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chunksOf, routeVector, unpackVector, xxh64Vector } from '../../src/arrow/index.js';
import { type BytesColumn, layouts, Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';
import { lengths, texts, utf8 } from './samples.js';

const BATCHES = [1000, 1, scaled(17_000)];
const router = new Router({ shards: 1024 });
const rows = BATCHES.reduce((sum, length) => sum + length, 0);
const users = texts(rows);
const ids = randomU64s(rows).map((id) => id >> 1n);
const countries = users.map((_, row) => ['FR', 'UA', 'JP', ''][row % 4]);

function batches<T>(column: { slice(from: number, to: number): T }): T[] {
  const ends = BATCHES.map((_, i) => BATCHES.slice(0, i + 1).reduce((sum, length) => sum + length));
  return ends.map((end, i) => column.slice(ends[i - 1] ?? 0, end));
}

function column(table: Table, name: string): Vector {
  const vector = table.getChild(name);
  if (vector === null) throw new RangeError(`no column ${name}`);
  return vector;
}

onBothBackends('Arrow files and streams', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-arrow-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const source = () => {
    const country = vectorFromArray(countries);
    const parts = batches(country);
    return new Table({
      user: utf8(...batches(users)),
      id: makeVector(batches(ids)),
      country: (parts[0] as Vector).concat(...parts.slice(1)),
    });
  };

  it.each(['file', 'stream'] as const)('%s: read, routed, written with its shards, read again', (format) => {
    const path = join(folder, `users-${format}.arrow`);
    writeFileSync(path, tableToIPC(source(), format));
    const table = tableFromIPC(readFileSync(path));
    const user = column(table, 'user');
    expect(lengths(user)).toEqual(BATCHES);
    const { shard: idShard, timestamp } = unpackVector(layouts.snowflake, column(table, 'id'));
    const shard = routeVector(router, user);
    const countryShard = routeVector(router, column(table, 'country'));
    const hash = xxh64Vector(user);
    const routed = table.assign(new Table({ shard, countryShard, hash, idShard, timestamp }));
    expect(routed.batches.map(({ numRows }) => numRows)).toEqual(BATCHES);
    writeFileSync(path, tableToIPC(routed, format));

    const again = tableFromIPC(readFileSync(path));
    expect(again.schema.names).toEqual([
      ...['user', 'id', 'country'],
      ...['shard', 'countryShard', 'hash', 'idShard', 'timestamp'],
    ]);
    expect(column(again, 'shard').toArray()).toEqual(router.routeMany(users));
    expect(column(again, 'countryShard').toArray()).toEqual(router.routeMany(countries));
    expect(column(again, 'hash').toArray()).toEqual(xxh64Many(users));
    const fields = layouts.snowflake.unpackMany(ids);
    expect(column(again, 'idShard').toArray()).toEqual(fields.shard);
    expect([...column(again, 'timestamp')]).toEqual([...fields.timestamp]);
    expect(String(column(again, 'timestamp').type)).toBe('Timestamp<MILLISECOND>');
    expect(column(again, 'shard').nullCount).toBe(0);
    expect([...column(again, 'user')]).toEqual(users);
    expect([...column(again, 'country')]).toEqual(countries);
  });

  it('copies neither the keys of a file nor the results', () => {
    const file = tableToIPC(source(), 'file');
    const table = tableFromIPC(file);
    for (const keys of chunksOf(column(table, 'user')) as BytesColumn[]) {
      expect(keys.data.buffer).toBe(file.buffer);
      expect(keys.offsets.buffer).toBe(file.buffer);
    }
    for (const keys of chunksOf(column(table, 'id')) as BigUint64Array[]) expect(keys.buffer).toBe(file.buffer);
    const shard = routeVector(router, column(table, 'user'));
    const kept = table.assign(new Table({ shard })).getChild('shard') as Vector;
    expect(kept.data.map(({ values }) => values)).toEqual(shard.data.map(({ values }) => values));
    kept.data.forEach(({ values }, i) => {
      expect(values.buffer).toBe(shard.data[i]?.values.buffer);
    });
  });

  it('reads a table without rows', () => {
    const empty = new Table({ user: utf8([]), n: vectorFromArray([], new Int32()) });
    for (const table of [empty, tableFromIPC(tableToIPC(new Table(empty.schema)))]) {
      expect(routeVector(router, column(table, 'user')).length).toBe(0);
    }
  });

  it('refuses a row that a table fills up with null', () => {
    const n = vectorFromArray([1, 2, 3], new Int32());
    for (const user of [utf8(['a', 'b']), vectorFromArray(['a', 'b'])]) {
      expect(() => routeVector(router, column(new Table({ user, n }), 'user'))).toThrow(wrong('vector', 2));
    }
  });
});
