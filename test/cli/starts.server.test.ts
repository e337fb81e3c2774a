// What a command loads before it does something decides how soon it starts: each file takes 0.3 ms, and 100 KB take 2 ms.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';

/** Prints the files of dist/ that a program has loaded, with their bytes, and the modules of Node.js. */
const PRELOAD = `
const { statSync } = require('node:fs');
const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path !== __filename);
  const loaded = {
    files: files.map((path) => [path.replace(/.*[\\/\\\\]dist[\\/\\\\]/, '').replaceAll('\\\\', '/'), statSync(path).size]),
    builtins: process.moduleLoadList.filter((name) => !before.has(name)),
  };
  process._rawDebug('loaded: ' + JSON.stringify(loaded));
});
`;

interface Loaded {
  readonly files: readonly (readonly [name: string, bytes: number])[];
  readonly builtins: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'shardbits-starts-'));
const preload = join(folder, 'preload.cjs');
const keys = join(folder, 'keys.txt');

beforeAll(() => {
  writeFileSync(preload, PRELOAD);
  writeFileSync(keys, 'a\nb\nc\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function loadedBy(...args: string[]): Promise<Loaded> {
  const { code, stderr } = await shardbits(args, { node: ['--require', preload] });
  expect(code).toBe(0);
  const [, loaded = ''] = /^loaded: (.*)$/m.exec(stderr) ?? [];
  return JSON.parse(loaded);
}

/** Modules of Node.js that take milliseconds, and that few command lines need. */
const SLOW = ['zlib', 'crypto', 'tls', 'child_process', 'worker_threads', 'readline', 'http'];

describe.each([
  { args: ['--version'], most: { files: 4, kilobytes: 75 } },
  { args: ['--help'], most: { files: 4, kilobytes: 75 } },
  { args: ['route', keys, '--shards', '8'], most: { files: 16, kilobytes: 455 } },
  { args: ['decode', '175928847299117063'], most: { files: 17, kilobytes: 495 } },
  { args: ['decode', '175928847299117063', '--layout', 'discord'], most: { files: 17, kilobytes: 495 } },
])('shardbits $args', ({ args, most }) => {
  it(`loads at most ${most.files} files of ${most.kilobytes} KB, and no slow modules of Node.js`, async () => {
    const { files, builtins } = await loadedBy(...args);
    const names = files.map(([name]) => name);
    expect(names).toContain('cli/program.cjs');
    expect(names.length, names.join(', ')).toBeLessThanOrEqual(most.files);
    expect(files.reduce((sum, [, bytes]) => sum + bytes, 0) / 1024).toBeLessThanOrEqual(most.kilobytes);
    expect(SLOW.filter((name) => builtins.includes(`NativeModule ${name}`))).toEqual([]);
  });
});

describe('a command', () => {
  it('loads partitioners, maps, Parquet and progress bars only when it needs them', async () => {
    const { files } = await loadedBy('route', keys, '--as', 'kafka', '--shards', '8');
    expect(files.map(([name]) => name)).toContain('partitioners.cjs');
    const { files: fewer } = await loadedBy('route', keys, '--shards', '8');
    const others = fewer.filter(([name]) => /partitioners|table|progress|map/.test(name));
    expect(others).toEqual([]);
  });
});
