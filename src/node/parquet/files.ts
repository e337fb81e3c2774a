import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { normalize } from 'node:path';
import { wrongValue } from '../../arguments.js';
import { formatOfFile } from '../files/input.js';

const GLOB = /[*?[]/;

/**
 * The files of Parquet that paths and patterns such as `data/*.parquet` name, those of a pattern in the order of their names.
 * A path is no pattern if there is such a file. Patterns need `@duckdb/node-api`.
 * @returns undefined if all are something else, such as text
 * @throws RangeError if only some are Parquet; Error for a file that is called Parquet and is none, or a pattern of no file
 * @example
 * await parquetFiles(['users.csv']); // undefined
 */
export async function parquetFiles(paths: readonly string[]): Promise<readonly string[] | undefined> {
  const isParquet = paths.map((path) => (exists(path) ? startsLikeParquet(path) : GLOB.test(path)));
  const other = paths.find((path, i) => !isParquet[i] && path.endsWith('.parquet'));
  if (other !== undefined) throw exists(other) ? notParquet(other) : new Error(`${other}: no such file or directory`);
  if (!isParquet.includes(true)) return undefined;
  if (isParquet.includes(false)) throw wrongValue('input', 'files of Parquet only', paths[isParquet.indexOf(false)]);
  const patterns = paths.filter((path) => !exists(path));
  if (patterns.length === 0) return paths;
  const url = patterns.find((pattern) => /^\w+:\/\//.test(pattern));
  if (url !== undefined) throw wrongValue('input', 'files: read others in DuckDB by shardbits/duckdb', url);
  const { literal, Session } = await import('./session.js'); // loaded only for patterns
  const session = await Session.open(`reading Parquet (${patterns[0]})`, tmpdir(), 1);
  const matching = async (pattern: string): Promise<string[]> => {
    const rows = await session.rows(`SELECT file FROM glob(${literal(pattern)}) ORDER BY 1`);
    if (rows.length === 0) throw new Error(`${pattern}: no file has such a name`);
    return rows.map(([file]) => normalize(String(file)));
  };
  const found: string[] = [];
  try {
    for (const path of paths) found.push(...(patterns.includes(path) ? await matching(path) : [path]));
  } finally {
    session.close();
  }
  const text = found.find((file) => !startsLikeParquet(file));
  if (text !== undefined) throw notParquet(text);
  return found;
}

const notParquet = (path: string): Error => new Error(`${path}: expected a file of Parquet`);

const exists = (path: string): boolean => path === '-' || statSync(path, { throwIfNoEntry: false }) !== undefined;

const startsLikeParquet = (path: string): boolean =>
  path !== '-' && statSync(path).isFile() && formatOfFile(path) === 'Parquet';
