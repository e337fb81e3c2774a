import { readFile } from 'node:fs/promises';
import type { Routing } from '../../index.js';
import { type Placement, placementOf, ShardMap } from '../../map/index.js';
import type { RingServer } from '../../partitioners/index.js';
import type { CliCommand } from './command.js';
import { inputsOf } from './input.js';
import { type AsSystem, makeRouting, type RoutingOptions } from './routing.js';
import { isRefusal, path, problemOf, type Refusal, refuse, required, shown, UsageError } from './usage.js';

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
