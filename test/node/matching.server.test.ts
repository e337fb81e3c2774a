import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchingFiles } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';

// Bash reads each pattern from a line, and writes it before what it finds.
const SCRIPT = 'export LC_ALL=C.UTF-8; while IFS= read -r one; do echo "= $one"; compgen -G "$one"; done; true';

const text = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength }).map((all) => all.join(''));

it('patterns find what bash finds by them', () => {
  const folder = temporaryFolder();
  const names = fc.sample(text('abc[]!^-*\\.', 3), 500).filter((name) => !/^\.{1,2}$/.test(name));
  for (const name of new Set(names)) writeFileSync(join(folder, `f${name}`), '');
  for (const name of ['d', 'd[', 'd*', 'd-']) {
    mkdirSync(join(folder, name));
    for (const inside of ['fa', 'f*', 'f]']) writeFileSync(join(folder, name, inside), '');
  }
  const isUnclear = (pattern: string) =>
    !/[*?[]/.test(pattern) || // not one
    /\*\*|\/\/|[-\\/]$|\[[:.=]/.test(pattern) || // others, in one of the two
    [...pattern.matchAll(/(?=(.)-(.))/gs)].some(([, from, to]) => from > to); // a range of nothing
  const patterns = fc.sample(text('aabd/[[[]]!^--**??\\.', 7), 5000).map((pattern) => `[df]${pattern}`);
  const asked = patterns.filter((pattern) => !isUnclear(pattern));
  const { stdout } = spawnSync('bash', ['-c', SCRIPT], {
    cwd: folder,
    input: `${asked.join('\n')}\n`,
    encoding: 'utf8',
  });
  const answers = stdout.split(/^= /m).slice(1);
  expect(answers.length).toBe(asked.length);
  const home = process.cwd();
  process.chdir(folder);
  const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  let matches = 0;
  for (const answer of answers) {
    const [pattern, ...found] = answer.split('\n');
    const files = found.filter((path) => path !== '' && !isDirectory(path)).sort();
    matches += files.length;
    let ours: string[] = [];
    try {
      ours = matchingFiles([pattern]);
    } catch (error) {
      expect([pattern, String(error)]).toEqual([pattern, `Error: ${pattern}: no file has such a name`]);
    }
    expect([pattern, ours.sort()]).toEqual([pattern, files]);
  }
  process.chdir(home);
  expect(matches).toBeGreaterThan(10_000);
});
