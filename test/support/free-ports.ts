import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the range of outgoing connections, which could otherwise take a port before the server does. */
const [FIRST, END] = [10_000, 30_000];

// A port is free until the server listens, some seconds later, and again while a test has killed the server. So ports are
// given once only: two clusters of etcd with a port in common would each answer the clients of the other.
const given = new Set<number>();

/** Lets all processes of a run share what was given, as files in a folder. @returns what removes it */
export function shareGiven(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-ports-'));
  process.env.GIVEN_PORTS = folder;
  return () => rmSync(folder, { recursive: true });
}

/** Ports that nobody listens on, none of them twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(FIRST, END);
    if (isNew(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

function isNew(port: number): boolean {
  if (given.has(port)) return false;
  given.add(port);
  if (process.env.GIVEN_PORTS === undefined) return true;
  try {
    writeFileSync(join(process.env.GIVEN_PORTS, `${port}`), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
