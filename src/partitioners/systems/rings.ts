import {
  checkInteger,
  checkOneOf,
  checkOptions,
  checkRecord,
  checkString,
  MAX_BUCKETS,
  wordsOf,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { HASHES_32 } from '../../kernels/js/hashes-32.js';
import { md5 } from '../../kernels/js/md5.js';
import type { Abilities } from '../../routing/routing.js';
import { encoder } from '../../utf8.js';
import { hashersOf } from '../hash.js';
import { Bounds, type Configuration, type System, type ToShard } from '../system.js';

/** A server of a ring. */
export interface RingServer {
  /** Not empty. No two servers have the same name. */
  name: string;
  /** An integer from 1; 1 by default. */
  weight?: number | undefined;
}

type WeighedServer = NonNullable<Abilities['servers']>[number];

const MAX_SERVERS = 65_535;

/** @param maxWeight the most that a server may weigh */
export function checkServers(servers: readonly RingServer[], maxWeight: number): readonly WeighedServer[] {
  if (!Array.isArray(servers)) throw wrongKind('servers', 'an array of servers', servers);
  if (servers.length === 0 || servers.length > MAX_SERVERS) {
    throw wrongValue('servers', `1 to ${MAX_SERVERS} servers`, servers.length);
  }
  const names = new Set<string>();
  return Array.from(servers, (server: RingServer, row) => {
    const where = `servers[${row}]`;
    checkRecord(where, server);
    const { name, weight = 1 } = checkOptions(server, ['name', 'weight'], where);
    if (checkString(`${where}.name`, name) === '') throw wrongValue(`${where}.name`, 'a name that is not empty', name);
    if (names.has(name)) throw wrongValue(`${where}.name`, 'a name that no other server has', name);
    names.add(name);
    return { name, weight: checkInteger(`${where}.weight`, weight, 1, maxWeight) };
  });
}

const weightOf = (servers: readonly WeighedServer[]): number => servers.reduce((sum, { weight }) => sum + weight, 0);

/**
 * The server with the first point at or above a token of 32 bits, or with the first of all if there is none. Of equal points,
 * that of the first server counts.
 * @param points those of each server
 */
function onRing(points: readonly (readonly number[])[]): Pick<Configuration, 'shards' | 'tokens' | 'toShard'> {
  const count = points.reduce((sum, { length }) => sum + length, 0);
  const sorted = new BigUint64Array(count);
  const words = wordsOf(sorted);
  let at = 0;
  points.forEach((ofServer, server) => {
    for (const point of ofServer) {
      words[at++] = server;
      words[at++] = point;
    }
  });
  sorted.sort();
  const bounds = new Bounds(sorted);
  const servers = Uint32Array.from({ length: count + 1 }, (_, i) => words[2 * (i % count)]);
  const toShard: ToShard = {
    column(tokens: Uint32Array, shards) {
      bounds.countBelowHigh(tokens, shards);
      for (let i = 0; i < shards.length; i++) shards[i] = servers[shards[i]];
    },
  };
  return { shards: points.length, tokens: 'u32', toShard };
}

export interface KetamaOptions {
  /**
   * The servers, in the order in which the client has them: `host` or `host:port`; in libmemcached, a Unix socket is
   * `path:0`. Weights are up to 2^31 - 1.
   */
  servers: readonly RingServer[];
  /**
   * By default, libmemcached with KETAMA_WEIGHTED. `plain` for libmemcached with KETAMA and its default hash. `hashring` for
   * the npm package hashring, which hashes the port 11211, too, and rounds in another way.
   */
  variant?: 'plain' | 'hashring' | undefined;
}

const VARIANTS = ['plain', 'hashring'] as const;

/** The points of a server of average weight, four for each hash. */
const HASHES = 40;
/** The points of a server in plain KETAMA, if all weights are 1. */
const PLAIN_POINTS = 100;

/**
 * Consistent hashing as in libmemcached with KETAMA_WEIGHTED or KETAMA, and in hashring. A shard is the index of a server.
 * Source: awesomized/libmemcached `src/libmemcached/hosts.cc`, `update_continuum` and `server_add`, and `hash.cc`,
 * `dispatch_host`; 3rd-Eden/node-hashring `index.js`, `continuum` and `find`.
 */
export const ketama: System<KetamaOptions> = {
  options: ['servers', 'variant'],
  noun: 'server',
  choice: { option: 'variant', values: VARIANTS, without: 'another' },
  configure({ servers: given, variant }) {
    if (variant !== undefined) checkOneOf('variant', variant, VARIANTS);
    const servers = checkServers(given, MAX_BUCKETS);
    return {
      hashers: hashersOf(variant === 'plain' ? 'oneAtATime' : 'md5'),
      ...onRing(pointsOf(servers, variant)),
      json: { servers, ...(variant !== undefined && { variant }) },
    };
  },
};

const DEFAULT_PORT = /:11211$/;

function pointsOf(servers: readonly WeighedServer[], variant: KetamaOptions['variant']): number[][] {
  const total = weightOf(servers);
  const count = servers.length;
  if (variant === 'hashring') {
    return servers.map(({ name, weight }) => md5Points(name, Math.floor((weight / total) * HASHES * count)));
  }
  // A weight above 1 gives plain KETAMA the points of KETAMA_WEIGHTED, while keys keep its own hash.
  const isPlain = variant === 'plain' && servers.every(({ weight }) => weight === 1);
  return servers.map(({ name, weight }) => {
    const host = name.replace(DEFAULT_PORT, '');
    return isPlain ? plainPoints(host) : md5Points(host, hashesInFloats(weight, total, count));
  });
}

/** libmemcached calculates in numbers of 32 bits: 49 servers of equal weight have 40 hashes each, in hashring 39. */
function hashesInFloats(weight: number, total: number, servers: number): number {
  const { fround } = Math;
  const share = fround(fround(weight) / fround(total));
  // libmemcached also adds 1e-10, which changes no product of 1 or more.
  return Math.floor(fround(fround(fround(share * 4 * HASHES) / 4) * servers));
}

function md5Points(name: string, hashes: number): number[] {
  const points: number[] = [];
  for (let i = 0; i < hashes; i++) {
    const text = encoder().encode(`${name}-${i}`);
    const digest = md5(text, 0, text.length);
    for (let at = 0; at < 16; at += 4) points.push(digest.getUint32(at, true));
  }
  return points;
}

function plainPoints(name: string): number[] {
  return Array.from({ length: PLAIN_POINTS }, (_, i) => {
    const text = encoder().encode(`${name}-${i}`);
    return HASHES_32.oneAtATime(text, 0, text.length);
  });
}

export interface NginxOptions {
  /** The servers of the upstream in their order, as they are written in it: `host:port`. The sum of weights is at most 65536. */
  servers: readonly RingServer[];
}

const MAX_WEIGHT = 65_536;
/** The points of a server of weight 1 in nginx. */
const CRC32_POINTS = 160;

/**
 * An upstream of nginx with `hash $key consistent`. A shard is the index of a server.
 * Source: nginx/nginx `src/http/modules/ngx_http_upstream_hash_module.c`, `ngx_http_upstream_init_chash` and
 * `ngx_http_upstream_find_chash_point`. The stream module has the same.
 */
export const nginx: System<NginxOptions> = {
  options: ['servers'],
  noun: 'server',
  configure({ servers: given }) {
    const servers = checkServers(given, MAX_WEIGHT);
    const total = weightOf(servers);
    if (total > MAX_WEIGHT) throw wrongValue('servers', `weights whose sum is at most ${MAX_WEIGHT}`, total);
    return {
      hashers: hashersOf('crc32'),
      ...onRing(servers.map(({ name, weight }) => crc32Points(name, CRC32_POINTS * weight))),
      json: { servers },
    };
  },
};

/** CRC32 of the host, a zero, the port, and the point before this one. */
function crc32Points(name: string, count: number): number[] {
  const socket = /^unix:(.*)/is.exec(name)?.[1];
  const [, host = name, port = ''] = (socket === undefined && /^(.*):([0-9]*)$/s.exec(name)) || [];
  const bytes = encoder().encode(`${socket ?? host}\0${port}\0\0\0\0`);
  const view = new DataView(bytes.buffer);
  let point = 0;
  return Array.from({ length: count }, () => {
    view.setUint32(bytes.length - 4, point, true);
    point = HASHES_32.crc32(bytes, 0, bytes.length);
    return point;
  });
}
