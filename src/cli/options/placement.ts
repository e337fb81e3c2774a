import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Router } from '../../index.js';
import { type Placement, placementOf, ShardMap } from '../../map/index.js';
import type { LineKeys, PlanFilesOptions } from '../../node/index.js';
import {
  KEY_KINDS,
  type KeyKind,
  type KeyKinds,
  type Partitioner,
  partitionerNamed,
  type RingServer,
  type SystemName,
  type SystemVariant,
  systems,
} from '../../partitioners/index.js';
import { inputsOf, LINE_KEYS, type RowOptions, recordFormatOf } from './input.js';
import {
  BadValue,
  fromOptions,
  isRefusal,
  oneOf,
  optionOf,
  problemOf,
  type Refusal,
  refuse,
  required,
  shown,
  suggestion,
  UsageError,
} from './usage.js';

// Maps.

/** What a MAP is, for help. */
export const MAP = 'a file written by map create, change or get, or - for standard input';

/**
 * Reads a map from a file, or from standard input for `-`.
 * @throws Error that names the file if it is not a map
 */
export async function readMap(where: string): Promise<ShardMap> {
  const text = await textOf(where);
  try {
    return ShardMap.from(text);
  } catch (error) {
    throw isRefusal(error) ? new Error(`${where}: ${notAMap(error, text)}`, { cause: error }) : error;
  }
}

/** The text of a file, or of standard input for `-`. */
export async function textOf(where: string): Promise<string> {
  const [input] = inputsOf([where]);
  if (typeof input !== 'string') return text(input); // like a TextDecoder, it skips a byte order mark
  const bytes = await readFile(input).catch((error) => {
    throw Object.assign(error, { path: input }); // Node.js does not name a directory
  });
  return new TextDecoder().decode(bytes);
}

function notAMap(error: Refusal & { readonly row?: number | undefined }, text: string): string {
  if (text === '') return 'expected the JSON of a shard map, got nothing';
  if (error.got === text) {
    const what = text.startsWith('{') ? 'JSON that is damaged or cut short' : shown(text);
    return `expected the JSON of a shard map, got ${what}`;
  }
  const [, place] = /^json\.(.+)/.exec(error.argument) ?? [];
  const row = error.row === undefined ? '' : `[${error.row}]`;
  return `this is no shard map: ${place === undefined ? '' : `${place}${row}: `}${problemOf(error)}`;
}

/**
 * Refuses to read two things from standard input.
 * @param given the inputs by name; `-` is standard input
 */
export function checkOneStdin(given: { readonly [name: string]: string | undefined }): void {
  const names = Object.keys(given).filter((name) => given[name] === '-');
  if (names.length < 2) return;
  throw new UsageError(`expected only one of ${names.join(' and ')} from standard input, got both as -`);
}

/** `-` if the keys are in standard input. */
const keysIn = (files: readonly string[]): string => (files.length === 0 || files.includes('-') ? '-' : '');

/** Reads the map that is given instead of a routing, if there is one, and checks it against the other options. */
async function mapFor(options: PlacementOptions, files: readonly string[]): Promise<ShardMap | undefined> {
  const { map: where, shards } = options;
  if (where === undefined) return undefined;
  refuse(options, ['as', 'down'], 'cannot be combined with --map');
  checkOneStdin({ FILE: keysIn(files), '--map': where });
  const map = await readMap(where);
  if (shards === undefined || shards === map.shards) return map;
  throw new UsageError(`--shards: expected ${map.shards}, the number of shards in ${where}, got ${shards}`);
}

// Servers.

/** How servers are written, for help. */
export const SERVERS = 'each on a line as NAME or as NAME,WEIGHT, in their order';

