import { Readable } from 'node:stream';
import { decodeToParquet, layoutIds, wideIds } from '../../engines/parquet/ids.js';
import { keyColumn } from '../../engines/parquet/keys.js';
import { identifier } from '../../engines/parquet/session.js';
import { type Column, checkRows, writable } from '../../engines/parquet/source.js';
import { checkRecordFormat } from '../../rows/format.js';
import { layoutIn } from '../ids/decode-rows.js';
import { type DecodingOptions, idDecoding } from '../ids/decoding.js';
import type { IdSource } from '../ids/texts.js';
import { runJob } from '../io/output.js';
import { fromOptions, UsageError } from '../options/usage.js';
import { checkNewColumns, checkOut, columnOfKey, type Table, type TableOptions, withTable } from './table.js';

interface DecodeTableOptions extends TableOptions, Omit<DecodingOptions, 'key'> {
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
    const { decoding } = await idDecoding([await firstRows(table, column)], NDJSON, options);
    const { plain, columns } = decoding;
    checkNewColumns(
      table.source.columns.keys(),
      columns.map(({ name }) => name),
      '--key',
    );
    const got = `${column.name} of type ${column.type}`;
    const made = fromOptions(
      () =>
        'kind' in plain ? wideIds(session, column, plain.kind) : layoutIds(session, column, layoutIn(plain), plain),
      { keys: { name: '--key', expected: 'a column of integers or texts', got } },
    );
    await checkRows(session, source, made.requirements);
    await runJob(files, { rowsToStdout: false }, async () => {
      await decodeToParquet(session, source, made, { out: out as string, compress });
    });
  });
}

const NDJSON = checkRecordFormat({ format: 'ndjson', key: 'id' });

const FIRST_ROWS = 1000;

/** What a row is called in SQL: no column has this name. */
const ROW = identifier('\u{1F5C4} row of shardbits');

/** The first rows as lines of JSON, to guess a layout from. */
async function firstRows({ session, source, files }: Table, column: Column): Promise<IdSource> {
  // Negative integers are the u64s of the same bits.
  const id = column.type === 'BIGINT' ? keyColumn(column, 'u64').sql : column.sql;
  const json = `to_json({ 'id': CAST(${id} AS VARCHAR), 'row': ${ROW} })::VARCHAR`;
  const query = `SELECT ${json}, filename, file_row_number + 1 FROM ${source.from} AS ${ROW} LIMIT ${FIRST_ROWS}`;
  const rows = await session.rows(query);
  return {
    file: files[0],
    input: Readable.from(rows.map(([text]) => Buffer.from(`${text}\n`))),
    place: (line) => `${rows[line - 1][1]}: row ${rows[line - 1][2]}`,
  };
}
