import { Readable } from 'node:stream';
import { wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { expressionsOf } from '../../engines/sql/layouts.js';
import { detailsOf } from '../../errors.js';
import { parseIds } from '../../ids/text.js';
import { type Decoding, layoutIn } from '../../rows/operations/decode.js';
import { timesOf } from '../../wide-ids/times.js';
import { calling, isIntegerColumn, keysOf } from './keys.js';
import { identifier } from './session.js';
import { type AddedColumn, READ } from './sink.js';
import type { Column, Reading, Source } from './table.js';

/** How the ids of a column are decoded: the id or its time is read, and columns are made of it. */
export interface TableDecoding extends Reading {
  readonly added: readonly AddedColumn[];
}

/** The macro that gives the time of an id. */
const TIME = 'shardbits_time';

const MAX_OF_32_BITS = 32;

/** The first rows, for a guess of what the ids are. */
export interface IdSample {
  /** Lines of JSON: the text of each `id`, and its `row`. */
  readonly input: Readable;
  /** Where the row of a line is. */
  placeOf(line: number): { readonly file: string; readonly row: number };
}

const FIRST_ROWS = 1000;

/** What a row is called in SQL: no column has this name. */
const ROW = identifier('\u{1F5C4} row of shardbits');

export async function firstRows({ session, from }: Source, column: Column): Promise<IdSample> {
  // Negative integers are the u64s of the same bits.
  const id = column.type === 'BIGINT' ? keysOf(column, 'u64').sql : column.sql;
  const json = `to_json({ 'id': CAST(${id} AS VARCHAR), 'row': ${ROW} })::VARCHAR`;
  const query = `SELECT ${json}, filename, file_row_number + 1 FROM ${from} AS ${ROW} LIMIT ${FIRST_ROWS}`;
  const rows = await session.rows(query);
  return {
    input: Readable.from(rows.map(([text]) => Buffer.from(`${text}\n`))),
    placeOf: (line) => ({ file: String(rows[line - 1][1]), row: Number(rows[line - 1][2]) }),
  };
}

/**
 * Ids with a column for each field, and their date, in UTC, if they have a time. Of ids wider than 64 bits only the times.
 * @throws RangeError for a column that cannot have ids
 */
export async function idsOf(source: Source, column: Column, decoding: Decoding): Promise<TableDecoding> {
  if ('kind' in decoding) {
    const { kind } = decoding;
    const ids = parsed(source, column, 'DOUBLE', (texts) => timesOf(texts, kind), `an id of kind ${kind}`);
    // Some UUIDs have fractions of milliseconds.
    const timestamp = kind === 'uuid' ? READ : `CAST(${READ} AS BIGINT)`;
    return { ...ids, added: [{ name: 'timestamp', sql: timestamp }, dateOf(READ)] };
  }
  const { text, raw } = decoding;
  const layout = layoutIn(decoding);
  const ids =
    text === 'dec' || column.type !== 'VARCHAR'
      ? integers(column)
      : parsed(source, column, 'UBIGINT', (texts) => parseIds(texts, text), `an id in ${text}`);
  if (layout === undefined) return { ...ids, added: [] };
  const { time, places } = layout;
  const requirements = [...ids.requirements];
  const refuse = (isWrong: string, expected: string) => requirements.push({ column, isWrong, expected });
  refuse(`${ids.sql} > ${layout.mask}::UBIGINT`, `an id of at most ${layout.bits} bits`);
  const ms = `${TIME}(${READ})`;
  const added = places.map(({ name, bits, shift, mask, min }): AddedColumn => {
    const valueIn = (id: string) => `(${id} >> ${shift}) & ${mask}::UBIGINT`;
    if (min > 0) refuse(`(${valueIn(ids.sql)}) < ${min}`, `an id whose ${name} is at least ${min}`);
    if (name === time?.name && !raw) return { name, sql: ms };
    return { name, sql: bits > MAX_OF_32_BITS ? valueIn(READ) : `CAST(${valueIn(READ)} AS UINTEGER)` };
  });
  if (time === undefined) return { sql: ids.sql, requirements, added };
  await source.session.run(`CREATE MACRO ${TIME}(id) AS ${expressionsOf(layout, 'duckdb')[time.name]}`);
  return { sql: ids.sql, requirements, added: [...added, dateOf(ms)] };
}

/** The date of Unix milliseconds; NULL for one that DuckDB does not have. */
const dateOf = (ms: string): AddedColumn => ({
  name: 'date',
  sql: `TRY(make_timestamp(CAST(round(${ms} * 1000) AS BIGINT)))`,
});

/** Ids as integers, or texts in decimal. */
function integers(column: Column): Reading {
  if (!isIntegerColumn(column.type)) {
    throw wrongValue('records.key', 'a column of integers or texts', `${column.name} of type ${column.type}`);
  }
  return keysOf(column, 'u64');
}

/** Texts that JavaScript reads. @param parse throws for texts of which it cannot read one */
function parsed(
  source: Source,
  column: Column,
  returns: 'UBIGINT' | 'DOUBLE',
  parse: (texts: BytesColumn) => ArrayLike<number | bigint>,
  expected: string,
): Reading {
  const key = keysOf(column, 'text');
  const isReadable = (texts: BytesColumn) => {
    try {
      parse(texts);
      return true;
    } catch (error) {
      if (detailsOf(error).argument === undefined) throw error;
      return false;
    }
  };
  const isWrong = calling(source, key, 'UTINYINT', (keys) => {
    const texts = keys as BytesColumn;
    const { data, offsets } = texts;
    const wrong = new Uint8Array(offsets.length - 1);
    if (isReadable(texts)) return wrong;
    return wrong.map((_, row) => Number(!isReadable({ data, offsets: offsets.subarray(row, row + 2) })));
  });
  return {
    sql: calling(source, key, returns, (keys) => parse(keys as BytesColumn)),
    requirements: [{ column, isWrong: `${column.sql} IS NULL OR ${isWrong} = 1`, expected }],
  };
}
