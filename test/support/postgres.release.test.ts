import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres } from './postgres.js';
import { installedPrograms, type Programs } from './postgres-process.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shardbits-clone-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Programs that say something and then hang. */
function hangingPrograms(version: string): Programs {
  mkdirSync(join(folder, 'bin'));
  for (const name of ['initdb', 'postgres']) {
    const script = `#!/bin/sh\n[ "$1" = --version ] || { echo "${name} hangs" >&2; exec sleep 60; }\n`;
    writeFileSync(join(folder, 'bin', name), script, { mode: 0o755 });
  }
  chmodSync(folder, 0o755);
  return { folder, version };
}

describe('the PostgreSQL of the tests', () => {
  it('starts from a folder that its user cannot enter', async () => {
    const { folder: native, version } = installedPrograms();
    execFileSync('cp', ['-a', `${native}/.`, folder]);
    chmodSync(folder, 0o700);
    const server = await startPostgres({ programs: { folder, version } });
    try {
      const sql = postgres(server.url);
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      await sql.end();
    } finally {
      await server.stop();
    }
  });

  it('fails with the log if it does not start in time', async () => {
    const late = (programs: Programs) => startPostgres({ programs, startMs: 2000 });
    const expected = (name: string) => new RegExp(`^PostgreSQL did not start within 2 s\\.[^]*${name} hangs`);
    await expect(late(hangingPrograms('unknown'))).rejects.toThrow(expected('initdb'));
    await (await startPostgres()).stop(); // leaves a data directory to copy, so that initdb does not run
    const { version } = installedPrograms();
    await expect(late({ folder, version })).rejects.toThrow(expected('postgres'));
  });
});
