import type { Routing } from '../../index.js';
import type { ShardMap } from '../../map/index.js';
import { primariesOf } from '../../map/plan.js';
import type { LineKeys, ShardNames } from '../../node/index.js';
import { definitionOf, hasServers } from '../../partitioners/partitioner.js';
import { checkOneStdin, readMap } from './map.js';
import { lineKeysOf, makeRouting, type RoutingOptions } from './routing.js';
import { type Ring, readServers, ringFor, ringOf } from './servers.js';
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

/** What places keys now or afterwards. */
export interface Side {
  readonly routing: Routing<any>;
  readonly keys: LineKeys | undefined;
  /** The names of places, and the share of each, if places have names. */
  readonly named?: { readonly names: ShardNames; readonly shares: readonly number[] } | undefined;
}

/** What places keys now and afterwards; two maps are compared by their nodes. */
export type Sides = { readonly maps?: readonly [ShardMap, ShardMap]; readonly from: Side; readonly to: Side };

/** What says where rows belong. */
export interface Mapping {
  readonly map: ShardMap | undefined;
  readonly ring: Ring | undefined;
  readonly names: ShardNames | undefined;
  /** What the column of places is called by default. */
  readonly usual: string;
}

/** Reads maps and servers, and checks the options against each other. */
export async function sidesOf(options: SidesOptions, files: readonly string[]): Promise<Sides> {
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
  if (options.as === undefined || definitionOf(options.as.name).count !== undefined) required(options, '--from');
  const from = makeRouting('--from', options.from, forNow(options));
  return { from: { routing: from, keys: lineKeysOf(options) }, to: await afterwards(options, ring) };
}

/** Without the options of a Router, if a system places keys now and a Router afterwards. */
function forNow(options: SidesOptions): SidesOptions {
  const { seed, strategy, hash, down, ...others } = options;
  const isOther = options.as !== undefined && (options.toRouter ?? options.toMap) !== undefined;
  return isOther ? others : options;
}

async function mapsIn(options: SidesOptions, fromMap: string): Promise<Sides> {
  const { toMap } = options;
  if (toMap === undefined) throw new UsageError('--from-map requires --to-map');
  refuse(
    options,
    ['from', 'to', 'as', 'toRouter', 'servers', 'toServers'],
    'cannot be combined with --from-map and --to-map',
  );
  const maps = [await readMap(fromMap), await readMap(toMap)] as const;
  const [from, to] = maps;
  if (from.shards !== to.shards) {
    throw new UsageError(
      `--to-map: expected a map of ${from.shards} shards, as in --from-map, got one of ${to.shards}`,
    );
  }
  const side = { routing: makeRouting('--from', from.shards, options), keys: lineKeysOf(options) };
  return { maps, from: side, to: side };
}

async function afterwards(options: SidesOptions, ring: Ring | undefined): Promise<Side> {
  const { as, to, toRouter, toMap, toServers } = options;
  const given = Object.entries({ '--to': to, '--to-router': toRouter, '--to-map': toMap, '--to-servers': toServers });
  const names = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (names.length > 1) throw new UsageError(`expected only one of ${names.join(' and ')}`);
  if (toServers !== undefined) {
    if (as === undefined || !hasServers(as.name))
      throw new UsageError('--to-servers requires --as ketama or --as nginx');
    return ofRing(ringOf(as, await readServers(toServers)), options);
  }
  if (toMap !== undefined) return ofMap(await readMap(toMap), options);
  if (toRouter !== undefined) return ofRouter(toRouter, options);
  if (as !== undefined && (ring !== undefined || to === undefined)) {
    const hasCount = definitionOf(as.name).count !== undefined;
    const alike = ring !== undefined ? '--to-servers, ' : hasCount ? '--to, ' : '';
    throw new UsageError(`--as ${as.name} requires ${alike}--to-router or --to-map`);
  }
  required(options, '--to');
  return { routing: makeRouting('--to', to, options), keys: lineKeysOf(options) };
}

function ofRing({ as, names, shares }: Ring, options: SidesOptions): Side {
  return { routing: makeRouting('--from', undefined, { ...options, as }), keys: undefined, named: { names, shares } };
}

function ofMap(map: ShardMap, options: SidesOptions): Side {
  const names = { texts: map.nodes.map(({ name }) => name), ofShard: primariesOf(map) };
  const shares = names.texts.map((_, node) => names.ofShard.filter((one) => one === node).length / map.shards);
  return { ...ofRouter(map.shards, options), named: { names, shares } };
}

/** A Router, after a system whose integers are its u64s. A UUID is a text for it. */
function ofRouter(shards: number, { as, ...options }: SidesOptions): Side {
  const kind = options.keys ?? (as && definitionOf(as.name).key);
  const keys: LineKeys | undefined = kind === undefined ? undefined : isInteger(kind) ? 'u64' : 'text';
  const router = { ...options, keys };
  return { routing: makeRouting('--to-router', shards, router), keys: lineKeysOf(router) };
}

const isInteger = (kind: string): boolean => kind === 'int32' || kind === 'int64' || kind === 'u64';
