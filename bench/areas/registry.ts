import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interner } from 'shardbits/registry';
import { lmdbStore } from 'shardbits/stores/lmdb';
import { postgresStore } from 'shardbits/stores/postgres';
import { startPostgres } from '../../test/support/postgres.js';
import type { Area, Way } from '../area.js';

const BATCH = 1000;

/** A store with a name, and what ends it. */
export interface Opened {
  readonly name: string;
  readonly interner: Interner;
  stop(): Promise<void>;
}

async function lmdb(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
  const interner = new Interner({ store: await lmdbStore(join(folder, 'ids.lmdb')) });
  const stop = async () => {
    await interner.close();
    rmSync(folder, { recursive: true });
  };
  return { name: 'LMDB', interner, stop };
}

async function postgres(): Promise<Opened> {
  const server = await startPostgres({ durable: true });
  const interner = new Interner({ store: await postgresStore(server.url) });
  const stop = async () => {
    await interner.close();
    await server.stop();
  };
  return { name: 'PostgreSQL', interner, stop };
}

/** Interning, in batches of 1,000, each durable before the next; and looking up what has been. */
export async function* registry(all: number): AsyncIterable<Area> {
  const rows = Math.ceil(all / 40);
  const stores = [await lmdb(), await postgres()];
  try {
    let made = 0;
    const inBatches = async (keys: readonly string[], work: (some: readonly string[]) => Promise<unknown>) => {
      for (let from = 0; from < keys.length; from += BATCH) await work(keys.slice(from, from + BATCH));
    };
    const known = newKeys(rows, -1);
    const ways = (work: (opened: Opened) => Promise<unknown>): Way[] =>
      stores.map((opened) => ({
        name: opened.name,
        run: async () => {
          await work(opened);
          return undefined;
        },
      }));
    yield {
      name: 'intern-new',
      title: 'Interner.internMany, new strings of 70 characters, batches of 1,000, durable',
      rows,
      bytesPerRow: 78,
      ways: ways(({ interner }) => inBatches(newKeys(rows, made++), (some) => interner.internMany(some))),
    };
    for (const { interner } of stores) await inBatches(known, (some) => interner.internMany(some));
    yield {
      name: 'intern-known',
      title: 'Interner.internMany, strings that have ids',
      rows,
      bytesPerRow: 78,
      ways: ways(({ interner }) => inBatches(known, (some) => interner.internMany(some))),
    };
  } finally {
    for (const { stop } of stores) await stop();
  }
}

function newKeys(rows: number, series: number): string[] {
  return Array.from({ length: rows }, (_, i) => `at://did:plc:${series}:${i}:`.padEnd(70, 'x'));
}
