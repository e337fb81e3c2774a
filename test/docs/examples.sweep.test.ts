// Runs the examples of all pages. A page is run from top to bottom, in a folder of its own: what one block writes, the
// next one can read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { leases, type Store } from '../../src/registry/index.js';
import { runCommands } from '../support/commands.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { runExample } from '../support/examples.js';
import { type Fenced, markdownPages } from '../support/markdown.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { IS_FULL } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

const POSTGRES = 'postgres://user:password@host/database';
const ETCD = ['10.0.0.1:2379', '10.0.0.2:2379', '10.0.0.3:2379'];

/** The languages of programs that other tests run. */
const IN_TESTS_OF_THEIR_OWN: { readonly [page: string]: readonly string[] } = {
  'docs/other-languages.md': ['python'],
  'docs/runtimes.md': ['html'],
};

const pages = markdownPages();
const isEtcdHere = IS_FULL && hasEtcd();
const isSqliteHere = hasSqlite();

let postgres: PostgresServer;
let etcd: EtcdCluster | undefined;

beforeAll(async () => {
  postgres = await startPostgres();
  if (isEtcdHere) etcd = await startEtcd();
});

afterAll(async () => {
  await etcd?.stop();
  await postgres.stop();
});

/** What the examples opened. */
const opened: Partial<AsyncDisposable>[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]?.();
});

/** A module as users have it, from dist/. Stores and leases are given back after the example. */
async function load(name: string): Promise<object> {
  const module: { [name: string]: unknown } = await import(/* @vite-ignore */ name);
  const openers = Object.keys(module).filter((key) => /^(leaseShard|(sqlite|postgres|etcd)Store)$/.test(key));
  const kept = openers.map((key) => [
    key,
    async (...args: unknown[]) => {
      const one = await (module[key] as (...args: unknown[]) => Promise<object>)(...args);
      opened.unshift(one);
      return one;
    },
  ]);
  return { ...module, ...Object.fromEntries(kept) };
}

/** The same example over servers of ours. */
function overServers(text: string): string {
  return ETCD.reduce(
    (result, host, i) => result.replaceAll(host, new URL(etcd?.hosts[i] ?? 'http://none').host),
    text.replaceAll(POSTGRES, postgres.url),
  );
}

function canRun({ text }: Fenced): boolean {
  return (
    (isSqliteHere || !/\.db\b|stores\/sqlite|sqlite-functions/.test(text)) && (isEtcdHere || !text.includes(ETCD[0]))
  );
}

function titleOf({ language, text, line }: Fenced): string {
  return `${language} at line ${line}: ${text.split('\n').find((row) => !/^(import |\/\/|$)/.test(row))}`;
}

it('the recipe for serverless platforms holds one shard, however its clock jumps', async () => {
  const recipe = pages.flatMap(({ blocks }) => blocks).find(({ text }) => text.includes('async function nextId()'));
  const real = Date.now;
  let minutes = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + minutes * 60_000);
  const ids = new Set<bigint>();
  const check = async (store: Store, nextId: () => Promise<bigint>) => {
    for (; minutes < 40; minutes += 10) for (const id of await Promise.all([nextId(), nextId()])) ids.add(id);
    const held = (await leases(store)).filter(({ expires }) => expires.getTime() > real());
    expect(held.length).toBe(1);
  };
  const text = `${overServers(recipe?.text ?? '')}\nimport { check } from 'check';\nawait check(store, nextId);`;
  await runExample(text, async (name) => (name === 'check' ? { check } : load(name)));
  expect(ids.size).toBe(8);
});

describe.each(pages.map((page) => [page.path, page] as const))('the examples of %s', (path, { blocks }) => {
  let folder: string;
  const home = process.cwd();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  for (const block of blocks.filter(({ language }) => language === 'ts' || language === 'sh')) {
    it.skipIf(!canRun(block))(titleOf(block), async () => {
      const text = overServers(block.text);
      if (block.language === 'sh') return runCommands(text, folder);
      const listeners = process.listeners('SIGTERM');
      process.chdir(folder);
      try {
        await runExample(text, load);
      } finally {
        process.chdir(home);
        for (const listener of process.listeners('SIGTERM')) {
          if (!listeners.includes(listener)) process.off('SIGTERM', listener);
        }
      }
    });
  }

  it('are in languages that are run, or are not programs', () => {
    const known = ['ts', 'sh', 'sql', 'json', 'yaml', 'text', ...(IN_TESTS_OF_THEIR_OWN[path] ?? [])];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });
});
