import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENDINGS } from './compressed.js';

/** A file whose rows are all in one shard, or on one node. */
export interface PlacedFile {
  readonly path: string;
  readonly place: number | string;
}

/** What `routeToDirectory` writes about the files. */
const MANIFEST = 'manifest.json';

const PART = /-\d{5}$/;
const TYPE = new RegExp(`\\.(?:txt|csv|tsv|ndjson)(?:\\.(?:${Object.values(ENDINGS).join('|')}))?$`);

/**
 * The files of the shards in a directory, ordered by their names: `07.csv`, `07-00000.csv` or `07.csv.gz`, as
 * `routeToDirectory` writes them, or all files in directories such as `shard=3`, as Hive, Spark and DuckDB write them. Names that
 * begin with a dot or `_` are left out.
 * @param column the name before `=`
 * @param names the names of nodes, which files and directories then have instead of the numbers of shards
 * @throws Error for a file of no shard, or a directory without files; Node's own errors of reading
 */
export function placedFiles(directory: string, column: string, names?: readonly string[]): PlacedFile[] {
  const files = filesIn(directory, undefined, { column, names });
  if (files.length === 0) throw new Error(`${directory}: expected files of shards, got none`);
  return files;
}

interface Naming {
  readonly column: string;
  readonly names: readonly string[] | undefined;
}

/** @param place that of all files in the directory, if it is known */
function filesIn(directory: string, place: PlacedFile['place'] | undefined, naming: Naming): PlacedFile[] {
  const entries = readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !/^[._]/.test(name) && name !== MANIFEST)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesIn(path, placeOfDirectory(entry.name, naming) ?? place, naming);
    const ofFile = place ?? placeOfFile(entry.name, naming);
    if (ofFile !== undefined) return [{ path, place: ofFile }];
    const example = naming.names === undefined ? '07.csv' : `${naming.names[0]}.csv`;
    throw new Error(`${path}: expected the name of a shard's file, such as ${example} or ${naming.column}=…/FILE`);
  });
}

function placeOfDirectory(name: string, { column, names }: Naming): PlacedFile['place'] | undefined {
  if (!name.startsWith(`${column}=`)) return undefined;
  try {
    return placeIn(decodeURIComponent(name.slice(column.length + 1)), names);
  } catch {
    return undefined; // a percent sign that begins no code
  }
}

function placeOfFile(name: string, { names }: Naming): PlacedFile['place'] | undefined {
  const stem = name.replace(TYPE, '');
  if (names?.includes(stem)) return stem;
  return placeIn(stem.replace(PART, ''), names);
}

/** The number of a shard, or the name of a node. */
function placeIn(text: string, names: Naming['names']): PlacedFile['place'] | undefined {
  if (names !== undefined) return text;
  return /^[0-9]{1,10}$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}
