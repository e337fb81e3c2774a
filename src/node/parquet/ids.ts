import { Readable } from 'node:stream';
import type { DuckDBType } from '@duckdb/node-api';
import { wrongValue } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { expressionsOf } from '../../engines/sql/layouts.js';
import { detailsOf } from '../../errors.js';
import { parseIds } from '../../ids/text.js';
import { type Decoding, layoutIn } from '../../rows/operations/decode.js';
import { timesOf, type WideIdKind } from '../../wide-ids/times.js';
import { calling, isIntegerColumn, keysOf, type NamedColumn } from './keys.js';
import { identifier, type Session } from './session.js';
import { copyTo, type ParquetOutput } from './sink.js';
import type { Requirement, WritableSource } from './source.js';

/** A value that each row gets, as SQL of the id or time that was read. */
interface AddedColumn {
  readonly name: string;
  readonly sql: string;
}

/** How the ids of a column are decoded. */
export interface TableDecoding {
  /** What is read from each id, as SQL: the id, or its time. */
  readonly read: string;
  readonly requirements: readonly Requirement[];
  readonly added: readonly AddedColumn[];
  /** The statement that makes what `added` calls. */
  readonly macro?: string | undefined;
}

/** What {@link TableDecoding.read} is called where values are made of it. */
const READ = identifier('\u{1F5C4} id of shardbits');

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

export async function firstRows(session: Session, { from }: WritableSource, column: NamedColumn): Promise<IdSample> {
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
 * Ids with a column for each field, and their date, in UTC, if they have a time.
 * @throws RangeError for a column that cannot have ids
 */
export function idsOf(session: Session, column: NamedColumn, decoding: Decoding): TableDecoding {
  return 'kind' in decoding ? wideIds(session, column, decoding.kind) : layoutIds(session, column, decoding);
}

function layoutIds(
  session: Session,
  column: NamedColumn,
  { text, raw, ...decoding }: Exclude<Decoding, { kind: WideIdKind }>,
): TableDecoding {
  const layout = layoutIn(decoding);
  const ids =
    text === 'dec' || column.type !== 'VARCHAR'
      ? integers(column)
      : parsed(session, column, session.api.UBIGINT, (texts) => parseIds(texts, text), `an id in ${text}`);
  if (layout === undefined) return { ...ids, added: [] };
  const expected = `an id of at most ${layout.bits} bits`;
  const tooLarge = { column, isWrong: `${ids.read} > ${layout.mask}::UBIGINT`, expected };
  const { time } = layout;
  const added = layout.places.map(({ name, bits, shift, mask }): AddedColumn => {
    const value = `(${READ} >> ${shift}) & ${mask}::UBIGINT`;
    return { name, sql: bits > MAX_OF_32_BITS ? value : `CAST(${value} AS UINTEGER)` };
  });
  let macro: string | undefined;
  if (time !== undefined) {
    const ms = `${TIME}(${READ})`;
    macro = `CREATE MACRO ${TIME}(id) AS ${expressionsOf(layout, 'duckdb')[time.name]}`;
    const place = layout.places.findIndex((one) => one.name === time.name);
    if (!raw) added.splice(place, 1, { name: time.name, sql: ms });
    added.push({ name: 'date', sql: dateOf(ms) });
  }
  const tooSmall = layout.places
    .filter(({ min }) => min > 0)
    .map(({ name, shift, mask, min }) => ({
      column,
      isWrong: `((${ids.read} >> ${shift}) & ${mask}::UBIGINT) < ${min}`,
      expected: `an id whose ${name} is at least ${min}`,
    }));
  return { ...ids, requirements: [...ids.requirements, tooLarge, ...tooSmall], added, macro };
}

/** The date of Unix milliseconds, as SQL; NULL for one that DuckDB does not have. */
const dateOf = (ms: string): string => `TRY(make_timestamp(CAST(round(${ms} * 1000) AS BIGINT)))`;

/** Ids as integers, or texts in decimal. */
function integers(column: NamedColumn): Pick<TableDecoding, 'read' | 'requirements'> {
  if (!isIntegerColumn(column.type)) {
    throw wrongValue('records.key', 'a column of integers or texts', `${column.name} of type ${column.type}`);
  }
  const { sql: read, requirements } = keysOf(column, 'u64');
  return { read, requirements };
}

/** Texts that JavaScript reads. @param parse throws for texts of which it cannot read one */
function parsed(
  session: Session,
  column: NamedColumn,
  returns: DuckDBType,
  parse: (texts: BytesColumn) => ArrayLike<number | bigint>,
  expected: string,
): Pick<TableDecoding, 'read' | 'requirements'> {
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
  const isWrong = calling(session, key, session.api.UTINYINT, (keys) => {
    const texts = keys as BytesColumn;
    const { data, offsets } = texts;
    const wrong = new Uint8Array(offsets.length - 1);
    if (isReadable(texts)) return wrong;
    return wrong.map((_, row) => Number(!isReadable({ data, offsets: offsets.subarray(row, row + 2) })));
  });
  return {
    read: calling(session, key, returns, (keys) => parse(keys as BytesColumn)),
    requirements: [{ column, isWrong: `${column.sql} IS NULL OR ${isWrong} = 1`, expected }],
  };
}

/** Ids that are wider than 64 bits: only their times. */
function wideIds(session: Session, column: NamedColumn, kind: WideIdKind): TableDecoding {
  const ids = parsed(session, column, session.api.DOUBLE, (texts) => timesOf(texts, kind), `an id of kind ${kind}`);
  // Some UUIDs have fractions of milliseconds.
  const timestamp = kind === 'uuid' ? READ : `CAST(${READ} AS BIGINT)`;
  return {
    ...ids,
    added: [
      { name: 'timestamp', sql: timestamp },
      { name: 'date', sql: dateOf(READ) },
    ],
  };
}

/** Writes rows with what their ids say, in more columns. */
export async function decodeToParquet(
  session: Session,
  source: WritableSource,
  { read, added, macro }: TableDecoding,
  output: ParquetOutput,
): Promise<void> {
  if (macro !== undefined) await session.run(macro);
  const columns = added.map(({ name, sql }) => `, ${sql} AS ${identifier(name)}`).join('');
  const rows = `(SELECT *, ${read} AS ${READ} FROM ${source.from})`;
  await copyTo(session, `SELECT * EXCLUDE (${READ})${columns} FROM ${rows}`, output, source.rows);
}