/** A system on a ring with its servers, if the options name one; they are checked against the other options. */
async function ringFor(options: PlacementOptions, files: readonly string[]): Promise<AsSystem | undefined> {
  const { as, servers: where } = options;
  if (as === undefined || !as.hasServers) {
    refuse(options, ['servers'], 'requires --as ketama or --as nginx');
    return undefined;
  }
  if (where === undefined) throw new UsageError(`--as ${as.system} requires --servers`);
  refuse(options, ['shards'], `cannot be combined with ${countOf(as)}`);
  checkOneStdin({ FILE: keysIn(files), '--servers': where });
  return { ...as, servers: await readServers(where) };
}

/** Reads servers from a file. @throws Error that names the line of one that is malformed */
export async function readServers(where: string): Promise<RingServer[]> {
  const lines = (await textOf(where)).split(/\r?\n/).map((line) => line.trim());
  const names = new Set<string>();
  return lines.flatMap((line, i) => {
    if (line === '') return [];
    const { name, weight } = SERVER.exec(line)?.groups ?? {};
    const problem = (expected: string) => new Error(`${where}:${i + 1}: expected ${expected}, got ${shown(line)}`);
    if (name === undefined) throw problem('NAME or NAME,WEIGHT');
    if (weight !== undefined && Number(weight) === 0) throw problem('a weight of 1 or more');
    if (names.has(name)) throw problem('a name that no line before has');
    names.add(name);
    return [{ name, ...(weight !== undefined && { weight: Number(weight) }) }];
  });
}

const SERVER = /^(?<name>[^\s,]+)(?:(?:\s*,\s*|\s+)(?<weight>\d{1,10}))?$/;

// What places keys, by any of these.

/** The options that say what places keys now, and what afterwards. */
export interface SidesOptions extends RoutingOptions {
  from?: number;
  to?: number;
  toRouter?: number;
  fromMap?: string;
  toMap?: string;
  servers?: string;
  toServers?: string;
}

/** What places keys now, and what afterwards. */
export type Placements = Pick<PlanFilesOptions, 'from' | 'to'>;

/** The options that say what places keys. */
export interface PlacementOptions extends RoutingOptions {
  shards?: number;
  map?: string;
  servers?: string;
}

/**
 * What places keys, by `--shards`, `--map` or `--servers`.
 * @param files the inputs of the command, of which one may be standard input
 */
export async function placementFor(options: PlacementOptions, files: readonly string[]): Promise<Placement<any>> {
  const { flag, shards } = countIn(options);
  const map = await mapFor(options, files);
  const as = (await ringFor(options, files)) ?? options.as;
  return makePlacement(flag, map?.shards ?? shards, { ...options, as }, map);
}

/** The number of shards, and the option that says it: `--shards`, or what the system calls it. */
export function countIn(options: Pick<PlacementOptions, 'shards' | 'as'>) {
  const { as, shards } = options;
  const given = Object.entries<unknown>(options).filter(([name]) => COUNTS.includes(name));
  for (const [name] of given) {
    if (as === undefined) throw new UsageError(`${optionOf(name)} requires --as ${systemsWith(name)}`);
    if (name !== as.count) throw new UsageError(`${optionOf(name)} cannot be combined with ${countOf(as)}`);
    refuse(options, ['shards'], `cannot be combined with ${optionOf(name)}`);
  }
  const [[name, count] = ['shards', shards]] = given;
  return { flag: optionOf(name), shards: count as number | undefined };
}

/** The options that say a number that a system calls by this name. */
const wordsOf = (count: string): string => [...new Set([optionOf(count), '--shards'])].join(' or ');

/** A system, and the options with its number of shards. */
function countOf({ system, count, hasServers }: AsSystem): string {
  const has = count === undefined ? 'always has 16384 slots' : `has ${wordsOf(count)}`;
  return `--as ${system}, which ${hasServers ? 'has --servers' : has}`;
}

