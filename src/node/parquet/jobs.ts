import { tmpdir } from 'node:os';
import { normalize } from 'node:path';
import type { BytesColumn } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import type { PairCounts } from '../../routing/pair-counts.js';
import { abilitiesOf, type LabelNumbers, type Routing } from '../../routing/routing.js';
import type { Decoding } from '../../rows/operations/decode.js';
import type { PlaceOptions } from '../../rows/operations/route.js';
import { SampledRows } from '../../rows/operations/sample.js';
import { firstRows, type IdSample, idsOf } from './ids.js';
import { areIntegers, calling, keysFor, keysOf, numbersOf, readingOf } from './keys.js';
import { labelOf, nodeColumn, nodeNumber, placeOf, placeOfFiles, shardColumn } from './places.js';
import { literal, Session } from './session.js';
import { copyTo, type ParquetOutput, type SplitOptions, splitToDirectory, writeWith } from './sink.js';
import { checkNewColumns, checkRows, columnIn, keyColumn, type Table, type TableOptions, withTable } from './table.js';

// A function for each job, for rows of Parquet. Its options have been checked, except against the columns.

/** How rows are placed. Without `missing`, all must have a key. */
type TablePlacing = Omit<PlaceOptions, 'keys'>;

/** The place of each row, as SQL. Every row has been checked to have a key. */
async function placing(table: Table, { routing, named, missing }: TablePlacing) {
  const { keys, onRows } = table;
  const key = keysFor(await keyColumn(table), routing, keys, missing !== undefined);
  await checkRows(table, key.requirements);
  const { router } = key;
  const place = placeOf(table, key, { ofShard: named?.ofShard, missing, onRows });
  return { router, place, shards: named?.names.length ?? router.shards, names: named?.names };
}

export function routeParquet(
  options: TableOptions,
  placed: TablePlacing,
  { asColumn: name, ...output }: ParquetOutput & { readonly asColumn: string },
) {
  return withTable(options, output, async (table) => {
    const { place, names } = await placing(table, placed);
    checkNewColumns(table, 'asColumn', [name]);
    return writeWith(table, [{ name, sql: labelOf(place, names) }], output);
  });
}

export function splitParquet(
  options: TableOptions,
  placed: TablePlacing,
  { records, ...output }: Omit<SplitOptions, 'manifest'> & { readonly records: object },
) {
  return withTable(options, output, async (table) => {
    const { router, ...places } = await placing(table, placed);
    if (output.hive !== undefined) checkNewColumns(table, 'asColumn', [output.hive]);
    await splitToDirectory(table, places, { ...output, manifest: { router, records } });
    return table.all;
  });
}

/** The number of rows, in all and in each shard. */
export function countParquet(options: TableOptions, placed: TablePlacing) {
  return withTable(options, {}, async (table) => {
    const { session, from, rows: total } = table;
    const { place, shards } = await placing(table, { ...placed, named: undefined });
    const perShard = new Float64Array(shards);
    for (const [shard, count] of await session.rows(`SELECT ${place} AS place, count(*) FROM ${from} GROUP BY 1`)) {
      if (Number(shard) >= shards) throw new Error(`expected shards from 0 to ${shards - 1}, got ${shard}`);
      perShard[Number(shard)] = Number(count);
    }
    return { total, perShard };
  });
}

/** Adds the XXH64 of keys. A row without a key has no hash. */
export function hashParquet(
  options: TableOptions,
  { seed, asColumn: name, isHex, ...output }: ParquetOutput & { seed: bigint; asColumn: string; isHex: boolean },
) {
  return withTable(options, output, async (table) => {
    const { keys, onRows } = table;
    const key = keysOf(await keyColumn(table), keys === 'column' ? undefined : keys);
    await checkRows(table, key.requirements);
    checkNewColumns(table, 'asColumn', [name]);
    const call = calling(table, key, 'UBIGINT', (keys) => {
      const hashes = xxh64Many(keys as never, { seed });
      onRows(hashes.length);
      return hashes;
    });
    const hash = isHex ? `printf('%016x', ${call})` : call;
    return writeWith(table, [{ name, sql: `CASE WHEN ${key.sql} IS NOT NULL THEN ${hash} END` }], output);
  });
}

/** Adds the rows that move to `counts`. @param sides what places keys before and afterwards, and its labels */
export function planParquet(
  options: TableOptions,
  sides: readonly Routing<any>[],
  { missing, labels, counts }: { missing: number | undefined; labels: LabelNumbers; counts: PairCounts },
) {
  return withTable(options, {}, async (table) => {
    const { session, from: rows, keys, onRows } = table;
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
    await checkRows(table, [...requirements.values()]);
    const before = placeOf(table, from, { ofShard: labels.before, missing, onRows });
    const after = placeOf(table, to, { ofShard: labels.after, missing });
    const both = `SELECT ${before} AS a, ${after} AS b FROM ${rows}`;
    const query = `SELECT a, b, count(*) FROM (${both}) WHERE a <> b GROUP BY 1, 2`;
    for await (const chunk of session.chunks(query)) {
      for (const [from, to, count] of chunk.getRows() as [number, number, bigint][]) {
        counts.addMany({ from, to, count: Number(count) });
      }
    }
    return table.all;
  });
}

const MAX_PAIRS = 500_000; // 40 MB

/**
 * Counts the rows that are elsewhere than where they belong, in all and for each pair of these places.
 * @param name the column that says the place of each row
 * @param places of all rows of each file, in place of the column
 * @param output gets these rows, with both places in two more columns
 */
