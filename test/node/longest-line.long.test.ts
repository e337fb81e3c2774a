import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router, Xxh64 } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { IS_WHOLE } from '../support/scale.js';

const LONGEST = 512 * 1024 * 1024;
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

describe('a line that no memory holds is refused with its place and the limit', () => {
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

it.runIf(IS_WHOLE)('the longest line is hashed and routed', async () => {
  const path = sparse(LONGEST);
  const hash = new Xxh64();
  const piece = new Uint8Array(LONGEST / 16);
  for (let i = 0; i < 16; i++) hash.update(piece);
  const { stdout } = await shardbits(['hash', path, '--format', 'dec']);
  expect(stdout.toString().split('\n')[1]).toBe(String(hash.digest()));
  const router = new Router({ shards: 1000 });
  const shard = new Router({ shards: 1000, hash: 'none' }).route(hash.digest());
  for (const threads of ['1', '2']) {
    const routed = await shardbits(['route', path, '--shards', '1000', '--format', 'shard', '--threads', threads]);
    expect(routed.stdout.toString()).toBe(`${router.route('a')}\n${shard}\n`);
    const rows = await shardbits(['route', path, '--shards', '1000', '--threads', threads]);
    expect(rows.stdout.length).toBe(`${router.route('a')}\ta\n${shard}\t\n`.length + LONGEST);
  }
});
