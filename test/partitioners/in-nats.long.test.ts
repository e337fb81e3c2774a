import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { connectedTo } from '../support/connected.js';
import { freePorts } from '../support/free-ports.js';
import { hasSystem } from '../support/programs.js';
import { randomU64s } from '../support/random.js';

const PARTITIONS = 12;
const KEYS = 10_000;

const { error } = spawnSync('nats-server', ['--version'], { stdio: 'ignore' });
const hasNats = hasSystem('nats-server', 'nats-server', error === undefined);

/** Tokens of subjects, which have no spaces and no dots. */
const keys = Array.from(randomU64s(KEYS), (dice, i) => {
  return ['user:', 'é', '漢字-', '', '😀/', '{a}'][i % 6] + (dice % 10n ** BigInt(1 + (i % 19)));
});

describe.skipIf(!hasNats)('subjects', () => {
  let folder: string;
  let server: ChildProcess;
  let mapped: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-nats-'));
    const file = join(folder, 'nats.conf');
    const one = `"one.*": "out.{{partition(${PARTITIONS},1)}}"`;
    const two = `"two.*.*": "out.{{partition(${PARTITIONS},1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}"`;
    writeFileSync(file, `mappings {\n  ${one}\n  ${two}\n}\n`);
    const [port] = (await freePorts(1)) as [number];
    server = spawn('nats-server', ['--config', file, '--addr', '127.0.0.1', '--port', `${port}`], { stdio: 'ignore' });
    const subjects = keys.flatMap((key) => [`one.${key}`, `two.${key}.b`]);
    mapped = await mappedBy(await connectedTo(port, () => server.exitCode !== null), subjects);
  });

  afterAll(async () => {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  it('are told from their partitions, with some of another client', () => {
    const ofOne = mapped.filter((_, i) => i % 2 === 0).map(Number);
    const others = partitioner('rdkafka', { partitions: PARTITIONS }).routeMany(keys);
    expectDetected(keys, ofOne, others, `--as nats --shards ${PARTITIONS}`);
  });

  onBothBackends('go to the partitions of a live server', () => {
    const shards = (texts: readonly string[]) => [...partitioner('nats', { partitions: PARTITIONS }).routeMany(texts)];

    it('by one token, and by several', () => {
      expect(mapped.length).toBe(2 * KEYS);
      expect(mapped.filter((_, i) => i % 2 === 0).map(Number)).toEqual(shards(keys));
      expect(mapped.filter((_, i) => i % 2 === 1).map(Number)).toEqual(shards(keys.map((key) => `${key}b`)));
    });
  });
});

/** The numbers in the subjects to which a server maps some. */
async function mappedBy(socket: Socket, subjects: readonly string[]): Promise<string[]> {
  const publish = subjects.map((subject) => `PUB ${subject} 0\r\n\r\n`).join('');
  socket.write(`CONNECT {"verbose":false}\r\nSUB out.> 1\r\n${publish}PING\r\n`);
  let text = '';
  for await (const piece of socket.setEncoding('utf8')) {
    text += piece;
    if (text.includes('PONG\r\n')) break; // the server answers in order
    if (text.includes('-ERR')) throw new Error(text);
  }
  return Array.from(text.matchAll(/^MSG out\.(\d+)[. ]/gm), ([, partition]) => partition as string);
}