/** Reads maps and servers, and checks the options against each other. */
export async function placementsFor(options: SidesOptions, files: readonly string[]): Promise<Placements> {
  const { as, fromMap, toMap, servers, toServers } = options;
  const maps = { '--from-map': fromMap, '--to-map': toMap };
  checkOneStdin({ FILE: keysIn(files), ...maps, '--servers': servers, '--to-servers': toServers });
  if (fromMap !== undefined) {
    if (toMap === undefined) throw new UsageError('--from-map requires --to-map');
    const others = ['from', 'to', 'as', 'toRouter', 'servers', 'toServers'] as const;
    refuse(options, others, 'cannot be combined with --from-map and --to-map');
  }
  const ring = await ringFor(options, []);
  if (ring !== undefined) refuse(options, ['from'], 'cannot be combined with --servers');
  else if (fromMap === undefined) {
    if (as === undefined) {
      refuse(options, ['toRouter'], 'requires --as; without it, --to is the number of shards of a Router');
      refuse(options, ['toMap'], 'requires --from-map or --as');
    }
    if (as === undefined || as.count !== undefined) required(options, '--from');
  }
  const map = fromMap === undefined ? undefined : await readMap(fromMap);
  const from = makePlacement('--from', map?.shards ?? options.from, { ...forNow(options), as: ring ?? as }, map);
  const to = await afterwards(options, ring);
  const { shards } = to.routing;
  if (map === undefined || map.shards === shards) return { from, to };
  throw new UsageError(`--to-map: expected a map of ${map.shards} shards, as in --from-map, got one of ${shards}`);
}

/** Without the options of a Router, if a system places keys now and a Router afterwards. */
function forNow(options: SidesOptions): SidesOptions {
  const { seed, strategy, hash, down, ...others } = options;
  const isOther = options.as !== undefined && (options.toRouter ?? options.toMap) !== undefined;
  return isOther ? others : options;
}

async function afterwards(options: SidesOptions, ring: AsSystem | undefined): Promise<Placement<any>> {
  const { as, to, toRouter, toMap, toServers } = options;
  const given = Object.entries({ '--to': to, '--to-router': toRouter, '--to-map': toMap, '--to-servers': toServers });
  const names = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (names.length > 1) throw new UsageError(`expected only one of ${names.join(' and ')}`);
  if (toServers !== undefined) {
    if (as === undefined || !as.hasServers) throw new UsageError('--to-servers requires --as ketama or --as nginx');
    const servers = await readServers(toServers);
    return makePlacement('--to', undefined, { ...options, as: { ...as, servers } });
  }
  const map = toMap === undefined ? undefined : await readMap(toMap);
  const shards = toRouter ?? map?.shards;
  if (shards !== undefined) {
    const { as: before, keys, ...ofRouter } = options; // the kind of keys is of the system before
    return makePlacement('--to-router', shards, before === undefined ? options : ofRouter, map);
  }
  if (as !== undefined && (ring !== undefined || to === undefined)) {
    const hasCount = as.count !== undefined;
    const alike = ring !== undefined ? '--to-servers, ' : hasCount ? '--to, ' : '';
    throw new UsageError(`--as ${as.system} requires ${alike}--to-router or --to-map`);
  }
  required(options, '--to');
  return makePlacement('--to', to, options);
}

export interface AsSystem extends SystemVariant {
  readonly servers?: readonly RingServer[];
}

