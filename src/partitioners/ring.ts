import { checkInteger, checkOptions, checkRecord, checkString, wordsOf, wrongKind, wrongValue } from '../arguments.js';
import type { Abilities } from '../routing/routing.js';
import { Bounds, type Configuration, type ToShard } from './system.js';

/** A server of a ring. */
export interface RingServer {
  /** Not empty. No two servers have the same name. */
  name: string;
  /** An integer from 1; 1 by default. */
  weight?: number | undefined;
}

/** A server with its weight filled in. */
export type WeighedServer = NonNullable<Abilities['servers']>[number];

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

export const weightOf = (servers: readonly WeighedServer[]): number =>
  servers.reduce((sum, { weight }) => sum + weight, 0);

/**
 * The server with the first point at or above a token of 32 bits, or with the first of all if there is none. Of equal points,
 * that of the first server counts.
 * @param points those of each server
 */
export function onRing(points: readonly (readonly number[])[]): Pick<Configuration, 'shards' | 'tokens' | 'toShard'> {
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
