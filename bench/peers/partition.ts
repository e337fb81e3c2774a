import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area.js';
import { COLUMNS, sumOfFile, writePeople } from './people.js';
import { clickhouseWays, duckdbWays, folder, outputs, processWay, shardbitsWay } from './processes.js';

const SHARDS = 64;

/**
 * Splits the rows of a CSV into a file for each shard, by the hash of a column. Every way must write all rows, and ClickHouse
 * the same rows to each file. DuckDB has no XXH64 and no jump hash: its files have other rows, which takes as long.
 */
export function* partition(rows: number): Iterable<Area> {
  const path = join(folder, 'people.csv');
  const all = writePeople(path, rows);
  const { size } = statSync(path);
  const shards = () => {
    const sums = sumsOfShards();
    const sum = sums.reduce((sum, shard) => sum + shard, 0n);
    if (BigInt.asUintN(64, sum) !== all) throw new Error(`the rows in ${outputs} are not those of ${path}`);
    return [sums];
  };
  const onlyAll = () => {
    shards();
    return undefined;
  };
  const shardbits = (threads: number) => {
    const split = ['route', path, '--csv', '--key', 'email', '--shards', `${SHARDS}`, '--threads', `${threads}`];
    const name = `shardbits, ${threads} thread${threads > 1 ? 's' : ''}`;
    return shardbitsWay(name, [...split, '--out-dir', join(outputs, 'shards')], shards);
  };
  const duckdb = (threads: number) =>
    duckdbWays(
      threads,
      `COPY (SELECT *, hash(email) % ${SHARDS} AS shard FROM read_csv('${path}', header = true, all_varchar = true))
      TO '${join(outputs, 'shards')}' (FORMAT csv, PARTITION_BY (shard), HEADER)`,
      onlyAll,
    );
  const table = `'CSVWithNames', '${COLUMNS.map((column) => `${column} String`)}'`;
  yield {
    name: 'partition',
    title: `route --csv --out-dir, a file of ${Math.round(size / 1e6)} MB to ${SHARDS} files`,
    rows,
    bytesPerRow: Math.round((2 * size) / rows),
    ways: [
      shardbits(1),
      shardbits(2),
      ...duckdb(1),
      ...duckdb(2),
      ...clickhouseWays(
        `INSERT INTO FUNCTION file('${join(outputs, '{_partition_id}.csv')}', ${table})
        PARTITION BY toString(jumpConsistentHash(xxHash64(email), ${SHARDS})) SELECT * FROM file('${path}', ${table})`,
        shards,
      ),
      // The speed of the disk: these programs do not parse records.
      processWay(`split -n r/${SHARDS}, of lines`, 'split', ['-n', `r/${SHARDS}`, path, join(outputs, 'lines')]),
      processWay('cp, to one file', 'cp', [path, join(outputs, 'copy')]),
    ],
  };
  rmSync(path);
}

/** The sum of the rows of each shard. The first number in the name of a file is its shard. */
function sumsOfShards(): BigUint64Array {
  const sums = new BigUint64Array(SHARDS);
  for (const name of readdirSync(outputs, { recursive: true, encoding: 'utf8' })) {
    const shard = Number(/\d+/.exec(name)?.[0]);
    if (name.endsWith('.csv')) sums[shard] = sums[shard] + sumOfFile(join(outputs, name));
  }
  return sums;
}
