import { tmpdir } from 'node:os';
import { normalize } from 'node:path';
import type { PairCounts } from '../../routing/pair-counts.js';
import { abilitiesOf, type LabelNumbers, type Routing } from '../../routing/routing.js';
import type { Decoding } from '../../rows/operations/decode.js';
import type { PlaceOptions } from '../../rows/operations/route.js';
import { SampledRows } from '../../rows/operations/sample.js';
import { decodeToParquet, firstRows, type IdSample, idsOf } from './ids.js';
import { areIntegers, keysFor, keysOf } from './keys.js';
import { AUDIT_COLUMNS, auditTable, nodeColumn, nodeNumber, placedRows, placeOfFiles, shardColumn } from './placed.js';
import { countPairs, labelOf, placeCounts, placeOf } from './places.js';
import { literal, Session } from './session.js';
import { hashToParquet, type ParquetOutput, routeToParquet, type SplitOptions, splitToDirectory } from './sink.js';
import { checkRows, writable } from './source.js';
import {
  checkNewColumns,
  columnIn,
  keyColumn,
  type Table,
  type TableOptions,
  type TableProgress,
  withTable,
} from './table.js';

// A function for each job, for rows of Parquet. Its options have been checked, except against the columns.

/** How rows are placed. Without `missing`, all must have a key. */
type TablePlacing = Omit<PlaceOptions, 'keys'>;

/** The place of each row, as SQL. Every row has been checked to have a key. */
async function placing(table: Table, { routing, named, missing }: TablePlacing) {
  const { session, source, keys, onRows } = table;
  const key = keysFor(await keyColumn(table), routing, keys, missing !== undefined);
  await checkRows(session, source, key.requirements);
  const { router } = key;
  const place = placeOf(session, { key, router, ofShard: named?.ofShard, missing, onRows });
  return { router, place, shards: named?.names.length ?? router.shards, names: named?.names };
}

export function routeParquet(
  options: TableOptions,
  placed: TablePlacing,
  { asColumn, ...output }: ParquetOutput & { readonly asColumn: string },
): Promise<TableProgress> {
  return withTable(options, output, async (table) => {
    const source = writable(table.source);
    const places = await placing(table, placed);
    checkNewColumns(table, 'asColumn', [asColumn]);
    await routeToParquet(table.session, { source, ...places }, asColumn, output);
    return table.all;
  });
}

export function splitParquet(
  options: TableOptions,
  placed: TablePlacing,
  { records, ...output }: Omit<SplitOptions, 'manifest'> & { readonly records: object },
): Promise<TableProgress> {
  return withTable(options, output, async (table) => {
    const source = writable(table.source);
    const { router, ...places } = await placing(table, placed);
    if (output.hive !== undefined) checkNewColumns(table, 'asColumn', [output.hive]);
    await splitToDirectory(table.session, { source, ...places }, { ...output, manifest: { router, records } });
    return table.all;
  });
}

/** The number of rows, in all and in each shard. */
export function countParquet(options: TableOptions, placed: TablePlacing) {
  return withTable(options, {}, async (table) => {
    const { session, source } = table;
    const { place, shards } = await placing(table, { ...placed, named: undefined });
    return { total: source.rows, perShard: await placeCounts(session, source, place, shards) };
  });
}

export function hashParquet(
  options: TableOptions,
  { seed, asColumn, isHex, ...output }: ParquetOutput & { seed: bigint; asColumn: string; isHex: boolean },
): Promise<TableProgress> {
  return withTable(options, output, async (table) => {
    const source = writable(table.source);
    const { session, keys, onRows } = table;
    const key = keysOf(await keyColumn(table), keys === 'column' ? undefined : keys);
    await checkRows(session, source, key.requirements);
    checkNewColumns(table, 'asColumn', [asColumn]);
    await hashToParquet(session, source, { key, onRows }, { seed, column: asColumn, isHex }, output);
    return table.all;
  });
}

