import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { hasEtcd, startEtcd } from '../support/etcd.js';
import { hasSqlite } from '../support/sqlite.js';
import { filledStore, HELD, resolved } from './filled-store.js';

const STORE = 'ids.db';

describe.skipIf(!hasEtcd() || !hasSqlite())('a store in etcd', () => {
  it('is filled by a copy, and used by every command', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const cluster = await startEtcd();
    try {
      const url = `etcd://${cluster.hosts.map((host) => host.replace('http://', '')).join()}`;
      const copied = { code: 0, stderr: expect.stringMatching(/^copied \S+ to \S+, which is another store/) };
      expect(await shardbits(['store', 'copy', path, url])).toMatchObject(copied);
      const [first = '', ...others] = cluster.hosts.map((host) => host.replace('http://', ''));
      for (const name of [`etcd://${first}`, `etcd://${[...others, first].join()}/shardbits/`]) {
        for (const step of [['copy'], ['move'], ['move', '--back']]) {
          const run = await shardbits(['store', ...step, url, name]);
          expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(': both names lead to one store\n')]);
        }
      }
      const back = await shardbits(['intern', '--store', url, '--resolve'], { input: [ids] });
      expect([back.stderr, back.stdout.toString()]).toEqual(['', strings]);
      expect((await shardbits(['store', 'check', url])).stdout.toString()).toEqual(HELD);
      const minted = await shardbits(['mint', '--lease', url, '--count', '10']);
      // It says so if the cluster takes long to answer.
      expect([minted.code, minted.stderr.replace(/^waiting for .* to lease .*\n/, '')]).toEqual([0, '']);
      const { stdout, stderr } = await shardbits(['leases', '--store', url]);
      expect([stdout.toString(), stderr]).toEqual([
        expect.stringMatching(/\tfree\t.*\t2\n$/),
        expect.stringMatching(/^store \S+, generation \S+\n$/),
      ]);
      const copy = join(folder, `back-${STORE}`);
      expect(await shardbits(['store', 'copy', url, copy])).toMatchObject(copied);
      expect(await resolved(copy, ids)).toBe(strings);
    } finally {
      await cluster.stop();
    }
  });
});
