import { rmSync, statSync } from 'node:fs';
import { placeOfName } from '../../engines/parquet/places.js';
import { identifier, type Session } from '../../engines/parquet/session.js';
import { columnAt, columnsOf, parquetSource, type Source } from '../../engines/parquet/source.js';
import { recordsIn } from '../../engines/parquet/text.js';
import { copyTo, splitToDirectory } from '../../engines/parquet/write.js';
import type { Routing } from '../../index.js';
import type { Progress, RecordFormat, ShardNames } from '../../node/index.js';
import { say } from '../io/messages.js';
import type { RouteTableOptions } from './route.js';
import { checkNewColumns, kindToRead, withSession } from './table.js';

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
  const name = outDir === undefined || hive ? asColumn : undefined;
  await withSession('writing Parquet', options, async (session) => {
    const text = session.pathFor('rows.txt');
    const { keys: rows } = await route(text, SHARD);
    if (statSync(text).size === 0) throw new Error('the input is empty, and Parquet needs the names of columns');
    try {
      await write(session, text, rows);
    } catch (error) {
      throw shortened(error, session.directory);
    }
  });

  async function write(session: Session, text: string, rows: number): Promise<void> {
    const from = await recordsIn(session, text, records, keyAlone(options));
    const columns = await columnsOf(session, from);
    // Without a header it is the last column.
    const found = columns.has(SHARD) ? SHARD : ([...columns.keys()].at(-1) ?? SHARD);
    columns.delete(found);
    if (name !== undefined) checkNewColumns(columns.keys(), [name]);
    await tellKeys(session, { from, columns, rows }, options);
    const place = names === undefined ? `CAST(${identifier(found)} AS UINTEGER)` : identifier(found);
    const query = (column: string) => {
      return `SELECT * EXCLUDE (${identifier(found)}), ${place} AS ${identifier(column)} FROM ${from}`;
    };
    if (outDir === undefined) return copyTo(session, query(asColumn), { out: out as string, compress }, rows);
    const whole = session.pathFor('rows.parquet');
    await copyTo(session, query(SHARD), { out: whole }, rows);
    rmSync(text);
    const column = identifier(SHARD);
    const placed = {
      source: await parquetSource(session, [whole], false),
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
      hive: hive ? asColumn : undefined,
      manifest,
    });
  }
}

/** The path of the key, unless several make one. */
const keyAlone = ({ key = [] }: RouteTableOptions): string | undefined => (key.length === 1 ? key[0] : undefined);

/** Says how to read the keys again if the type of their column makes them other keys than they were as text. */
async function tellKeys(session: Session, source: Source, options: RouteTableOptions): Promise<void> {
  const { keys = 'text', as } = options;
  const name = keyAlone(options);
  const column = name === undefined ? undefined : await columnAt(session, source, name);
  if (name === undefined || column === undefined) return;
  const kind = kindToRead(as, { ...column, name });
  if (kind === keys || (as === undefined && kind !== 'text' && keys === 'u64')) return;
  say(`note: ${name} is a column of type ${column.type}, so these shards need --keys ${keys} when it is read`);
}

/** The column with the shard, in a record of an error. */
const OWN_COLUMN = new RegExp(`,?"${SHARD}":[^}]*`);

/** An error without what nobody knows, the temporary file and its column; one of DuckDB without what is more than a line. */
function shortened(error: unknown, directory: string): unknown {
  if (!(error instanceof Error)) return error;
  if (OWN_COLUMN.test(error.message)) return new Error(error.message.replace(OWN_COLUMN, ''), { cause: error });
  if (!error.message.includes(directory)) return error;
  const [line] = error.message.split('\n');
  const words = line.replaceAll(/\S*rows\.(?:txt|parquet)\S*/g, 'the records');
  return new Error(`DuckDB cannot read what was routed: ${words.slice(0, MAX_MESSAGE)}`, { cause: error });
}

const MAX_MESSAGE = 300;
