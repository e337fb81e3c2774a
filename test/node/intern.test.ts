import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { internFile, type RejectedLine, resolveFile } from '../../src/node/index.js';
import { Interner, memoryStore } from '../../src/registry/index.js';
import { temporaryFolder } from '../support/cli.js';

const NAMES = Array.from({ length: 25_000 }, (_, i) => `name ${i % 9_000}`); // more than a commit takes

describe('internFile and resolveFile', () => {
  it('give every line an id, and the lines again', async () => {
    const folder = temporaryFolder();
    const [names, ids, again] = ['names', 'ids', 'again'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(names, `${NAMES.join('\n')}\n`);
    const interner = new Interner({ store: memoryStore() });
    const progress: number[] = [];
    const onProgress = ({ keys }: { keys: number }) => progress.push(keys);
    const read = await internFile(names, { interner, out: ids, onProgress });
    expect(read.keys).toBe(NAMES.length);
    expect(progress.at(-1)).toBe(NAMES.length);
    const expected = await interner.lookupMany(NAMES);
    expect(readFileSync(ids, 'utf8')).toBe(`${[...expected].join('\n')}\n`);
    expect(await resolveFile(ids, { interner, out: again })).toMatchObject({ keys: NAMES.length });
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(names, 'utf8'));
  });

  it.each([
    ['CSV', { format: 'csv', key: 'name', escape: '\\' }, 'name\nann\n\\N\ncy\n', 3],
    ['NDJSON', { format: 'ndjson', key: 'name' }, '{"name":"ann"}\n{"name":null}\n{"name":"cy"}\n', 2],
  ] as const)('give a key that is NULL no id, in %s', async (_, records, text, line) => {
    const out = join(temporaryFolder(), 'out');
    const interner = new Interner({ store: memoryStore() });
    const input = () => Readable.from([Buffer.from(text)]);
    await expect(internFile(input(), { interner, out, records })).rejects.toMatchObject({ line, isKeyMissing: true });
    const rejected: number[] = [];
    const onReject = (row: RejectedLine) => void rejected.push(row.line);
    expect(await internFile(input(), { interner, out, records, onReject })).toMatchObject({ keys: 2 });
    expect([rejected, await interner.count()]).toEqual([[line], 2]);
  });

  it('add the ids to records', async () => {
    const out = join(temporaryFolder(), 'out.csv');
    const interner = new Interner({ store: memoryStore() });
    const records = { format: 'csv', key: 'email' } as const;
    const csv = () => Readable.from([Buffer.from('id,email\n1,ann\n2,"b""o""b"\n')]);
    await expect(internFile(csv(), { interner, out, records })).rejects.toMatchObject({
      expected: 'no column named id',
    });
    await internFile(csv(), { interner, out, records, asColumn: 'user' });
    const [ann, bob] = await interner.lookupMany(['ann', 'b"o"b']);
    expect(readFileSync(out, 'utf8')).toBe(`id,email,user\n1,ann,${ann}\n2,"b""o""b",${bob}\n`);
  });

  it('name the line of what is not UTF-8, or hand it on', async () => {
    const out = join(temporaryFolder(), 'out');
    const interner = new Interner({ store: memoryStore() });
    const input = () => Readable.from([Buffer.from('a\n'), Buffer.from([0xff, 0x0a]), Buffer.from('b\n')]);
    await expect(internFile(input(), { interner, out })).rejects.toMatchObject({ line: 2, expected: 'UTF-8' });
    const rejected: RejectedLine[] = [];
    const onReject = (line: RejectedLine) => void rejected.push(line);
    expect(await internFile(input(), { interner, out, onReject })).toMatchObject({ keys: 2 });
    expect(rejected).toMatchObject([{ line: 2, file: '-' }]);
    const [a, b] = await interner.lookupMany(['a', 'b']);
    expect(readFileSync(out, 'utf8')).toBe(`${a}\n${b}\n`);
  });

  it('name the line of an id that no string has', async () => {
    const out = join(temporaryFolder(), 'out');
    const interner = new Interner({ store: memoryStore() });
    const id = await interner.intern('a');
    const input = Readable.from([Buffer.from(`${id}\n7\n`)]);
    await expect(resolveFile(input, { interner, out })).rejects.toThrow('-:2: expected an id of the store, got "7"');
  });

  it('read signed ids as those of the same bits', async () => {
    const out = join(temporaryFolder(), 'out');
    const interner = {
      internMany: async () => new BigUint64Array(),
      resolveMany: async (ids: BigUint64Array) => [...ids].map(String),
    };
    const input = Readable.from([Buffer.from('-9145684943282634728\n7\n-1\n')]);
    await resolveFile(input, { interner, out });
    expect(readFileSync(out, 'utf8')).toBe('9301059130426916888\n7\n18446744073709551615\n');
  });

  it('open an interner when all options have been checked, and leave no file if that fails', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const opened: string[] = [];
    const interner = async () => {
      opened.push('store');
      return new Interner({ store: memoryStore() });
    };
    const line = () => Readable.from([Buffer.from('a\n')]);
    const records = { format: 'csv', key: 'a', ragged: true } as const;
    await expect(internFile(line(), { interner, out, records })).rejects.toMatchObject({ argument: 'records.ragged' });
    expect(opened).toEqual([]);
    const fails = () => Promise.reject(new Error('no store'));
    await expect(internFile(line(), { interner: fails, out })).rejects.toThrow('no store');
    await expect(resolveFile(line(), { interner: fails, out })).rejects.toThrow('no store');
    expect(readdirSync(folder)).toEqual([]);
    expect(await internFile(line(), { interner, out })).toMatchObject({ keys: 1 });
    expect(opened).toEqual(['store']);
  });

  it('hand on what the interner throws, with the line if it names a row', async () => {
    const out = join(temporaryFolder(), 'out');
    const error = new Error('no store');
    const fails = { internMany: () => Promise.reject(error), resolveMany: () => Promise.reject(error) };
    const line = () => Readable.from([Buffer.from('1\n')]);
    await expect(internFile(line(), { interner: fails, out })).rejects.toBe(error);
    await expect(resolveFile(line(), { interner: fails, out })).rejects.toBe(error);
    const tooLong = Object.assign(new RangeError(), { argument: 'keys', row: 0, expected: 'a short text', got: '1' });
    const refuses = { ...fails, internMany: () => Promise.reject(tooLong) };
    await expect(internFile(line(), { interner: refuses, out })).rejects.toMatchObject({ line: 1, file: '-' });
  });

  it.each([
    ['interner', { interner: undefined }, 'TypeError'],
    ['interner.internMany', { interner: {} }, 'TypeError'],
    ['asColumn', { asColumn: 'user' }, 'RangeError'],
    ['out', { out: 5 }, 'TypeError'],
    ['options', { threads: 2 }, 'RangeError'],
  ])('refuse a wrong %s', async (argument, options, name) => {
    const given = { interner: new Interner({ store: memoryStore() }), out: '/dev/null/out', ...options };
    await expect(internFile('/dev/null/in', given as never)).rejects.toMatchObject({ name, argument });
    if (argument === 'asColumn') return;
    const [function_] = [argument.replace('internMany', 'resolveMany')];
    await expect(resolveFile('/dev/null/in', given as never)).rejects.toMatchObject({ name, argument: function_ });
  });
});
