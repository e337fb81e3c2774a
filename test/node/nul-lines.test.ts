import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router, xxh64 } from '../../src/index.js';
import { placementOf, ShardMap } from '../../src/map/index.js';
import { auditFiles, detectFiles, hashFile, planFiles, routeFile, routeToDirectory } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';

const KEYS = ['a\nb', 'c', '', 'd\r', '\r\n', 'user:1', 'ключ', 'tab\there'];
const NUL = { lineEnd: 'nul' } as const;
const router = new Router({ shards: 7 });
const placement = placementOf(router);

const path = (name = 'out') => join(temporaryFolder(), name);
const ended = (rows: readonly string[]) => rows.map((row) => `${row}\0`).join('');

/** The keys in pieces of so many bytes. The last one may lack its NUL. */
function input(keys = KEYS, byteLength = 3, isWhole = true): Readable {
  const bytes = Buffer.from(isWhole ? ended(keys) : keys.join('\0'));
  const count = Math.ceil(bytes.length / byteLength);
  return Readable.from(Array.from({ length: count }, (_, i) => bytes.subarray(i * byteLength, (i + 1) * byteLength)));
}

onBothBackends('keys that end with NUL, with line breaks in them', () => {
  it('are routed, with their shards or labels, and rows end with NUL, too', async () => {
    const map = ShardMap.create({ shards: 7, nodes: [{ name: 'a' }, { name: 'b' }] });
    const labelled = placementOf(router, map);
    for (const isWhole of [true, false]) {
      for (const byteLength of [1, 3, 100]) {
        const out = path();
        await routeFile(input(KEYS, byteLength, isWhole), { router, out, ...NUL });
        expect(readFileSync(out, 'utf8')).toBe(ended(KEYS.map((key) => `${router.route(key)}\t${key}`)));
        await routeFile(input(KEYS, byteLength, isWhole), { placement: labelled, out, ...NUL });
        const nodeOf = (key: string) => labelled.labels?.[router.route(key)];
        expect(readFileSync(out, 'utf8')).toBe(ended(KEYS.map((key) => `${nodeOf(key)}\t${key}`)));
      }
    }
    const out = path();
    await routeFile(input(), { router, out, format: 'shard', ...NUL });
    expect(readFileSync(out, 'utf8')).toBe(KEYS.map((key) => `${router.route(key)}\n`).join(''));
  });

  it('are hashed', async () => {
    const out = path();
    await hashFile(input(), { out, format: 'dec', ...NUL });
    expect(readFileSync(out, 'utf8')).toBe(KEYS.map((key) => `${xxh64(key)}\n`).join(''));
  });

  it('go to the files of their shards as they came', async () => {
    for (const isWhole of [true, false]) {
      const directory = path('dir');
      await routeToDirectory(input(KEYS, 3, isWhole), { router, directory, ...NUL });
      for (let shard = 0; shard < 7; shard++) {
        const own = KEYS.filter((key) => router.route(key) === shard);
        expect(readFileSync(join(directory, `${shard}.txt`), 'utf8')).toBe(ended(own));
      }
    }
  });

  it('are listed when they move, and when they are in the wrong shard', async () => {
    const to = placementOf(router.with({ shards: 12 }));
    const moving = KEYS.filter((key) => to.routing.route(key) !== router.route(key));
    const out = path();
    const { moved } = await planFiles(input(), { from: placement, to, outRows: out, ...NUL });
    expect(moved).toBe(moving.length);
    expect(readFileSync(out, 'utf8')).toBe(
      ended(moving.map((key) => `${key}\t${router.route(key)}\t${to.routing.route(key)}`)),
    );

    const placed = KEYS.map((key, i) => `${i < 2 ? (router.route(key) + 1) % 7 : router.route(key)}\t${key}`);
    const { rows, misplaced } = await auditFiles(input(placed), { placement, out, ...NUL });
    expect([rows, misplaced]).toEqual([KEYS.length, 2]);
    const wrong = KEYS.slice(0, 2).map((key) => `${key}\t${(router.route(key) + 1) % 7}\t${router.route(key)}`);
    expect(readFileSync(out, 'utf8')).toBe(ended(wrong));
  });

  it('tell who placed them', async () => {
    const keys = Array.from({ length: 300 }, (_, i) => `user:\n${i}`);
    const { verdict } = await detectFiles(
      input(
        keys.map((key) => `${router.route(key)}\t${key}`),
        1000,
      ),
      NUL,
    );
    expect(verdict?.options).toBe('--shards 7');
  });

  it('have their number in errors', async () => {
    const wrong = routeFile(input(['1\n', '2', 'x']), { router, out: path(), keys: 'u64', ...NUL });
    await expect(wrong).rejects.toMatchObject({ line: 1, got: '1\n' });
    const later = routeFile(input(['1', '2', 'x\n\n', '3']), { router, out: path(), keys: 'u64', ...NUL });
    await expect(later).rejects.toMatchObject({ line: 3, got: 'x\n\n' });
  });
});

describe('keys that end with NUL', () => {
  it('are routed on threads as on one', async () => {
    const keys = path('keys');
    writeFileSync(keys, ended(Array.from({ length: 600_000 }, (_, i) => `key\n${i}\n${'x'.repeat(i % 40)}`)));
    const [one, two] = [path('one'), path('two')];
    await routeFile(keys, { router, out: one, ...NUL });
    await routeFile(keys, { router, out: two, threads: 2, ...NUL });
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
    const [directory, other] = [path('dir'), path('dir')];
    await routeToDirectory(keys, { router, directory, ...NUL });
    await routeToDirectory(keys, { router, directory: other, threads: 2, ...NUL });
    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(other, name)).equals(readFileSync(join(directory, name)))).toBe(true);
    }
  });

  it('are not in records or in Parquet', async () => {
    const out = path();
    const records = { format: 'csv', key: 'a' } as const;
    await expect(routeFile(input(), { router, out, records, ...NUL })).rejects.toMatchObject({
      argument: 'lineEnd',
      expected: 'undefined with records',
    });
    const parquet = { format: 'parquet', key: 'a' } as const;
    await expect(routeFile('keys.parquet', { router, out, records: parquet, ...NUL })).rejects.toMatchObject({
      argument: 'lineEnd',
      expected: 'undefined with Parquet',
    });
    await expect(routeFile(input(), { router, out, lineEnd: '0' as 'nul' })).rejects.toMatchObject({
      argument: 'lineEnd',
      expected: "one of 'nul'",
    });
  });
});
