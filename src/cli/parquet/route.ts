import { placeCounts, placeOf } from '../../engines/parquet/places.js';
import { writable } from '../../engines/parquet/source.js';
import { hashToParquet, routeToParquet, splitToDirectory } from '../../engines/parquet/write.js';
import type { ShardMap } from '../../map/index.js';
import { primariesOf } from '../../map/plan.js';
import type { ShardNames } from '../../node/index.js';
import { runJob } from '../io/output.js';
import { summarize, summaryJson } from '../io/summary.js';
import type { MissingKeyOptions } from '../options/input.js';
import { mapFor } from '../options/map.js';
import { makeRouting, type RoutingOptions } from '../options/routing.js';
import { type Ring, ringFor, type ServersOptions } from '../options/servers.js';
import { UsageError } from '../options/usage.js';
import { checkMissing, checkNewColumns, checkOut, keyOf, missingIn, type TableOptions, withTable } from './table.js';

export interface RouteTableOptions extends TableOptions, MissingKeyOptions, ServersOptions {
  readonly map?: string;
  readonly format?: string;
  readonly hive?: boolean;
  readonly maxRowsPerFile?: number;
  readonly summary?: boolean;
  readonly json?: boolean;
}

/** `route` of Parquet files. */
export async function routeParquet(patterns: readonly string[], options: RouteTableOptions): Promise<void> {
  const { out, outDir, summary, json, format, hive, asColumn, maxRowsPerFile, down, compress } = options;
  if (format !== undefined && format !== 'parquet') {
    throw new UsageError(`--format: expected "parquet" for Parquet, got "${format}"`);
  }
  if (outDir === undefined && !summary) checkOut(out, '--out, --out-dir or --summary');
  const map = await mapFor(options, patterns);
  const ring = await ringFor(options, patterns);
  const names = namesOf(map, ring);
  const column = asColumn ?? (names === undefined ? 'shard' : 'node');
  await withTable(patterns, { ...options, others: [options.map, options.servers] }, async (table) => {
    const { session, source, files } = table;
    const rows = summary ? undefined : writable(source);
    const missing = missingIn(options);
    const key = await keyOf(table, options, missing !== undefined);
    const router = makeRouting('--shards', map?.shards ?? options.shards, { ...options, ...ring, keys: key.keys });
    checkMissing(missing, router.shards);
    if ((outDir === undefined && !summary) || hive) checkNewColumns(table.source.columns.keys(), [column]);
    await runJob(files, { rowsToStdout: false }, async ({ print, progress }) => {
      const onRows = table.rowsTo(progress);
      const place = placeOf(session, { key, router, ofShard: names?.ofShard, missing, onRows });
      const shards = names?.texts.length ?? router.shards;
      if (rows === undefined) {
        const start = performance.now();
        const counts = await placeCounts(session, source, place, shards);
        progress.stop();
        await print((json ? summaryJson : summarize)(counts, performance.now() - start, { down, nodes: names?.texts }));
        return;
      }
      const placed = { source: rows, place, shards, names: names?.texts };
      if (outDir === undefined) {
        await routeToParquet(session, placed, column, { out: out as string, compress });
      } else {
        await splitToDirectory(session, placed, {
          directory: outDir,
          compress,
          maxRowsPerFile,
          hive: hive ? column : undefined,
          manifest: { router, records: { format: 'parquet', key: options.key } },
        });
      }
    });
  });
}

interface HashTableOptions extends TableOptions {
  readonly keys?: RoutingOptions['keys'];
  readonly seed: bigint;
  readonly format?: 'hex' | 'dec';
}

/** `hash` of Parquet files. */
export async function hashParquet(patterns: readonly string[], options: HashTableOptions): Promise<void> {
  const { out, seed, asColumn = 'hash', format = 'dec', compress } = options;
  checkOut(out, '--out');
  await withTable(patterns, options, async (table) => {
    const { session, files } = table;
    const source = writable(table.source);
    const key = await keyOf(table, options);
    checkNewColumns(source.columns.keys(), [asColumn]);
    await runJob(files, { rowsToStdout: false }, async ({ progress }) => {
      const keys = { key, onRows: table.rowsTo(progress) };
      const output = { out: out as string, compress };
      await hashToParquet(session, source, keys, { seed, column: asColumn, isHex: format === 'hex' }, output);
    });
  });
}

/** The names of shards: the primary nodes of a map, or the servers of a ring. */
export function namesOf(map: ShardMap | undefined, ring: Ring | undefined): ShardNames | undefined {
  return ring?.names ?? (map && { texts: map.nodes.map(({ name }) => name), ofShard: primariesOf(map) });
}
