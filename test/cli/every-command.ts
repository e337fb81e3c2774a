import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { map } from './maps.js';

/** Uses a new store with commands of every kind, which have to succeed. */
export async function useEveryCommand(store: string): Promise<void> {
  const file = join(temporaryFolder(), 'map.json');
  writeFileSync(file, JSON.stringify(map));
  const ids = await succeeding(['intern', '--store', store], 'a\nb\na\n');
  expect(await succeeding(['intern', '--store', store, '--resolve'], ids)).toBe('a\nb\na\n');
  const minted = await runHere(['mint', '--lease', store, '--count', '2']);
  // On a busy machine, a lease may take so long that the command says so.
  expect([minted.code, minted.stderr]).toEqual([0, expect.stringMatching(/^(waiting for [^\n]+ to lease [^\n]+\n)?$/)]);
  expect(minted.stdout.toString()).toMatch(/^\d+\n\d+\n$/);
  const leases = await runHere(['leases', '--store', store]);
  expect([leases.code, leases.stderr]).toEqual([0, expect.stringMatching(/^store \S+, generation \S+\n$/)]);
  expect(leases.stdout.toString()).toMatch(/\tfree\t/);
  const published = await runHere(['map', 'publish', file, '--store', store]);
  expect([published.code, published.stderr]).toEqual([0, expect.stringMatching(/^published version 1 in .*\n$/)]);
  expect(JSON.parse(await succeeding(['map', 'get', '--store', store]))).toEqual(map.toJSON());
  expect(await succeeding(['store', 'check', store])).toMatch(/^strings +2\n/);
}

async function succeeding(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, input === undefined ? {} : { input: [input] });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

/** What a command says that reads a store and fails: one line. */
export async function refusal(store: string): Promise<readonly [code: number | string | null, stderr: string]> {
  const { code, stdout, stderr } = await runHere(['leases', '--store', store]);
  expect(stdout.length).toBe(0);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  return [code, stderr.slice('error: '.length, -1)];
}
