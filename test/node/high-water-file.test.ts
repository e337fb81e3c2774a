import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HighWater, LeaseLostError, SnowflakeGenerator } from '../../src/index.js';
import { highWaterFile } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';

// Every call of the file system by the code under test passes here, so that something can happen before each of them.
const steps = vi.hoisted(() => ({ names: [] as string[], before: undefined as ((name: string) => void) | undefined }));
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<Record<string, unknown>>();
  const watched = Object.entries(fs).map(([name, value]) => {
    if (!name.endsWith('Sync') || typeof value !== 'function') return [name, value];
    const call = (...args: unknown[]) => {
      if (steps.before) {
        steps.names.push(name);
        steps.before(name);
      }
      return value(...args);
    };
    return [name, Object.assign(call, value)];
  });
  return Object.fromEntries(watched);
});
afterEach(() => {
  steps.before = undefined;
});

/** Runs something, and something else before its k-th call of the file system; tells whether there was a k-th. */
function interrupted(k: number, work: () => void, before: () => void): boolean {
  let count = 0;
  let done = false;
  steps.names = [];
  steps.before = () => {
    if (count++ !== k) return;
    steps.before = undefined;
    done = true;
    before();
  };
  try {
    work();
  } finally {
    steps.before = undefined;
  }
  return done;
}

const newFile = (): string => join(temporaryFolder(), 'mark');
const textOf = (file: string): string => readFileSync(file, 'latin1');
const markOf = (file: string): number => Number.parseInt(textOf(file), 10);

/** Whether a save succeeded. Any other failure than a lost mark is one of the test. */
function saves(highWater: HighWater, at: number): boolean {
  try {
    highWater.save(at);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(LeaseLostError);
    return false;
  }
}

describe('a high-water file', () => {
  it('has the mark and the tag of its holder on a line, and the mark alone when it is closed', () => {
    const file = newFile();
    const mark = highWaterFile(file);
    expect(mark.load()).toBe(undefined);
    mark.save(1_700_000_000_000.25);
    expect(textOf(file)).toMatch(/^1700000000001 [0-9a-f]{16}\n$/);
    expect(readdirSync(join(file, '..'))).toEqual([
      'mark',
      expect.stringMatching(new RegExp(`^mark\\.${textOf(file).slice(14, -1)}\\.holder$`)),
    ]);
    mark.close?.(1_699_999_999_999.5);
    expect(textOf(file)).toBe('1700000000000\n');
    expect(readdirSync(join(file, '..'))).toEqual(['mark']);
    expect(highWaterFile(file).load()).toBe(1_700_000_000_000);
  });

  it('is never lowered by a save, nor below what was loaded by a close', () => {
    const file = newFile();
    writeFileSync(file, '5000\n'); // as older versions wrote it
    const mark = highWaterFile(file);
    expect(mark.load()).toBe(5000);
    mark.save(4000);
    expect(markOf(file)).toBe(5000);
    mark.save(7000);
    mark.save(6000);
    expect(markOf(file)).toBe(7000);
    mark.close?.(3000);
    expect(textOf(file)).toBe('5000\n');
    const again = highWaterFile(file);
    again.save(8000);
    again.close?.();
    expect(textOf(file)).toBe('8000\n');
  });

  it.each(['soon\n', '', '5', '5\n6\n', '1e3\n', '5 tag\n', '-5\n'])('that holds %j is refused by its path', (text) => {
    const file = newFile();
    writeFileSync(file, text);
    expect(() => highWaterFile(file).load()).toThrow(`${file}: expected Unix milliseconds on a line of their own`);
    expect(textOf(file)).toBe(text);
    expect(readdirSync(join(file, '..'))).toEqual(['mark']);
  });

  it('that cannot be read or made is refused by its path', () => {
    const folder = temporaryFolder();
    expect(() => highWaterFile(folder).load()).toThrow(expect.objectContaining({ code: 'EISDIR', path: folder }));
    const lost = join(folder, 'none', 'mark');
    expect(() => highWaterFile(lost).load()).toThrow(expect.objectContaining({ code: 'ENOENT', path: lost }));
  });

  it.each([Number.NaN, '5', Number.POSITIVE_INFINITY, 1e15])('does not take %s for a mark', (at) => {
    const mark = highWaterFile(newFile());
    expect(() => mark.save(at as number)).toThrow(/^"unixMs": expected Unix milliseconds/);
  });

  it('is on disk before a save returns, and so is its name', () => {
    const mark = highWaterFile(newFile());
    mark.load();
    interrupted(
      1000,
      () => mark.save(5),
      () => {},
    );
    expect(steps.names.filter((name) => /fsync|rename/.test(name))).toEqual(['fsyncSync', 'renameSync', 'fsyncSync']);
  });

  it('under two names is one', () => {
    const file = newFile();
    const link = `${file}-link`;
    writeFileSync(file, '5000\n');
    symlinkSync(file, link);
    const [first, second] = [highWaterFile(file), highWaterFile(link)];
    first.load();
    expect(second.load()).toBe(5000);
    expect(saves(first, 6000)).toBe(false);
    expect(saves(second, 6000)).toBe(true);
    expect(markOf(file)).toBe(6000);
  });

  it('leaves the folders of other files alone', () => {
    const file = newFile();
    const others = ['mark2.0123456789abcdef.holder', 'mark.holder', 'mark.0123456789abcdef.holder.old'];
    for (const name of others) mkdirSync(join(file, '..', name));
    highWaterFile(file).close?.();
    const mark = highWaterFile(file);
    mark.load();
    mark.close?.();
    expect(readdirSync(join(file, '..'))).toEqual(['mark', ...others].sort());
  });
});

