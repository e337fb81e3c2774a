import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range of outgoing connections, which could otherwise take a port before the server does. */
const FIRST = 10_000;
const PORTS_A_WORKER = 1000;
const WORKERS = 20;

// A port is free until the server listens, some seconds later. Workers that run at the same time have ports of their own:
// two clusters of etcd with a port in common would each answer the clients of the other.
const from = FIRST + PORTS_A_WORKER * (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS);
const given = new Set<number>();

/** Ports that nobody listens on, none of them twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(from, from + PORTS_A_WORKER);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
