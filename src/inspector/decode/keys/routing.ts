import { detailsOf } from '../../../errors.js';
import { Router } from '../../../index.js';
import { type NodeSpec, ShardMap } from '../../../map/index.js';
import { type Partitioner, partitionerNamed, systems } from '../../../partitioners/index.js';
import { type ROUTING_DEFAULTS, STRATEGIES } from '../settings.js';

/** What keys are routed by now, and then. What is empty of the latter is as now. */
export type PlanSettings = Readonly<typeof ROUTING_DEFAULTS>;

/** What keys are routed by, as it was typed. */
export type KeyRouting = Pick<PlanSettings, 'by' | 'n' | 'seed' | 'down' | 'nodes'>;

/** Strategies of the Router, and systems with each of their variants; a variant that has two words has one here. */
export const ROUTED_BY: readonly string[] = [
  ...STRATEGIES,
  ...Object.keys(systems).filter((word) => !systems[word].isShort),
];

export const strategyOf = (by: string) => STRATEGIES.find((strategy) => strategy === by);

export const nounOf = (by: string): string => systems[by]?.noun ?? 'shard';

/** What the number of shards is called where it is set; undefined: it is not. */
export const countOf = (by: string): string | undefined => (systems[by] ?? { count: 'shards' }).count;

/** Whether the nodes are servers, which say what the shards are. */
export const isRing = (by: string): boolean => systems[by]?.hasServers === true;

export const mayHaveNodes = (by: string): boolean => strategyOf(by) !== undefined || isRing(by);

const SHARDS = 16;

/** Text that is not a number goes to the library as it is, which says what it expected. */
export const parsed = <T>(text: string, digits: RegExp, parse: (text: string) => T): T =>
  digits.test(text) ? parse(text) : (text as T);

/** @throws what the library throws for an option that is wrong; an Error whose `argument` is `nodes` for a node */
export function routingOf({ by, n, seed, down, nodes }: KeyRouting): Router | Partitioner {
  const strategy = strategyOf(by);
  const specs = nodesIn(nodes);
  // The vBuckets of a cluster are as many as Couchbase makes, unless somebody knows better.
  const shards = n !== '' ? parsed(n, /^\d+$/, Number) : by === 'couchbase' ? undefined : SHARDS;
  if (isRing(by)) {
    const needed = `${systems[by].system} needs its servers: type them in their order, such as db-1:11211, db-2.`;
    if (specs.length === 0) throw problemOfNodes(needed);
    return namingNodes(specs, () => partitionerNamed(by, { servers: specs }));
  }
  if (strategy === undefined) return partitionerNamed(by, { shards });
  const router = new Router({
    shards: shards ?? SHARDS,
    strategy,
    seed: parsed(seed, /^(-?\d+)?$|^0x[\da-f]+$/i, BigInt),
    down: down.match(/[^\s,]+/g)?.map((shard) => parsed(shard, /^\d+$/, Number)),
  });
  if (specs.length === 0) return router;
  namingNodes(specs, () => ShardMap.create({ shards: 1, nodes: specs }));
  if (router.shards <= MAX_PLACED) return router;
  throw problemOfNodes(`expected at most ${MAX_PLACED} shards on nodes, got ${router.shards}`);
}

/** As many as a shard map has. */
const MAX_PLACED = 2 ** 24;

/** A number of four digits or more is a port, which belongs to the name. */
const NODE = /^(?<name>.+?)(?:(?<!\s)\s*:\s*(?<weight>-?(?:\d{0,3}|\d*\.\d+)))?$/s;

/** The nodes of a box: `db-1, db-2:2`, or one on each line. A weight may follow a port: `10.0.0.1:11211:2`. */
export const nodesIn = (text: string): NodeSpec[] =>
  text.split(/[,\n]/).flatMap((part) => {
    const { name, weight } = NODE.exec(part.trim())?.groups ?? {};
    if (name === undefined) return [];
    return weight === undefined ? [{ name }] : [{ name, weight: Number(weight) }];
  });

