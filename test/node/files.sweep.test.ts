import {
  chmodSync,
  createWriteStream,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Router, setBackend } from '../../src/index.js';
import { hashLines, planLines, routeFile, routeToDirectory } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { IS_FULL } from '../support/scale.js';

const router = new Router({ shards: 10 });
const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });

describe('an output file', () => {
  it('that is a link to a file that does not exist yet stays one, and that file is made', async () => {
    const folder = temporaryFolder();
    const [real, link, keys] = ['real', 'link', 'keys'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(keys, 'a\n');
    symlinkSync('real', link);
    await routeFile(keys, { router, out: link, format: 'shard' });
    expect([lstatSync(link).isSymbolicLink(), lstatSync(real).isFile()]).toEqual([true, true]);
  });

  it('that is a link stays one, and what it links to is replaced when all is written', async () => {
    const folder = temporaryFolder();
    const [real, link, keys] = ['real', 'link', 'keys'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(real, 'precious');
    writeFileSync(keys, 'a\nb\n');
    symlinkSync(real, link);
    await expect(routeFile(join(folder, 'none'), { router, out: link })).rejects.toThrow('no such file');
    expect(readFileSync(real, 'utf8')).toBe('precious');
    await routeFile(keys, { router, out: link, format: 'shard' });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe(`${router.route('a')}\n${router.route('b')}\n`);
  });

  it('can be the input, by its name or by a link', async () => {
    const folder = temporaryFolder();
    const [keys, link] = [join(folder, 'keys'), join(folder, 'link')];
    writeFileSync(keys, 'a\n');
    symlinkSync(keys, link);
    await routeFile(keys, { router, out: link });
    expect(readFileSync(keys, 'utf8')).toBe(`${router.route('a')}\ta\n`);
  });

  it('keeps its permissions', async () => {
    const out = join(temporaryFolder(), 'out');
    writeFileSync(out, '');
    chmodSync(out, 0o600);
    await routeFile(Readable.from(['a']), { router, out });
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('that two jobs write at once is that of one of them, whole', async () => {
    const out = join(temporaryFolder(), 'out');
    const texts = ['a\n'.repeat(300_000), 'b\n'.repeat(300_000)];
    await Promise.all(texts.map((text) => routeFile(Readable.from([text]), { router, out })));
    const rows = readFileSync(out, 'utf8');
    expect(
      texts.map((text) => `${router.route(text.charAt(0))}\t${text.charAt(0)}\n`.repeat(300_000)).includes(rows),
    ).toBe(true);
    expect(readdirSync(join(out, '..'))).toEqual(['out']);
  });
});

describe('an output stream that fails', () => {
  it.each([
    ['has no place to write to', () => createWriteStream('/no/such/folder/out'), 'no such file'],
    ['is full', () => createWriteStream('/dev/full'), 'no space left'],
    ['has ended', () => new PassThrough().end(), 'write after end'],
  ])('rejects, and nothing else: %s', async (_, make, message) => {
    for (const text of ['a\nb\n', '']) {
      await expect(routeFile(Readable.from([text]), { router, out: make() })).rejects.toThrow(message);
    }
  });

  it('to take anything can be given up', async () => {
    const stuck = new Writable({ write() {} });
    const signal = AbortSignal.timeout(50);
    await expect(routeFile(Readable.from(['a\n']), { router, out: stuck, signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

describe('jobs at the same time', () => {
  it('do not disturb each other when one of them makes memory grow', async () => {
    async function* lines(job: number) {
      for (let i = 0; i < 20; i++) {
        await setTimeout(0);
        yield `${'x'.repeat((i * 40_000 * job) % 800_000)}${i}\n`;
      }
    }
    for (let round = 0; round < (IS_FULL ? 4 : 2); round++) {
      const jobs = [1, 2, 3, 5].map((job) => routeFile(Readable.from(lines(job + round)), { router, out: sink() }));
      const plan = planLines(Readable.from(lines(7 + round)), router, router.with({ shards: 11 }));
      expect((await Promise.all(jobs)).map(({ keys }) => keys)).toEqual([20, 20, 20, 20]);
      expect((await plan).total).toBe(20);
    }
  });

  it('keep the backend that they began with', async () => {
    const inputs = () => [1, 2, 3].map((i) => Readable.from([`${i}\n`.repeat(5)]));
    const switching = routeFile(inputs(), { router, out: sink(), onProgress: () => setBackend('bigint') });
    expect(await switching).toMatchObject({ keys: 15 });
    expect(await routeFile(inputs(), { router, out: sink(), onProgress: () => setBackend('wasm') })).toMatchObject({
      keys: 15,
    });
    setBackend('auto');
  });
});

describe('routeToDirectory', () => {
  it('holds little of many short keys', async () => {
    const directory = join(temporaryFolder(), 'shards');
    const before = process.memoryUsage().rss;
    let most = 0;
    const onProgress = () => {
      most = Math.max(most, process.memoryUsage().rss);
    };
    const newlines = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(200_000, '\n')));
    await routeToDirectory(newlines, { router, directory, onProgress });
    expect(readFileSync(join(directory, `${router.route('')}.txt`)).length).toBe(4_000_000);
    expect(most - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('writes a line that is longer than all it holds back otherwise', async () => {
    const directory = join(temporaryFolder(), 'shards');
    const long = 'x'.repeat(16_000_000);
    await routeToDirectory(Readable.from(['a\n', long, '\nb']), { router, directory });
    const all = Array.from({ length: 10 }, (_, shard) => readFileSync(join(directory, `${shard}.txt`), 'utf8'));
    expect(
      all
        .join('')
        .split('\n')
        .sort()
        .map((line) => line.length),
    ).toEqual([0, 1, 1, long.length]);
    expect(all[router.route(long)]?.includes(long)).toBe(true);
  });
});

describe('arguments of the wrong kind', () => {
  const wrong = { router, out: '/dev/null' };
  it.each<[name: string, call: () => Promise<unknown>, message: RegExp]>([
    [
      'bytes for an input',
      () => routeFile(Buffer.from('a\n') as never, wrong),
      /^"input": expected a path or a stream of bytes/,
    ],
    ['a set of inputs', () => routeFile(new Set(['a']) as never, wrong), /^"input": /],
    ['a number for an input', () => routeFile(['a', 5] as never, wrong), /^"input": .* got 5$/],
    ['a stream of numbers', () => routeFile(Readable.from([1, 2]), wrong), /^"input": /],
    [
      'no out',
      () => routeFile('package.json', { router } as never),
      /^"out": expected a path or a stream, got undefined$/,
    ],
    ['a number for out', () => routeFile('package.json', { router, out: 5 } as never), /^"out": /],
    [
      'a number for a signal',
      () => routeFile('package.json', { ...wrong, signal: 5 } as never),
      /^"signal": expected an AbortSignal, got 5$/,
    ],
    [
      'a number for onProgress',
      () => routeFile('package.json', { ...wrong, onProgress: 5 } as never),
      /^"onProgress": expected a function, got 5$/,
    ],
    [
      'a number for a router',
      () => planLines('package.json', router, 5 as never),
      /^"to": expected a Router, a Partitioner or another Routing, got 5$/,
    ],
    ['no directory', () => routeToDirectory('package.json', { router } as never), /^"directory": expected a string/],
  ])('are refused: %s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(message);
  });

  it('are refused at the call by what gives lines, not when it is iterated', () => {
    expect(() => hashLines(5 as never)).toThrow(TypeError);
    expect(() => hashLines('x', { hash: 'md5' as never })).toThrow(RangeError);
  });

  it('that would be passed over are refused: a hash that text cannot do without, an unknown option', async () => {
    expect(() => hashLines('x', { hash: 'none' })).toThrow(/^"keys": expected 'u64' with hash 'none', got "text"$/);
    const plain = new Router({ shards: 3, hash: 'none' });
    await expect(planLines('x', plain, plain)).rejects.toThrow(/^"keys": expected 'u64' with hash 'none', got "text"$/);
    await expect(planLines('x', router, router, { kyes: 'u64' } as never)).rejects.toThrow(
      /^"options": expected only keys/,
    );
  });

  it('a stream of arrays of any type is a stream of their bytes', async () => {
    const bytes = Uint16Array.of(0x0a61, 0x0a62); // "a\nb\n"
    const { keys } = await routeFile(Readable.from([bytes, bytes.buffer]), wrong);
    expect(keys).toBe(4);
  });
});
