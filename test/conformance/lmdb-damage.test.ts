import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaled } from '../support/scale.js';
import { fill, newFolder, READ_ALL, run } from './lmdb-stores.js';

// Files that are not stores of LMDB, or no longer whole: no crash, and no other ids.

describe('a file that is not a store of LMDB', () => {
  const files: { readonly [name: string]: Buffer | string } = {
    'a text file': 'at://alice\nat://bob\n'.repeat(1000),
    'a file of 100 bytes': Buffer.alloc(100, 1),
    'an empty file': '',
    'a Parquet file': Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(20_000, 0x15), Buffer.from('PAR1')]),
    'a SQLite file': Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8176)]),
    zeros: Buffer.alloc(65536),
  };

  it.each(Object.keys(files))('is refused, and stays as it is: %s', (name) => {
    const path = join(newFolder(), 'ids.lmdb');
    const bytes = Buffer.from(files[name] as string);
    writeFileSync(path, bytes);
    const { status, signal, stdout } = run(READ_ALL, [path, path]);
    expect([status, signal]).toEqual([0, null]);
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBe(2);
    for (const line of lines) expect(line).toMatch(new RegExp(`^ERR_STORE_CORRUPT ${path}: .+\\. \\w.+`));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual(['ids.lmdb']);
  });

  it('is refused where it lies at the place of the lock of turns', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    await fill(path);
    writeFileSync(`${path}-turn`, 'text\n'.repeat(1000));
    const { status, stdout } = run(READ_ALL, [path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ERR_STORE_CORRUPT .*ids\.lmdb-turn: this is not a file of LMDB/);
  });

  it('is refused if its data format or its page size is another', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    await fill(path);
    const bytes = readFileSync(path);
    const changes: [number, number][] = [
      [28, 1],
      [48, 0],
      [48, 4095],
      [88 + 7, 1],
    ];
    const paths = changes.map(([at, value], i) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(value & 255, at);
      if (at === 48) changed.writeUInt32LE(value, at);
      changed.writeUInt8(value & 255, 4096 + at);
      writeFileSync(`${path}${i}`, changed);
      return `${path}${i}`;
    });
    const { status, stdout } = run(READ_ALL, paths);
    expect(status).toBe(0);
    expect(stdout.match(/^ERR_STORE_CORRUPT/gm)?.length).toBe(paths.length);
    expect(stdout).toMatch(/expected data format 2 of LMDB, got 1/);
  });
});

it('a store that is cut short anywhere opens with all it has, or is refused', async () => {
  const folder = newFolder();
  const path = join(folder, 'ids.lmdb');
  const { size: count } = await fill(path);
  const { size } = statSync(path);
  const parts = scaled(12);
  const pages = Array.from({ length: parts }, (_, i) => Math.floor((i * size) / parts / 4096) * 4096);
  const lengths = [1, 100, 168, 4095, 4097, 4200, 8191, 8192, ...pages, size - 4096, size - 1, size, size + 5000];
  lengths.push(...pages.map((length) => length + 1000));
  const paths = lengths.map((length) => {
    const cut = join(folder, `cut-${length}`);
    cpSync(path, cut);
    truncateSync(cut, length);
    return cut;
  });
  const { status, signal, stdout } = run(READ_ALL, paths);
  expect([status, signal]).toEqual([0, null]);
  const lines = stdout.trim().split('\n');
  expect(lines.length).toBe(lengths.length);
  for (const [i, line] of lines.entries()) {
    const isWhole = lengths[i] >= size;
    expect(line).toMatch(
      isWhole ? new RegExp(`^opened ${count}$`) : /^ERR_STORE_CORRUPT .*(cut short|empty|not a file)/,
    );
  }
});

it('damage that LMDB finds is reported as such, with its error and the path', async () => {
  const path = join(newFolder(), 'ids.lmdb');
  await fill(path);
  const bytes = readFileSync(path);
  const newest = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(4096 + 152) ? 0 : 4096;
  const root = Number(bytes.readBigUInt64LE(newest + 136));
  bytes.fill(0, root * 4096, (root + 1) * 4096);
  writeFileSync(path, bytes);
  const script = (call: string) => `
    import { lmdbStore } from 'shardbits/stores/lmdb';
    const store = await lmdbStore(process.argv[1]);
    const error = await store.${call}.catch((thrown) => thrown);
    console.log(error.code, error.cause?.code, error.message);`;
  for (const call of ["lookup('strings', ['a'])", "count('strings')", "setting('a')", 'shards()']) {
    const { status, stdout } = run(script(call), [path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ERR_STORE_CORRUPT -307\\d\\d ${path}: MDB_`));
  }
});
