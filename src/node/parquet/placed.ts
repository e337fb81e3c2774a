import { MAX_BUCKETS, wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { Spans } from '../../kernels/types.js';
import { isIntegerBetween, isIntegerColumn, type KeyColumn, numbersOf, readingOf } from './keys.js';
import { placeOfName } from './places.js';
import { literal, type Session } from './session.js';
import { copyTo, type ParquetOutput } from './sink.js';
import type { Column, Requirement, Source, WritableSource } from './source.js';

/** What says where rows are, as SQL. */
export interface PlaceColumn {
  readonly sql: string;
  readonly requirements: readonly Requirement[];
}

/** A column that says in which shard a row is: a UINTEGER. @throws RangeError for a column that has no integers */
export function shardColumn(column: Column): PlaceColumn {
  const { sql, type } = column;
  if (!isIntegerColumn(type)) throw wrongValue('records.shard', 'a column of integers', `one of type ${type}`);
  const isShard = isIntegerBetween(column, 0n, BigInt(MAX_BUCKETS) - 1n);
  const requirement = { column, isWrong: `NOT coalesce(${isShard}, false)`, expected: 'the number of a shard' };
  return { sql: `CAST(${sql} AS UINTEGER)`, requirements: [requirement] };
}

/** A column that says on which node a row is: a VARCHAR. */
export function nodeColumn(column: Column): PlaceColumn {
  const requirement = { column, isWrong: `${column.sql} IS NULL`, expected: 'the name of a node' };
  return { sql: `CAST(${column.sql} AS VARCHAR)`, requirements: [requirement] };
}

/** A column that says on which node a row is, as the number of its name: a UINTEGER. */
export function nodeNumber(column: Column, names: readonly string[]): PlaceColumn {
  const sql = placeOfName(`CAST(${column.sql} AS VARCHAR)`, names);
  const expected = `one of ${names.length} names, such as ${names[0]}`;
  return { sql, requirements: [{ column, isWrong: `${sql} IS NULL`, expected }] };
}

/** The place of all rows of each file, as SQL. @param places in the order of the files */
export function placeOfFiles(places: readonly (number | string)[]): PlaceColumn {
  const values = places.map((place) => (typeof place === 'number' ? `${place}::UINTEGER` : literal(place)));
  return { sql: `[${values.join(', ')}][file_index::BIGINT + 1]`, requirements: [] };
}

export interface AuditedTable {
  readonly source: Source;
  /** Where each row is, and where it belongs, as SQL of the same type. */
  readonly is: string;
  readonly belongs: string;
  /** Gets the rows that are misplaced, with both in two more columns. */
  readonly output?: (ParquetOutput & { readonly source: WritableSource }) | undefined;
}

/** The columns that misplaced rows get. */
export const AUDIT_COLUMNS = ['is', 'belongs'] as const;

const MAX_PAIRS = 500_000; // 40 MB

/** Counts the rows that are elsewhere than where they belong, in all and for each pair of these places. */
export async function auditTable(session: Session, { source, is, belongs, output }: AuditedTable) {
  const columns = output === undefined ? '' : '*, ';
  const all = `SELECT ${columns}${is} AS "is", ${belongs} AS "belongs" FROM ${source.from}`;
  let misplaced = `(SELECT * FROM (${all}) WHERE "is" <> "belongs")`;
  if (output !== undefined) {
    await session.run(`CREATE TABLE misplaced AS FROM ${misplaced}`);
    misplaced = 'misplaced';
    await copyTo(session, 'FROM misplaced', output);
  }
  await session.run(`CREATE TABLE pairs AS SELECT "is", "belongs", count(*) AS n FROM ${misplaced} GROUP BY ALL`);
  const [[count]] = await session.rows('SELECT coalesce(sum(n), 0)::BIGINT FROM pairs');
  const largest = `(FROM pairs ORDER BY n DESC LIMIT ${MAX_PAIRS})`;
  const pairs: { from: string; to: string; count: number }[] = [];
  let inPairs = 0;
  for await (const chunk of session.chunks(`FROM ${largest} ORDER BY 1, 2`)) {
    for (const [from, to, count] of chunk.getRows()) {
      pairs.push({ from: String(from), to: String(to), count: Number(count) });
      inPairs += Number(count);
    }
  }
  const misplacedRows = Number(count);
  const { rows } = source;
  return { rows, fit: rows - misplacedRows, misplaced: misplacedRows, pairs, inOtherPairs: misplacedRows - inPairs };
}

/** Rows of one file, in their order. They are valid until the next ones are requested. */
export interface PlacedRows {
  /** The number of the file. */
  readonly file: number;
  /** The numbers of the rows in it, from 1. */
  readonly numbers: Float64Array;
  readonly keys: Spans;
  readonly shards: Uint32Array;
}

/** All rows with their keys, as texts or bytes, and the shards in which they are. @param shard a UINTEGER, as SQL */
export async function* placedRows(
  session: Session,
  { from }: Source,
  key: KeyColumn,
  shard: string,
): AsyncGenerator<PlacedRows> {
  const { args, read } = readingOf(session.api, key);
  const places = `${shard}, file_index::UINTEGER, file_row_number + 1.0::DOUBLE`;
  for await (const chunk of session.chunks(`SELECT ${args.join(', ')}, ${places} FROM ${from}`)) {
    const { data, offsets } = read(chunk) as BytesColumn;
    const column = (i: number) => chunk.getColumnVector(args.length + i);
    const [shards, files] = [numbersOf<Uint32Array>(column(0)), numbersOf<Uint32Array>(column(1))];
    const numbers = numbersOf<Float64Array>(column(2));
    for (let start = 0, end = 0; start < chunk.rowCount; start = end) {
      while (end < chunk.rowCount && files[end] === files[start]) end++;
      yield {
        file: files[start],
        numbers: numbers.subarray(start, end),
        keys: { data, starts: offsets.subarray(start, end), ends: offsets.subarray(start + 1, end + 1) },
        shards: shards.subarray(start, end),
      };
    }
  }
}
