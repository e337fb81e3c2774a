import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { runHere } from '../support/run-here.js';
import { IS_WHOLE } from '../support/scale.js';
import { COMMAND_LINES } from './command-lines.js';

describe('a process writes and exits as the same command line in this process', () => {
  it.each<(typeof COMMAND_LINES)[number]>(COMMAND_LINES)('with %i: shardbits %s', async (code, commandLine, text) => {
    const args = commandLine.split(' ').filter((arg) => arg !== '');
    const input = text === undefined ? [] : [text];
    const process = await shardbits(args, { input });
    expect(process.code).toBe(code);
    expect(await runHere(args, { input })).toEqual(process);
  });
});

describe('a process whose output nobody reads ends quietly, with 0', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  const [ids, many] = [join(folder, 'ids'), join(folder, 'many')];
  beforeAll(() => {
    writeFileSync(ids, randomU64s(50_000).join('\n')); // more than a pipe holds
    writeFileSync(many, randomU64s(600_000).join('\n')); // three parts for threads
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (commandLine: string, sink: string) => {
    const script = `"${process.execPath}" dist/cli.js ${commandLine} < "${ids}" ${sink}; exit "\${PIPESTATUS[0]}"`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return { status, stderr };
  };

  it.each(['| true', '| head -n 1', '>&-'])('%s', (sink) => {
    for (const commandLine of [
      `route "${ids}" --shards 10 --threads 1`,
      'route --shards 10',
      'hash',
      'decode --layout a:32,b:32',
      'mint --shard 1 --count 100000',
      'plan --from 10 --to 11',
    ]) {
      expect({ commandLine, ...run(commandLine, sink) }).toEqual({ commandLine, status: 0, stderr: '' });
    }
  });

  it.each(['| true', '| head -n 1', '>&-'])('on several threads, again and again: %s', (sink) => {
    for (let i = 0; i < (IS_WHOLE ? 20 : 4); i++) {
      expect(run(`route "${many}" --shards 10 --threads ${2 + (i % 3)}`, sink)).toEqual({ status: 0, stderr: '' });
    }
  });
});

describe('a process whose output cannot be written says so, and exits with 1', () => {
  it.each(['help', '--help', '--version', 'help route', 'leases --help', 'completion bash', 'hash'])('%s', (args) => {
    const command = `"${process.execPath}" dist/cli.js ${args} > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { input: 'a\n', encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'error: no space left on device\n']);
  });

  it('without a command', () => {
    const { status } = spawnSync('sh', ['-c', `"${process.execPath}" dist/cli.js > /dev/full`]);
    expect(status).toBe(1);
  });
});

describe('a process that reads no further does not wait for whoever writes', () => {
  it.each([
    ['after bad data', 'x\n', 1],
    ['after bad data that was compressed', gzipSync('x\n'), 1],
    ['in a format that is not read', Buffer.from('\ufeffx\n', 'utf16le'), 1],
  ])('%s', async (_, bytes, code) => {
    const child = spawn(process.execPath, ['dist/cli.js', 'route', '--shards', '3', '--keys', 'u64']);
    child.stdin.write(bytes);
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(code);
    expect(child.stdin.writableEnded).toBe(false);
    child.stdin.destroy();
  });
});
