import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasEtcd } from '../support/etcd.js';
import { notTested } from '../support/not-tested.js';
import { dumpablePrograms } from '../support/postgres-process.js';
import { SEED } from '../support/seed.js';
import { hasSqlite } from '../support/sqlite.js';
import { FAULTS, type Fault } from './operator.js';

const run = promisify(execFile);

const SQLITE = hasSqlite() ? ['sqlite'] : [];
const POSTGRES = dumpablePrograms() === undefined ? [] : ['postgres'];
if (POSTGRES.length === 0) notTested('chaos over PostgreSQL, because no pg_dump is here');
const ETCD = hasEtcd() ? ['etcd'] : [];

/** A small run in a process of its own. @returns what it printed in the end */
async function chaosOver(engines: readonly string[], fault?: Fault): Promise<string> {
  const strings = engines.includes('etcd') ? 800 : 2000; // it is made for small sets
  const size = ['--strings', `${strings}`, '--ids', '10000', '--workers', '2'];
  const options = [...size, '--seed', String(SEED), ...(fault ? ['--fault', fault] : [])];
  const args = ['--import', 'tsx', 'test/chaos/run.ts', ...engines, ...options];
  const { stdout } = await run(process.execPath, args).catch((error: { stdout: string; stderr: string }) => {
    if (error.stdout === '') throw new Error(error.stderr);
    return error;
  });
  console.log(stdout.split('\n').slice(-3).join('\n'));
  return stdout;
}

describe('chaos', () => {
  const over = [[...SQLITE, ...POSTGRES], ETCD].filter((engines) => engines.length > 0);
  it.each(over.map((engines) => ({ engines })))('gives nothing twice, and changes and loses nothing: $engines', async ({
    engines,
  }) => {
    expect(await chaosOver(engines)).toMatch(/\nnothing twice, changed or lost\n$/);
  });

  const faults: readonly Fault[] = POSTGRES.length > 0 ? FAULTS : [];
  it.each(faults)('finds it if a store is %s', async (fault) => {
    expect(await chaosOver(POSTGRES, fault)).toMatch(/ was given (twice|to |the ids )/);
  });
});
