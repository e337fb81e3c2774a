import { detailsOf } from '../../errors.js';
import { planReshard, Router, type Routing } from '../../index.js';
import type { Partitioner } from '../../partitioners/index.js';
import { checkPartitionKey } from '../../partitioners/keys.js';
import {
  definitionOf,
  hasServers,
  nounOf as nounOfSystem,
  partitionerOf,
  SYSTEM_WORDS,
  systemOfWord,
} from '../../partitioners/partitioner.js';
import { type Settings, STRATEGIES } from './settings.js';

/** What keys are routed by, as it was typed. */
export type KeyRouting = Pick<Settings, 'by' | 'n' | 'seed' | 'down'>;

/** Strategies of the Router, and systems with each of their variants; a variant that has two words has one here. */
export const ROUTED_BY: readonly string[] = [
  ...STRATEGIES,
  ...SYSTEM_WORDS.filter((word) => {
    const { name, variant } = systemOfWord(word);
    if (hasServers(name)) return false; // there is no place to type them
    return variant !== undefined || definitionOf(name).choice?.hasUnnamed !== false;
  }),
];

const strategyOf = (by: string) => STRATEGIES.find((strategy) => strategy === by);

/** What a shard is called. */
export function nounOf(by: string): string {
  return strategyOf(by) ? 'shard' : nounOfSystem(systemOfWord(by).name);
}

/** What the number of shards is called where it is set; undefined: it is not. */
export function countOf(by: string): string | undefined {
  return strategyOf(by) ? 'shards' : definitionOf(systemOfWord(by).name).count;
}

const SHARDS = 16;

/** Text that is not a number goes to the library as it is, which says what it expected. */
const parsed = <T>(text: string, digits: RegExp, parse: (text: string) => T): T =>
  digits.test(text) ? parse(text) : (text as T);

/** @throws what the library throws for an option that is wrong */
export function routingOf({ by, n, seed, down }: KeyRouting): Router | Partitioner {
  const strategy = strategyOf(by);
  // The vBuckets of a cluster are as many as Couchbase makes, unless somebody knows better.
  const shards = n !== '' ? parsed(n, /^\d+$/, Number) : by === 'couchbase' ? undefined : SHARDS;
  if (strategy === undefined) return partitionerOf(systemOfWord(by), shards);
  return new Router({
    shards: shards ?? SHARDS,
    strategy,
    seed: parsed(seed, /^(-?\d+)?$|^0x[\da-f]+$/i, BigInt),
    down: down.match(/[^\s,]+/g)?.map((shard) => parsed(shard, /^\d+$/, Number)),
  });
}

/** Keys of each bar of a picture: that stay, move to the new shard, and move to another one. */
type Bars = readonly (readonly number[])[];

const MAX_SHOWN = 50;
const MAX_CHARACTERS = 200;
const MAX_BARS = 128;
const MAX_FLOWS = 5;

/** One key a line; lines without a character are not keys. */
export function keysIn(text: string): string[] {
  return text.split(/\r?\n/).filter((key) => key !== '');
}

/** Keys as a routing takes them: ids are decimal integers. */
function columnOf(keys: readonly string[], routing: Router | Partitioner): readonly string[] | BigInt64Array {
  if (!('key' in routing) || routing.key !== 'int64') return keys;
  return BigInt64Array.from(keys, (key) => checkPartitionKey('int64', parsed(key, /^-?\d{1,19}$/, BigInt)) as bigint);
}

