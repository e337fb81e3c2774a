import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { connectedTo } from '../support/connected.js';
import { freePorts } from '../support/free-ports.js';
import { hasSystem } from '../support/programs.js';
import { randomU64s } from '../support/random.js';
import { KEYS, type RandomKeys, randomKeys } from './random-keys.js';
import { expectSame } from './real-systems.js';
import { bytesColumn } from './samples.js';

/** Braces in every order that matters, with and without text between them. */
const PARTS = '{ } {} {{ }} }{ foo bar é 漢字 😀 user1000 .following \0 \r\n'.split(' ');
const KNOWN = ' { } {} }{ {{}} {}{} foo{}{bar} {}bar foo{{bar}}zap foo{bar}{zap} {a}{ }{a}'.split(' ');

const { error } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
const hasRedis = hasSystem('redis-server', 'redis-server', error === undefined);
let server: { socket: Socket; stop(): Promise<void> };

beforeAll(async () => {
  if (hasRedis) server = await startRedis();
});

afterAll(() => server?.stop());

describe.skipIf(!hasRedis).each(['text', 'bytes', 'texts with braces', 'bytes with braces'] as const)('%s', (name) => {
  const kind = name.startsWith('text') ? 'text' : 'bytes';
  let keys: RandomKeys;
  let slots: Uint32Array;

  beforeAll(async () => {
    keys = name === kind ? randomKeys(kind) : keysWithBraces(kind);
    slots = await keySlots(server.socket, keys.rows);
  });

  it('are told from their slots, with some of another hash', () => {
    const others = partitioner('couchbase', { vbuckets: 16384, key: kind }).routeMany(keys.keys);
    expectDetected(keys.keys, slots, others, '--as redis');
  });

  onBothBackends('go to the slots of CLUSTER KEYSLOT', () => {
    it('all of them', () => {
      expect(slots.length).toBe(KEYS);
      expectSame(keys, partitioner('redis', { key: kind }).routeMany(keys.keys), slots);
    });
  });
});

function keysWithBraces(kind: 'text' | 'bytes'): RandomKeys {
  const random = randomU64s(KEYS - KNOWN.length);
  const texts = Array.from(random, (dice) => {
    const parts = Array.from({ length: 1 + Number(dice & 7n) }, (_, i) => {
      return PARTS[Number((dice >> BigInt(3 + 7 * i)) & 127n) % PARTS.length];
    });
    return parts.join('');
  });
  const keys = [...KNOWN, ...texts];
  if (kind === 'text') return { kind, keys, rows: keys.map(utf8) };
  const rows = keys.map((key) => Buffer.from(key, 'latin1')); // some are not UTF-8
  return { kind, keys: bytesColumn(rows), rows };
}

/** A Redis in cluster mode, reached by this machine alone. It ends and its folder is removed when our process ends. */
async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-redis-'));
  const [port = 0, clusterPort = 0] = await freePorts(2);
  const args = [
    ...['--port', `${port}`, '--cluster-port', `${clusterPort}`, '--bind', '127.0.0.1', '--cluster-enabled', 'yes'],
    ...['--save', '', '--appendonly', 'no', '--dir', folder],
  ];
  const script = `
    redis-server "$@" > "$0/log" 2>&1 &
    cat
    kill -9 $!
    rm -rf "$0"`;
  const watcher = spawn('sh', ['-c', script, folder, ...args], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  try {
    const socket = await connectedTo(port, () => watcher.exitCode !== null);
    return {
      socket,
      async stop() {
        socket.destroy();
        await ended(watcher);
      },
    };
  } catch (error) {
    const log = readFileSync(join(folder, 'log'), 'utf8');
    await ended(watcher);
    throw new Error(`Redis did not start: ${error}\n${log}`);
  }
}

async function ended(watcher: ChildProcess): Promise<void> {
  watcher.stdin?.end();
  await once(watcher, 'exit');
}

/** The slots that the server gives, in one pipeline. */
async function keySlots(socket: Socket, rows: readonly Uint8Array[]): Promise<Uint32Array> {
  const slots = new Uint32Array(rows.length);
  const commands = rows.flatMap((row) => [
    Buffer.from(`*3\r\n$7\r\nCLUSTER\r\n$7\r\nKEYSLOT\r\n$${row.length}\r\n`),
    row,
    Buffer.from('\r\n'),
  ]);
  socket.write(Buffer.concat(commands));
  let count = 0;
  let rest = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    const replies = (rest + chunk.toString('latin1')).split('\r\n');
    rest = replies.pop() ?? '';
    for (const reply of replies) {
      if (!/^:\d+$/.test(reply)) throw new Error(`expected a slot, got ${reply}`);
      slots[count++] = Number(reply.slice(1));
    }
    if (count === rows.length) return slots;
  }
  throw new Error(`Redis closed the connection after ${count} of ${rows.length} replies`);
}
