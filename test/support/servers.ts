import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { shareGiven } from './free-ports.js';
import type { SharedServer } from './shared.js';

// Servers that all files of a run share. Vitest's own process starts each when the first file asks for it, over a socket,
// and ends them with the run. So a run that needs none waits for none.

interface Started {
  readonly address: string;
  stop(): Promise<void>;
}

const SERVERS: { readonly [name in SharedServer]: () => Promise<Started> } = {
  async postgres() {
    const { startPostgres } = await import('./postgres.js');
    const { url, stop } = await startPostgres({ settings: ['max_connections=300'] });
    return { address: url, stop };
  },
  async chromium() {
    const { chromium } = await import('playwright-core');
    const { chromiumOptions } = await import('./chromium.js');
    const server = await chromium.launchServer(chromiumOptions);
    return { address: server.wsEndpoint(), stop: () => server.close() };
  },
  async inspect() {
    const server: ChildProcess = spawn(process.execPath, ['dist/cli.js', 'inspect', '--port', '0']);
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    return { address: line.toString().trim(), stop: async () => void server.kill() };
  },
};

/** Before the run. @returns what ends the servers after it */
export default async function setup(): Promise<() => Promise<void>> {
  const endSharing = shareGiven();
  const started = new Map<SharedServer, Promise<Started>>();
  const startedAs = (name: SharedServer) => {
    const one = started.get(name) ?? SERVERS[name]();
    started.set(name, one);
    return one;
  };
  const desk = createServer((socket) => {
    socket.on('error', () => {}); // a worker that is gone
    socket.once('data', (name) => {
      startedAs(String(name) as SharedServer).then(
        ({ address }) => socket.end(address),
        (error) => socket.end(`error: ${error.stack}`),
      );
    });
  });
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  process.env.SHARED_SERVERS = String((desk.address() as AddressInfo).port);
  return async () => {
    desk.close();
    await Promise.allSettled([...started.values()].map(async (one) => (await one).stop()));
    endSharing();
  };
}
