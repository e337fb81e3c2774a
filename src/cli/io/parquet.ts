import { existsSync } from 'node:fs';
import { parquetFiles } from '../../node/index.js';
import type { ReadOptions, RowOptions } from '../options/input.js';
import { inUsage, refuse, UsageError } from '../options/usage.js';
import { isStdout } from '../streams.js';
import { cleanUpWhenInterrupted } from './interruption.js';
import type { Outputs } from './output.js';

/** Options that only text has. */
const OF_TEXT = [
  ...(['csv', 'tsv', 'ndjson', 'delimiter', 'quote', 'escape', 'ragged'] as const),
  ...(['encoding', 'rejects', 'maxRejects'] as const),
] as const;

type InputOptions = ReadOptions & RowOptions & Outputs;

/** The files of Parquet that FILE… names; undefined if these are text. */
export async function parquetOf(
  files: readonly string[],
  options: InputOptions,
): Promise<readonly string[] | undefined> {
  const patterns = files.filter((file) => /[*?[]/.test(file) && !existsSync(file)); // of files of Parquet alone
  const url = patterns.find((file) => /^\w+:\/\//.test(file));
  if (url !== undefined) {
    throw new UsageError(`expected files, got ${url}: read it in DuckDB with the functions of shardbits/duckdb`);
  }
  if (patterns.length > 0) refuseText(options);
  const stop = cleanUpWhenInterrupted();
  try {
    const found = await inUsage(parquetFiles(files));
    if (found !== undefined) refuseText(options);
    return found;
  } finally {
    stop();
  }
}

function refuseText(options: InputOptions): void {
  refuse(options, OF_TEXT, 'cannot be combined with Parquet');
  if (!options.header) throw new UsageError('--no-header cannot be combined with Parquet');
}

/** @param flags the options with which Parquet goes elsewhere */
export function checkParquetOut(out: string | undefined, flags = '--out'): void {
  if (isStdout(out)) throw new UsageError(`Parquet requires ${flags}, and is not written to standard output`);
}
