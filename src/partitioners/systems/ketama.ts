import { checkOneOf, MAX_BUCKETS } from '../../arguments.js';
import { HASHES_32 } from '../../kernels/js/hashes-32.js';
import { md5 } from '../../kernels/js/md5.js';
import { hashersOf } from '../hash.js';
import { checkServers, onRing, type RingServer, type WeighedServer, weightOf } from '../ring.js';
import type { System } from '../system.js';

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

const encoder = /* @__PURE__ */ new TextEncoder();

function md5Points(name: string, hashes: number): number[] {
  const points: number[] = [];
  for (let i = 0; i < hashes; i++) {
    const text = encoder.encode(`${name}-${i}`);
    const digest = md5(text, 0, text.length);
    for (let at = 0; at < 16; at += 4) points.push(digest.getUint32(at, true));
  }
  return points;
}

function plainPoints(name: string): number[] {
  return Array.from({ length: PLAIN_POINTS }, (_, i) => {
    const text = encoder.encode(`${name}-${i}`);
    return HASHES_32.oneAtATime(text, 0, text.length);
  });
}
