import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SnowflakeGenerator } from '../../src/index.js';
import { highWaterFile } from '../../src/node/index.js';
import { smallDisk } from '../support/small-disk.js';
import { markOf, textOf } from './high-water-files.js';

describe('a high-water file on a full disk', () => {
  it('a save fails and leaves nothing behind, and the mark stays', ({ skip }) => {
    const folder = smallDisk('64k');
    if (folder === undefined) return skip();
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
