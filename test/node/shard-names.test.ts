import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { routeFile, routeToDirectory, type ShardNames } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';

const router = new Router({ shards: 4 });
const names: ShardNames = { texts: ['x', 'y\u00e9'], ofShard: Uint8Array.of(1, 0, 0, 1) };
const nameOf = (key: string) => names.texts[names.ofShard[router.route(key)]];
const lines = () => Readable.from([Buffer.from('a\nb\r\nc')]);

describe('names of shards', () => {
  it('are written instead of their numbers', async () => {
    const out = join(temporaryFolder(), 'out');
    await routeFile(lines(), { router, out, names });
    expect(readFileSync(out, 'utf8')).toBe(['a', 'b', 'c'].map((key) => `${nameOf(key)}\t${key}\n`).join(''));
    await routeFile(lines(), { router, out, names, records: { format: 'csv', key: 1, header: false } });
    expect(readFileSync(out, 'utf8')).toBe(`a,${nameOf('a')}\nb,${nameOf('b')}\r\nc,${nameOf('c')}\n`);
  });

  it('are those of files', async () => {
    const directory = join(temporaryFolder(), 'out');
    await routeToDirectory(lines(), { router, directory, names });
    expect(readdirSync(directory)).toEqual(['x.txt', 'y\u00e9.txt']);
    for (const name of names.texts) {
      const keys = ['a', 'b', 'c'].filter((key) => nameOf(key) === name);
      expect(readFileSync(join(directory, `${name}.txt`), 'utf8')).toBe(keys.map((key) => `${key}\n`).join(''));
    }
  });

  it('are copied, as they may change later', async () => {
    const out = join(temporaryFolder(), 'out');
    const given = { texts: [...names.texts], ofShard: names.ofShard.slice() };
    const done = routeFile(lines(), { router, out, names: given });
    given.texts.pop();
    given.ofShard.fill(9);
    await done;
    expect(readFileSync(out, 'utf8')).toContain(`${nameOf('a')}\ta\n`);
  });

  it.each<[names: unknown, error: object]>([
    [7, { argument: 'names' }],
    [
      { ...names, more: 1 },
      { argument: 'names', got: 'more' },
    ],
    [
      { ...names, texts: 'xy' },
      { argument: 'names.texts', expected: 'an array of strings' },
    ],
    [
      { ...names, texts: [] },
      { argument: 'names.texts', expected: '1 to 65535 texts', got: 0 },
    ],
    [{ ...names, texts: ['x', 7] }, { argument: 'names.texts' }],
    [
      { ...names, texts: ['x', 'a\tb'] },
      { argument: 'names.texts', expected: 'no control characters', row: 1 },
    ],
    [
      { ...names, texts: ['x', 'x'] },
      { argument: 'names.texts', expected: 'each text once', row: 1 },
    ],
    [{ ...names, ofShard: [1, 0, 0, 1] }, { argument: 'names.ofShard' }],
    [
      { ...names, ofShard: Uint8Array.of(1) },
      { argument: 'names.ofShard', expected: 'a text for each of 4 shards' },
    ],
    [
      { ...names, ofShard: Uint16Array.of(1, 2, 0, 0) },
      { expected: 'the index of a text, 0 to 1', got: 2, row: 1 },
    ],
  ])('are refused: %j', async (given, error) => {
    const folder = temporaryFolder();
    const options = { router, names: given as ShardNames };
    await expect(routeFile(lines(), { ...options, out: join(folder, 'out') })).rejects.toMatchObject(error);
    await expect(routeToDirectory(lines(), { ...options, directory: join(folder, 'dir') })).rejects.toMatchObject(
      error,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are refused with formats of numbers', async () => {
    for (const format of ['shard', 'u32'] as const) {
      await expect(routeFile(lines(), { router, out: 'never', names, format })).rejects.toMatchObject({
        argument: 'format',
        expected: "'tsv' or undefined with names",
        got: format,
      });
    }
  });
});
