// Nodes for keys, by shardbits. What the tests compute again is here, so it needs none of the packages of bench/peers.
import { Router } from 'shardbits';
import { ShardMap } from 'shardbits/map';
import { partitioner } from 'shardbits/partitioners';

/** What became of a cluster: one node was added, or one in the middle was taken away. */
export type Change = 'added' | 'taken';

/** Gives the name of a node. */
export type Place = (key: string) => string;

export interface Contender {
  readonly name: string;
  /** The places of keys over equal nodes, before or after a change. A new call is like a new process. */
  place(nodes: readonly string[], change?: Change): Place;
}

export const KEYS = 100_000;
export const COUNTS = [10, 100, 1000] as const;
/** The cluster that is changed. */
export const CHANGED = 100;
/** The node that is taken away. */
export const TAKEN = 41;

const MAP_SHARDS = 65_536;

export function keys(): string[] {
  return Array.from({ length: KEYS }, (_, i) => `user:${i}`);
}

export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}:6379`);
}

export function changed(nodes: readonly string[], change: Change | undefined): string[] {
  if (change === 'added') return [...nodes, nodeNames(nodes.length + 1).at(-1) as string];
  return change === 'taken' ? nodes.filter((_, i) => i !== TAKEN) : [...nodes];
}

export const OURS: readonly Contender[] = [
  {
    name: '`Router`, jump hash',
    place(nodes, change) {
      const names = change === 'added' ? changed(nodes, change) : nodes;
      const router = new Router({ shards: names.length, down: change === 'taken' ? [TAKEN] : [] });
      return (key) => names[router.route(key)];
    },
  },
  {
    name: `\`ShardMap\`, ${MAP_SHARDS.toLocaleString('en')} shards`,
    place(nodes, change) {
      const first = ShardMap.create({ shards: MAP_SHARDS, nodes: nodes.map((name) => ({ name })) });
      const map = change ? first.with({ nodes: changed(nodes, change).map((name) => ({ name })) }) : first;
      const router = new Router({ shards: MAP_SHARDS });
      return (key) => map.nodesOf(router.route(key))[0];
    },
  },
  {
    name: "`partitioner('ketama')`, as hashring",
    place(nodes, change) {
      const names = changed(nodes, change);
      const ring = partitioner('ketama', { servers: names.map((name) => ({ name })), variant: 'hashring' });
      return (key) => names[ring.route(key)];
    },
  },
  {
    name: "`partitioner('ketama')`, as libmemcached",
    place(nodes, change) {
      const names = changed(nodes, change);
      const ring = partitioner('ketama', { servers: names.map((name) => ({ name })) });
      return (key) => names[ring.route(key)];
    },
  },
  {
    name: 'hash modulo the number of nodes',
    place(nodes, change) {
      const names = changed(nodes, change);
      const router = new Router({ shards: names.length, strategy: 'modulo' });
      return (key) => names[router.route(key)];
    },
  },
];
