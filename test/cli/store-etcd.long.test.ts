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
      expect(await shardbits(['store', 'copy', path, url])).toMatchObject({ code: 0, stderr: '' });
      const back = await shardbits(['intern', '--store', url, '--resolve'], { input: [ids] });
      expect([back.stderr, back.stdout.toString()]).toEqual(['', strings]);
      expect((await shardbits(['store', 'check', url])).stdout.toString()).toEqual(HELD);
      const minted = await shardbits(['mint', '--lease', url, '--count', '10']);
      expect([minted.code, minted.stderr]).toEqual([0, '']);
      const { stdout, stderr } = await shardbits(['leases', '--store', url]);
      expect([stdout.toString(), stderr]).toEqual([
        expect.stringMatching(/\tfree\t.*\t2\n$/),
        expect.stringMatching(/^store \S+, generation \S+\n$/),
      ]);
      const copy = join(folder, `back-${STORE}`);
      expect(await shardbits(['store', 'copy', url, copy])).toMatchObject({ code: 0, stderr: '' });
      expect(await resolved(copy, ids)).toBe(strings);
    } finally {
      await cluster.stop();
    }
  });
});