/** @throws as {@link routingOf}, or a TypeError or RangeError for a key that the system does not have */
export function routeKeys(text: string, routing: KeyRouting) {
  const keys = keysIn(text);
  const from = routingOf(routing);
  const column = columnOf(keys, from);
  const { shards } = from;
  const first = keys.slice(0, MAX_SHOWN);
  const firstRows = column.slice(0, MAX_SHOWN);
  const hasTokens = shards === 0; // and nothing else, because a ring says where they lie
  const counts = new Map<number, number>();
  if (!hasTokens) for (const shard of from.routeMany(column)) counts.set(shard, (counts.get(shard) ?? 0) + 1);
  const texts = hasTokens && 'tokens' in from ? from.tokens(firstRows) : from.routeMany(firstRows);
  const to = grown(routing, from);
  const next = typeof to === 'string' ? undefined : to.routeMany(firstRows);
  const barWidth = Math.ceil((shards + 1) / MAX_BARS);
  const planned = typeof to === 'string' ? undefined : planReshard(column as string[], from, to);
  const flows = planned?.flows ?? [];
  const barsOf = (side: 'from' | 'to', shardsThen: number): Bars => {
    const bars = [0, 1, 2].map(() => new Array<number>(Math.ceil(shardsThen / barWidth)).fill(0));
    const add = (kind: number, shard: number, count: number) => {
      bars[kind][Math.floor(shard / barWidth)] += count;
    };
    for (const [shard, count] of counts) add(0, shard, count);
    for (const flow of flows) {
      add(0, flow.from, -flow.count);
      add(flow.to === shards ? 1 : 2, flow[side], flow.count);
    }
    return bars;
  };
  return {
    routing,
    keys: keys.length,
    /** 0: keys have tokens only. */
    shards,
    /** Some keys, each with its shard or token, and its shard of n + 1. */
    some: first.map((key, row): [key: string, shard: string, next: string | undefined] => [
      key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key,
      String(texts[row]),
      next && String(next[row]),
    ]),
    /** undefined: there are no keys, or tokens only. */
    balance: counts.size === 0 ? undefined : balanceOf(counts, keys.length, from),
    /** How many shards a bar stands for. */
    barWidth,
    bars: barsOf('from', shards),
    /** What moves from n shards to n + 1. A text says why there is nothing to tell. */
    moves:
      planned === undefined
        ? String(to)
        : {
            moved: planned.moved,
            /** How many keys would have to move if they were spread evenly. */
            ideal: planned.ideal,
            /** The largest moves. */
            flows: [...flows].sort((a, b) => b.count - a.count).slice(0, MAX_FLOWS),
            /** The bars of n + 1 shards. */
            bars: barsOf('to', shards + 1),
          },
  };
}

/** The same with one shard more; text: why there is none. */
function grown(routing: KeyRouting, from: Routing<any>): Routing<any> | string {
  const { by, n } = routing;
  const system = `${systemOfWord(by).name} has`;
  if (from.shards === 0)
    return 'A ring of nodes, which the page does not know, decides where keys lie, so the page shows tokens only.';
  if (countOf(by) === undefined) return `${system} a fixed number of ${nounOf(by)}s, so there is no n + 1.`;
  if (by === 'couchbase' && n === '') {
    return `${system} ${from.shards} ${nounOf(by)}s by default. Type a number to see what one more would move.`;
  }
  try {
    return routingOf({ ...routing, n: String(from.shards + 1) });
  } catch (error) {
    return `There is no n + 1: ${detailsOf(error).message}`;
  }
}

/** How evenly keys lie on the shards that are up, of which some have none. */
function balanceOf(keysOf: ReadonlyMap<number, number>, keys: number, routing: Routing<any>) {
  const counts = new Map(keysOf);
  const down = routing instanceof Router ? routing.down : [];
  const up = routing.shards - down.length;
  const empty = up - counts.size;
  // Only the first of the shards without keys is looked at, because there may be billions.
  let first = 0;
  while (counts.has(first) || down.includes(first)) first++;
  if (empty > 0) counts.set(first, 0);
  const sorted = [...counts].sort(([a, few], [b, many]) => many - few || a - b);
  const [fullest, most] = sorted[0];
  const least = sorted[sorted.length - 1][1];
  const [emptiest] = sorted.find(([, count]) => count === least) ?? [first];
  return { fullest, most, emptiest, least, maxToMean: (most * up) / keys, empty };
}
