import { readFile } from 'node:fs/promises';
import { Router, type Routing } from '../../index.js';
import { type Placement, placementOf, ShardMap } from '../../map/index.js';
import type { LineKeys } from '../../node/index.js';
import {
  type KeyKind,
  type Partitioner,
  partitionerNamed,
  type RingServer,
  type SystemName,
  type SystemVariant,
  systems,
} from '../../partitioners/index.js';
import { inputsOf, KEYS } from './input.js';
import {
  BadValue,
  type CliCommand,
  fromOptions,
  isRefusal,
  oneOf,
  type Parser,
  path,
  problemOf,
  type Refusal,
  refuse,
  required,
  seed,
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
  const decoder = new TextDecoder(); // skips a byte order mark
  if (typeof input === 'string') {
    const bytes = await readFile(input).catch((error) => {
      throw Object.assign(error, { path: input }); // Node.js does not name a directory
    });
    return decoder.decode(bytes);
  }
  let text = '';
  for await (const chunk of input as AsyncIterable<Uint8Array>) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
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

/** The options of a map instead of a number of shards. */
export interface MapOptions {
  map?: string;
  shards?: number;
  as?: unknown;
  down?: unknown;
}

/** Reads the map that is given instead of a routing, if there is one, and checks it against the other options. */
async function mapFor(options: MapOptions, files: readonly string[]): Promise<ShardMap | undefined> {
  const { map: where, shards } = options;
  if (where === undefined) return undefined;
  refuse(options, ['as', 'down'], 'cannot be combined with --map');
  checkOneStdin({ FILE: files.length === 0 || files.includes('-') ? '-' : '', '--map': where });
  const map = await readMap(where);
  if (shards === undefined || shards === map.shards) return map;
  throw new UsageError(`--shards: expected ${map.shards}, the number of shards in ${where}, got ${shards}`);
}

// Servers.

/** How servers are written, for help. */
export const SERVERS = 'each on a line as NAME or as NAME,WEIGHT, in their order';

/** The options of a ring of servers. */
interface ServersOptions extends RoutingOptions {
  servers?: string;
  shards?: number;
}

export function withServers(command: CliCommand): CliCommand {
  return command.option('--servers <file>', `the servers of --as ketama or nginx, ${SERVERS}`, path);
}

/** A system on a ring with its servers, if the options name one; they are checked against the other options. */
async function ringFor(options: ServersOptions, files: readonly string[]): Promise<AsSystem | undefined> {
  const { as, servers: where } = options;
  if (as === undefined || !as.hasServers) {
    refuse(options, ['servers'], 'requires --as ketama or --as nginx');
    return undefined;
  }
  if (where === undefined) throw new UsageError(`--as ${as.system} requires --servers`);
  refuse(options, ['shards'], `cannot be combined with --as ${as.system}, which has --servers`);
  checkOneStdin({ FILE: files.length === 0 || files.includes('-') ? '-' : '', '--servers': where });
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
export interface Placements {
  readonly from: Placement<any>;
  readonly to: Placement<any>;
}

/** The options that say what places keys. */
interface PlacementOptions extends ServersOptions, Pick<MapOptions, 'map'> {}

/**
 * What places keys, by `--shards`, `--map` or `--servers`.
 * @param files the inputs of the command, of which one may be standard input
 */
export async function placementFor(options: PlacementOptions, files: readonly string[]): Promise<Placement<any>> {
  const map = await mapFor(options, files);
  const as = await ringFor(options, files);
  const how = as === undefined ? options : { ...options, as };
  return placementOf(makeRouting('--shards', map?.shards ?? options.shards, how), map);
}

/** Reads maps and servers, and checks the options against each other. */
export async function placementsFor(options: SidesOptions, files: readonly string[]): Promise<Placements> {
  const { fromMap, toMap, servers, toServers } = options;
  const keys = files.length === 0 || files.includes('-') ? '-' : '';
  checkOneStdin({
    FILE: keys,
    '--from-map': fromMap,
    '--to-map': toMap,
    '--servers': servers,
    '--to-servers': toServers,
  });
  if (fromMap !== undefined) return mapsIn(options, fromMap);
  const ring = await ringFor(options, []);
  if (ring !== undefined) {
    refuse(options, ['from'], 'cannot be combined with --servers');
    return { from: ofRing(ring, forNow(options)), to: await afterwards(options, ring) };
  }
  if (options.as === undefined) {
    refuse(options, ['toRouter'], 'requires --as; without it, --to is the number of shards of a Router');
    refuse(options, ['toMap'], 'requires --from-map or --as');
  }
  if (options.as === undefined || options.as.count !== undefined) required(options, '--from');
  const from = placementOf(makeRouting('--from', options.from, forNow(options)));
  return { from, to: await afterwards(options, ring) };
}

/** Without the options of a Router, if a system places keys now and a Router afterwards. */
function forNow(options: SidesOptions): SidesOptions {
  const { seed, strategy, hash, down, ...others } = options;
  const isOther = options.as !== undefined && (options.toRouter ?? options.toMap) !== undefined;
  return isOther ? others : options;
}

async function mapsIn(options: SidesOptions, fromMap: string): Promise<Placements> {
  const { toMap } = options;
  if (toMap === undefined) throw new UsageError('--from-map requires --to-map');
  refuse(
    options,
    ['from', 'to', 'as', 'toRouter', 'servers', 'toServers'],
    'cannot be combined with --from-map and --to-map',
  );
  const [from, to] = [await readMap(fromMap), await readMap(toMap)];
  if (from.shards !== to.shards) {
    throw new UsageError(
      `--to-map: expected a map of ${from.shards} shards, as in --from-map, got one of ${to.shards}`,
    );
  }
  const routing = makeRouting('--from', from.shards, options);
  return { from: placementOf(routing, from), to: placementOf(routing, to) };
}

async function afterwards(options: SidesOptions, ring: AsSystem | undefined): Promise<Placement<any>> {
  const { as, to, toRouter, toMap, toServers } = options;
  const given = Object.entries({ '--to': to, '--to-router': toRouter, '--to-map': toMap, '--to-servers': toServers });
  const names = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (names.length > 1) throw new UsageError(`expected only one of ${names.join(' and ')}`);
  if (toServers !== undefined) {
    if (as === undefined || !as.hasServers) throw new UsageError('--to-servers requires --as ketama or --as nginx');
    return ofRing({ ...as, servers: await readServers(toServers) }, options);
  }
  if (toMap !== undefined) {
    const map = await readMap(toMap);
    return placementOf(routerAfter(map.shards, options), map);
  }
  if (toRouter !== undefined) return placementOf(routerAfter(toRouter, options));
  if (as !== undefined && (ring !== undefined || to === undefined)) {
    const hasCount = as.count !== undefined;
    const alike = ring !== undefined ? '--to-servers, ' : hasCount ? '--to, ' : '';
    throw new UsageError(`--as ${as.system} requires ${alike}--to-router or --to-map`);
  }
  required(options, '--to');
  return placementOf(makeRouting('--to', to, options));
}

function ofRing(as: AsSystem, options: SidesOptions): Placement<any> {
  return placementOf(makeRouting('--from', undefined, { ...options, as }));
}

/** A Router, after a system or another Router. */
function routerAfter(shards: number, { as, keys, ...options }: SidesOptions): Routing<any> {
  return makeRouting('--to-router', shards, as === undefined ? { ...options, keys } : options);
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
  postgres: 'remainders of PARTITION BY HASH over one column; the number of shards is the modulus',
  citus: 'shards of a distributed table, in the order of shardminvalue',
  vitess: 'shards of equal size, by the xxhash vindex',
  elasticsearch:
    'primary shards of an index created by 9.4 or later; elasticsearch:before-9.4 for older ones and OpenSearch, with the ' +
    'default routing shards',
  couchbase:
    'vBuckets; 1024 by default; Magma buckets made by 8.0 or later have 128: take the number from the cluster map',
  flink: 'key groups of keyBy; the number of shards is the maximum parallelism',
  clickhouse:
    'shards of a Distributed table, by clickhouse:sipHash64, :murmurHash3_64, :xxHash64 or :cityHash64 of one column',
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

const WORDS = Object.keys(systems).filter((word) => word !== 'cassandra');

/** Parses `rdkafka:fnv1a`. */
export const asSystem: Parser<AsSystem> = Object.assign(
  (given: string): AsSystem => {
    if (given === 'cassandra') {
      throw new UsageError('--as cassandra needs the tokens of the ring, which only the library takes');
    }
    if (WORDS.includes(given)) return systems[given];
    const variants = WORDS.filter((word) => word.startsWith(`${given}:`));
    if (variants.length > 0) throw new BadValue(`one of ${variants.join(', ')}`);
    throw new BadValue(`one of ${WORDS.join(', ')}`, suggestion(given, WORDS));
  },
  { words: WORDS },
);

/** The options that say what a key is and how its shard is found. */
export interface RoutingOptions {
  keys?: LineKeys | Exclude<KeyKind, 'bytes'> | undefined;
  hash?: 'xxh64' | 'none';
  seed?: bigint;
  strategy?: 'jump' | 'fastrange' | 'modulo';
  down?: number[];
  as?: AsSystem;
  /** For records. */
  key?: string[];
}

export const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;
const KINDS = ['text', 'u64', 'int32', 'int64', 'uuid'] as const;

export function withRoutingOptions(command: CliCommand): CliCommand {
  const width = Math.max(...Object.keys(SYSTEM_LINES).map((name) => name.length));
  const lines = Object.entries(SYSTEM_LINES).map(([name, line]) => `  ${name.padEnd(width)}  ${line}`);
  return command
    .option(
      '--strategy <name>',
      `how a hash becomes a shard: ${STRATEGIES.join(', ')} (default: "jump")`,
      oneOf(STRATEGIES),
    )
    .option('--keys <kind>', `${KEYS}; with --as: text, int32, int64 or uuid (default: "text")`, oneOf(KINDS))
    .option('--hash <name>', 'xxh64; none: a u64 key is its own hash (default: "xxh64")', oneOf(['xxh64', 'none']))
    .option('--seed <n>', 'the seed of the hash, modulo 2^64 (default: 0)', seed)
    .option(
      '--as <system>',
      'place keys as another system does (see the list below); shards are then its partitions, buckets or shards',
      asSystem,
    )
    .addHelpText('after', `\nSystems for --as, and what they place:\n${lines.join('\n')}`);
}

/**
 * Makes the routing of keys to shards.
 * @param flag the option that gives the number of shards
 */
export function makeRouting(
  flag: '--shards' | '--from' | '--to' | '--to-router',
  shards: number | undefined,
  options: RoutingOptions,
): Routing<any> {
  const { as, strategy, hash, seed, down, keys, key = [] } = options;
  if (as !== undefined) {
    refuse(options, ['strategy', 'hash', 'seed', 'down'], 'cannot be combined with --as');
    if (key.length > 1) throw new UsageError(`--key: expected one column with --as, got ${key.join(' and ')}`);
    if (keys === 'u64') throw new UsageError('--keys u64 cannot be combined with --as: int64 is the kind for integers');
    return makePartitioner(as, flag, shards, keys);
  }
  if (shards === undefined) throw new UsageError(`${flag} is required`);
  if (keys !== undefined && keys !== 'text' && keys !== 'u64') throw new UsageError(`--keys ${keys} requires --as`);
  return fromOptions(() => new Router({ shards, strategy, hash, seed, down }), { shards: { name: flag } });
}

export function makePartitioner(
  as: AsSystem,
  flag: string,
  shards: number | undefined,
  key?: KeyKind,
): Partitioner<any> {
  const { word, system: name, count, servers } = as;
  if (count === undefined && shards !== undefined) {
    throw new UsageError(`${flag} cannot be combined with --as ${name}, which always has 16384 slots`);
  }
  return fromOptions(() => partitionerNamed(word, { shards, servers, key }), {
    key: { name: '--keys', expected: `a kind of key that ${name} has`, got: key },
    ...(count !== undefined && { [count]: { name: flag, got: shards } }),
    servers: { name: '--servers' },
  });
}

/** The kind of keys in rows, for a Router. A partitioner has its own, or that of the column in Parquet. */
export function keysOf({ as, keys, key = [] }: RoutingOptions, isParquet = false): LineKeys | 'column' | undefined {
  if (as !== undefined) return isParquet && keys === undefined ? 'column' : undefined;
  if (keys === 'u64' && key.length > 1) {
    throw new UsageError('--keys: expected "text" with several --key, got "u64"');
  }
  return keys as LineKeys | undefined;
}
