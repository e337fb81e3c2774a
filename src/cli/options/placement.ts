import type { Routing } from '../../index.js';
import { type Placement, placementOf } from '../../map/index.js';
import { checkOneStdin, type MapOptions, mapFor, readMap } from './map.js';
import { type AsSystem, makeRouting, type RoutingOptions } from './routing.js';
import { readServers, ringFor, type ServersOptions } from './servers.js';
import { refuse, required, UsageError } from './usage.js';

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
export interface PlacementOptions extends ServersOptions, Pick<MapOptions, 'map'> {}

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
