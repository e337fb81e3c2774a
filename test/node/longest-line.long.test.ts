import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Router, Xxh64 } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { IS_WHOLE } from '../support/scale.js';

const LONGEST = 16 * 1024 * 1024;
const GB = 1024 ** 3;

/** A line, and zeros that take no place on the disk. */
function sparse(byteLength: number): string {
  const path = join(temporaryFolder(), 'zeros');
  const file = openSync(path, 'w');
  writeSync(file, 'a\n');
  ftruncateSync(file, 2 + byteLength);
  closeSync(file);
  return path;
}

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };

describe('a line or record that never ends is refused with its place and the limit, in little memory', () => {
  const BYTES = IS_WHOLE ? 2 * GB : GB / 4;
  const zeros = (piece: Uint8Array) => Array.from({ length: BYTES / 16 / 1024 / 1024 }, () => piece);
  const many = (text: string) => Buffer.alloc(16 * 1024 * 1024, text);

  /** Members of gzip, or frames of zstd, one after the other, are one file. */
  const inputs: [name: string, pieces: () => Uint8Array[], line: number, noun: string, args: string[]][] = [
    ['text', () => zeros(many('x')), 1, 'line', []],
    ['text after a line', () => [Buffer.from('a\n'), ...zeros(many('x'))], 2, 'line', []],
    ['gzip', () => zeros(zlib.gzipSync(many('x'))), 1, 'line', []],
    ['gzip of gzip', () => [zlib.gzipSync(Buffer.concat(zeros(zlib.gzipSync(many('x')))))], 1, 'line', []],
    ['UTF-16', () => [Buffer.from([0xff, 0xfe]), ...zeros(many('x\0'))], 1, 'line', []],
    ['NDJSON', () => [Buffer.from('{"k":"'), ...zeros(many('x'))], 1, 'line', ['--ndjson', '--key', 'k']],
    ['CSV', () => [Buffer.from('k\na\n'), ...zeros(many('x'))], 3, 'record', ['--csv', '--key', 'k']],
    ['a header of CSV', () => zeros(many('x,')), 1, 'record', ['--csv', '--key', 'k']],
  ];
  if (zstdCompressSync) inputs.push(['zstd', () => zeros(zstdCompressSync(many('x'))), 1, 'line', []]);

  const ways = [
    ['--threads', '1'],
    ['--threads', '2'],
    ['--threads', '2', '--rejects', 'rejects'],
  ];

  it.each(inputs)('%s', (_, pieces, line, noun, args) => {
    const cwd = temporaryFolder();
    const file = openSync(join(cwd, 'in'), 'w');
    for (const piece of pieces()) writeSync(file, piece);
    closeSync(file);
    writeFileSync(
      join(cwd, 'memory.mjs'),
      "process.on('exit', () => console.error(Math.round(process.resourceUsage().maxRSS / 1024)));",
    );
    for (const way of ways) {
      const cli = [
        join(process.cwd(), 'dist/cli.js'),
        'route',
        'in',
        '--shards',
        '10',
        '--out',
        'out',
        ...way,
        ...args,
      ];
      const { status, stderr } = spawnSync(process.execPath, ['--import', './memory.mjs', ...cli], {
        cwd,
        encoding: 'utf8',
      });
      const [error, memory] = stderr.trimEnd().split('\n').slice(-2);
      expect([status, error]).toEqual([
        1,
        expect.stringContaining(`error: in:${line}: expected at most ${LONGEST} bytes in a ${noun}, got `),
      ]);
      expect(Number(memory)).toBeLessThan(512); // MiB; 60 of them are those of Node
    }
  });
});

it('a quote that is never closed is malformed after as many bytes', async () => {
  const input = ['k\n"', ...Array.from({ length: 20 }, () => 'x'.repeat(1024 * 1024)), '\nb\n'];
  const args = ['route', '--csv', '--key', 'k', '--shards', '10', '--threads', '1'];
  const { code, stderr } = await runHere(args, { input });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`error: -:2: expected a closing quote within ${LONGEST} bytes`),
  ]);
});

it('bytes that are compressed again and again are refused', async () => {
  let bytes: Buffer = Buffer.from('a\n');
  for (let times = 1; times <= 5; times++) {
    bytes = zlib.gzipSync(bytes);
    const { code, stdout, stderr } = await runHere(['hash'], { input: [bytes] });
    if (times < 5) expect([code, String(stdout), stderr]).toEqual([0, 'd24ec4f1a98c6e5b\n', '']);
    else expect([code, stderr]).toEqual([1, 'error: -: expected text compressed at most 4 times\n']);
  }
});

describe('a line that is too long is refused with its place and the limit', () => {
  const few: [commandLine: string, node: string[], byteLength?: number][] = [
    ['hash', [], LONGEST + 1],
    ['route --shards 10 --threads 2', [], LONGEST + 1],
  ];
  const more: typeof few = [
    ['hash', []],
    ['hash', ['--jitless']], // no WebAssembly
    ['route --shards 10 --threads 1', []],
    ['route --shards 10 --threads 2', []],
    ['plan --from 10 --to 11', []],
  ];

  it.each(IS_WHOLE ? [...few, ...more] : few)('%s %j', async (commandLine, node, byteLength = 6 * GB) => {
    const path = sparse(byteLength);
    const { code, stderr } = await shardbits([...commandLine.split(' '), path], { node });
    const message = `error: ${path}:2: expected at most ${LONGEST} bytes in a line, got `;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });
});

it('the longest line is hashed and routed', async () => {
  const path = sparse(LONGEST);
  const hash = new Xxh64();
  const piece = new Uint8Array(LONGEST / 16);
  for (let i = 0; i < 16; i++) hash.update(piece);
  const { stdout } = await shardbits(['hash', path, '--format', 'dec']);
  expect(stdout.toString().split('\n')[1]).toBe(String(hash.digest()));
  const router = new Router({ shards: 1000 });
  const shard = new Router({ shards: 1000, hash: 'none' }).route(hash.digest());
  const gzipped = `${path}.gz`;
  writeFileSync(gzipped, zlib.gzipSync(readFileSync(path)));
  for (const file of [path, gzipped]) {
    for (const threads of ['1', '2']) {
      const routed = await shardbits(['route', file, '--shards', '1000', '--format', 'shard', '--threads', threads]);
      expect(routed.stdout.toString()).toBe(`${router.route('a')}\n${shard}\n`);
      const rows = await shardbits(['route', file, '--shards', '1000', '--threads', threads]);
      expect(rows.stdout.length).toBe(`${router.route('a')}\ta\n${shard}\t\n`.length + LONGEST);
    }
  }
});
