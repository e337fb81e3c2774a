// A few command lines as processes. All of them: process.long.test.ts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { COMMAND_LINES } from './command-lines.js';

const ofCode = (code: number) => COMMAND_LINES.find((line) => line[0] === code && line[2] !== undefined);

it.each(
  [0, 1, 2].map(ofCode),
)('a process exits with %i, and writes as in this process: shardbits %s', async (...line) => {
  const [code, commandLine, text] = line as (typeof COMMAND_LINES)[number];
  const options = { input: [String(text)] };
  const process = await shardbits(commandLine.split(' '), options);
  expect(process.code).toBe(code);
  expect(await runHere(commandLine.split(' '), options)).toEqual(process);
});

describe('a process', () => {
  it('that waits for what never comes does not end as if it were done', async () => {
    const folder = temporaryFolder();
    const preload = join(folder, 'preload.cjs');
    const stdin = 'new (require("node:stream").Readable)({ read() {} })';
    writeFileSync(preload, `const stdin = ${stdin}; Object.defineProperty(process, 'stdin', { get: () => stdin });`);
    const { code } = await shardbits(['hash'], { node: ['--require', preload] });
    expect(code).toBe(13); // as Node.js ends
  });

  const run = (sink: string) => {
    const script = `"${process.execPath}" dist/cli.js mint --shard 1 --count 20000 ${sink}; exit "\${PIPESTATUS[0]}"`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return [status, stderr];
  };

  it('whose output nobody reads ends quietly, with 0', () => {
    expect(run('| head -n 1')).toEqual([0, '']);
  });

  it('whose output cannot be written says so, and exits with 1', () => {
    expect(run('> /dev/full')).toEqual([1, 'error: no space left on device\n']);
  });
});

describe.skipIf(spawnSync('script', ['--version']).error !== undefined)('on a terminal', () => {
  it('a command shows how far it is, and is done', () => {
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
    const [keys, out] = [join(folder, 'keys'), join(folder, 'out')];
    writeFileSync(keys, 'user:42\n'.repeat(100_000));
    const command = `'${process.execPath}' dist/cli.js route '${keys}' --shards 1024 --format shard --out '${out}'`;
    const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect([status, readFileSync(out, 'utf8')]).toEqual([0, '717\n'.repeat(100_000)]);
    expect(stdout).toMatch(/100% .*100,000 keys/);
    rmSync(folder, { recursive: true });
  });
});
