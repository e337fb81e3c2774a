import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import type { RingServer } from '../../src/partitioners/systems/rings.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { connectedTo } from '../support/connected.js';
import { freePorts } from '../support/free-ports.js';
import { hasSystem } from '../support/programs.js';
import { randomU64s } from '../support/random.js';

const KEYS = 5000;

const { error } = spawnSync('nginx', ['-v'], { stdio: 'ignore' });
const hasNginx = hasSystem('nginx', 'nginx-core', error === undefined);

/** Values of a header: without control characters, and without spaces around them. */
const keys = Array.from(randomU64s(KEYS), (dice, i) => {
  return ['user:', 'é', '漢字-', '/', '😀 ', '{a}'][i % 6] + (dice % 10n ** BigInt(1 + (i % 19)));
});

describe.skipIf(!hasNginx)('an upstream of nginx', () => {
  let folder: string;
  let server: ChildProcess;
  /** The servers of each upstream, and the index of the one that answered for each key. */
  let upstreams: { servers: RingServer[]; answers: number[] }[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-nginx-'));
    const [front = 0, ...ports] = await freePorts(6);
    const names = [...ports.map((port) => `127.0.0.1:${port}`), `unix:${folder}/a.sock`];
    const rings: RingServer[][] = [
      names.map((name) => ({ name })),
      names.map((name, i) => ({ name, weight: [1, 5, 2, 1, 20, 3][i] })),
      names.slice(0, 1).map((name) => ({ name })),
    ];
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, front, names, rings));
    server = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
    const socket = await connectedTo(front, () => server.exitCode !== null).catch((error) => {
      throw new Error(`nginx did not start: ${error}\n${readFileSync(join(folder, 'error.log'), 'utf8')}`);
    });
    upstreams = [];
    for (const [ring, servers] of rings.entries()) {
      upstreams.push({ servers, answers: await answersFor(socket, `/${ring}`) });
    }
    socket.destroy();
  });

  afterAll(async () => {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  it.each([0, 1])('is told from the servers of keys, with some of another hash: %i', (ring) => {
    const { servers, answers } = upstreams[ring];
    const others = partitioner('ketama', { servers }).routeMany(keys);
    expectDetected(keys, answers, others, '--as nginx --servers FILE', servers);
  });

  onBothBackends('with hash … consistent', () => {
    it.each([
      [0, 'of equal weights'],
      [1, 'of different weights'],
      [2, 'alone'],
    ])('chooses the same servers: %i, %s', (ring) => {
      const { servers, answers } = upstreams[ring];
      expect(answers).toHaveLength(KEYS);
      const ours = partitioner('nginx', { servers });
      expect([...ours.routeMany(keys)]).toEqual(answers);
      expect(keys.slice(0, 100).map((key) => ours.route(key))).toEqual(answers.slice(0, 100));
    });
  });
});

/** Each server answers with its index, and each upstream is a path. */
function configuration(
  folder: string,
  front: number,
  names: readonly string[],
  rings: readonly RingServer[][],
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const upstreams = rings.map((servers, ring) => {
    const lines = servers.map(({ name, weight = 1 }) => `server ${name} weight=${weight};`);
    return `upstream ring${ring} { hash $http_x_key consistent; ${lines.join(' ')} keepalive 16; }`;
  });
  const paths = rings.map((_, ring) => {
    return `location /${ring} { proxy_pass http://ring${ring}; proxy_http_version 1.1; proxy_set_header Connection ""; }`;
  });
  const answering = names.map(
    (name, i) => `server { listen ${name}; keepalive_requests 1000000; return 200 "<${i}>"; }`,
  );
  return `
    daemon off;
    master_process off;
    pid ${folder}/nginx.pid;
    events {}
    http {
      access_log off;
      keepalive_requests 1000000;
      ${[...temporary, ...upstreams].join('\n')}
      server { listen 127.0.0.1:${front}; ${paths.join('\n')} }
      ${answering.join('\n')}
    }`;
}

/** What the servers behind a path answer for each key, in one pipeline. */
async function answersFor(socket: Socket, path: string): Promise<number[]> {
  socket.write(keys.map((key) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Key: ${key}\r\n\r\n`).join(''));
  const answers: number[] = [];
  let rest = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    const parts = (rest + chunk.toString('latin1')).split('>');
    rest = parts.pop() ?? '';
    for (const part of parts) answers.push(Number(/<(\d+)$/.exec(part)?.[1]));
    if (answers.length >= KEYS) return answers;
  }
  throw new Error(`nginx closed the connection after ${answers.length} of ${KEYS} answers: ${rest}`);
}
