import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { decodeToParquet, layoutIds, wideIds } from '../../engines/parquet/ids.js';
import { keyColumn } from '../../engines/parquet/keys.js';
import { identifier } from '../../engines/parquet/session.js';
import { type Column, checkRows, writable } from '../../engines/parquet/source.js';
import { detailsOf } from '../../errors.js';
import { guessIds } from '../../node/jobs/guessed-ids.js';
import { checkDecoding } from '../../node/jobs/ids.js';
import { checkRecordFormat } from '../../rows/format.js';
import { columnsOf, type Decoding, layoutIn } from '../../rows/operations/decode.js';
import { type DecodingOptions, decodingOf, hintOf, inDecodingWords } from '../io/ids.js';
import { runJob } from '../io/output.js';
import { fromOptions, isBadData, isRefusal, problemOf, UsageError } from '../options/usage.js';
import { checkNewColumns, checkOut, columnOfKey, type Table, type TableOptions, withTable } from './table.js';

interface DecodeTableOptions extends TableOptions, DecodingOptions {
  readonly format?: string;
  readonly json?: boolean;
}

/** `decode` of Parquet files. */
export async function decodeParquet(patterns: readonly string[], options: DecodeTableOptions): Promise<void> {
  const { out, format, json, key, compress } = options;
  checkOut(out, '--out');
  if (format !== undefined || json) throw new UsageError('--format cannot be combined with Parquet');
  await withTable(patterns, options, async (table) => {
    const { session, files } = table;
    const source = writable(table.source);
    const column = await columnOfKey(table, key);
    const decoding = await decodingIn(table, column, options).catch((error) => {
      throw isRefusal(error) ? new UsageError(inDecodingWords(error)) : error;
    });
    checkNewColumns(
      table.source.columns.keys(),
      columnsOf(decoding).map(({ name }) => name),
      '--key',
    );
    const got = `${column.name} of type ${column.type}`;
    const made = fromOptions(
      () =>
        'kind' in decoding
          ? wideIds(session, column, decoding.kind)
          : layoutIds(session, column, layoutIn(decoding), decoding),
      { keys: { name: '--key', expected: 'a column of integers or texts', got } },
    );
    await checkRows(session, source, made.requirements);
    await runJob(files, { rowsToStdout: false }, async () => {
      await decodeToParquet(session, source, made, { out: out as string, compress });
    });
  });
}

/** How the ids of a column are decoded. A guess is named on standard error. */
async function decodingIn(table: Table, column: Column, options: DecodeTableOptions): Promise<Decoding> {
  const given = await decodingOf(options);
  const how = checkDecoding(given);
  if (!('words' in how)) return how;
  const { input, place } = await firstRows(table, column);
  try {
    const words = [...(options.key ?? []), basename(table.files[0])];
    const { guessed, decoding } = await guessIds([input], NDJSON, { ...how, words });
    given.onGuess?.(guessed);
    return decoding;
  } catch (error) {
    const { line, text } = detailsOf(error);
    if (line === undefined || text === undefined || !isBadData(error as Error)) throw error;
    throw new RangeError(`${place(line)}: ${problemOf(error as never)}${hintOf(text)}`, { cause: error });
  }
}

const NDJSON = checkRecordFormat({ format: 'ndjson', key: 'id' });

const FIRST_ROWS = 1000;

/** What a row is called in SQL: no column has this name. */
const ROW = identifier('\u{1F5C4} row of shardbits');

/** The first rows as lines of JSON, to guess a layout from. */
async function firstRows({ session, source }: Table, column: Column) {
  // Negative integers are the u64s of the same bits.
  const id = column.type === 'BIGINT' ? keyColumn(column, 'u64').sql : column.sql;
  const json = `to_json({ 'id': CAST(${id} AS VARCHAR), 'row': ${ROW} })::VARCHAR`;
  const query = `SELECT ${json}, filename, file_row_number + 1 FROM ${source.from} AS ${ROW} LIMIT ${FIRST_ROWS}`;
  const rows = await session.rows(query);
  return {
    input: Readable.from(rows.map(([text]) => Buffer.from(`${text}\n`))),
    place: (line: number) => `${rows[line - 1][1]}: row ${rows[line - 1][2]}`,
  };
}