export function auditParquet(
  options: TableOptions,
  placed: TablePlacing,
  name: string,
  places: readonly (number | string)[] | undefined,
  output: ParquetOutput | undefined,
) {
  return withTable(options, output ?? {}, async (table) => {
    const { session, from, rows } = table;
    const { place, names } = await placing(table, placed);
    const read = names === undefined ? shardColumn : nodeColumn;
    const is = places === undefined ? read(await columnIn(table, 'records.shard', name)) : placeOfFiles(places);
    await checkRows(table, is.requirements);
    const columns = output === undefined ? '' : '*, ';
    const all = `SELECT ${columns}${is.sql} AS "is", ${labelOf(place, names)} AS "belongs" FROM ${from}`;
    let elsewhere = `(SELECT * FROM (${all}) WHERE "is" <> "belongs")`;
    if (output !== undefined) {
      checkNewColumns(table, 'out', ['is', 'belongs']);
      await session.run(`CREATE TABLE misplaced AS FROM ${elsewhere}`);
      elsewhere = 'misplaced';
      await copyTo(session, 'FROM misplaced', output);
    }
    await session.run(`CREATE TABLE pairs AS SELECT "is", "belongs", count(*) AS n FROM ${elsewhere} GROUP BY ALL`);
    const [[count]] = await session.rows('SELECT coalesce(sum(n), 0)::BIGINT FROM pairs');
    const misplaced = Number(count);
    const pairs: { from: string; to: string; count: number }[] = [];
    let inOtherPairs = misplaced;
    const largest = `(FROM pairs ORDER BY n DESC LIMIT ${MAX_PAIRS})`;
    for await (const chunk of session.chunks(`FROM ${largest} ORDER BY 1, 2`)) {
      for (const [from, to, count] of chunk.getRows()) {
        pairs.push({ from: String(from), to: String(to), count: Number(count) });
        inOtherPairs -= Number(count);
      }
    }
    return { rows, fit: rows - misplaced, misplaced, pairs, inOtherPairs };
  });
}

/** The keys of rows, and the shards in which they are. @param labels if rows say these instead of numbers of shards */
export function sampleParquet(options: TableOptions, name: string, labels: readonly string[] | undefined) {
  return withTable(options, {}, async (table) => {
    const { session, from, files, onRows } = table;
    const key = keysOf(await keyColumn(table), 'text'); // texts of integers and UUIDs are read as such, too
    const column = await columnIn(table, 'records.shard', name);
    const place = labels === undefined ? shardColumn(column) : nodeNumber(column, labels);
    await checkRows(table, [...key.requirements, ...place.requirements]);
    const { args, read } = readingOf(key);
    const columns = [...args, place.sql, 'file_index::UINTEGER', 'file_row_number + 1.0::DOUBLE'];
    const rows = new SampledRows();
    for await (const chunk of session.chunks(`SELECT ${columns.join(', ')} FROM ${from}`)) {
      const { data, offsets } = read(chunk) as BytesColumn;
      const [shards, inFile] = [0, 1].map((i) => numbersOf<Uint32Array>(chunk.getColumnVector(args.length + i)));
      const numbersIn = numbersOf<Float64Array>(chunk.getColumnVector(args.length + 2));
      for (let start = 0, end = 0; start < chunk.rowCount; start = end) {
        while (end < chunk.rowCount && inFile[end] === inFile[start]) end++;
        const starts = offsets.subarray(start, end);
        const numbers = numbersIn.subarray(start, end);
        const keys = { data, starts, ends: offsets.subarray(start + 1, end + 1) };
        rows.add({ keys, lineOf: (row) => numbers[row] }, shards.subarray(start, end), files[inFile[start]]);
        onRows(end - start);
      }
    }
    return rows;
  });
}

/**
 * Adds the values in ids.
 * @param prefix what the names of the added columns begin with
 * @param decodingOf how ids are decoded, which may be guessed from the first rows that it asks for
 */
export function decodeParquet(
  options: TableOptions,
  { prefix, ...output }: ParquetOutput & { readonly prefix: string },
  decodingOf: (first: () => Promise<IdSample>) => Promise<Decoding>,
) {
  return withTable(options, output, async (table) => {
    const column = await keyColumn(table);
    const ids = await idsOf(table, column, await decodingOf(() => firstRows(table, column)));
    const added = ids.added.map(({ name, sql }) => ({ name: prefix + name, sql }));
    const names = added.map(({ name }) => name);
    checkNewColumns(table, 'records.key', names);
    await checkRows(table, ids.requirements);
    return writeWith(table, added, output, ids.sql);
  });
}

/** The files that paths and patterns name, those of a pattern in the order of their names. */
export async function filesMatching(paths: readonly string[], patterns: readonly string[]): Promise<string[]> {
  const session = await Session.open(`reading Parquet (${patterns[0]})`, tmpdir(), 1);
  const matching = async (pattern: string): Promise<string[]> => {
    const rows = await session.rows(`SELECT file FROM glob(${literal(pattern)}) ORDER BY 1`);
    if (rows.length === 0) throw new Error(`${pattern}: no file has such a name`);
    return rows.map(([file]) => normalize(String(file)));
  };
  const found: string[] = [];
  try {
    for (const path of paths) found.push(...(patterns.includes(path) ? await matching(path) : [path]));
    return found;
  } finally {
    session.close();
  }
}
