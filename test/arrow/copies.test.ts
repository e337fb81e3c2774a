import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Arrow from 'apache-arrow';
import { Vector } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArrowVector, routeVector, unpackVector, xxh64Vector } from '../../src/arrow/index.js';
import { defineLayout, layouts, Router, xxh64Many } from '../../src/index.js';
import { randomU64s } from '../support/random.js';
import { wrong } from '../support/wrong-argument.js';
import { texts } from './samples.js';

const require = createRequire(import.meta.url);
const installed = dirname(require.resolve('apache-arrow'));
const router = new Router({ shards: 1024 });
const fine = defineLayout({ born: { bits: 48, unit: 'us' }, low: 16 });
const users = texts(300);
const ids = randomU64s(300).map((id) => id >> 1n);

/** Copies the modules of apache-arrow to a folder where they find their dependencies. */
function copyOf(folder: string): string {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of ['flatbuffers', 'json-with-bigint', 'tslib']) {
    symlinkSync(join(dirname(installed), name), join(modules, name));
  }
  const isModule = (path: string) => ['', '.mjs'].includes(extname(path)) || basename(path) === 'package.json';
  cpSync(installed, join(modules, 'apache-arrow'), { recursive: true, filter: isModule });
  return pathToFileURL(join(modules, 'apache-arrow/Arrow.node.mjs')).href;
}

describe('Results for vectors of another copy of apache-arrow', () => {
  const copies: { [name: string]: typeof Arrow } = {};
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-arrow-copy-'));
  beforeAll(async () => {
    copies.module = await import(copyOf(folder));
    copies.require = require('apache-arrow');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Writes a table with the program's copy, and reads it again. */
  const reread = ({ Table, tableFromIPC, tableToIPC }: typeof Arrow, columns: object, format: 'file' | 'stream') =>
    tableFromIPC(tableToIPC(new Table(columns as { [name: string]: Vector }), format));

  describe.each(['module', 'require'])('by %s', (name) => {
    it.each(['file', 'stream'] as const)('are written by it to a %s, and read again', (format) => {
      const arrow = copies[name] as typeof Arrow;
      expect(arrow.DataType).not.toBe(Object.getPrototypeOf(Vector.prototype.type.constructor));
      const halves = <T>(column: { slice(from: number, to?: number): T }) => [column.slice(0, 100), column.slice(100)];
      const [first, second] = halves(users).map((part) => arrow.vectorFromArray(part, new arrow.Utf8()));
      const user = first?.concat(second as never) as Vector;
      const indexed = arrow.vectorFromArray(users);
      const id = arrow.makeVector(halves(ids)) as Vector;
      const table = reread(
        arrow,
        {
          user,
          userShard: routeVector(router, user),
          indexedShard: routeVector(router, indexed),
          slicedShard: routeVector(router, arrow.vectorFromArray(['', ...users]).slice(1)),
          memoizedShard: routeVector(router, user.memoize()),
          idShard: routeVector(router, id),
          hash: xxh64Vector(user),
          ...unpackVector(layouts.snowflake, id),
          ...unpackVector(fine, id),
        },
        format,
      );
      const routed = router.routeMany(users);
      for (const column of ['userShard', 'indexedShard', 'slicedShard', 'memoizedShard']) {
        expect(table.getChild(column)?.toArray()).toEqual(routed);
      }
      expect(table.getChild('idShard')?.toArray()).toEqual(router.routeMany(ids));
      expect(table.getChild('hash')?.toArray()).toEqual(xxh64Many(users));
      for (const [column, values] of Object.entries({
        ...layouts.snowflake.unpackMany(ids),
        ...fine.unpackMany(ids),
      })) {
        expect([...(table.getChild(column) as Vector)]).toEqual([...values]);
      }
      expect([...(table.getChild('user') as Vector)]).toEqual(users);
      const types = table.schema.fields.map(({ type }) => String(type)).slice(1);
      expect(types).toEqual([
        ...['Uint32', 'Uint32', 'Uint32', 'Uint32', 'Uint32', 'Uint64'],
        ...['Timestamp<MILLISECOND>', 'Uint16', 'Uint16', 'Timestamp<MICROSECOND>', 'Uint16'],
      ]);
    });

    it('are its vectors, with values, slices and results of their own', () => {
      const arrow = copies[name] as typeof Arrow;
      const id = arrow.makeVector(ids.slice()) as Vector;
      const fields = {
        ...unpackVector(layouts.snowflake, id),
        ...unpackVector(defineLayout({ high: 20, float: 44 }), id),
      };
      for (const vector of Object.values(fields) as Vector[]) {
        expect(Object.getPrototypeOf(vector)).toBe(arrow.Vector.prototype);
        expect(Object.getPrototypeOf(vector.data[0])).toBe(arrow.Data.prototype);
        expect(vector.type).toBeInstanceOf(arrow.DataType);
        expect(vector.nullCount).toBe(0);
      }
      expect([...fields.timestamp.slice(7, 9)]).toEqual([...layouts.snowflake.unpackMany(ids).timestamp.slice(7, 9)]);
      const wide = unpackVector(layouts.snowflake, id, { wide: true }).timestamp;
      expect(routeVector(router, wide).toArray()).toEqual(router.routeMany(wide.toArray()));
      expect(arrow.util.compareTypes(routeVector(router, id).type, routeVector(router, wide).type)).toBe(true);
    });
  });

  it('are refused if the vector or its data is not an object of apache-arrow', () => {
    const user = (copies.module as typeof Arrow).vectorFromArray(['a'], new (copies.module as typeof Arrow).Utf8());
    const plain: ArrowVector = { type: user.type, data: user.data };
    expect(() => routeVector(router, plain)).toThrow(wrong('vector'));
    const data = [{ ...user.data[0], nullCount: 0, length: 1, offset: 0 }];
    expect(() => routeVector(router, { ...plain, data } as never)).toThrow(TypeError);
  });

  it('are those of the library for plain objects', () => {
    const values = ids.slice(0, 3);
    const data = [{ length: 3, offset: 0, nullCount: 0, values, valueOffsets: undefined }];
    const vector: ArrowVector = { type: { typeId: 2, bitWidth: 64, isSigned: false }, data };
    expect(xxh64Vector(vector)).toBeInstanceOf(Vector);
    expect(xxh64Vector(vector).toArray()).toEqual(xxh64Many(values));
  });
});
