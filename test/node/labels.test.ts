import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { type Placement, placementOf } from '../../src/map/index.js';
import { routeFile, routeToDirectory } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';

const router = new Router({ shards: 4 });
const labels = ['y\u00e9', 'x', 'x', 'y\u00e9'];
const placement = placementOf(router, labels);
const nameOf = (key: string) => labels[router.route(key)];
const lines = () => Readable.from([Buffer.from('a\nb\r\nc')]);

describe('labels of shards', () => {
  it('are written instead of their numbers', async () => {
    const out = join(temporaryFolder(), 'out');
    await routeFile(lines(), { placement, out });
    expect(readFileSync(out, 'utf8')).toBe(['a', 'b', 'c'].map((key) => `${nameOf(key)}\t${key}\n`).join(''));
    await routeFile(lines(), { placement, out, records: { format: 'csv', key: 1, header: false } });
    expect(readFileSync(out, 'utf8')).toBe(`a,${nameOf('a')}\nb,${nameOf('b')}\r\nc,${nameOf('c')}\n`);
  });

  it('are those of files', async () => {
    const directory = join(temporaryFolder(), 'out');
    await routeToDirectory(lines(), { placement, directory });
    expect(readdirSync(directory)).toEqual(['x.txt', 'y\u00e9.txt']);
    for (const name of new Set(labels)) {
      const keys = ['a', 'b', 'c'].filter((key) => nameOf(key) === name);
      expect(readFileSync(join(directory, `${name}.txt`), 'utf8')).toBe(keys.map((key) => `${key}\n`).join(''));
    }
  });

  it("are those of a placement of one's own, and may change later", async () => {
    const out = join(temporaryFolder(), 'out');
    const own = { routing: router, labels: [...labels], labelOf: (shard: number) => labels[shard] };
    const done = routeFile(lines(), { placement: own, out });
    own.labels.fill('z');
    await done;
    expect(readFileSync(out, 'utf8')).toContain(`${nameOf('a')}\ta\n`);
  });

  it.each<[placement: unknown, error: object]>([
    [7, { argument: 'placement' }],
    [{ routing: 7 }, { argument: 'placement.routing' }],
    [{ labels: 'xy' }, { argument: 'placement.labels', expected: 'an array of strings' }],
    [{ labels: ['x'] }, { argument: 'placement.labels', expected: 'a label for each of 4 shards', got: 1 }],
    [{ labels: ['x', 'x', 'x', 7] }, { argument: 'placement.labels' }],
    [{ labels: ['x', 'a\tb', 'x', 'x'] }, { argument: 'placement.labels', expected: 'no control characters', row: 1 }],
  ])('are refused: %j', async (given, error) => {
    const folder = temporaryFolder();
    const own = typeof given === 'object' ? { routing: router, ...given } : given;
    const options = { placement: own as Placement };
    await expect(routeFile(lines(), { ...options, out: join(folder, 'out') })).rejects.toMatchObject(error);
    await expect(routeToDirectory(lines(), { ...options, directory: join(folder, 'dir') })).rejects.toMatchObject(
      error,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are not given beside a router', async () => {
    await expect(routeFile(lines(), { router, placement, out: 'never' })).rejects.toMatchObject({
      argument: 'router',
      expected: 'undefined with a placement',
    });
  });

  it('are refused with formats of numbers', async () => {
    for (const format of ['shard', 'u32'] as const) {
      await expect(routeFile(lines(), { placement, out: 'never', format })).rejects.toMatchObject({
        argument: 'format',
        expected: "'tsv' or undefined with labels",
        got: format,
      });
    }
  });
});