/** @throws an Error about nodes that names the one that is wrong */
function namingNodes<T>(nodes: readonly NodeSpec[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    const { argument = '', expected, message } = detailsOf(error);
    const [, row, what] = /^\w+\[(\d+)\]\.(\w+)$/.exec(argument) ?? [];
    if (row === undefined) throw problemOfNodes(message);
    const { name, weight } = nodes[Number(row)];
    throw problemOfNodes(
      `${name}: ${what === 'weight' ? `weight: expected ${expected}, got ${weight}` : `expected ${expected}`}`,
    );
  }
}

const problemOfNodes = (message: string) => new SideProblem('nodes', message);

/** What follows if a box of Then is empty. */
export function thenOf(settings: PlanSettings, shardsNow: number): KeyRouting {
  const { by, seed, down, nodes, toBy, toN, toSeed, toDown, toNodes } = settings;
  return {
    by: toBy || by,
    n: toN || String(shardsNow + (isGrowing(settings) ? Math.ceil(shardsNow / 4) : 0)),
    seed: toSeed || seed,
    down: /^\s*none\s*$/i.test(toDown) ? '' : toDown || down,
    nodes: toNodes || nodes,
  };
}

/** Whether Then has a quarter more: nothing has been set for it, and the shards are not on nodes, whose number stays. */
export function isGrowing({ by, nodes, toBy, toSeed, toDown, toNodes }: PlanSettings): boolean {
  const isOnNodes = mayHaveNodes(by) && nodes.trim() !== '';
  return !isOnNodes && toBy + toSeed + toDown + toNodes === '';
}

export type Routings = ReturnType<typeof routingsOf>;

export type SideName = 'now' | 'next';

/** What is wrong with an option, and of which of the two; without a side it is wrong with the keys. */
export class SideProblem extends Error {
  constructor(
    readonly argument: string,
    message: string,
    readonly side?: SideName,
  ) {
    super(message);
  }
}

/** What keys are routed by now and then. @throws SideProblem with a side */
export function routingsOf(settings: PlanSettings) {
  const now = onSide('now', () => routingOf(settings));
  const to = thenOf(settings, now.shards);
  /** A text says why there is no Then. */
  let next: Router | Partitioner | string | undefined = whyNoPlan(settings, to, now.shards);
  try {
    next ??= onSide('next', () => routingOf(to));
  } catch (error) {
    const { argument, message } = detailsOf(error);
    // What nobody typed is not a mistake.
    if (settings.toN !== '' || argument !== countOf(to.by)) throw error;
    next = `There is no plan: ${message}`;
  }
  return { now, next, from: settings, to };
}

function onSide<T>(side: SideName, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const { argument = '', message } = detailsOf(error);
    throw new SideProblem(argument, message, side);
  }
}

function whyNoPlan(settings: PlanSettings, to: KeyRouting, shards: number): string | undefined {
  const { by, n, toBy, toN } = settings;
  const system = `${systems[by]?.system} has`;
  if ([by, to.by].includes('cassandra'))
    return 'A ring of nodes, which the page does not know, decides where keys lie, so the page shows tokens only.';
  const [isNamed, isNamedThen] = [settings, to].map((side) => mayHaveNodes(side.by) && nodesIn(side.nodes).length > 0);
  if (isNamed && !isNamedThen)
    return `Only Now has nodes, with which the ${nounOf(to.by)}s of Then cannot be compared.`;
  if (isNamedThen && !isNamed) return 'Only Then has nodes. Type the nodes of Now, too, to see what moves.';
  const isSame = by === to.by && to.seed === settings.seed && to.down === settings.down && to.nodes === settings.nodes;
  if (!isSame) return undefined;
  if (isNamed && (toN === '' || isRing(by))) {
    return `Type the nodes${isRing(by) ? '' : ', or the shards,'} of Then to see what moves.`;
  }
  if (countOf(by) === undefined) {
    return `${system} a fixed number of ${nounOf(by)}s, so there are never more. Choose what keys are routed by then.`;
  }
  if (by === 'couchbase' && n === '' && toN === '' && toBy === '') {
    return `${system} ${shards} ${nounOf(by)}s by default. Type a number for Then to see what moves.`;
  }
  return undefined;
}

export const keysIn = (text: string): string[] => text.split(/\r?\n/).filter((key) => key !== '');
