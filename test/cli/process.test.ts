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
import { scaled } from '../support/scale.js';

const KEYS = 'a\nb\n\nc';
const SNOWFLAKE = '154173452582932603';

/** Each with what it exits with: all that other tests see without a process. */
const COMMAND_LINES: [code: number, commandLine: string, input?: string][] = [
  [0, 'route --shards 1024', KEYS],
  [1, 'route --shards 1024 --keys u64', '1\nx\n'],
  [2, 'route'],
  [0, 'plan --from 3 --to 4', KEYS],
  [1, 'plan --from 3 --to 4 no-such-file'],
  [0, 'hash', KEYS],
  [1, 'hash no-such-file'],
  [0, 'decode --layout snowflake --format csv', SNOWFLAKE],
  [2, `decode --layout snowflake ${SNOWFLAKE} x`],
  [1, 'decode --layout snowflake', `${SNOWFLAKE}\nx`],
  [0, 'encode --layout a:8,b:8 --format json', '{"a":1,"b":"2"}\n'],
  [1, 'encode --layout a:8,b:8', 'a\tb\n1\t2\n1\t256\n'],
  [2, 'encode --layout a:8 b=1'],
  [1, 'mint --shard 0 --high-water no-such-folder/mark'],
  [2, 'mint'],
  [1, 'intern no-such-file --store ids.db'],
  [2, 'intern --store mysql://host', KEYS],
  [1, 'leases --store no-such-file'],
  [2, 'leases --store ids.db --release 1', 'y\n'],
  [0, 'store ddl'],
  [1, 'store check no-such-file'],
  [2, 'store'],
  [2, 'inspect --port 65536'],
  [2, 'demo --keys 0'],
  [0, 'completion bash'],
  [0, 'help store copy'],
  [2, 'help rout'],
  [0, '--version'],
  [0, ''],
];

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
    for (let i = 0; i < scaled(20); i++) {
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

describe('a command line in this process', () => {
  it('fails if it reads standard input that it was not given', async () => {
    await expect(runHere(['hash'])).rejects.toThrow('the command reads standard input');
  });

  it('fails if it leaves a listener behind', async () => {
    const listener = () => {};
    function* keys() {
      process.on('SIGINT', listener);
      yield KEYS;
    }
    const message = 'the command leaves something behind: a listener of SIGINT';
    await expect(runHere(['hash'], { input: keys() })).rejects.toThrow(message);
    process.off('SIGINT', listener);
  });

  it('runs alone', async () => {
    const first = runHere(['hash'], { input: [KEYS] });
    await expect(runHere(['hash'], { input: [KEYS] })).rejects.toThrow('one command line at a time');
    expect(await first).toMatchObject({ code: 0 });
  });
});
