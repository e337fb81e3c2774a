import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import { highWaterFile } from '../../src/node/index.js';
import { markOf, newFile, saves } from './high-water-files.js';

// Every call of the file system by the code under test passes here, so that something can happen before each of them.
const steps = { names: [] as string[], before: undefined as ((name: string) => void) | undefined };
const real = Object.fromEntries(
  Object.entries(fs).filter(([name, value]) => name.endsWith('Sync') && typeof value === 'function'),
) as Record<string, (...args: never[]) => unknown>;

beforeAll(() => {
  for (const [name, value] of Object.entries(real)) {
    const call = (...args: never[]) => {
      if (steps.before) {
        steps.names.push(name);
        steps.before(name);
      }
      return value(...args);
    };
    Object.assign(fs, { [name]: Object.assign(call, value) });
  }
  syncBuiltinESMExports();
});

afterEach(() => {
  steps.before = undefined;
});

afterAll(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
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

describe('a high-water file', () => {
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
    let count = 0;
    for (let more = true; more; count++) {
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
    expect(count).toBeGreaterThan(1);
  });

  it('after a crash in a save, at whichever step, has what was saved last, and clears up', () => {
    const crash = new Error('killed');
    let count = 0;
    for (let more = true; more; count++) {
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
    expect(count).toBeGreaterThan(8);
  });
});
