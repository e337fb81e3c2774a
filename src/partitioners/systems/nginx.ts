import { wrongValue } from '../../arguments.js';
import { HASHES_32 } from '../../kernels/js/hashes-32.js';
import { hashersOf } from '../hash.js';
import { checkServers, onRing, type RingServer, weightOf } from '../ring.js';
import type { System } from '../system.js';

export interface NginxOptions {
  /** The servers of the upstream in their order, as they are written in it: `host:port`. The sum of weights is at most 65536. */
  servers: readonly RingServer[];
}

const MAX_WEIGHT = 65_536;
const POINTS = 160;

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
      ...onRing(servers.map(({ name, weight }) => pointsOf(name, POINTS * weight))),
      json: { servers },
    };
  },
};

/** CRC32 of the host, a zero, the port, and the point before this one. */
function pointsOf(name: string, count: number): number[] {
  const socket = /^unix:(.*)/is.exec(name)?.[1];
  const [, host = name, port = ''] = (socket === undefined && /^(.*):([0-9]*)$/s.exec(name)) || [];
  const bytes = new TextEncoder().encode(`${socket ?? host}\0${port}\0\0\0\0`);
  const view = new DataView(bytes.buffer);
  let point = 0;
  return Array.from({ length: count }, () => {
    view.setUint32(bytes.length - 4, point, true);
    point = HASHES_32.crc32(bytes, 0, bytes.length);
    return point;
  });
}