/** Adds the rows that move to `counts`. @param sides what places keys before and afterwards, and its labels */
export function planParquet(
  options: TableOptions,
  sides: readonly Routing<any>[],
  { missing, labels, counts }: { missing: number | undefined; labels: LabelNumbers; counts: PairCounts },
): Promise<TableProgress> {
  return withTable(options, {}, async (table) => {
    const { session, source, keys, onRows } = table;
    const column = await keyColumn(table);
    const isNullable = missing !== undefined;
    // A Router takes the integers of a partitioner beside it as u64s, and its UUIDs as texts.
    const partitioned = sides.map((routing) => {
      if (abilitiesOf(routing).routeText === undefined) return undefined;
      return keysFor(column, routing, keys === 'column' ? keys : undefined, isNullable);
    });
    const beside = partitioned.find((key) => key !== undefined);
    const usual = beside && (areIntegers(beside) ? 'u64' : 'text');
    const ofRouter = keys === 'column' ? usual : (keys ?? usual);
    const [from, to] = sides.map((routing, i) => partitioned[i] ?? keysFor(column, routing, ofRouter, isNullable));
    const requirements = new Map([...from.requirements, ...to.requirements].map((one) => [one.isWrong, one]));
    await checkRows(session, source, [...requirements.values()]);
    const before = placeOf(session, { key: from, router: from.router, ofShard: labels.before, missing, onRows });
    const after = placeOf(session, { key: to, router: to.router, ofShard: labels.after, missing });
    await countPairs(session, source, before, after, counts);
    return table.all;
  });
}

/**
 * @param name the column that says the place of each row
 * @param places of all rows of each file, in place of the column
 */
export function auditParquet(
  options: TableOptions,
  placed: TablePlacing,
  name: string,
  places: readonly (number | string)[] | undefined,
  output: ParquetOutput | undefined,
) {
  return withTable(options, output ?? {}, async (table) => {
    const { session, source } = table;
    const written = output && { ...output, source: writable(source) };
    const { place, names } = await placing(table, placed);
    const is = places === undefined ? await columnOfPlaces(table, name, names && nodeColumn) : placeOfFiles(places);
    await checkRows(session, source, is.requirements);
    if (output !== undefined) checkNewColumns(table, 'out', AUDIT_COLUMNS);
    return auditTable(session, { source, is: is.sql, belongs: labelOf(place, names), output: written });
  });
}

/** The places of rows by a column: numbers of shards, unless it is read in another way. */
async function columnOfPlaces(table: Table, name: string, read = shardColumn) {
  return read(await columnIn(table, 'records.shard', name));
}

/** The keys of rows, and the shards in which they are. @param labels if rows say these instead of numbers of shards */
export function sampleParquet(
  options: TableOptions,
  name: string,
  labels: readonly string[] | undefined,
): Promise<SampledRows> {
  return withTable(options, {}, async (table) => {
    const { session, source, files, onRows } = table;
    const key = keysOf(await keyColumn(table), 'text'); // texts of integers and UUIDs are read as such, too
    const place = await columnOfPlaces(table, name, labels && ((column) => nodeNumber(column, labels)));
    await checkRows(session, source, [...key.requirements, ...place.requirements]);
    const rows = new SampledRows();
    for await (const { file, numbers, keys, shards } of placedRows(session, source, key, place.sql)) {
      rows.add({ keys, lineOf: (row) => numbers[row] }, shards, files[file]);
      onRows(rows.rows);
    }
    return rows;
  });
}

/**
 * @param prefix what the names of the added columns begin with
 * @param decodingOf how ids are decoded, which may be guessed from the first rows that it asks for
 */
export function decodeParquet(
  options: TableOptions,
  { prefix, ...output }: ParquetOutput & { readonly prefix: string },
  decodingOf: (first: () => Promise<IdSample>) => Promise<Decoding>,
): Promise<TableProgress> {
  return withTable(options, output, async (table) => {
    const { session } = table;
    const source = writable(table.source);
    const column = await keyColumn(table);
    const ids = idsOf(session, column, await decodingOf(() => firstRows(session, source, column)));
    const added = ids.added.map(({ name, sql }) => ({ name: prefix + name, sql }));
    checkNewColumns(
      table,
      'records.key',
      added.map(({ name }) => name),
    );
    await checkRows(session, source, ids.requirements);
    await decodeToParquet(session, source, { ...ids, added }, output);
    return table.all;
  });
}

/** The files that paths and patterns name. @param exists whether there is such a file, so that the path is no pattern */
export async function filesMatching(paths: readonly string[], exists: (path: string) => boolean): Promise<string[]> {
  const pattern = paths.find((path) => !exists(path));
  const session = await Session.open(`reading Parquet (${pattern})`, tmpdir(), 1);
  try {
    const files: string[] = [];
    for (const path of paths) {
      if (exists(path)) files.push(path);
      else {
        const rows = await session.rows(`SELECT file FROM glob(${literal(path)}) ORDER BY 1`);
        if (rows.length === 0) throw new Error(`${path}: no file has such a name`);
        files.push(...rows.map(([file]) => normalize(String(file))));
      }
    }
    return files;
  } finally {
    session.close();
  }
}
