import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Router } from '../../index.js';
import type { Placement, ShardMap } from '../../map/index.js';
import type { Input, LineKeys, PlanFilesOptions } from '../../node/index.js';
import type { RingServer } from '../../partitioners/index.js';
import { inputOf, LINE_KEYS, type RowOptions, recordFormatOf, warnOfJson } from './input.js';
import {
  type AsSystem,
  areEncoded,
  COUNTS,
  countOf,
  makePartitioner,
  type RoutingOptions,
  systemsWith,
} from './systems.js';
import {
  fromOptions,
  isRefusal,
  optionOf,
  problemOf,
  type Refusal,
  refuse,
  required,
  shown,
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
  const { ShardMap } = await import('../../map/index.js');
  try {
    return ShardMap.from(text);
  } catch (error) {
    throw isRefusal(error) ? new Error(`${where}: ${notAMap(error, text)}`, { cause: error }) : error;
  }
}

/** The text of a file, or of standard input for `-`. */
export async function textOf(where: string): Promise<string> {
  const input = inputOf(where);
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
  const from = await makePlacement('--from', map?.shards ?? options.from, { ...forNow(options), as: ring ?? as }, map);
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
    return makePlacement('--to', undefined, { ...options, as: { ...as, servers: await readServers(toServers) } });
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

/**
 * @param flag the option that gives the number of shards
 * @param map which nodes hold the shards, if not only these are asked for
 */
async function makePlacement(
  flag: `--${string}`,
  shards: number | undefined,
  options: RoutingOptions,
  map?: ShardMap,
): Promise<Placement<any>> {
  const { as, strategy, hash, seed, down, keys, key = [] } = options;
  if (as !== undefined) {
    if (as.columns === 1 && key.length > 1) {
      throw new UsageError(`--key: expected one column, because ${as.word} hashes one, got ${key.join(' and ')}`);
    }
    refuse(options, ['strategy', 'hash', 'seed', 'down'], 'cannot be combined with --as');
    const partitioner = await makePartitioner(as, flag, shards, keys);
    return (await import('../../map/index.js')).placementOf(partitioner, map);
  }
  if (shards === undefined) throw new UsageError(`${flag} is required`);
  if (!LINE_KEYS.some((kind) => kind === (keys ?? 'text'))) throw new UsageError(`--keys ${keys} requires --as`);
  const make = () => new Router({ shards, strategy, hash, seed, down });
  const routing = fromOptions(make, { shards: { name: flag } });
  if (map === undefined) return { routing, labels: undefined, labelOf: String };
  return (await import('../../map/index.js')).placementOf(routing, map);
}

export function keyReading(options: RoutingOptions & RowOptions, isParquet: boolean, inputs: readonly Input[]) {
  const records = recordFormatOf(options, isParquet);
  if (records === undefined) warnOfJson(inputs);
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
