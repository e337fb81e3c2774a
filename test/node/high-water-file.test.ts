import { lstatSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SnowflakeGenerator } from '../../src/index.js';
import { highWaterFile } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { wrong } from '../support/wrong-argument.js';
import { markOf, newFile, saves, textOf } from './high-water-files.js';

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
    expect(() => highWaterFile(file).load()).toThrow(`${file}: expected a line with Unix milliseconds`);
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
    expect(() => mark.save(at as number)).toThrow(wrong('unixMs'));
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

  it('is made where links lead to, so that two releases share it from the beginning', () => {
    const folder = temporaryFolder();
    for (const name of ['shared', 'one', 'two']) mkdirSync(join(folder, name));
    symlinkSync('../shared/mark', join(folder, 'one', 'mark'));
    symlinkSync('link', join(folder, 'two', 'mark'));
    symlinkSync('../shared/mark', join(folder, 'two', 'link'));
    const mint = (release: string) => {
      const highWater = highWaterFile(join(folder, release, 'mark'));
      const generator = new SnowflakeGenerator({
        shard: 5,
        clock: () => 1.7e12,
        onClockBackwards: 'borrow',
        highWater,
      });
      return { ids: generator.nextMany(1000), generator };
    };
    const [one, two] = [mint('one'), mint('two')];
    expect(new Set([...one.ids, ...two.ids]).size).toBe(2000);
    two.generator.close();
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
      ['one', 'one/mark', 'shared', 'shared/mark', 'two', 'two/link', 'two/mark'].map((name) => join(name)),
    );
    expect(lstatSync(join(folder, 'one', 'mark')).isSymbolicLink()).toBe(true);
  });

  it('that is a link to itself is refused by its path', () => {
    const folder = temporaryFolder();
    const loop = join(folder, 'loop');
    symlinkSync('back', loop);
    symlinkSync('loop', join(folder, 'back'));
    expect(() => highWaterFile(loop).load()).toThrow(expect.objectContaining({ code: 'ELOOP', path: loop }));
    expect(() => highWaterFile(loop).load()).toThrow(/^ELOOP: the symbolic link leads back to itself, readlink '.*'$/);
    expect(readdirSync(folder).sort()).toEqual(['back', 'loop']);
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

describe('what lies beside a high-water file', () => {
  const NAME = 'mark.0123456789abcdef.holder';

  /** Names of everything in a folder, without following links. */
  const all = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

  /** Takes a mark over, saves and closes it. */
  function use(file: string): void {
    const mark = highWaterFile(file);
    mark.load();
    mark.save(7000);
    mark.close?.();
  }

  it.each(['', 'mark', 'minted', 'mark/deeper'])('is not removed through a link to a folder that has %j', (content) => {
    const victim = temporaryFolder();
    mkdirSync(join(victim, content, '..'), { recursive: true });
    if (content !== '') writeFileSync(join(victim, content), 'precious');
    const before = all(victim);
    const file = newFile();
    symlinkSync(victim, join(file, '..', NAME));
    use(file);
    expect(all(victim)).toEqual(before);
    expect(markOf(file)).toBe(7000);
    expect(lstatSync(join(file, '..', NAME)).isSymbolicLink()).toBe(true);
  });

  it('stays if it is a file, or a link to a file or to nothing', () => {
    const file = newFile();
    const folder = join(file, '..');
    writeFileSync(join(folder, NAME), 'precious');
    symlinkSync(NAME, join(folder, 'mark.1123456789abcdef.holder'));
    symlinkSync('none', join(folder, 'mark.2123456789abcdef.holder'));
    const before = all(folder);
    use(file);
    expect(all(folder)).toEqual(['mark', ...before].sort());
    expect(textOf(join(folder, NAME))).toBe('precious');
  });

  it('is refused by its name if it is a folder that holds more than a holder writes', () => {
    const file = newFile();
    const holder = `${file}.0123456789abcdef.holder`;
    mkdirSync(holder);
    writeFileSync(join(holder, 'mark'), '');
    writeFileSync(join(holder, 'notes'), 'precious');
    const mark = highWaterFile(file);
    expect(() => mark.load()).toThrow(`${holder}: expected at most a file mark, got notes. Move it away`);
    expect(all(join(file, '..'))).toEqual([NAME, `${NAME}/mark`, `${NAME}/notes`].map((name) => join(name)));
  });

  it('is not touched if the folder of a holder has become a link, whatever the holder does next', () => {
    const victim = temporaryFolder();
    for (const name of ['mark', 'other']) writeFileSync(join(victim, name), 'precious');
    const file = newFile();
    const mark = highWaterFile(file);
    mark.save(5000);
    const holder = `${file}.${textOf(file).slice(5, -1)}.holder`;
    rmdirSync(holder);
    symlinkSync(victim, holder);
    expect(() => mark.save(6000)).toThrow();
    expect(() => mark.close?.(5500)).toThrow();
    expect(markOf(file)).toBe(5000);
    expect(all(victim)).toEqual(['mark', 'other']);
  });
});
