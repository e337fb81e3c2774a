import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Compression } from '../files/compressed.js';
import { outputPath } from '../files/output.js';
import {
  MAX_FILES,
  MAX_PARTS,
  manifestOf,
  ShardDirectory,
  type ShardFile,
  type ShardFileNames,
  tooManyFiles,
} from '../files/shard-directory.js';
import { identifier, literal, type Session } from './session.js';
import { newName, type ParquetSource, sameColumn } from './source.js';

// Without a temporary file of DuckDB's own: what it writes to has a temporary name already.
function formatWith(compress: Compression | undefined): string {
  return `(FORMAT parquet, USE_TMP_FILE false${compress === undefined ? '' : `, COMPRESSION ${compress}`})`;
}

/**
 * Writes the rows of a query to a Parquet file, which appears only when it is complete.
 * @param compress how its pages are compressed; by default by Snappy, as DuckDB does
 * @param expected how many rows there must be
 */
export async function copyRows(
  session: Session,
  query: string,
  out: string,
  compress: Compression | undefined,
  expected?: number,
): Promise<void> {
  const output = outputPath(out);
  try {
    const copy = `COPY (${query}) TO ${literal(output.temporary)} ${formatWith(compress)}`;
    const [[rows]] = await session.rows(copy);
    if (expected !== undefined) checkCount(out, expected, rows);
    await output.finish();
  } catch (error) {
    output.discard();
    throw error;
  }
}

/** @throws Error if DuckDB has not written as many rows as there are: a fault, in which nothing may appear */
function checkCount(out: string, expected: number, rows: unknown): void {
  if (Number(rows) !== expected) {
    throw new Error(`${out}: expected ${expected} rows, but DuckDB has written ${rows}: nothing was kept`);
  }
}

export interface SplitOptions extends Pick<ShardFileNames, 'shards' | 'names' | 'maxRows' | 'hive'> {
  readonly directory: string;
  readonly compress?: Compression | undefined;
  /** The options of the routing, for the manifest. */
  readonly manifest?: object | undefined;
}

/** What rows are sorted by to be in their order. */
const ROW_ORDER = 'file_index, file_row_number';

/**
 * Writes the rows of each shard to a Parquet file of its own, or to several ones of bounded size. They are sorted by their
 * shards first, on disk where memory does not suffice, so that few files are open at a time, however many shards there are.
 * @param place the number of the shard of each row, as SQL
 */
export async function splitRows(source: ParquetSource, place: string, options: SplitOptions): Promise<void> {
  const { session, from, columns, rows } = source;
  const { hive, maxRows, manifest = {}, compress, shards, names } = options;
  const ignored = session.temporary.path;
  const directory = new ShardDirectory(options.directory, { shards, names, type: 'parquet', maxRows, hive, ignored });
  try {
    const shard = newName(source, 'shard');
    // A column of the user's may have the name of DuckDB's number of a row.
    const rowid = sameColumn(columns.keys(), 'rowid');
    const [own, free] = [identifier(rowid ?? ''), newName(source, 'rowid')];
    const renamed = (one: string, other: string) => (rowid === undefined ? '' : ` RENAME (${one} AS ${other})`);
    await session.run(
      `CREATE TABLE sorted AS SELECT ${place} AS ${shard}, *${renamed(own, free)} FROM ${from} ORDER BY 1, ${ROW_ORDER}`,
    );
    const counted = await session.rows(`SELECT ${shard}, count(*), min(rowid) FROM sorted GROUP BY 1 ORDER BY 1`);
    const sorted = counted.reduce((sum, [, rows]) => sum + Number(rows), 0);
    checkCount(options.directory, rows, sorted);
    const parts = partsOf(counted as [number, bigint, bigint][], shards, maxRows, hive !== undefined);
    const files = await onConnections(session, parts, async (connection, part): Promise<ShardFile> => {
      const name = directory.nameOf(part.shard, part.part);
      const path = directory.create(name);
      const range = `rowid >= ${part.first} AND rowid < ${part.first + BigInt(part.rows)}`;
      const columns = `* EXCLUDE (${shard})${renamed(free, own)}`;
      const copy = `COPY (SELECT ${columns} FROM sorted WHERE ${range}) TO ${literal(path)} ${formatWith(compress)}`;
      const [[rows]] = (await connection.runAndReadAll(copy)).getRows();
      checkCount(path, part.rows, rows);
      return { ...part, name, bytes: statSync(path).size };
    });
    directory.complete(hive === undefined ? manifestOf(files, manifest) : undefined);
  } catch (error) {
    directory.discard();
    throw error;
  }
}

interface ShardFilePart extends Pick<ShardFile, 'shard' | 'part' | 'rows'> {
  /** The number of its first row in the sorted table. */
  readonly first: bigint;
}

/** All files. A shard without rows has an empty one, except for Hive. */
function partsOf(
  counted: readonly [shard: number, rows: bigint, first: bigint][],
  shards: number,
  maxRows: number | undefined,
  isHive: boolean,
): ShardFilePart[] {
  const parts: ShardFilePart[] = [];
  const outside = counted.find(([shard]) => shard >= shards);
  if (outside !== undefined) throw new Error(`expected shards from 0 to ${shards - 1}, got ${outside[0]}`);
  const ofShard = new Map(counted.map(([shard, rows, first]) => [shard, { rows: Number(rows), first }]));
  for (let shard = 0; shard < shards; shard++) {
    const { rows, first } = ofShard.get(shard) ?? { rows: 0, first: 0n };
    if (rows === 0 && isHive) continue;
    const most = maxRows ?? Math.max(1, rows);
    const count = Math.max(1, Math.ceil(rows / most));
    if (count > MAX_PARTS || parts.length + count + (shards - shard - 1) > MAX_FILES) throw tooManyFiles(maxRows);
    for (let part = 0; part < count; part++) {
      const from = part * most;
      parts.push({ shard, part, first: first + BigInt(from), rows: Math.min(most, rows - from) });
    }
  }
  return parts;
}

const MAX_CONNECTIONS = 4;

/** Does work on a few connections, each of which does one thing at a time: a file is written by one thread. */
async function onConnections<T, R>(
  session: Session,
  parts: readonly T[],
  work: (connection: DuckDBConnection, part: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = (function* () {
    yield* parts.entries();
  })(); // it ends for all as soon as one of them throws
  const worker = async () => {
    const connection = await session.connect();
    for (const [i, part] of queue) results[i] = await work(connection, part);
  };
  const count = Math.min(session.threads, MAX_CONNECTIONS, parts.length);
  const settled = await Promise.allSettled(Array.from({ length: count }, worker));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return results;
}
