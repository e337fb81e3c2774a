import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type RowFormat, routeFile } from 'shardbits/node';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { IS_WHOLE } from '../support/scale.js';
import { file, MB, router, words } from './thread-inputs.js';

// What has threads is tested as it is shipped: a thread needs its script.

describe('routeFile on several threads', () => {
  it.each<[name: string, quickFormat: RowFormat, files: () => string[]]>([
    ['a file of many lines', 'tsv', () => [file(words, '\n', words)]],
    [
      'several files, some of them small or empty, last lines without newlines',
      'tsv',
      () => [words, '', 'a', '\n\n', words].map((text) => file(text)),
    ],
    [
      'lines that end where a part of the file does',
      'shard',
      () => [file(Buffer.alloc(9 * MB, `${'x'.repeat(1023)}\n`))],
    ],
    [
      'lines that start a byte before, and after',
      'shard',
      () => [
        file('a', Buffer.alloc(5 * MB, `${'x'.repeat(1023)}\n`), '\nab', Buffer.alloc(5 * MB, `${'x'.repeat(1023)}\n`)),
      ],
    ],
    [
      'lines longer than several parts',
      'u32',
      () => [
        file('a\n', Buffer.alloc(9 * MB, 'x'), '\r\nb\n', Buffer.alloc(5 * MB, 'y'), '\n\n', Buffer.alloc(3 * MB, 'z')),
      ],
    ],
    ['CRLF where a part ends', 'tsv', () => [file(Buffer.alloc(7 * MB, `${'x'.repeat(126)}\r\n`))]],
    [
      'byte order marks, of which only those at the start of a file are not part of a key',
      'tsv',
      () => [
        file('\ufeffa\n', Buffer.alloc(4 * MB - 6, 'x'), '\n\ufeffb\n'),
        file('\ufeff', Buffer.alloc(5 * MB, 'y')),
        file('\ufeff'),
      ],
    ],
    ['nothing but newlines', 'u32', () => [file(Buffer.alloc((IS_WHOLE ? 5 : 4.1) * MB, '\n'))]],
  ])('gives the rows of one: %s', async (_, quickFormat, files) => {
    const paths = files();
    for (const format of IS_WHOLE ? (['tsv', 'shard', 'u32'] as const) : [quickFormat]) {
      const rows = async (threads: number) => {
        const out = join(temporaryFolder(), 'out');
        const progress = await routeFile(paths, { router, out, format, threads });
        return { progress, rows: readFileSync(out) };
      };
      const one = await rows(1);
      for (const threads of IS_WHOLE ? [2, 3] : [3]) {
        const several = await rows(threads);
        expect(several.progress).toEqual(one.progress);
        expect(several.rows.equals(one.rows)).toBe(true);
      }
    }
  });

  it.each([
    1, 3,
  ])('names file and line of bad data, the first there is, and leaves nothing: threads %i', async (threads) => {
    const good = '12345678901234567890\n'.repeat(300_000);
    const folder = temporaryFolder();
    const paths = [file(good), file(good, 'x\n', good, 'y\n')];
    const running = routeFile(paths, { router, keys: 'u64', out: join(folder, 'out'), threads });
    await expect(running).rejects.toMatchObject({
      name: 'RangeError',
      message: `${paths[1]}:300001: expected a decimal integer from -2^63 to 2^64 - 1, got "x"`,
      code: 'ERR_OUT_OF_RANGE',
      file: paths[1],
      line: 300_001,
      expected: 'a decimal integer from -2^63 to 2^64 - 1',
      got: 'x',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('can be given up, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const controller = new AbortController();
    const path = file(Buffer.alloc((IS_WHOLE ? 40 : 12) * MB, 'some key\n'));
    const options = {
      router,
      out: join(folder, 'out'),
      threads: 2,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    };
    await expect(routeFile(path, options)).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fails when what it writes to does, while others are at work', async () => {
    const path = file(Buffer.alloc((IS_WHOLE ? 60 : 20) * MB, 'some key\n'));
    for (let round = 0; round < (IS_WHOLE ? 5 : 2); round++) {
      let rows = 0;
      const full = new Writable({
        write: (_chunk, _encoding, done) => done(++rows > 2 + round ? new Error('no space left') : undefined),
      });
      await expect(routeFile(path, { router, out: full, threads: 3 })).rejects.toThrow('no space left');
    }
  });

  it('fails with the cause when a thread dies, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const path = file(Buffer.alloc((IS_WHOLE ? 300 : 100) * MB, `${'x'.repeat(30)}\n`));
    const args = ['route', path, '--shards', '9', '--threads', '2', '--out', join(folder, 'out')];
    const run = await shardbits(args, { env: { NODE_OPTIONS: '--import ./test/support/dying-thread.mjs' } });
    expect(run).toMatchObject({ code: 1, stderr: 'error: a worker thread has ended: exit code 3\n' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a WorkerPool', () => {
  it('that is closed lets the process go on, whatever its threads have answered by then', () => {
    const { status, stdout } = spawnSync(process.execPath, ['test/support/closed-pool.mjs'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'closed\n' });
  });
});
