import { type Flow, Router, type Routing } from '../../index.js';
import type { Partitioner, SystemName } from '../../partitioners/index.js';
import { definitionOf, partitionerOf, SYSTEM_WORDS, systemOfWord } from '../../partitioners/partitioner.js';
import { ROUTING_STRATEGIES, type Settings } from './settings.js';

/** What keys are routed by, as it was typed. */
export type KeyRouting = Pick<Settings, 'by' | 'n' | 'seed' | 'down'>;

/** Strategies of the Router, and systems with each of their variants; a variant that has two words has one here. */
export const ROUTED_BY: readonly string[] = [
  ...ROUTING_STRATEGIES,
  ...SYSTEM_WORDS.filter((word) => word.includes(':') || definitionOf(word as SystemName).choice?.hasUnnamed !== false),
];

/** What a shard is called, unless the number of shards is called the same. */
const NOUNS: { readonly [name: string]: string } = {
  redis: 'slot',
  postgres: 'remainder',
  cassandra: 'token',
  couchbase: 'vBucket',
  flink: 'key group',
};

const strategyOf = (by: string) => ROUTING_STRATEGIES.find((strategy) => strategy === by);

/** What a shard is called. */
export function nounOf(by: string): string {
  return NOUNS[systemOfWord(by).name] ?? (countOf(by) as string).slice(0, -1);
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
    shards: shards as number,
    strategy,
    seed: parsed(seed, /^(-?\d+)?$|^0x[\da-f]+$/i, BigInt),
    down: down.match(/[^\s,]+/g)?.map((shard) => parsed(shard, /^\d+$/, Number)),
  });
}

/** Keys of each bar of a picture: that stay, move to the new shard, and move to another one. */
export type Bars = readonly [stay: number[], toNew: number[], toOther: number[]];

/** What moves from n shards to n + 1. */
export interface Moves {
  readonly moved: number;
  /** Of keys that are spread evenly. */
  readonly ideal: number;
  /** The largest. */
  readonly flows: readonly Flow[];
  /** Where keys lie with n + 1, by where they come from. */
  readonly bars: Bars;
}

/** How evenly keys lie on the shards that are up. */
export interface KeyBalance {
  readonly fullest: number;
  readonly most: number;
  readonly emptiest: number;
  readonly least: number;
  readonly maxToMean: number;
  readonly empty: number;
}

export interface RoutedKeys {
  readonly routing: KeyRouting;
  readonly keys: number;
  /** 0: keys have tokens only. */
  readonly shards: number;
  /** Some keys, each with its shard or token, and its shard of n + 1. */
  readonly some: readonly (readonly [key: string, shard: string, next: string | undefined])[];
  /** undefined: there are no keys, or tokens only. */
  readonly balance: KeyBalance | undefined;
  /** A bar is so many shards. */
  readonly barWidth: number;
  readonly bars: Bars;
  /** Text: why there are none. */
  readonly moves: Moves | string;
}

const MAX_SHOWN = 50;
const MAX_CHARACTERS = 200;
const MAX_BARS = 128;
const MAX_FLOWS = 5;

/** One key a line; lines without a character are not keys. */
export function keysIn(text: string): string[] {
  return text.split(/\r?\n/).filter((key) => key !== '');
}

/** @throws as {@link routingOf} */
export function routeKeys(text: string, routing: KeyRouting): RoutedKeys {
  const keys = keysIn(text);
  const from = routingOf(routing);
  const { shards } = from;
  const first = keys.slice(0, MAX_SHOWN);
  const tokens = shards === 0 ? (from as Partitioner).tokens(first) : undefined;
  const placed = tokens === undefined ? from.routeMany(keys) : new Uint32Array(0);
  const down = from instanceof Router ? from.down : [];
  const to = grown(routing, from);
  const next = typeof to === 'string' ? undefined : to.routeMany(keys);
  const barWidth = Math.ceil((shards + 1) / MAX_BARS);
  const [bars, nextBars] = [shards, shards + 1].map((count) =>
    [0, 1, 2].map(() => new Array<number>(Math.ceil(count / barWidth)).fill(0)),
  ) as unknown as [Bars, Bars];
  // As planReshard counts, which takes 0.8 KB of gzip more. A test compares the two.
  const flows = new Map<string, Flow>();
  let moved = 0;
  placed.forEach((left, row) => {
    const joined = next?.[row] ?? left;
    const kind = joined === left ? 0 : joined === shards ? 1 : 2;
    bars[kind][Math.floor(left / barWidth)]++;
    nextBars[kind][Math.floor(joined / barWidth)]++;
    if (kind === 0) return;
    moved++;
    const name = `${left} ${joined}`;
    const flow = flows.get(name) ?? { from: left, to: joined, count: 0 };
    flow.count++;
    flows.set(name, flow);
  });
  return {
    routing,
    keys: keys.length,
    shards,
    some: first.map((key, row) => [
      key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key,
      String((tokens ?? placed)[row]),
      next && String(next[row]),
    ]),
    balance: balanceOf(placed, shards, down),
    barWidth,
    bars,
    moves:
      typeof to === 'string'
        ? to
        : {
            moved,
            ideal: keys.length / (to.shards - down.length),
            flows: [...flows.values()].sort((a, b) => b.count - a.count).slice(0, MAX_FLOWS),
            bars: nextBars,
          },
  };
}

/** The same with one shard more; text: why there is none. */
function grown(routing: KeyRouting, from: Routing): Routing | string {
  const { by, n } = routing;
  const system = `${systemOfWord(by).name} has`;
  if (from.shards === 0) return 'A ring of nodes, which is not known here, says where keys lie: there are tokens only.';
  if (countOf(by) === undefined) return `${system} a fixed number of ${nounOf(by)}s, so there is no n + 1.`;
  if (by === 'couchbase' && n === '') {
    return `${system} ${from.shards} ${nounOf(by)}s by default. Type a number to see what one more would move.`;
  }
  try {
    return routingOf({ ...routing, n: String(from.shards + 1) });
  } catch (error) {
    return `There is no n + 1: ${(error as Error).message}`;
  }
}

function balanceOf(placed: Uint32Array, shards: number, down: readonly number[]): KeyBalance | undefined {
  if (placed.length === 0) return undefined;
  const counts = new Map<number, number>();
  for (const shard of placed) counts.set(shard, (counts.get(shard) ?? 0) + 1);
  const up = shards - down.length;
  const empty = up - counts.size;
  // Of the shards without keys the first alone, as there may be billions.
  let first = 0;
  while (counts.has(first) || down.includes(first)) first++;
  if (empty > 0) counts.set(first, 0);
  const sorted = [...counts].sort(([a, few], [b, many]) => many - few || a - b);
  const [fullest, most] = sorted[0];
  const [, least] = sorted.at(-1) as [number, number];
  const [emptiest] = sorted.find(([, count]) => count === least) as [number, number];
  return { fullest, most, emptiest, least, maxToMean: (most * up) / placed.length, empty };
}
