import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const CSV = ['--csv', '--key', 'name'];
const TEXT = 'id;name\n1;Zoë €\n2;Łódź\n';
const WITH_SEMICOLONS = [...CSV, '--delimiter', ';', '--shards', '64'];

describe('--encoding', () => {
  const expected = runHere(['route', ...WITH_SEMICOLONS], { input: TEXT });

  it.each<[name: string, bytes: Uint8Array, args: string[]]>([
    ['UTF-16 with a byte order mark needs no option', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), []],
    ['its other order of bytes neither', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16(), []],
    ['utf-16 without a mark is little-endian', Buffer.from(TEXT, 'utf16le'), ['--encoding', 'utf-16']],
    ['utf-16 has a mark that is read', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16(), ['--encoding', 'utf-16']],
    ['utf-16 may be compressed', zlib.gzipSync(Buffer.from(TEXT, 'utf16le')), ['--encoding', 'utf-16']],
    ['utf-8 is the default', Buffer.from(TEXT), ['--encoding', 'utf-8']],
  ])('%s', async (_, bytes, args) => {
    const file = join(temporaryFolder(), 'names.csv');
    writeFileSync(file, bytes);
    const { code, stdout, stderr } = await runHere(['route', file, ...WITH_SEMICOLONS, ...args]);
    expect([code, stderr]).toEqual([0, '']);
    expect(String(stdout)).toBe(String((await expected).stdout));
  });

  it('latin1 is Windows-1252, for all commands with rows', async () => {
    const text = 'id,name\n154173452582932603,Zoë €\n';
    const bytes = Buffer.from([...text].map((character) => (character === '€' ? 0x80 : character.charCodeAt(0))));
    for (const [command, ...args] of [
      ['hash', ...CSV],
      ['route', ...CSV, '--shards', '8'],
      ['plan', ...CSV, '--from', '8', '--to', '9'],
      ['decode', '--csv', '--key', 'id', '--layout', 'snowflake'],
    ]) {
      const inUtf8 = await runHere([command, ...args], { input: [text] });
      const inLatin1 = await runHere([command, ...args, '--encoding', 'latin1'], { input: [bytes] });
      expect(inLatin1, command).toEqual(inUtf8);
    }
  });

  it('refuses bytes that are not of the encoding, and other encodings', async () => {
    const input = Buffer.from([0x61, 0x00, 0x00, 0xd8, 0x62, 0x00]); // a lone surrogate
    const { code, stderr } = await runHere(['route', '--shards', '8', '--encoding', 'utf-16'], { input: [input] });
    expect([code, stderr]).toEqual([1, 'error: -: expected text in utf-16le, got other bytes\n']);
    const other = await runHere(['route', '--shards', '8', '--encoding', 'utf-32']);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining('--encoding: expected one of utf-8, utf-16,'),
    ]);
  });
});

