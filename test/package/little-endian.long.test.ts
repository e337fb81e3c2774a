import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { bundle } from '../support/bundle.js';
import { temporaryFolder } from '../support/cli.js';

const REFUSAL = 'shardbits needs a little-endian CPU';
const TURNED = ['--import', pathToFileURL(resolve('test/support/big-endian.mjs')).href];

const ENTRIES = Object.entries(manifest.exports).filter(([name]) => !/[.](wasm|cjs|json)$/.test(name));
const files = (kind: 'import' | 'require') =>
  ENTRIES.map(([, entry]) => resolve((entry as Record<typeof kind, { default: string }>)[kind].default));

/** What comes of each of some programs in a process: `loaded`, or the message of an error. */
function outcomes(load: string, paths: readonly string[], options: readonly string[]): string[] {
  const program = `
    const outcomes = [];
    for (const path of ${JSON.stringify(paths)}) {
      try {
        ${load};
        outcomes.push('loaded');
      } catch (error) {
        outcomes.push(error.message);
      }
    }
    console.log(JSON.stringify(outcomes));`;
  const out = execFileSync(process.execPath, [...options, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
}

const IMPORT = "await import((await import('node:url')).pathToFileURL(path).href)";
const REQUIRE = "(await import('node:module')).createRequire(path)(path)";

describe('on a big-endian processor', () => {
  it.each([
    ['import', IMPORT],
    ['require', REQUIRE],
  ] as const)('every entry refuses at its %s', (kind, load) => {
    const paths = files(kind);
    expect(paths.length).toBeGreaterThan(10);
    const refused = outcomes(load, paths, TURNED);
    expect(refused).toEqual(paths.map(() => expect.stringContaining(REFUSAL)));
  });

  it('the command line refuses', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...TURNED, 'dist/cli.js', '--version'], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(REFUSAL);
  });

  it('a bundle refuses, even of one function', async () => {
    const folder = temporaryFolder();
    const paths: string[] = [];
    for (const name of ['xxh64', 'jumpHash', 'Router', 'formatId', 'parseId', 'layouts', 'SnowflakeGenerator']) {
      const path = join(folder, `${name}.mjs`);
      writeFileSync(path, await bundle(`export { ${name} } from 'shardbits'`));
      paths.push(path);
    }
    expect(outcomes(IMPORT, paths, TURNED)).toEqual(paths.map(() => expect.stringContaining(REFUSAL)));
    expect(outcomes(IMPORT, paths, [])).toEqual(paths.map(() => 'loaded'));
  });
});
