import {
  AUDIT_COLUMNS,
  auditTable,
  nodeColumn,
  nodeNumber,
  type PlaceColumn,
  placedRows,
  placeOfFiles,
  shardColumn,
} from '../../engines/parquet/placed.js';
import { labelOf, placeOf } from '../../engines/parquet/places.js';
import { type Column, checkRows, writable } from '../../engines/parquet/source.js';
import type { PlacedFile } from '../../node/files/placed-files.js';
import type { FilesAudit } from '../../node/index.js';
import { detectionOf } from '../../node/jobs/detect.js';
import type { RingServer } from '../../partitioners/index.js';
import { namesOf, type ShardNames } from '../../routing/placement.js';
import { SampledRows } from '../../rows/operations/sample.js';
import type { DetectReport } from '../io/flows.js';
import { runJob } from '../io/output.js';
import type { Placer } from '../options/placement.js';
import type { RoutingOptions } from '../options/routing.js';
import { fromOptions, shown, UsageError } from '../options/usage.js';
import {
  checkNewColumns,
  checkOut,
  columnOfKey,
  keyOf,
  type Table,
  type TableOptions,
  tableKey,
  withTable,
} from './table.js';

/** Options for rows that are somewhere already. */
interface PlacedTableOptions extends TableOptions {
  readonly shardColumn?: string;
  readonly servers?: string;
  readonly shards?: number;
}

interface AuditTableOptions extends PlacedTableOptions, RoutingOptions {
  readonly map?: string;
}

/** `audit` of Parquet files. @param placed the files with their places, if those are not in a column */
export async function auditParquet(
  patterns: readonly string[],
  placed: readonly PlacedFile[] | undefined,
  options: AuditTableOptions,
  placer: Placer,
): Promise<FilesAudit> {
  const { out, compress } = options;
  if (out !== undefined) checkOut(out, '--out');
  let found: FilesAudit | undefined;
  await withTable(patterns, { ...options, others: [options.map, options.servers] }, async (table) => {
    const { session, source, files } = table;
    const output = out === undefined ? undefined : { out, compress, source: writable(source) };
    const key = await keyOf(table, options);
    const placement = placer.placement(key.keys);
    const { routing: router } = placement;
    const named = namesOf(placement);
    const is = placed === undefined ? await placeColumn(table, options, named) : placesOf(placed);
    await checkRows(session, source, is.requirements);
    if (out !== undefined) checkNewColumns(table.source.columns.keys(), AUDIT_COLUMNS, '--out');
    await runJob(files, { rowsToStdout: false }, async ({ progress }) => {
      const place = placeOf(session, { key, router, ofShard: named?.ofShard, onRows: table.rowsTo(progress) });
      found = await auditTable(session, { source, is: is.sql, belongs: labelOf(place, named?.names), output });
    });
  });
  return found as FilesAudit;
}

const placesOf = (placed: readonly PlacedFile[]): PlaceColumn => ({
  sql: placeOfFiles(placed.map(({ place }) => place)),
  requirements: [],
});

async function placeColumn(
  table: Table,
  options: AuditTableOptions,
  named: ShardNames | undefined,
): Promise<PlaceColumn> {
  const column = await columnOfPlaces(table, options, named === undefined ? 'shard' : 'node');
  return named === undefined ? fromOptions(() => shardColumn(column)) : nodeColumn(column);
}

/** The column that says where rows are. @param byDefault its name, if none is given */
async function columnOfPlaces(
  table: Table,
  { shardColumn: given, key = [] }: Pick<PlacedTableOptions, 'shardColumn' | 'key'>,
  byDefault: string,
): Promise<Column> {
  const name = given ?? byDefault;
  if (key.includes(name)) {
    throw new UsageError(`--shard-column: expected another column than --key, got ${shown(name)}`);
  }
  return table.column('--shard-column', name);
}

/** `detect` of Parquet files. @param servers if rows say their names */
export async function detectInParquet(
  patterns: readonly string[],
  options: PlacedTableOptions,
  servers: readonly RingServer[] | undefined,
  report: DetectReport,
): Promise<void> {
  const { key, out, shards: given } = options;
  const names = servers?.map(({ name }) => name);
  await withTable(patterns, { ...options, others: [options.servers] }, async (table) => {
    const { session, source, files } = table;
    const column = await columnOfKey(table, key);
    const shards = await columnOfPlaces(table, options, names === undefined ? 'shard' : 'node');
    const place = names === undefined ? fromOptions(() => shardColumn(shards)) : nodeNumber(shards, names);
    // Texts of integers and UUIDs are read as such, too.
    const textKey = tableKey(column, undefined, 'text');
    await checkRows(session, source, [...textKey.requirements, ...place.requirements]);
    await runJob(files, { out, rowsToStdout: false }, async ({ print, progress }) => {
      const rows = new SampledRows();
      const onRows = table.rowsTo(progress);
      for await (const { file, numbers, keys, shards } of placedRows(session, source, textKey, place.sql)) {
        rows.add({ keys, lineOf: (row) => numbers[row] }, shards, files[file]);
        onRows(rows.rows);
      }
      progress.stop();
      const found = await detectionOf(rows, { shards: given, servers });
      await report(found, { files: files.length, noun: 'rows' }, print);
    });
  });
}
