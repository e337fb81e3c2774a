import { placeCounts, placeOf } from '../../engines/parquet/places.js';
import { writable } from '../../engines/parquet/source.js';
import { hashToParquet, routeToParquet, splitToDirectory } from '../../engines/parquet/write.js';
import { namesOf } from '../../routing/placement.js';
import { runJob } from '../io/output.js';
import { summarize, summaryJson } from '../io/summary.js';
import type { MissingKeyOptions } from '../options/input.js';
import { placerFor } from '../options/placement.js';
import type { RoutingOptions } from '../options/routing.js';
import type { ServersOptions } from '../options/servers.js';
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
  const placer = await placerFor(options, patterns);
  const column = asColumn ?? (placer.names === undefined ? 'shard' : 'node');
  await withTable(patterns, { ...options, others: [options.map, options.servers] }, async (table) => {
    const { session, source, files } = table;
    const rows = summary ? undefined : writable(source);
    const missing = missingIn(options);
    const key = await keyOf(table, options, missing !== undefined);
    const placement = placer.placement(key.keys);
    const { routing: router } = placement;
    const named = namesOf(placement);
    checkMissing(missing, router.shards);
    if ((outDir === undefined && !summary) || hive) checkNewColumns(table.source.columns.keys(), [column]);
    await runJob(files, { rowsToStdout: false }, async ({ print, progress }) => {
      const onRows = table.rowsTo(progress);
      const place = placeOf(session, { key, router, ofShard: named?.ofShard, missing, onRows });
      const shards = named?.names.length ?? router.shards;
      if (rows === undefined) {
        const start = performance.now();
        const counts = await placeCounts(session, source, place, shards);
        progress.stop();
        await print((json ? summaryJson : summarize)(counts, performance.now() - start, { down, nodes: named?.names }));
        return;
      }
      const placed = { source: rows, place, shards, names: named?.names };
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