/** What the shards of each system are, for help. */
const SYSTEM_LINES: { readonly [name in Exclude<SystemName, 'cassandra'>]: string } = {
  kafka: 'partitions of a topic, as in the Java client and Kafka Streams; kafka:unsigned as in @platformatic/kafka',
  rdkafka:
    'partitions of a topic by CRC32, as in librdkafka; rdkafka:murmur2 as in Java; rdkafka:fnv1a as in Sarama, and ' +
    'rdkafka:fnv1a-positive as in its NewReferenceHashPartitioner',
  redis: 'slots of Redis Cluster; always 16384, so leave out the number of shards',
  ragedb: "shards, by libstdc++'s hash and multiply-high",
  spark: 'partitions of DataFrames, and buckets; spark:rdd for partitions of RDDs',
  iceberg: 'buckets of the transform bucket[N]',
  postgres: 'remainders of PARTITION BY HASH over one column or several; the number of shards is the modulus',
  citus: 'shards of a distributed table, in the order of shardminvalue',
  vitess: 'shards of equal size, by the xxhash vindex',
  elasticsearch:
    'primary shards of an index created by 9.4 or later; elasticsearch:before-9.4 for older ones and OpenSearch, with the ' +
    'default routing shards',
  couchbase:
    'vBuckets; 1024 by default; Magma buckets made by 8.0 or later have 128: take the number from the cluster map',
  flink: 'key groups of keyBy; the number of shards is the maximum parallelism',
  clickhouse:
    'shards of a Distributed table, by clickhouse:sipHash64, :murmurHash3_64, :xxHash64 or :cityHash64 of one column or several',
  nats: 'partitions of partition() in a subject mapping',
  pulsar: 'partitions of a topic, as in the Java client; pulsar:murmur3 with its Murmur3_32Hash',
  hive: 'buckets of a table; hive:1 of one from before Hive 3',
  discord: 'shards of the gateway, by the ids of guilds',
  kinesis: 'shards of equal size of a stream',
  ketama:
    'servers of libmemcached with KETAMA_WEIGHTED, in --servers; ketama:plain with KETAMA; ketama:hashring as in the npm ' +
    'package hashring',
  nginx: 'servers of an upstream with hash … consistent, in --servers',
};

/** A line about each system, for help. */
export function systemLines(): string[] {
  const width = Math.max(...Object.keys(SYSTEM_LINES).map((name) => name.length));
  return Object.entries(SYSTEM_LINES).map(([name, line]) => `  ${name.padEnd(width)}  ${line}`);
}

const WORDS = Object.keys(systems).filter((word) => word !== 'cassandra');
const VARIANTS = WORDS.map((word) => systems[word]);

/** What systems call the number of shards, if not so. */
export const COUNTS: readonly string[] = [...new Set(VARIANTS.map(({ count = 'shards' }) => count))].filter(
  (count) => count !== 'shards',
);

