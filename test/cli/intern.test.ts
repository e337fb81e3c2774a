import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { startPostgres } from '../support/postgres.js';

const lines = (stdout: Buffer) => stdout.toString().split('\n').slice(0, -1);

describe('intern', () => {
  it('writes an id for every line, the same one for the same string, and the strings of ids', async () => {
    const store = join(temporaryFolder(), 'ids.lmdb');
    const keys = Array.from({ length: 30_000 }, (_, i) => `key ${i % 20_000} größe`);
    const input = `${keys.join('\n')}\n`;
    const first = await shardbits(['intern', '--store', store], { input: [input] });
    expect([first.code, first.stderr]).toEqual([0, '']);
    const ids = lines(first.stdout);
    expect([ids.length, new Set(ids).size]).toEqual([30_000, 20_000]);
    const again = await shardbits(['intern', '--store', store], { input: [input] });
    expect(again.stdout.equals(first.stdout)).toBe(true);
    const back = await shardbits(['intern', '--store', store, '--resolve'], { input: [first.stdout] });
    expect(back.stdout.toString()).toBe(input);
  });

  it('from files, and says in which and where one is not UTF-8', async () => {
    const folder = temporaryFolder();
    const [good, bad] = [join(folder, 'good'), join(folder, 'bad')];
    writeFileSync(good, 'a\nb');
    writeFileSync(bad, Buffer.from('c\n\xff\n', 'latin1'));
    const store = join(folder, 'ids.lmdb');
    const { code, stdout, stderr } = await shardbits(['intern', good, bad, '--store', store]);
    expect([code, lines(stdout).length, stderr]).toEqual([1, 2, `error: ${bad}:2: expected UTF-8\n`]);
  });

  it('says which id is not of the store, and which line is no id', async () => {
    const store = join(temporaryFolder(), 'ids.lmdb');
    const { stdout } = await shardbits(['intern', '--store', store], { input: ['a\n'] });
    const unknown = await shardbits(['intern', '--store', store, '--resolve'], { input: [stdout, '7\n'] });
    expect([unknown.code, unknown.stderr]).toEqual([1, 'error: -:2: expected an id of the store, got 7\n']);
    const bad = await shardbits(['intern', '--store', store, '--resolve'], { input: ['x\n'] });
    expect([bad.code, bad.stderr]).toEqual([1, 'error: -:1: expected a decimal integer from 0 to 2^64 - 1, got "x"\n']);
  });

  it('keeps to the prefix bits that a store was made with', async () => {
    const store = join(temporaryFolder(), 'ids.lmdb');
    await shardbits(['intern', '--store', store, '--prefix-bits', '16'], { input: ['a\n'] });
    const other = await shardbits(['intern', '--store', store, '--prefix-bits', '20'], { input: ['a\n'] });
    expect([other.code, other.stderr]).toEqual([1, "error: --prefix-bits: expected the store's 16, got 20\n"]);
    const wrong = await shardbits(['intern', '--store', store, '--prefix-bits', '33'], { input: ['a\n'] });
    expect([wrong.code, wrong.stderr]).toEqual([2, 'error: --prefix-bits: expected an integer from 1 to 32, got 33\n']);
  });

  it('in PostgreSQL, where mint leases its shards as well', async () => {
    const server = await startPostgres();
    try {
      const first = await shardbits(['intern', '--store', server.url], { input: ['a\nb\na\n'] });
      expect([first.code, first.stderr]).toEqual([0, '']);
      const ids = lines(first.stdout);
      expect([ids.length, ids[2]]).toEqual([3, ids[0]]);
      const back = await shardbits(['intern', '--store', server.url, '--resolve'], { input: [first.stdout] });
      expect(back.stdout.toString()).toBe('a\nb\na\n');
      const minted = await shardbits(['mint', '--lease', server.url, '--count', '2']);
      expect([minted.code, minted.stderr, lines(minted.stdout).length]).toEqual([0, '', 2]);
    } finally {
      await server.stop();
    }
  });

  it.each(['mysql://localhost', 'redis://x', ''])('refuses %j for a store', async (store) => {
    const { code, stderr } = await shardbits(['intern', '--store', store], { input: ['a\n'] });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*--store/);
  });

  it('needs a store', async () => {
    expect(await shardbits(['intern'], { input: [] })).toMatchObject({
      code: 2,
      stderr: 'error: expected --store, got none\n',
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await shardbits(['intern', '--store', join(folder, 'file', 'ids.lmdb')], {
      input: ['a\n'],
    });
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toMatch(/^error: .*not a directory/i);
  });
});