describe('a mark that is taken over', () => {
  it('is lost to the one before, who is told so by its next save, and whose close changes nothing', () => {
    const file = newFile();
    const [old, newcomer] = [highWaterFile(file), highWaterFile(file)];
    old.load();
    old.save(5000);
    expect(newcomer.load()).toBe(5000);
    for (const at of [4000, 5000, 6000]) {
      expect(() => old.save(at)).toThrow(LeaseLostError);
      expect(() => old.save(at)).toThrow(`${file}: this generator no longer holds the high-water mark`);
    }
    newcomer.save(7000);
    old.close?.(1);
    expect(markOf(file)).toBe(7000);
    newcomer.save(8000);
    expect(() => old.save(9000)).toThrow(`${file}: this high-water mark has been closed`);
  });

  it('in the middle of a save, at whichever step, has what was saved, or else the save fails', () => {
    let [steps, kept, lost] = [0, 0, 0];
    for (let more = true; more; steps++) {
      const file = newFile();
      const [old, newcomer] = [highWaterFile(file), highWaterFile(file)];
      old.load();
      old.save(5000);
      let loaded: number | undefined;
      let saved: boolean | undefined;
      more = interrupted(
        steps,
        () => {
          saved = saves(old, 6000);
        },
        () => {
          loaded = newcomer.load();
          newcomer.save(9000);
        },
      );
      if (!more) break;
      if (saved) kept++;
      else lost++;
      expect(loaded).toBeGreaterThanOrEqual(saved ? 6000 : 5000);
      expect(markOf(file)).toBe(9000);
      expect(saves(old, 20_000)).toBe(false);
      expect(saves(newcomer, 10_000)).toBe(true);
      newcomer.close?.();
      expect(readdirSync(join(file, '..'))).toEqual(['mark']);
    }
    expect(steps).toBeGreaterThan(6);
    expect(Math.min(kept, lost)).toBeGreaterThan(1);
  });

  it('in the middle of another takeover, at whichever step, has one holder', () => {
    let count = 0;
    for (let more = true; more; count++) {
      const file = newFile();
      const [old, first, second] = [highWaterFile(file), highWaterFile(file), highWaterFile(file)];
      old.load();
      old.save(5000);
      const marks: (number | undefined)[] = [];
      more = interrupted(
        count,
        () => marks.push(first.load()),
        () => {
          marks.push(second.load());
          saves(second, 6000);
        },
      );
      expect(marks.every((mark) => mark === 5000 || mark === 6000)).toBe(true);
      const before = markOf(file);
      const holders = [old, first, second].filter((mark) => saves(mark, 7000));
      if (more) expect(holders).toHaveLength(1);
      // Whoever is left has read what the other one saved.
      if (more && holders[0] === first) expect(marks[1]).toBe(before);
      expect(markOf(file)).toBe(7000);
    }
    expect(count).toBeGreaterThan(8);
  });

  it('in the middle of a close, at whichever step, is not lowered below what was minted', () => {
    for (let count = 0, more = true; more; count++) {
      const file = newFile();
      const [old, newcomer] = [highWaterFile(file), highWaterFile(file)];
      old.save(6000);
      more = interrupted(
        count,
        () => old.close?.(5500),
        () => {
          expect(newcomer.load()).toBeGreaterThanOrEqual(5500);
          newcomer.save(9000);
        },
      );
      if (more) expect(saves(newcomer, 9500)).toBe(true);
      newcomer.close?.();
      expect(markOf(file)).toBe(more ? 9500 : 5500);
      expect(readdirSync(join(file, '..'))).toEqual(['mark']);
    }
  });

  it('after a crash in a save, at whichever step, has what was saved last, and clears up', () => {
    const crash = new Error('killed');
    for (let count = 0, more = true; more; count++) {
      const file = newFile();
      const old = highWaterFile(file);
      old.save(5000);
      let isDead = false;
      try {
        more = interrupted(
          count,
          () => old.save(6000),
          () => {
            isDead = true;
            steps.before = () => {
              throw crash; // from here on it can do nothing
            };
            throw crash;
          },
        );
      } catch (error) {
        expect(error).toBe(crash);
      }
      const mark = highWaterFile(file);
      expect([5000, 6000]).toContain(mark.load());
      if (!isDead) expect(markOf(file)).toBe(6000);
      mark.close?.();
      expect(readdirSync(join(file, '..'))).toEqual(['mark']);
    }
  });
});

