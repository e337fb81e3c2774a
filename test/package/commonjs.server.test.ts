// What `require('shardbits')` gives, which loads the rest of the core when it is used.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';

const ENTRY = JSON.stringify(join(process.cwd(), 'dist/index.cjs'));

/** What a CommonJS program prints as JSON. */
function saidBy(program: string): unknown {
  const script = `'use strict'; const lib = require(${ENTRY}); const core = () => Object.keys(require.cache).some((path) => path.endsWith('core.cjs'));\n${program}`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
}

describe("require('shardbits')", () => {
  it('hashes without the rest of the core', () => {
    const program =
      "const hash = String(lib.xxh64('abc')); console.log(JSON.stringify([hash, core(), lib.jumpHash(1n, 8), core()]))";
    expect(saidBy(program)).toEqual(['4952883123889572249', false, 6, true]);
  });

  it('has the names that ES modules have', async () => {
    const names = Object.keys(await import('shardbits')).sort();
    expect(saidBy('console.log(JSON.stringify(Object.keys({ ...lib }).sort()))')).toEqual(names);
  });

  it('can be frozen', () => {
    expect(saidBy('Object.freeze(lib); console.log(JSON.stringify(lib.jumpHash(1n, 8)))')).toBe(6);
  });

  it.each([
    ['by assignment', 'lib.jumpHash = () => 7'],
    ['by a property', "Object.defineProperty(lib, 'jumpHash', { value: () => 7 })"],
  ])('keeps what a program puts in place of an export %s', (_, replace) => {
    expect(saidBy(`${replace}; lib.Router; console.log(JSON.stringify(lib.jumpHash(1n, 8)))`)).toBe(7);
  });

  it('names its exports to ES modules that import a module of CommonJS', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'wrapper.cjs'), `module.exports = require(${ENTRY});`);
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      "import { jumpHash, xxh64 } from './wrapper.cjs'; console.log(jumpHash(1n, 8), xxh64('abc'));",
    );
    expect(execFileSync(process.execPath, [program], { encoding: 'utf8' })).toBe('6 4952883123889572249n\n');
  });
});

describe('shardbits/node in CommonJS', () => {
  it('compresses where Node.js does not know its own path', () => {
    const out = join(temporaryFolder(), 'hashes.gz');
    const program = `process.execPath = 'node';
      require(${JSON.stringify(join(process.cwd(), 'dist/node.cjs'))})
        .hashFile(require('node:stream').Readable.from(['abc\\n']), { out: ${JSON.stringify(out)}, compress: 'gzip' })
        .then(() => console.log(JSON.stringify(require('node:zlib').gunzipSync(require('node:fs').readFileSync(${JSON.stringify(out)})).toString())));`;
    expect(saidBy(program)).toBe('44bc2cf5ad770999\n');
  });
});