/** The systems that call it so, in words. */
export function systemsWith(count: string): string {
  const names = [...new Set(VARIANTS.filter((one) => one.count === count).map(({ system }) => system))];
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** Parses `rdkafka:fnv1a`. */
export function asSystem(given: string): AsSystem {
  if (given === 'cassandra') {
    throw new UsageError('--as cassandra needs the tokens of the ring, which only the library takes');
  }
  if (WORDS.includes(given)) return systems[given];
  const variants = WORDS.filter((word) => word.startsWith(`${given}:`));
  if (variants.length > 0) throw new BadValue(`one of ${variants.join(', ')}`);
  throw new BadValue(`one of ${WORDS.join(', ')}`, suggestion(given, WORDS));
}
asSystem.words = WORDS;

/** The words of --keys. */
export const KINDS = [
  'text',
  'u64',
  ...KEY_KINDS.filter((kind) => !['text', 'u64', 'bytes'].includes(kind)),
  'hex',
  'base64',
];
const kind = oneOf(KINDS as readonly KeyWord[]);

/** Parses `int64`, or `int64,text` for keys of several columns. */
export function kindsOfKeys(given: string): RoutingOptions['keys'] {
  return given.includes(',') ? given.split(/, */).map(kind) : kind(given);
}
kindsOfKeys.words = KINDS;

type KeyWord = LineKeys | Exclude<KeyKind, 'bytes'>;

/** The options that say what a key is and how its shard is found. */
interface RoutingOptions {
  keys?: KeyWord | readonly KeyWord[] | undefined;
  hash?: 'xxh64' | 'none';
  seed?: bigint;
  strategy?: 'jump' | 'fastrange' | 'modulo';
  down?: number[];
  as?: AsSystem | undefined;
  /** For records. */
  key?: string[];
}

export const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;

/**
 * @param flag the option that gives the number of shards
 * @param map which nodes hold the shards, if not only these are asked for
 */
function makePlacement(
  flag: `--${string}`,
  shards: number | undefined,
  options: RoutingOptions,
  map?: ShardMap,
): Placement<any> {
  const { as, strategy, hash, seed, down, keys, key = [] } = options;
  if (as !== undefined) {
    if (as.columns === 1 && key.length > 1) {
      throw new UsageError(`--key: expected one column, because ${as.word} hashes one, got ${key.join(' and ')}`);
    }
    refuse(options, ['strategy', 'hash', 'seed', 'down'], 'cannot be combined with --as');
    return placementOf(makePartitioner(as, flag, shards, keys), map);
  }
  if (shards === undefined) throw new UsageError(`${flag} is required`);
  if (!LINE_KEYS.some((kind) => kind === (keys ?? 'text'))) throw new UsageError(`--keys ${keys} requires --as`);
  const make = () => new Router({ shards, strategy, hash, seed, down });
  return placementOf(fromOptions(make, { shards: { name: flag } }), map);
}

export function makePartitioner(
  as: AsSystem,
  flag: string,
  shards: number | undefined,
  keys?: RoutingOptions['keys'],
): Partitioner<any> {
  const { word, count, servers } = as;
  if (count === undefined && shards !== undefined) {
    throw new UsageError(`${flag} cannot be combined with ${countOf(as)}`);
  }
  const isList = Array.isArray(keys);
  if (isList && as.columns === 1) {
    throw new UsageError(`--keys: expected one kind, because ${word} hashes one column, got ${keys.join()}`);
  }
  const key = (areEncoded(keys) ? 'bytes' : keys) as KeyKinds;
  const words = as.keys.flatMap((kind) => (kind === 'bytes' ? (isList ? [] : ['hex', 'base64']) : [kind]));
  const expected = `one of ${words.join(', ')}, which are the keys of ${word}`;
  const name = shards === undefined && flag === '--shards' && count !== undefined ? wordsOf(count) : flag;
  return fromOptions(() => partitionerNamed(word, { shards, servers, key }), {
    key: { name: '--keys', expected, ...(isList ? {} : { got: keys }) },
    ...(count !== undefined && { [count]: { name, got: shards } }),
    servers: { name: '--servers' },
  });
}

const areEncoded = (keys: RoutingOptions['keys']): boolean => keys === 'hex' || keys === 'base64';

/** How keys are read from rows. */
export function keyReading(options: RoutingOptions & RowOptions, isParquet: boolean) {
  const records = recordFormatOf(options, isParquet);
  const keys = keysOf(options, isParquet);
  if (records === undefined) refuse(options, ['missingKey'], 'requires --csv, --tsv or --ndjson');
  return { records, keys, missingKey: options.missingKey };
}

/**
 * The kind of keys in rows, for a Router. A partitioner has its own, or that of the column in Parquet; or it has bytes, which
 * rows say in hex or base64.
 */
export function keysOf({ as, keys, key = [] }: RoutingOptions, isParquet = false): LineKeys | 'column' | undefined {
  if (Array.isArray(keys) && keys.length !== key.length) {
    const columns = key.length === 0 ? 'no --key' : key.join(' and ');
    throw new UsageError(`--keys: expected a kind for each --key, got ${keys.length} for ${columns}`);
  }
  if (as !== undefined && !areEncoded(keys)) {
    if (isParquet && keys === undefined) return 'column';
    if (key.length < 2 || Array.isArray(keys)) return undefined;
    throw new UsageError(
      '--key: several columns with --as need --keys with a kind for each, such as --keys int64,text',
    );
  }
  if (keys !== undefined && keys !== 'text' && key.length > 1) {
    throw new UsageError(`--keys: expected "text" with several --key, got "${keys}"`);
  }
  return keys as LineKeys | undefined;
}
