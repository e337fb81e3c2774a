import { rmSync, statSync } from 'node:fs';
import { placeOfName } from '../../engines/parquet/places.js';
import { identifier } from '../../engines/parquet/session.js';
import { columnsOf, parquetSource } from '../../engines/parquet/source.js';
import { recordsIn } from '../../engines/parquet/text.js';
import { copyTo, splitToDirectory } from '../../engines/parquet/write.js';
import type { Routing } from '../../index.js';
import type { Progress, RecordFormat, ShardNames } from '../../node/index.js';
import type { RouteTableOptions } from './route.js';
import { withSession } from './table.js';

interface RoutedRecords {
  readonly router: Routing<any>;
  readonly names: ShardNames | undefined;
  readonly records: RecordFormat;
  /** Writes the records to a file of text, with their shards or names in one more column. */
  route(out: string, asColumn: string): Promise<Progress>;
}

/** A column that no table has. */
const SHARD = '\u{1F5C4} shard of shardbits';

/** Routes records of text, and writes Parquet. The text with its shards lies beside the output meanwhile. */
export async function recordsToParquet(options: RouteTableOptions, { router, names, records, route }: RoutedRecords) {
  const { out, outDir, hive, compress, maxRowsPerFile, asColumn = names === undefined ? 'shard' : 'node' } = options;
  await withSession('writing Parquet', options, async (session) => {
    const name = outDir === undefined || hive ? asColumn : SHARD;
    const text = session.pathFor('rows.txt');
    const { keys: rows } = await route(text, name);
    if (statSync(text).size === 0) throw new Error('the input is empty, and Parquet needs the names of columns');
    const from = await recordsIn(session, text, records);
    const column = identifier(name);
    // DuckDB renames columns of a table that have one name.
    const found =
      records.format === 'ndjson' ? column : identifier([...(await columnsOf(session, from)).keys()].at(-1) ?? name);
    const value = names === undefined ? `CAST(${found} AS UINTEGER)` : found;
    const query = `SELECT * EXCLUDE (${found}), ${value} AS ${column} FROM ${from}`;
    if (outDir === undefined) return copyTo(session, query, { out: out as string, compress }, rows);
    const whole = session.pathFor('rows.parquet');
    await copyTo(session, query, { out: whole }, rows);
    rmSync(text);
    const placed = {
      source: await parquetSource(session, [whole]),
      place: names === undefined ? column : placeOfName(column, names.texts),
      shards: names?.texts.length ?? router.shards,
      names: names?.texts,
      without: column,
    };
    const manifest = { router, records: { format: 'parquet', key: options.key } };
    await splitToDirectory(session, placed, {
      directory: outDir,
      compress,
      maxRowsPerFile,
      hive: hive ? name : undefined,
      manifest,
    });
  });
}
