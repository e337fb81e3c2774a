import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type KeyList,
  KeyReader,
  keysInFiles,
  openKeyFiles,
  WHOLE_LINES,
} from '../../src/inspector/decode/keys/read.js';

const file = (name: string, data: string | Uint8Array) => new File([data as BlobPart], name);
const textsOf = (keys: KeyList) => Array.from({ length: keys.count }, (_, row) => keys.text(row));

async function read(files: File[], chosen: { key?: string; shard?: string } = {}) {
  const { keys, shards, about } = keysInFiles(await openKeyFiles(files), chosen);
  return { keys: textsOf(keys), shards: shards && [...shards], about };
}

describe('files of keys', () => {
  it.each<[name: string, data: string | Uint8Array, key: string, keys: string[], options: string[]]>([
    ['keys.txt', 'a\r\n b \n\nc,d', WHOLE_LINES, ['a', ' b ', 'c,d'], []],
    ['keys.txt.gz', gzipSync('a\nb'), WHOLE_LINES, ['a', 'b'], []],
    ['keys.txt', '\ufeffé\u00a0\u200d\n日本', WHOLE_LINES, ['é\u00a0\u200d', '日本'], []],
    ['keys', 'a,b\nc,d\n', WHOLE_LINES, ['a,b', 'c,d'], []],
    ['a.csv', 'n,email\n1,x@y.z\n2,"q""u,o"\n\n3,\n', 'email', ['x@y.z', 'q"u,o'], ['--csv', '--key', 'email']],
    [
      'a.csv.zst.csv',
      'n;user_id\n1;{u1}\n2;u2',
      'user_id',
      ['{u1}', 'u2'],
      ['--csv', '--delimiter', ';', '--key', 'user_id'],
    ],
    ['a.csv', 'u1,5\nu2,6', 'column 1', ['u1', 'u2'], ['--csv', '--no-header', '--key', '1']],
    ['a.tsv', 'name\tkey\nx\tk1\ny\tk2', 'key', ['k1', 'k2'], ['--tsv', '--key', 'key']],
    [
      'a.ndjson',
      '{"n":1,"user":{"id":9007199254740993}}\n{"user":{"id":"é"}}\n',
      'user.id',
      ['9007199254740993', 'é'],
      ['--ndjson', '--key', 'user.id'],
    ],
  ])('%s has %j in the column %s', async (name, data, key, keys, options) => {
    const found = await read([file(name, data)]);
    expect(found.keys).toEqual(keys);
    expect(found.about).toMatchObject({ files: [name], key, options });
  });

  it('have other columns to choose', async () => {
    const csv = file('a.csv', 'n,email,shard\n1,x,3\n2,y,4\n');
    const found = await read([csv]);
    expect(found.about.columns).toEqual([WHOLE_LINES, 'n', 'email', 'shard']);
    expect(found).toMatchObject({ keys: ['x', 'y'], shards: [3, 4] });
    expect(await read([csv], { key: 'n', shard: '' })).toMatchObject({ keys: ['1', '2'], shards: undefined });
    expect((await read([csv], { key: WHOLE_LINES })).keys).toEqual(['n,email,shard', '1,x,3', '2,y,4']);
  });

  it('have the columns of JSON that the command line can name', async () => {
    const { about } = await read([file('a.ndjson', '{"a.b":1,"ids":[2],"user":{"id":3}}\n{"user":{"id":4}}')]);
    expect(about.columns).toEqual(['user.id']);
    expect((await read([file('a.json', '{\n"id": 1\n}')])).about.columns).toEqual([WHOLE_LINES]);
  });

  it('tell their shards before or after a tab, as pasted lines do', async () => {
    expect(await read([file('a.txt', '3\tx\n4\ty')])).toMatchObject({ keys: ['x', 'y'], shards: [3, 4] });
    expect(await read([file('a.txt', 'x\t3\ny\t4')])).toMatchObject({ keys: ['x', 'y'], shards: [3, 4] });
  });

  it('are several, and count rows without a key', async () => {
    const found = await read([file('a.csv', 'id,x\n1,a\n,b'), file('b.csv', 'x,id\nc,2')]);
    expect(found.keys).toEqual(['1', '2']);
    expect(found.about.missing).toBe(1);
  });

  it.each([
    [[file('a.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1))], {}, /^a\.png cannot be read: it is not text/],
    [[file('a.csv', 'id,x\n1,a'), file('b.csv', 'key,y\n1,b')], {}, /^b\.csv has no column "id"$/],
    [[file('a.csv', 'id,x\n1,a')], { shard: 'x' }, /^a\.csv: x: expected the number of a shard, got "a"$/],
  ])('that cannot be read are named: %#', async (files, chosen, message) => {
    await expect(read(files, chosen)).rejects.toThrow(message);
  });

  it('are not read again for other options', async () => {
    const reader = new KeyReader();
    const files = [file('a.csv', 'id,x\n1,a\n2,b')];
    const first = await reader.read({ files, opened: 1 });
    expect(await reader.read({ files, opened: 1 })).toBe(first);
    expect(textsOf((await reader.read({ files, opened: 1, key: 'x' })).keys)).toEqual(['a', 'b']);
    expect(textsOf((await reader.read({ files: [file('b', 'z')], opened: 2 })).keys)).toEqual(['z']);
  });
});
