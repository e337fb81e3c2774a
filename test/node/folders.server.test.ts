// Where files are written in folders of several users, which only root can make.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { notTested } from '../support/not-tested.js';

const isRoot = process.getuid?.() === 0;
if (!isRoot) notTested('folders of other users, which only root can make');

const UID = 65_534; // nobody

/** A folder that only root can write. */
function closedFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

/** Runs a statement as another user than root. @returns what it threw */
function asNobody(statement: string, ...args: string[]): string {
  const script = `
    import { Router } from 'shardbits';
    import { Readable } from 'node:stream';
    import { routeFile, routeToDirectory } from 'shardbits/node';
    const [path, out] = process.argv.slice(1);
    const router = new Router({ shards: 3 });
    const input = () => Readable.from([Buffer.from('a\\nb\\n')]);
    const never = () => Readable.from((async function* () { yield Buffer.from(await new Promise(() => {})); })());
    await routeFile(input(), { router, out: new (await import('node:stream')).PassThrough() });
    process.setgid(${UID});
    process.setuid(${UID});
    try { ${statement} } catch (error) { console.log(error.message, error.path); }
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, ...args]);
  expect(stderr.toString()).toBe('');
  return stdout.toString();
}

describe.runIf(isRoot)('files are written', () => {
  it('to a directory of their own in one that cannot be written', () => {
    const own = join(closedFolder(), 'own');
    mkdirSync(own);
    chownSync(own, UID, UID);
    expect(asNobody('await routeToDirectory(input(), { router, directory: path })', own)).toBe('');
    expect(readdirSync(own)).toEqual(['0.txt', '1.txt', '2.txt']);
  });

  it('in place, if their folder cannot be written', () => {
    const folder = closedFolder();
    const out = join(folder, 'out');
    writeFileSync(out, 'what was there before, which is longer');
    chownSync(out, UID, UID);
    const { ino, mode } = statSync(out);
    expect(asNobody("await routeFile(input(), { router, out: path, format: 'shard' })", out)).toBe('');
    expect(readFileSync(out, 'utf8')).toMatch(/^\d\n\d\n$/);
    expect(statSync(out)).toMatchObject({ ino, mode });
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('not at all where that is not possible, which is found out before the work', () => {
    const folder = closedFolder();
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const directory of [empty, join(folder, 'new')])
      expect(asNobody('await routeToDirectory(never(), { router, directory: path })', directory)).toMatch(
        new RegExp(`^EACCES: permission denied, mkdir .* ${directory}\n$`),
      );
    const out = join(folder, 'out');
    expect(asNobody('await routeFile(never(), { router, out: path })', out)).toMatch(
      new RegExp(`^EACCES: permission denied, open .* ${out}\n$`),
    );
    writeFileSync(out, 'a');
    expect(asNobody('await routeFile(never(), { router, out: path })', out)).toMatch(
      /^EACCES: permission denied, access/,
    );
    expect(readdirSync(folder)).toEqual(['empty', 'out']);
  });
});
