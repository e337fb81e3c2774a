import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeaseLostError, SnowflakeGenerator } from '../../src/index.js';
import { highWaterFile } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { IS_FULL } from '../support/scale.js';
import { markOf, newFile, textOf } from './high-water-files.js';

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
    expect(ids.every((id, i) => i === 0 || id > ids[i - 1])).toBe(true);
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
    expect(ids.every((id, i) => i === 0 || id > ids[i - 1])).toBe(true);
    expect(ids[5000] >> 22n).toBe((ids[0] >> 22n) + 2n);
  });

  it('that has minted nothing leaves the mark as it was', () => {
    const { file, make } = machine();
    writeFileSync(file, `${now}\n`);
    make().close();
    expect(textOf(file)).toBe(`${now}\n`);
  });
});

describe('processes that take one high-water file from each other', () => {
  // Mints as fast as it can, and comes back when another one has taken over.
  const MINTING = `
    import { appendFileSync } from 'node:fs';
    import { LeaseLostError, parseLayout, SnowflakeGenerator } from 'shardbits';
    import { highWaterFile } from 'shardbits/node';
    const [file, out, closes, ms] = process.argv.slice(1);
    const layout = parseLayout('timestamp:41,shard:10,sequence:2'); // 4,000 ids take a save
    const policies = { layout, onClockBackwards: 'borrow', onSequenceExhausted: 'borrow', maxWaitMs: 2 ** 31 - 1 };
    const end = Date.now() + Number(ms);
    let lost = 0;
    while (Date.now() < end || (lost === 0 && Date.now() < end + 20_000)) {
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
    const args = ['--input-type=module', '-e', MINTING, file, out, closes, String(IS_FULL ? 2000 : 1000)];
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
      expect(ids.findIndex((id, i) => i > 0 && id <= ids[i - 1])).toBe(-1);
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
