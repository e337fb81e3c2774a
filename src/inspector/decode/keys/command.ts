import { inShell } from '../../../arguments.js';
import type { NodeSpec } from '../../../map/index.js';
import { DEFAULTS } from '../settings.js';
import type { FileColumns } from './files.js';
import { countOf, isRing, type KeyRouting, nodesIn, type PlanSettings, routingsOf, strategyOf } from './routing.js';

/** The lines for a shell that tell the same as the page, or undefined: the commands cannot do that. */
export function commandFor(settings: PlanSettings, files?: FileColumns): string | undefined {
  const { now, next, settings: to } = routingsOf(settings);
  // A name that begins with a dash would be taken for an option.
  const names = (files?.files ?? ['keys.txt']).map((name) => name.replace(/^-/, './-'));
  const keys = [...names, ...(files?.options ?? [])];
  const from = { ...settings, n: String(now.shards) };
  if (typeof next === 'string') return routeLines(from, keys);
  return planLines(from, { ...to, n: String(next.shards) }, keys);
}

const hasDown = ({ by, down }: KeyRouting) => strategyOf(by) !== undefined && down.trim() !== '';

/** The nodes of a Router; a ring has servers instead. */
const mapNodesOf = (side: KeyRouting) => (strategyOf(side.by) ? nodesIn(side.nodes) : []);

function planLines(from: KeyRouting, to: KeyRouting, keys: readonly string[]): string | undefined {
  if (hasDown(from) || hasDown(to)) return undefined;
  const [nodes, nodesThen] = [mapNodesOf(from), mapNodesOf(to)];
  const isSame = from.by === to.by && from.seed === to.seed;
  const plan = ['shardbits', 'plan', ...keys];
  if (strategyOf(from.by)) {
    if (!isSame) return undefined;
    if (nodes.length === 0) return inLines([[...plan, '--from', from.n, '--to', to.n, ...routerOptions(from)]]);
    if (from.n !== to.n) return undefined;
    const change = changesBetween(nodes, nodesThen);
    if (!areMapNames([...nodes, ...nodesThen]) || change.length === 0) return undefined;
    return inLines([
      mapLine(from.n, nodes),
      ['shardbits', 'map', 'change', 'map.json', ...change, '--out', 'map-2.json'],
      [...plan, '--from-map', 'map.json', '--to-map', 'map-2.json', ...routerOptions(from)],
    ]);
  }
  const lines: string[][] = [];
  plan.push('--as', from.by);
  if (isRing(from.by)) {
    if (!areServers(nodesIn(from.nodes))) return undefined;
    lines.push(serversLine(from, 'servers.txt'));
    plan.push('--servers', 'servers.txt');
  } else if (countOf(from.by)) plan.push('--from', from.n);
  if (strategyOf(to.by)) {
    if (nodesThen.length === 0) plan.push('--to-router', to.n);
    else {
      if (!areMapNames(nodesThen)) return undefined;
      lines.push(mapLine(to.n, nodesThen));
      plan.push('--to-map', 'map.json');
    }
    plan.push(...routerOptions(to));
  } else if (from.by !== to.by) return undefined;
  else if (isRing(to.by)) {
    if (!areServers(nodesIn(to.nodes))) return undefined;
    lines.push(serversLine(to, 'servers-2.txt'));
    plan.push('--to-servers', 'servers-2.txt');
  } else plan.push('--to', to.n);
  return inLines([...lines, plan]);
}

function routeLines(side: KeyRouting, keys: readonly string[]): string | undefined {
  const { by, n, down } = side;
  if (by === 'cassandra') return undefined;
  const route = ['shardbits', 'route', ...keys];
  const nodes = nodesIn(side.nodes);
  if (isRing(by)) {
    if (!areServers(nodes)) return undefined;
    return inLines([serversLine(side, 'servers.txt'), [...route, '--as', by, '--servers', 'servers.txt']]);
  }
  if (!strategyOf(by)) return inLines([[...route, '--as', by, ...(countOf(by) ? ['--shards', n] : [])]]);
  if (nodes.length > 0) {
    if (hasDown(side) || !areMapNames(nodes)) return undefined;
    return inLines([mapLine(n, nodes), [...route, '--map', 'map.json', ...routerOptions(side)]]);
  }
  const downs = down.match(/\d+/g) ?? [];
  return inLines([
    [...route, '--shards', n, ...routerOptions(side), ...(downs.length > 0 ? ['--down', downs.join(',')] : [])],
  ]);
}

function routerOptions({ by, seed }: KeyRouting): string[] {
  const strategy = by === DEFAULTS.by ? [] : ['--strategy', by];
  // A number that begins with a dash would be taken for an option.
  return seed === '' ? strategy : [...strategy, `--seed=${seed}`];
}

/** Names that mean nothing else in the lists of the commands. */
const areMapNames = (nodes: readonly NodeSpec[]) => nodes.every(({ name }) => !/[=@]/.test(name));
const areServers = (nodes: readonly NodeSpec[]) => nodes.every(({ name }) => !/\s/.test(name));

const listOf = (nodes: readonly NodeSpec[]) =>
  nodes.map(({ name, weight }) => (weight === undefined ? name : `${name}=${weight}`)).join(',');

function mapLine(shards: string, nodes: readonly NodeSpec[]): string[] {
  return ['shardbits', 'map', 'create', '--shards', shards, '--nodes', listOf(nodes), '--out', 'map.json'];
}

/** A server is a line, with its weight after a comma. */
function serversLine({ nodes }: KeyRouting, file: string): string[] {
  const lines = nodesIn(nodes).map(({ name, weight }) => (weight === undefined ? name : `${name},${weight}`));
  return ['printf', '%s\\n', ...lines, '>', file];
}

function changesBetween(from: readonly NodeSpec[], to: readonly NodeSpec[]): string[] {
  const before = new Map(from.map(({ name, weight = 1 }) => [name, weight]));
  const names = new Set(to.map(({ name }) => name));
  const added = to.filter(({ name }) => !before.has(name));
  const removed = from.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const weighed = to
    .filter(({ name, weight = 1 }) => (before.get(name) ?? weight) !== weight)
    .map(({ name, weight = 1 }) => `${name}=${weight}`);
  return [
    ...(added.length > 0 ? ['--add', listOf(added)] : []),
    ...(removed.length > 0 ? ['--remove', removed.join(',')] : []),
    ...(weighed.length > 0 ? ['--weight', weighed.join(',')] : []),
  ];
}

const inLines = (lines: readonly (readonly string[])[]): string =>
  lines
    .map((words) => words.map((word, at) => (at === words.length - 2 && word === '>' ? word : inShell(word))).join(' '))
    .join('\n');