describe('generators with one high-water file', () => {
  const now = Date.UTC(2026, 0);

  function machine() {
    const file = newFile();
    const clock = { now };
    const ids: bigint[] = [];
    return {
      file,
      clock,
      ids,
      make: (highWater = highWaterFile(file)) =>
        new SnowflakeGenerator({
          shard: 1,
          clock: () => clock.now,
          highWater,
          onClockBackwards: 'borrow',
          onSequenceExhausted: 'borrow',
          maxWaitMs: 60_000,
        }),
      mint(generator: SnowflakeGenerator, n: number): boolean {
        try {
          ids.push(...generator.nextMany(n));
          return true;
        } catch (error) {
          expect(error).toBeInstanceOf(LeaseLostError);
          return false;
        }
      },
    };
  }

  it.each(['a path', 'an object'])('that two have at once, by %s, and then a restart, give no id twice', (what) => {
    const { file, clock, ids, make, mint } = machine();
    const shared = what === 'an object' ? highWaterFile(file) : undefined;
    const [first, second] = [make(shared), make(shared)];
    let given = 0;
    for (let i = 0; i < 24; i++) {
      clock.now += 100;
      for (const generator of [first, second]) if (mint(generator, 4000)) given += 4000;
    }
    expect(mint(first, 1)).toBe(false);
    clock.now -= 2000;
    expect(mint(make(shared), 96_000)).toBe(true);
    expect(given).toBeGreaterThanOrEqual(96_000);
    expect(new Set(ids).size).toBe(given + 96_000);
  });

  it('that takes over while the other is in the middle of what it saved give no id twice', () => {
    const { clock, ids, make, mint } = machine();
    const first = make();
    mint(first, 10);
    clock.now += 300;
    const second = make();
    expect(mint(first, 10)).toBe(true);
    expect(mint(second, 10)).toBe(true);
    expect(mint(first, 10)).toBe(true);
    expect(new Set(ids).size).toBe(40);
    clock.now += 1000;
    expect(mint(first, 10)).toBe(false);
    expect(mint(second, 10)).toBe(true);
  });

  it('that ended without closing are not repeated, wherever the clock is', () => {
    const { clock, ids, make, mint } = machine();
    for (const step of [0, 5, -400, 2000, -2500, 1]) {
      clock.now += step;
      mint(make(), 9000);
    }
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as bigint))).toBe(true);
    expect(ids).toHaveLength(6 * 9000);
  });

  it('that is closed mints nothing more, and a restart goes on at once where it was', async () => {
    const { file, ids, clock, make, mint } = machine();
    const generator = make();
    mint(generator, 5000);
    expect(markOf(file)).toBeGreaterThan(now + 1000);
    generator.close();
    generator.close();
    expect(textOf(file)).toBe(`${now + 2}\n`);
    expect(() => generator.next()).toThrow(LeaseLostError);
    expect(() => generator.nextMany(1)).toThrow('this generator has been closed');
    await expect(generator.nextAsync()).rejects.toThrow(LeaseLostError);
    clock.now += 2;
    mint(make(), 5000);
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as bigint))).toBe(true);
    expect((ids[5000] as bigint) >> 22n).toBe(((ids[0] as bigint) >> 22n) + 2n);
  });

  it('that has minted nothing leaves the mark as it was', () => {
    const { file, make } = machine();
    writeFileSync(file, `${now}\n`);
    make().close();
    expect(textOf(file)).toBe(`${now}\n`);
  });
});

