import { readdirSync, readFileSync, statSync } from 'node:fs';
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

/** Who names files in this way. */
type Scheme = 'route' | 'Spark' | 'Hive';

interface NamedFile extends PlacedFile {
  /** Undefined if the name of a directory says the shard. */
  readonly scheme?: Scheme;
  /** Whether the shard may have other files, too. */
  readonly isPart?: boolean;
}

const PART = /-\d{5}$/;
const PACKED = `(?:\\.(?:${Object.values(ENDINGS).join('|')}))?$`;
const TYPE = new RegExp(`\\.(?:txt|csv|tsv|ndjson|jsonl|parquet)${PACKED}`);

// In names of Spark and Hive, Parquet has its codec before its type: .snappy.parquet.
const DATA = '\\.(?:txt|csv|tsv|json|ndjson|jsonl|(?:\\w+\\.)?parquet)';
// Spark's names end with the bucket as _%05d, and with the number of the file in it as .c%03d, which old versions do not write:
// BucketingUtils.scala and FileFormatDataWriter.scala. The number after part- is the task's: HadoopMapReduceCommitProtocol.scala.
const OF_SPARK = new RegExp(`^part-(?:r-)?\\d{5,}-[^_.]+_(\\d{5,})(?:\\.c\\d{3,})?${DATA}${PACKED}`);
// Hive's names begin with the bucket and an attempt, and may go on: with the number of a copy (ParsedOutputFileName.java), with
// Trino's UUID, which old versions do not write, and its query (HiveWriterFactory.java), or with a name of Spark's, in its tables
// with Hive's buckets (V1WritesUtils.scala). The bucket has zeros before it; 20240131_1 is rather a date.
const COPY = '_copy_(?:\\d{1,6}|[\\da-fA-F]{8})';
const BY_TRINO = '(?:_[\\da-f-]{36})?_\\d{8}_\\d{6}_\\d{5}_[a-z\\d]{5}';
const BY_SPARK = '_part-\\d{5,}-[^_.]+_\\1\\.c\\d{3,}';
const OF_HIVE = new RegExp(`^(0*\\d{5})_(?:0|[1-9]\\d{0,5})(?:${COPY}|${BY_TRINO}|${BY_SPARK})?(?:${DATA})?${PACKED}`);
const OF_BUCKETS = [
  ['Spark', OF_SPARK],
  ['Hive', OF_HIVE],
] as const;
const OF_TASK = /^part-(?:r-)?(\d{5,})(?!.*_\d+\.)/;

/**
 * The files of the shards in directories, ordered by their names: `07.csv`, `07-00000.csv` or `07.csv.gz`, as
 * `routeToDirectory` writes them, all files in directories such as `shard=3`, as Hive, Spark and DuckDB write them, or the
 * files of buckets, as Spark (`part-00000-…_00003.c000.csv`), Hive and Trino (`000003_0`) name them. Names that begin with a
 * dot or `_` are left out, unless a node is called so.
 * @param input paths or streams
 * @param options.column the name before `=`; by default `shard`, or `node` with names
 * @param options.names the names of nodes, which files and directories then have instead of the numbers of shards
 * @returns undefined if none of these is a directory
 * @throws RangeError for a file among directories; Error for a file or a directory of no shard, one that is given twice, files
 *   that are named in different ways, or a directory without files; Node's own errors of reading
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
  const first = files.find(({ scheme }) => scheme !== undefined);
  for (const { path, scheme } of files) {
    const real = realPath(path);
    if (seen.has(real)) throw new Error(`${path}: the file is given twice`);
    seen.add(real);
    if (scheme === undefined || scheme === first?.scheme) continue;
    const others = `but ${first?.path} as ${first?.scheme} does`;
    throw new Error(`${path}: named as ${scheme} names files, ${others}. Audit them apart`);
  }
  return files.map(({ path, label }) => ({ path, label }));
}

/** How many rows were written to directories, as their `manifest.json` says; undefined unless each has one. */
export function rowsWritten(input: Inputs): number | undefined {
  const given: readonly GivenInput[] = Array.isArray(input) ? input : [input];
  const rows = given.filter(isDirectory).map((directory): unknown => {
    try {
      return JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')).rows;
    } catch {
      return undefined; // there is none, or it is not JSON
    }
  });
  return rows.reduce<number | undefined>(
    (sum, count) => (sum === undefined || typeof count !== 'number' ? undefined : sum + count),
    0,
  );
}

function isDirectory(input: GivenInput): input is string {
  return typeof input === 'string' && statSync(input, { throwIfNoEntry: false })?.isDirectory() === true;
}

type Naming = { readonly column: string; readonly names: readonly string[] | undefined };

type Label = PlacedFile['label'];

/** @param outer the label of all files in the directory around it, if it is known */
function filesIn(directory: string, outer: Label | undefined, naming: Naming): NamedFile[] {
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
    const found = fileNamed(path, entry.name, naming);
    // In a directory such as day=1, files may have any names, but no others have those of buckets.
    if (found === undefined || (found.scheme === 'route' && name.includes('='))) {
      const example = naming.names === undefined ? '07.csv' : `${naming.names[0]}.csv`;
      const task = naming.names === undefined ? OF_TASK.exec(entry.name)?.[1] : undefined;
      const reason = task === undefined ? '' : `; ${task} is the number of the task that wrote it`;
      const expected = `expected the name of a shard's file, such as ${example} or ${exampleOf(naming)}/FILE`;
      throw new Error(`${path}: ${expected}${reason}`);
    }
    if (found.isPart) return [found];
    const other = ofLabel.get(found.label);
    if (other !== undefined) throw new Error(`${path}: the rows of ${found.label} are in ${other}, too. Move one away`);
    ofLabel.set(found.label, path);
    return [found];
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
function fileNamed(path: string, name: string, naming: Naming): NamedFile | undefined {
  const { column, names } = naming;
  for (const [scheme, pattern] of names === undefined ? OF_BUCKETS : []) {
    const label = shardIn(pattern.exec(name)?.[1] ?? '');
    if (label !== undefined) return { path, label, scheme, isPart: true };
  }
  const stem = name.replace(TYPE, '');
  if (stem === name) return undefined;
  const whole = stem.replace(PART, '');
  const isPart = stem !== whole;
  const label = names === undefined ? shardIn(whole) : whole;
  if (label === undefined) return undefined;
  if (!names?.includes(stem)) return { path, label, scheme: 'route', isPart };
  // A node db-00001 may have a file of the same name as the second part of the node db.
  if (isPart && names.includes(whole)) {
    const either = `the file is either of ${stem} or a part of ${whole}`;
    throw new Error(`${path}: ${either}. Use directories such as ${column}=${whole}`);
  }
  return { path, label: stem, scheme: 'route' };
}

function shardIn(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) < MAX_BUCKETS ? Number(text) : undefined;
}
