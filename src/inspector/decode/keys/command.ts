import { inShell } from '../../../arguments.js';
import type { NodeSpec } from '../../../map/index.js';
import { DEFAULTS } from '../settings.js';
import type { FileColumns } from './read.js';
import { countOf, isRing, type KeyRouting, nodesIn, type Routings, strategyOf } from './routing.js';

/** The lines for a shell that tell the same as the page, or undefined: the commands cannot do that. */
export function commandFor(routings: Routings, files?: FileColumns): string | undefined {
  const { now, next, to } = routings;
  // A name that begins with a dash would be taken for an option.
  const names = (files?.files ?? ['keys.txt']).map((name) => name.replace(/^-/, './-'));
  const keys = [...names, ...(files?.options ?? [])];
  const from = { ...routings.from, n: String(now.shards) };
  if (typeof next === 'string') return routeLines(from, keys);
  return planLines(from, { ...to, n: String(next.shards) }, keys);
}

const hasDown = ({ by, down }: KeyRouting) => strategyOf(by) !== undefined && down.trim() !== '';

function planLines(from: KeyRouting, to: KeyRouting, keys: readonly string[]): string | undefined {
  if (hasDown(from) || hasDown(to)) return undefined;
  const plan = ['shardbits', 'plan', ...keys];
  if (strategyOf(from.by)) {
    if (from.by !== to.by || from.seed !== to.seed) return undefined;
    const [nodes, nodesThen] = [from, to].map((side) => nodesIn(side.nodes));
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
  const isRouter = strategyOf(to.by) !== undefined;
  if (!isRouter && from.by !== to.by) return undefined;
  const now = optionsOf(from, countOf(from.by) ? ['--from', from.n] : [], '--servers', 'servers.txt');
  const then = optionsOf(to, [isRouter ? '--to-router' : '--to', to.n], '--to-servers', 'servers-2.txt', '--to-map');
  return now && then && inLines([...now.files, ...then.files, [...plan, '--as', from.by, ...now.words, ...then.words]]);
}

function routeLines(side: KeyRouting, keys: readonly string[]): string | undefined {
  const { by, n, down, nodes } = side;
  if (by === 'cassandra' || (hasDown(side) && nodesIn(nodes).length > 0)) return undefined;
  const as = strategyOf(by) ? [] : ['--as', by];
  const downs = (hasDown(side) && down.match(/\d+/g)) || [];
  const options = optionsOf(side, countOf(by) ? ['--shards', n] : [], '--servers', 'servers.txt', '--map');
  const end = downs.length > 0 ? ['--down', downs.join(',')] : [];
  return options && inLines([...options.files, ['shardbits', 'route', ...keys, ...as, ...options.words, ...end]]);
}

/**
 * The words of a command that say what keys are routed by, and the lines that make the files for it.
 * @param count the words if there are no nodes
 * @param servers, map the options for nodes
 */
function optionsOf(side: KeyRouting, count: readonly string[], servers: string, file: string, map = '') {
  const nodes = nodesIn(side.nodes);
  if (isRing(side.by)) {
    if (nodes.some(({ name }) => /\s/.test(name))) return undefined;
    return { files: [['printf', '%s\\n', ...entriesOf(nodes, ','), '>', file]], words: [servers, file] };
  }
  if (!strategyOf(side.by)) return { files: [], words: count };
  if (nodes.length === 0) return { files: [], words: [...count, ...routerOptions(side)] };
  if (!areMapNames(nodes)) return undefined;
  return { files: [mapLine(side.n, nodes)], words: [map, 'map.json', ...routerOptions(side)] };
}

function routerOptions({ by, seed }: KeyRouting): string[] {
  const strategy = by === DEFAULTS.by ? [] : ['--strategy', by];
  // A number that begins with a dash would be taken for an option.
  return seed === '' ? strategy : [...strategy, `--seed=${seed}`];
}

/** Names that mean nothing else in the lists of the commands. */
const areMapNames = (nodes: readonly NodeSpec[]) => nodes.every(({ name }) => !/[=@]/.test(name));

const entriesOf = (nodes: readonly NodeSpec[], between: string) =>
  nodes.map(({ name, weight }) => (weight === undefined ? name : `${name}${between}${weight}`));

const listOf = (nodes: readonly NodeSpec[]) => entriesOf(nodes, '=').join(',');

const mapLine = (shards: string, nodes: readonly NodeSpec[]): string[] => [
  'shardbits',
  'map',
  'create',
  '--shards',
  shards,
  '--nodes',
  listOf(nodes),
  '--out',
  'map.json',
];

function changesBetween(from: readonly NodeSpec[], to: readonly NodeSpec[]): string[] {
  const before = new Map(from.map(({ name, weight = 1 }) => [name, weight]));
  const names = new Set(to.map(({ name }) => name));
  const added = to.filter(({ name }) => !before.has(name));
  const removed = from.flatMap(({ name }) => (names.has(name) ? [] : [{ name }]));
  const weighed = to.flatMap(({ name, weight = 1 }) =>
    (before.get(name) ?? weight) === weight ? [] : [{ name, weight }],
  );
  const changes = { add: added, remove: removed, weight: weighed };
  return Object.entries(changes).flatMap(([option, nodes]) => (nodes.length > 0 ? [`--${option}`, listOf(nodes)] : []));
}

const inLines = (lines: readonly (readonly string[])[]): string =>
  lines
    .map((words) => words.map((word, at) => (at === words.length - 2 && word === '>' ? word : inShell(word))).join(' '))
    .join('\n');
