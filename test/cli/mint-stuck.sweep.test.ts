import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { expectTime } from '../support/time.js';
import { startMinting } from './minting.js';

// Where a shard cannot be given back, a process ends three seconds after its signal.
describe('mint --lease', () => {
  it('ends by the signal, although the store does not answer; a second one ends it at once', async () => {
    const connections = new Set<{ destroy(): void }>();
    const server = createServer((socket) => connections.add(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const store = `postgres://user:secret@127.0.0.1:${port}/database`;
    try {
      for (const [signals, least, most] of [
        [1, 0, 5000],
        [2, 300, 1500],
      ] as const) {
        const minting = await startMinting(['--lease', store], { wait: false });
        while (connections.size === 0) await setTimeout(20);
        connections.clear();
        const start = performance.now();
        for (let sent = 0; sent < signals; sent++) {
          if (sent > 0) await setTimeout(least);
          minting.child.kill('SIGINT');
        }
        expect([await minting.ended, minting.stderr()]).toEqual(['SIGINT', expect.not.stringContaining('secret')]);
        expectTime(performance.now() - start, most);
      }
    } finally {
      server.close();
    }
  });

  it.skipIf(!hasSqlite())('ends by the signal, although another program keeps the store to itself', async () => {
    const store = join(temporaryFolder(), 'ids.db');
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    const database = openSqlite(store);
    database.exec('begin immediate');
    const start = performance.now();
    minting.child.kill('SIGTERM');
    expect(await minting.ended).toBe('SIGTERM');
    expectTime(performance.now() - start, 6000);
    database.exec('rollback');
    database.close();
  });
});