describe('on a full disk', () => {
  /** A file system of its own, if this is root. */
  function smallDisk(): string | undefined {
    const path = temporaryFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]).status !== 0) return undefined;
    onTestFinished(() => {
      spawnSync('umount', ['-l', path]);
    });
    return path;
  }

  it('a save fails and leaves nothing behind, and the mark stays', ({ skip }) => {
    const folder = smallDisk();
    if (folder === undefined) {
      console.error('SKIPPED: a full disk needs a file system of its own, which only root may mount');
      return skip();
    }
    const file = join(folder, 'mark');
    const filler = join(folder, 'filler');
    const generator = new SnowflakeGenerator({ shard: 1, highWater: highWaterFile(file) });
    const first = generator.next();
    const before = textOf(file);
    expect(() => writeFileSync(filler, Buffer.alloc(1 << 20))).toThrow(/ENOSPC/);
    const mark = highWaterFile(file);
    expect(() => mark.load()).toThrow(expect.objectContaining({ code: 'ENOSPC', path: file }));
    expect(textOf(file)).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['filler', 'mark']);
    rmSync(filler);
    expect(mark.load()).toBe(Number.parseInt(before, 10));
    expect(() => writeFileSync(filler, Buffer.alloc(1 << 20))).toThrow(/ENOSPC/);
    const tagged = textOf(file);
    expect(() => mark.save(2e12)).toThrow(expect.objectContaining({ code: 'ENOSPC', path: file }));
    expect(textOf(file)).toBe(tagged);
    expect(readdirSync(folder, { recursive: true }).filter((name) => !/holder$/.test(String(name)))).toEqual([
      'filler',
      'mark',
    ]);
    rmSync(filler);
    mark.save(2e12);
    expect(markOf(file)).toBe(2e12);
    expect(first).toBeGreaterThan(0n);
  });
});

describe('processes that take one high-water file from each other', () => {
  // Mints as fast as it can, and comes back when another one has taken over.
  const MINTING = `
    import { appendFileSync } from 'node:fs';
    import { LeaseLostError, parseLayout, SnowflakeGenerator } from 'shardbits';
    import { highWaterFile } from 'shardbits/node';
    const [file, out, closes] = process.argv.slice(1);
    const layout = parseLayout('timestamp:41,shard:10,sequence:2'); // 4,000 ids take a save
    const policies = { layout, onClockBackwards: 'borrow', onSequenceExhausted: 'borrow', maxWaitMs: 2 ** 31 - 1 };
    const end = Date.now() + 2000;
    let lost = 0;
    while (Date.now() < end) {
      try {
        const generator = new SnowflakeGenerator({ shard: 1, highWater: highWaterFile(file), ...policies });
        for (let i = 0; i < 40; i++) appendFileSync(out, generator.nextMany(1 + Math.floor(Math.random() * 1500)));
        if (closes) generator.close();
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        lost++;
      }
    }
    console.log(lost);`;

  function start(file: string, out: string, closes: string): { child: ChildProcess; ended: Promise<string> } {
    const args = ['--input-type=module', '-e', MINTING, file, out, closes];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (text += piece));
    return { child, ended: new Promise((resolve) => child.on('close', () => resolve(text))) };
  }

  it('give no id twice, also when one is killed again and again', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'mark');
    const out = (name: string | number) => join(folder, `ids-${name}`);
    const two = [start(file, out('a'), ''), start(file, out('b'), 'closes')];
    let kills = 0;
    let isDone = false;
    const ended = Promise.all(two.map(({ ended }) => ended)).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const third = start(file, out(kills++), kills % 2 ? '' : 'closes');
      await setTimeout(200 + (kills % 5) * 40);
      third.child.kill('SIGKILL');
      await third.ended;
    }
    const lost = (await ended).map(Number);
    expect(Math.min(...lost)).toBeGreaterThan(0);
    const all: BigUint64Array[] = [];
    for (const name of readdirSync(folder)) {
      if (!name.startsWith('ids-')) continue;
      const bytes = readFileSync(join(folder, name)); // one that was killed may have written the last id in part
      const ids = new BigUint64Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 8));
      expect(ids.findIndex((id, i) => i > 0 && id <= (ids[i - 1] as bigint))).toBe(-1);
      all.push(ids);
    }
    const ids = BigUint64Array.from(all.flatMap((some) => [...some])).sort();
    console.log(
      `${ids.length} ids of two processes, which lost the mark ${lost.join(' and ')} times, and ${kills} kills`,
    );
    expect(ids.length).toBeGreaterThan(10_000);
    expect(ids.findIndex((id, i) => id === ids[i - 1])).toBe(-1);
    highWaterFile(file).load();
    expect(readdirSync(folder).filter((name) => name.endsWith('.holder'))).toHaveLength(1);
  });
});
