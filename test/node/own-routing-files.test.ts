import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Keys, Router, type Routing } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { type RecordFormat, routeFile, routeLines, routeToDirectory } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { all } from '../support/streams.js';
import { expectSame, file, linesOf, ownRouting, routed, streamed, texts } from './partition-samples.js';

onBothBackends('a Routing of your own', () => {
  const router = new Router({ shards: 10, seed: 3n });
  const own = ownRouting(router);

  it('routes the lines and records of files and streams', async () => {
    const lines = texts.join('\n');
    expectSame(await routed(lines, { router: own }), String(await routed(lines, { router })));
    expectSame(await streamed(lines, own), router.routeMany(texts).join());
    const ids = randomU64s(1000);
    expectSame(await streamed(ids.join('\n'), own, { keys: 'u64' }), router.routeMany(ids).join());
    const rows: RecordFormat = { format: 'csv', key: 'id' };
    const table = `id,b\n${linesOf(texts.slice(0, 3000).map((text) => `${text},1`))}`;
    expectSame(
      await routed(table, { router: own, records: rows }),
      String(await routed(table, { router, records: rows })),
    );
  });

  it('writes a file for each shard, and its JSON to the manifest', async () => {
    const directory = join(temporaryFolder(), 'shards');
    const rows: RecordFormat = { format: 'csv', key: 1, header: false };
    await routeToDirectory(file(linesOf(texts)), { router: own, directory, records: rows });
    const shards = router.routeMany(texts);
    for (let shard = 0; shard < 10; shard++) {
      expectSame(readFileSync(join(directory, `${shard}.csv`)), linesOf(texts.filter((_, i) => shards[i] === shard)));
    }
    const { options } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    expect(options).toEqual({ router: { mine: 10 }, keys: 'text', records: rows });
  });

  it('gets keys that it may keep, and an array for shards that it may use', async () => {
    const kept: Keys[] = [];
    const keeping = ownRouting(router, {
      routeMany(keys, options) {
        kept.push(keys);
        return router.routeMany(keys, options);
      },
    });
    expectSame(await streamed(texts.join('\n'), keeping), router.routeMany(texts).join());
    expectSame(
      kept.flatMap((keys) => [...router.routeMany(keys)]),
      router.routeMany(texts).join(),
    );
  });

  it('may take memory of the kernels while it routes', async () => {
    const columns: Disposable[] = [];
    const growing = ownRouting(router, {
      routeMany(keys) {
        columns.push(wasm.column('u8', 8 * 1024 * 1024));
        return router.routeMany(keys);
      },
    });
    try {
      expectSame(await streamed(texts.join('\n'), growing), router.routeMany(texts).join());
    } finally {
      for (const column of columns) column[Symbol.dispose]();
    }
  });

  it('is refused with several threads', async () => {
    const folder = temporaryFolder();
    const running = routeFile(file('a\n'), { router: own, out: join(folder, 'out'), threads: 2 });
    await expect(running).rejects.toMatchObject({
      name: 'TypeError',
      argument: 'router',
      code: 'ERR_INVALID_ARG_TYPE',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[what: string, result: () => unknown, name: string]>([
    ['an Array', () => [0, 1, 2], 'TypeError'],
    ['nothing', () => undefined, 'TypeError'],
    ['a row short', () => new Uint32Array(2), 'RangeError'],
    ['a row long', () => new Uint32Array(4), 'RangeError'],
    ['a shard too high', () => Uint32Array.of(0, 10, 0), 'RangeError'],
  ])('is refused when it gives %s', async (_, result, name) => {
    const wrong = ownRouting(router, { routeMany: result as Routing['routeMany'] });
    const folder = temporaryFolder();
    const refused = { name, argument: 'router', expected: expect.stringContaining('from routeMany') };
    const path = file('a\nb\nc\n');
    await expect(routeFile(path, { router: wrong, out: join(folder, 'out') })).rejects.toMatchObject(refused);
    const directory = join(folder, 'dir');
    await expect(routeToDirectory(path, { router: wrong, directory })).rejects.toMatchObject(refused);
    await expect(streamed('a\nb\nc', wrong)).rejects.toMatchObject(refused);
    await expect(all(routeLines(path, wrong))).rejects.toMatchObject(refused);
    expect(readdirSync(folder)).toEqual([]);
  });
});
