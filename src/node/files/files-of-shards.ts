import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { checkOptions, MAX_BUCKETS, wrongValue } from '../../arguments.js';
import { realPath } from '../../file-system.js';
import { ENDINGS } from './compressed.js';
import type { GivenInput, Inputs } from './input.js';
import { MANIFEST } from './shard-directory.js';

/** A file whose rows are all in one shard, or on one node. */
export interface PlacedFile {
  readonly path: string;
  /** The number of the shard, or the name of the node. */
  readonly label: number | string;
}

const PART = /-\d{5}$/;
const TYPE = new RegExp(`\\.(?:txt|csv|tsv|ndjson|jsonl|parquet)(?:\\.(?:${Object.values(ENDINGS).join('|')}))?$`);

/**
 * The files of the shards in directories, ordered by their names: `07.csv`, `07-00000.csv` or `07.csv.gz`, as
 * `routeToDirectory` writes them, or all files in directories such as `shard=3`, as Hive, Spark and DuckDB write them. Names
 * that begin with a dot or `_` are left out, unless a node is called so.
 * @param input paths or streams
 * @param options.column the name before `=`; by default `shard`, or `node` with names
 * @param options.names the names of nodes, which files and directories then have instead of the numbers of shards
 * @returns undefined if none of these is a directory
 * @throws RangeError for a file among directories; Error for a file or a directory of no shard, one that is given twice, or a
 *   directory without files; Node's own errors of reading
 * @example
 * filesOfShards('shards')?.map(({ path }) => path); // ['shards/00.csv', 'shards/01.csv', …]
 */
export function filesOfShards(
  input: Inputs,
  options?: { column?: string | undefined; names?: readonly string[] | undefined },
): PlacedFile[] | undefined {
  const { names, column = names === undefined ? 'shard' : 'node' } = checkOptions(options, ['column', 'names']);
  const given: readonly GivenInput[] = Array.isArray(input) ? input : [input];
  const directories = given.filter(isDirectory);
  if (directories.length === 0) return undefined;
  const file = given.find((one) => !isDirectory(one));
  if (file !== undefined) throw wrongValue('input', 'only files or only directories', file);
  const naming = { column, names };
  const files = directories.flatMap((directory) => {
    const found = filesIn(directory, undefined, naming);
    if (found.length === 0) throw new Error(`${directory}: expected files of shards, got none`);
    return found;
  });
  const seen = new Set<string>();
  for (const { path } of files) {
    const real = realPath(path);
    if (seen.has(real)) throw new Error(`${path}: the file is given twice`);
    seen.add(real);
  }
  return files;
}

function isDirectory(input: GivenInput): input is string {
  return typeof input === 'string' && statSync(input, { throwIfNoEntry: false })?.isDirectory() === true;
}

interface Naming {
  readonly column: string;
  readonly names: readonly string[] | undefined;
}

type Label = PlacedFile['label'];

/** @param outer the label of all files in the directory around it, if it is known */
function filesIn(directory: string, outer: Label | undefined, naming: Naming): PlacedFile[] {
  const name = basename(resolve(directory));
  const label = labelOfDirectory(directory, name, naming) ?? outer;
  const entries = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.name !== MANIFEST && !isHidden(entry.name, naming))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const ofLabel = new Map<Label, string>();
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    const isDirectory = entry.isSymbolicLink() ? statSync(path).isDirectory() : entry.isDirectory();
    if (isDirectory) {
      if (!entry.name.includes('=')) throw new Error(`${path}: expected a directory such as ${exampleOf(naming)}`);
      return filesIn(path, label, naming);
    }
    if (label !== undefined) return [{ path, label }];
    const found = labelOfFile(path, entry.name, naming);
    // In a directory such as day=1, files may have any names.
    if (found === undefined || name.includes('=')) {
      const example = naming.names === undefined ? '07.csv' : `${naming.names[0]}.csv`;
      throw new Error(`${path}: expected the name of a shard's file, such as ${example} or ${exampleOf(naming)}/FILE`);
    }
    const other = found.isPart ? undefined : ofLabel.get(found.label);
    if (other !== undefined) throw new Error(`${path}: the rows of ${found.label} are in ${other}, too. Move one away`);
    if (!found.isPart) ofLabel.set(found.label, path);
    return [{ path, label: found.label }];
  });
}

/** Names that Hive and Spark give to files without rows; but a node may have such a name. */
function isHidden(name: string, { names }: Naming): boolean {
  return /^[._]/.test(name) && !names?.includes(name.replace(TYPE, '').replace(PART, ''));
}

const exampleOf = ({ column, names }: Naming): string => `${column}=${names?.[0] ?? 3}`;

/** Undefined for a directory of another column. */
function labelOfDirectory(path: string, name: string, { column, names }: Naming): Label | undefined {
  if (!name.startsWith(`${column}=`)) return undefined;
  const value = decoded(name.slice(column.length + 1));
  const label = names === undefined ? shardIn(value) : value;
  if (label !== undefined && label !== '') return label;
  const what = names === undefined ? 'number of a shard' : 'name of a node';
  throw new Error(`${path}: expected the ${what} after ${column}=`);
}

/** Hive escapes some characters. Empty if a percent sign begins no code. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Undefined for a name that no shard's file has. */
function labelOfFile(path: string, name: string, naming: Naming): { label: Label; isPart: boolean } | undefined {
  const { column, names } = naming;
  const stem = name.replace(TYPE, '');
  if (stem === name) return undefined;
  const whole = stem.replace(PART, '');
  const isPart = stem !== whole;
  const label = names === undefined ? shardIn(whole) : whole;
  if (label === undefined) return undefined;
  if (!names?.includes(stem)) return { label, isPart };
  // A node db-00001 may have a file of the same name as the second part of the node db.
  if (isPart && names.includes(whole)) {
    const either = `the file is either of ${stem} or a part of ${whole}`;
    throw new Error(`${path}: ${either}. Use directories such as ${column}=${whole}`);
  }
  return { label: stem, isPart: false };
}

function shardIn(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) < MAX_BUCKETS ? Number(text) : undefined;
}
