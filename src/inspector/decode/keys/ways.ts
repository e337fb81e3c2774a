import { planReshard, Router, type Routing } from '../../../index.js';
import { ShardMap } from '../../../map/index.js';
import { systems } from '../../../partitioners/index.js';
import { idsIn, type KeyList } from './read.js';
import { mayHaveNodes, nodesIn, nounOf, type Routings, routingOf, strategyOf } from './routing.js';

/** Of a share of 0 to 1: with a decimal where it is small, and in one line. */
export const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}\u00a0%`;

/** What whole shards lie on, where they can be moved without another number of them. */
const HOSTS: { readonly [system: string]: string } = {
  kafka: 'broker',
  rdkafka: 'broker',
  pulsar: 'broker',
  elasticsearch: 'node',
  couchbase: 'node',
  citus: 'worker',
  flink: 'operator',
};

/** More of them would take seconds to arrange. */
const MAX_NODES = 256;

/** Other ways from the number of shards now to that of then, each in a sentence with its reason. */
export function waysOf(keys: KeyList, routings: Routings): string[] {
  const { now, next, from, to } = routings;
  const isOther = from.by !== to.by || from.seed !== to.seed || from.down !== to.down;
  const hasNodes = mayHaveNodes(from.by) && nodesIn(from.nodes).length > 0;
  if (typeof next === 'string' || isOther || hasNodes || keys.count === 0 || now.shards === next.shards) return [];
  const [n, m] = [now.shards, next.shards];
  const noun = nounOf(from.by);
  const column = 'key' in now && now.key === 'int64' ? idsIn(keys) : keys.column;
  const shareOf = (before: Routing<any>, after: Routing<any>) => planReshard(column, before, after).moved / keys.count;
  const share = shareOf(now, next);
  const ways: string[] = [];

  const { system } = systems[from.by] ?? {};
  if (m < n && ['kafka', 'rdkafka', 'pulsar'].includes(String(system))) {
    ways.push('A topic cannot have fewer partitions than before: fewer need a new topic.');
  }
  if (now instanceof Router && now.strategy !== 'jump') {
    const jump = now.with({ strategy: 'jump' });
    const [less, once] = [shareOf(jump, jump.with({ shards: m })), shareOf(now, jump)];
    ways.push(
      `With jump, ${percent(less)} would move instead of ${percent(share)}, because it moves only what new shards get; changing to jump moves ${percent(once)} once.`,
    );
  }
  const multiple = n * Math.ceil(m / n);
  if (m > n && multiple > m) {
    const split = shareOf(now, routingOf({ ...to, n: String(multiple) }));
    if (split < share - 0.01) {
      ways.push(
        `To ${multiple} ${noun}s, ${percent(split)} would move, because a multiple only splits each of the ${n}.`,
      );
    }
  }
  const isRouter = strategyOf(from.by) !== undefined;
  const host = isRouter ? 'node' : HOSTS[String(system)];
  if (host !== undefined && Math.max(n, m) <= MAX_NODES) ways.push(...onNodes(n, m, noun, host, isRouter));
  return ways;
}

/** A fixed number of shards on nodes, which become more or fewer at the same rate. */
function onNodes(n: number, m: number, noun: string, host: string, isRouter: boolean): string[] {
  const common = greatestCommonDivisor(n, m);
  const isSame = common > 1;
  // Where each node would have only one of them, a Router may have more shards from the start.
  if (!isSame && !isRouter) return [];
  const shards = isSame ? n : 64 * 2 ** Math.ceil(Math.log2(Math.max(n, m)));
  const [before, after] = isSame ? [n / common, m / common] : [n, m];
  const nodesOf = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `node-${i}` }));
  const map = ShardMap.create({ shards, nodes: nodesOf(before) });
  const moves = map.movesTo(map.with({ nodes: nodesOf(after) })).length;
  const what = isSame ? `Keep ${n} ${noun}s` : `Put ${shards.toLocaleString('en')} ${noun}s on ${n} ${host}s once`;
  return [
    `${what} and move ${moves} of them ${after > before ? 'to new' : 'off'} ${host}s, as from ${before} to ${after}: ${percent(moves / shards)} of the keys move, and none changes its ${noun}.`,
  ];
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
