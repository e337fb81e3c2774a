import { checkOneOf, MAX_BUCKETS } from '../../arguments.js';
import { md5 } from '../../kernels/js/md5.js';
import { hashersOf } from '../hash.js';
import { checkServers, onRing, type RingServer, weightOf } from '../ring.js';
import { ownWords, type System } from '../system.js';

export interface KetamaOptions {
  /** The servers, in the order in which the client has them: `host` or `host:port`. Weights are up to 2^31 - 1. */
  servers: readonly RingServer[];
  /** `hashring` for the npm package hashring, which hashes the port 11211, too, and rounds in another way. */
  variant?: 'hashring' | undefined;
}

const VARIANTS = ['hashring'] as const;

/** The points of a server of average weight, four for each hash. */
const HASHES = 40;

/**
 * Consistent hashing as in libmemcached with KETAMA_WEIGHTED, and in hashring. A shard is the index of a server.
 * Source: awesomized/libmemcached `src/libmemcached/hosts.cc`, `update_continuum`, and `hash.cc`, `dispatch_host`;
 * 3rd-Eden/node-hashring `index.js`, `continuum` and `find`.
 */
export const ketama: System<KetamaOptions> = {
  options: ['servers', 'variant'],
  noun: 'server',
  choice: { option: 'variant', values: /* @__PURE__ */ ownWords(VARIANTS), hasUnnamed: true },
  configure({ servers: given, variant }) {
    if (variant !== undefined) checkOneOf('variant', variant, VARIANTS);
    const servers = checkServers(given, MAX_BUCKETS);
    const total = weightOf(servers);
    const points = servers.map(({ name, weight }) => {
      if (variant === 'hashring') return pointsOf(name, Math.floor((weight / total) * HASHES * servers.length));
      return pointsOf(name.replace(DEFAULT_PORT, ''), hashesInFloats(weight, total, servers.length));
    });
    return {
      shards: servers.length,
      hashers: hashersOf('md5'),
      tokens: 'u32',
      toShard: onRing(points),
      json: { servers, ...(variant !== undefined && { variant }) },
    };
  },
};

const DEFAULT_PORT = /:11211$/;

/** libmemcached calculates in numbers of 32 bits: 49 servers of equal weight have 40 hashes each, in hashring 39. */
function hashesInFloats(weight: number, total: number, servers: number): number {
  const { fround } = Math;
  const share = fround(fround(weight) / fround(total));
  // libmemcached also adds 1e-10, which no product of 1 or more is changed by.
  return Math.floor(fround(fround(fround(share * 4 * HASHES) / 4) * servers));
}

const encoder = /* @__PURE__ */ new TextEncoder();

function pointsOf(name: string, hashes: number): number[] {
  const points: number[] = [];
  for (let i = 0; i < hashes; i++) {
    const text = encoder.encode(`${name}-${i}`);
    const digest = md5(text, 0, text.length);
    for (let at = 0; at < 16; at += 4) points.push(digest.getUint32(at, true));
  }
  return points;
}
