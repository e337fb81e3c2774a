import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { hasNodeSqlite } from '../support/sqlite.js';

const hasPermissions = process.allowedNodeEnvironmentFlags.has('--permission');

/** Runs a module that may read all, and write to one folder. @returns what it prints */
function permitted(folder: string, script: string): string {
  const flags = ['--permission', '--allow-fs-read=*', `--allow-fs-write=${folder}`, '--no-warnings'];
  const name = (entry: string) => pathToFileURL(join(process.cwd(), 'dist', `${entry.replace('/', '-')}.js`)).href;
  const text = script.replace(/from 'shardbits\/?([a-z/]*)'/g, (_, entry) => `from '${name(entry || 'index')}'`);
  writeFileSync(join(folder, 'script.mjs'), text);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, 'script.mjs'], { cwd: folder, encoding: 'utf8' });
  return stdout + stderr;
}

describe.skipIf(!hasPermissions)("under Node's permission model", () => {
  it.skipIf(!hasNodeSqlite())('a store in SQLite is made, used, backed up and restored', () => {
    const folder = temporaryFolder();
    const output = permitted(
      folder,
      `import { restoreSqlite, sqliteStore } from 'shardbits/stores/sqlite';
       import { Interner } from 'shardbits/registry';
       const store = await sqliteStore('./ids.db');
       const id = await new Interner({ store }).intern('alice');
       await store.backup('./backup.db');
       await store.close();
       await restoreSqlite('./backup.db', './ids.db', { leadMs: 0 });
       const again = await sqliteStore('./ids.db');
       console.log((await new Interner({ store: again }).intern('alice')) === id);
       await again.close();`,
    );
    expect(output).toBe('true\n');
    expect(readdirSync(folder).sort()).toEqual(['backup.db', 'ids.db', 'ids.db.replaced', 'script.mjs']);
  });

  it.skipIf(!hasNodeSqlite())('a store where nothing may be written has an error of the store', () => {
    const output = permitted(
      temporaryFolder(),
      `import { sqliteStore } from 'shardbits/stores/sqlite';
       const error = await sqliteStore('/var/tmp/not-permitted.db').then((store) => store.replaceSetting('a', undefined, 'b')).catch((thrown) => thrown);
       console.log(error.code, error.isTransient);`,
    );
    expect(output).toBe('ERR_STORE_UNAVAILABLE false\n');
  });

  it('rows are routed to a file, which may replace one', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'keys'), 'a\nb\n');
    const output = permitted(
      folder,
      `import { routeFile } from 'shardbits/node';
       import { Router } from 'shardbits';
       for (const shards of [1, 1]) await routeFile('keys', { router: new Router({ shards }), out: 'out' });
       console.log('done');`,
    );
    expect(output).toBe('done\n');
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('0\ta\n0\tb\n');
  });

  it('a high-water file says what to do', () => {
    const folder = temporaryFolder();
    const output = permitted(
      folder,
      `import { highWaterFile } from 'shardbits/node';
       try { highWaterFile('mark').save(Date.now()); } catch (error) { console.log(error.code, error.path, error.message); }`,
    );
    expect(output).toMatch(
      /^ERR_ACCESS_DENIED mark Node's permission model \(--permission\) forbids fsync, .*without --permission\n$/,
    );
  });
});