describe('--compress', () => {
  const input = `id,name\n${Array.from({ length: 500 }, (_, i) => `${i},user ${i}\n`).join('')}`;

  it.each([
    ['route', ...CSV, '--shards', '8'],
    ['hash', ...CSV],
    ['decode', '--csv', '--key', 'id', '--layout', 'snowflake'],
  ])('gives the same compressed: %s', async (...args) => {
    const cwd = temporaryFolder();
    const plain = await runHere(args, { input: [input] });
    const { code } = await runHere([...args, '--compress', 'gzip', '--out', 'out.gz'], { input: [input], cwd });
    expect(code).toBe(0);
    expect(zlib.gunzipSync(readFileSync(join(cwd, 'out.gz')))).toEqual(plain.stdout);
    const toStdout = await runHere([...args, '--compress', 'gzip'], { input: [input] });
    expect(zlib.gunzipSync(toStdout.stdout)).toEqual(plain.stdout);
  });

  it('compresses each file of --out-dir, whose names say so', async () => {
    const cwd = temporaryFolder();
    const split = ['route', ...CSV, '--shards', '3', '--out-dir'];
    await runHere([...split, 'plain'], { input: [input], cwd });
    await runHere([...split, 'small', '--compress', 'gzip'], { input: [input], cwd });
    const names = readdirSync(join(cwd, 'small'));
    expect(names).toEqual(['0.csv.gz', '1.csv.gz', '2.csv.gz', 'manifest.json']);
    for (const name of names.slice(0, 3)) {
      const plain = readFileSync(join(cwd, 'plain', name.replace('.gz', '')));
      expect(zlib.gunzipSync(readFileSync(join(cwd, 'small', name)))).toEqual(plain);
    }
    const { files } = JSON.parse(readFileSync(join(cwd, 'small', 'manifest.json'), 'utf8'));
    expect(files[1]).toEqual({
      name: '1.csv.gz',
      rows: expect.any(Number),
      bytes: readFileSync(join(cwd, 'small', '1.csv.gz')).length,
    });
  });

  it('writes zstd where Node.js can, and says so where it cannot', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runHere(['hash', '--compress', 'zstd', '--out', 'out.zst'], { input: 'a\n', cwd });
    const { zstdDecompressSync } = zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Buffer };
    if (zstdDecompressSync === undefined) {
      expect([code, stderr]).toEqual([1, expect.stringContaining('zstd needs Node.js 22.15, 23.8 or later')]);
      expect(readdirSync(cwd)).toEqual([]);
    } else {
      expect(String(zstdDecompressSync(readFileSync(join(cwd, 'out.zst'))))).toBe('d24ec4f1a98c6e5b\n');
    }
  });

  it('leaves nothing when the work fails', async () => {
    const cwd = temporaryFolder();
    for (const out of [
      ['--out', 'out.gz'],
      ['--out-dir', 'dir'],
    ]) {
      const args = ['route', '--keys', 'u64', '--shards', '8', '--compress', 'gzip', ...out];
      const { code } = await runHere(args, { input: '1\n2\nx\n', cwd });
      expect(code).toBe(1);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('makes no sense for a summary', async () => {
    const { code, stderr } = await runHere(['route', '--shards', '8', '--summary', '--compress', 'gzip']);
    expect([code, stderr]).toEqual([2, 'error: --compress cannot be combined with --summary\n']);
  });
});

describe('--max-rows-per-file', () => {
  const names = Array.from({ length: 500 }, (_, i) => `${i},${i % 7 === 0 ? `"user\r\n${i}"` : `user ${i}`}`);
  const split = ['route', ...CSV, '--shards', '3', '--out-dir'];
  const rowsOf = (file: string) =>
    readFileSync(file, 'utf8')
      .split(/\r\n(?=\d+,|$)/)
      .slice(0, -1);

  it.each([
    1, 7, 100, 499, 500,
  ])('begins another file after %i rows, which are together those of the shard', async (most) => {
    const cwd = temporaryFolder();
    const some = names.slice(0, 60 * most); // into about 60 files
    const input = [`id,name\r\n${some.join('\r\n')}\r\n`];
    await runHere([...split, 'whole'], { input, cwd });
    const { code, stderr } = await runHere([...split, 'parts', '--max-rows-per-file', `${most}`], { input, cwd });
    expect([code, stderr]).toEqual([0, '']);
    const written = [0, 1, 2].flatMap((shard) => {
      const [header, ...rows] = rowsOf(join(cwd, 'whole', `${shard}.csv`));
      return Array.from({ length: Math.ceil(rows.length / most) }, (_, part) => {
        const name = `${shard}-${String(part).padStart(5, '0')}.csv`;
        const expected = rows.slice(part * most, (part + 1) * most);
        expect(rowsOf(join(cwd, 'parts', name)), name).toEqual([header, ...expected]);
        return { name, rows: expected.length, bytes: readFileSync(join(cwd, 'parts', name)).length };
      });
    });
    expect(readdirSync(join(cwd, 'parts'))).toEqual([...written.map(({ name }) => name), 'manifest.json']);
    expect(JSON.parse(readFileSync(join(cwd, 'parts', 'manifest.json'), 'utf8'))).toMatchObject({
      rows: some.length,
      bytes: written.reduce((sum, { bytes }) => sum + bytes, 0),
      files: written,
    });
  });

  it('gives a shard without rows a file, compresses all of them, and knows the names of nodes', async () => {
    const cwd = temporaryFolder();
    await runHere(['map', 'create', '--shards', '64', '--nodes', 'a,b,c', '--out', 'map.json'], { cwd });
    const args = ['route', '--map', 'map.json', '--out-dir', 'parts', '--max-rows-per-file', '2', '--compress', 'gzip'];
    expect(await runHere(args, { input: ['k\n'.repeat(5)], cwd })).toMatchObject({ code: 0, stderr: '' });
    const files = readdirSync(join(cwd, 'parts')).map((name) => {
      return [name, String(zlib.gunzipSync(readFileSync(join(cwd, 'parts', name))))];
    });
    const full = files.find(([, text]) => text !== '')?.[0][0];
    expect(files).toEqual(
      ['a', 'b', 'c'].flatMap((node) => {
        if (node !== full) return [[`${node}-00000.txt.gz`, '']];
        return ['k\nk\n', 'k\nk\n', 'k\n'].map((text, part) => [`${node}-0000${part}.txt.gz`, text]);
      }),
    );
  });

  it.each([
    [['--max-rows-per-file', '0', '--out-dir', 'x'], '--max-rows-per-file: expected an integer from 1 to '],
    [['--max-rows-per-file', '1'], '--max-rows-per-file requires --out-dir'],
  ])('refuses %j', async (args, problem) => {
    const { code, stderr } = await runHere(['route', '--shards', '8', ...args], { input: 'a\n' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${problem}`)]);
  });
});

describe('--max-rejects', () => {
  const run = (most: string, cwd: string, ...more: string[]) =>
    runHere(['hash', '--keys', 'u64', '--rejects', 'bad', '--out', 'out', '--max-rejects', most, ...more], {
      input: '1\na\n2\nb\n3\n',
      cwd,
    });

  it('lets so many rows be malformed', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run('2', cwd);
    expect([code, stderr]).toEqual([0, '2 rows rejected: see bad\n']);
    expect(existsSync(join(cwd, 'out'))).toBe(true);
  });

  it('ends the command at the next one, and leaves nothing', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run('1', cwd);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: -:4: expected .*, got "b"; with it, 2 rows are malformed\n$/),
    ]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('requires --rejects', async () => {
    const { code, stderr } = await runHere(['hash', '--max-rejects', '1']);
    expect([code, stderr]).toEqual([2, 'error: --max-rejects requires --rejects\n']);
  });
});
