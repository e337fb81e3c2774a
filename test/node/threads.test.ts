import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { xxh64Many } from 'shardbits';
import { routeFile, WorkerPool } from 'shardbits/node';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { wrong } from '../support/wrong-argument.js';
import { file, MB, router, words } from './thread-inputs.js';

// What has threads is tested as it is shipped: a thread needs its script.

function expectSame(got: ArrayBufferView, expected: ArrayBufferView): void {
  const [a, b] = [got, expected].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  expect(a?.equals(b)).toBe(true); // `toEqual` takes seconds
}

describe('routeFile on several threads', () => {
  it('gives the rows of one', async () => {
    const path = file(words, '\n', words); // more than one thread reads alone
    const rows = async (threads: number) => {
      const out = join(temporaryFolder(), 'out');
      const progress = await routeFile(path, { router, out, threads });
      return { progress, rows: readFileSync(out) };
    };
    const [one, several] = [await rows(1), await rows(3)];
    expect(several.progress).toEqual(one.progress);
    expect(several.rows.equals(one.rows)).toBe(true);
  });

  it('fails as one thread does for what cannot be read', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    for (const threads of [1, 2]) {
      await expect(routeFile(join(folder, 'none'), { router, out, threads })).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(routeFile([file('a'), folder], { router, out, threads })).rejects.toMatchObject({
        code: 'EISDIR',
        path: folder,
      });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reads streams too, by one', async () => {
    const out = join(temporaryFolder(), 'out');
    await routeFile(Readable.from(['a\nb']), { router, out, threads: 4 });
    expect(readFileSync(out, 'utf8')).toBe(`${router.route('a')}\ta\n${router.route('b')}\tb\n`);
  });

  it.each([0, 257, 1.5, '2'])('is refused for %j threads', async (threads) => {
    await expect(routeFile('keys', { router, out: 'out', threads: threads as number })).rejects.toThrow(
      /^"threads": expected an integer from 1 to 256/,
    );
  });
});

describe('a WorkerPool', () => {
  const pool = new WorkerPool({ threads: 2 });
  afterAll(() => pool.close());

  const u64s = randomU64s(300_000);
  const bytes = {
    data: Buffer.from(words.repeat(3)),
    offsets: Uint32Array.from({ length: 200_001 }, (_, i) => 5 + i * 17),
  };
  const shared = <T extends Uint8Array | Uint32Array | BigUint64Array>(array: T): T => {
    const copy = new Uint8Array(new SharedArrayBuffer(array.byteLength));
    copy.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return new (array.constructor as new (buffer: ArrayBufferLike) => T)(copy.buffer);
  };

  it.each([
    ['u64s', u64s],
    ['u64s in shared memory', shared(u64s)],
    ['i64s', new BigInt64Array(u64s.buffer, 8, 1000)],
    ['bytes', bytes],
    ['bytes in shared memory', { data: shared(new Uint8Array(bytes.data)), offsets: shared(bytes.offsets) }],
    ['bytes in shared memory, their offsets not', { data: shared(new Uint8Array(bytes.data)), offsets: bytes.offsets }],
    ['long rows', { data: new Uint8Array(30 * MB), offsets: Uint32Array.from({ length: 31 }, (_, i) => i * MB) }],
    ['no rows', new BigUint64Array(0)],
  ])('gives what one thread gives: %s', async (_, keys) => {
    const expected = router.routeMany(keys);
    expectSame(await pool.routeMany(router, keys), expected);
    const out = shared(new Uint32Array(expected.length));
    expect(await pool.routeMany(router, keys, { out })).toBe(out);
    expectSame(out, expected);
    const hashes = new BigUint64Array(expected.length);
    expect(await pool.xxh64Many(keys, { seed: -1n, out: hashes })).toBe(hashes);
    expectSame(hashes, xxh64Many(keys, { seed: -1n }));
  });

  it('leaves the memory it is given where it is', async () => {
    const keys = u64s.slice();
    await pool.xxh64Many(keys);
    expectSame(keys, u64s);
  });

  it('does several columns at a time', async () => {
    const jobs = Array.from({ length: 6 }, (_, i) => pool.xxh64Many(u64s.subarray(i * 1000), { seed: BigInt(i) }));
    for (const [i, hashes] of (await Promise.all(jobs)).entries()) {
      expectSame(hashes, xxh64Many(u64s.subarray(i * 1000), { seed: BigInt(i) }));
    }
  });

  it('refuses what one thread refuses, and strings', async () => {
    const out = new Uint32Array(1);
    await expect(pool.routeMany(router, u64s, { out })).rejects.toThrow(wrong('out'));
    await expect(pool.routeMany(router, ['a'] as never)).rejects.toThrow(
      /^"keys": expected a BytesColumn or a BigUint64Array/,
    );
    await expect(pool.routeMany(router, { data: new Uint8Array(1), offsets: Uint32Array.of(0, 2) })).rejects.toThrow(
      RangeError,
    );
    await expect(pool.routeMany({} as never, u64s)).rejects.toThrow(TypeError);
    await expect(pool.xxh64Many(u64s, { seed: 1 as never })).rejects.toThrow(TypeError);
    expect(() => new WorkerPool({ threads: 0 })).toThrow(RangeError);
  });

  it('rejects where keys or out lose their memory while it runs', async () => {
    const keys = randomU64s(1_000_000);
    const gone = (argument: string) => ({
      code: 'ERR_INVALID_ARG_TYPE',
      message: `"${argument}": expected an attached array, got a detached one`,
    });
    const out = new Uint32Array(keys.length);
    const written = pool.routeMany(router, keys, { out });
    structuredClone(out, { transfer: [out.buffer] });
    await expect(written).rejects.toMatchObject(gone('out'));
    const running = pool.routeMany(router, keys);
    structuredClone(keys, { transfer: [keys.buffer] });
    await expect(running).rejects.toMatchObject(gone('keys'));
    expectSame(await pool.routeMany(router, u64s), router.routeMany(u64s)); // the pool goes on
  });

  it('that is closed rejects what is running and what comes', async () => {
    const other = new WorkerPool({ threads: 1 });
    const running = expect(other.xxh64Many(u64s)).rejects.toThrow('a worker thread has ended: it was closed');
    await other.close();
    await running;
    await expect(other.xxh64Many(u64s)).rejects.toThrow('it was closed');
  });
});
