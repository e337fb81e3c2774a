import { readdirSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ENDINGS } from './compressed.js';

/** A file whose rows are all in one shard, or on one node. */
export interface PlacedFile {
  readonly path: string;
  readonly place: number | string;
}

/** What `routeToDirectory` writes about the files. */
const MANIFEST = 'manifest.json';

const PART = /-\d{5}$/;
const TYPE = new RegExp(`\\.(?:txt|csv|tsv|ndjson|jsonl)(?:\\.(?:${Object.values(ENDINGS).join('|')}))?$`);

/**
 * The files of the shards in directories, ordered by their names: `07.csv`, `07-00000.csv` or `07.csv.gz`, as
 * `routeToDirectory` writes them, or all files in directories such as `shard=3`, as Hive, Spark and DuckDB write them. Names
 * that begin with a dot or `_` are left out.
 * @param column the name before `=`
 * @param names the names of nodes, which files and directories then have instead of the numbers of shards
 * @throws Error for a file or a directory of no shard, one that is given twice, or a directory without files; Node's own
 *   errors of reading
 */
export function placedFiles(directories: readonly string[], column: string, names?: readonly string[]): PlacedFile[] {
  const naming = { column, names };
  const files = directories.flatMap((directory) => {
    const found = filesIn(directory, placeOfDirectory(directory, basename(resolve(directory)), naming), naming);
    if (found.length === 0) throw new Error(`${directory}: expected files of shards, got none`);
    return found;
  });
  const seen = new Set<string>();
  for (const { path } of files) {
    const real = realpathSync(path);
    if (seen.has(real)) throw new Error(`${path}: the file is given twice`);
    seen.add(real);
  }
  return files;
}

interface Naming {
  readonly column: string;
  readonly names: readonly string[] | undefined;
}

type Place = PlacedFile['place'];

/** @param place that of all files in the directory, if it is known */
function filesIn(directory: string, place: Place | undefined, naming: Naming): PlacedFile[] {
  const entries = readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !/^[._]/.test(name) && name !== MANIFEST)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return [{ path, place: place ?? placeOfFile(path, entry.name, naming) }];
    if (!entry.name.includes('=')) throw new Error(`${path}: expected a directory such as ${naming.column}=3`);
    return filesIn(path, placeOfDirectory(path, entry.name, naming) ?? place, naming);
  });
}

/** Undefined for a directory of another column. */
function placeOfDirectory(path: string, name: string, { column, names }: Naming): Place | undefined {
  if (!name.startsWith(`${column}=`)) return undefined;
  const value = decoded(name.slice(column.length + 1));
  const place = value && (names === undefined ? shardIn(value) : value);
  if (place !== undefined && place !== '') return place;
  throw new Error(
    `${path}: expected the ${names === undefined ? 'number of a shard' : 'name of a node'} after ${column}=`,
  );
}

/** Hive escapes some characters. Undefined if a percent sign begins no code. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function placeOfFile(path: string, name: string, { column, names }: Naming): Place {
  const stem = name.replace(TYPE, '');
  const whole = stem.replace(PART, '');
  if (stem !== name) {
    if (names === undefined) {
      const shard = shardIn(whole);
      if (shard !== undefined) return shard;
    } else {
      // A node db-00001 may have a file of the same name as the second part of the node db.
      if (stem !== whole && names.includes(stem) && names.includes(whole)) {
        throw new Error(
          `${path}: the file is either of ${stem} or a part of ${whole}. Use directories such as ${column}=${whole}`,
        );
      }
      return names.includes(stem) ? stem : whole;
    }
  }
  const example = names === undefined ? '07.csv' : `${names[0]}.csv`;
  throw new Error(`${path}: expected the name of a shard's file, such as ${example} or ${column}=…/FILE`);
}

function shardIn(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}
