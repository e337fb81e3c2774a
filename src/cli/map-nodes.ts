import type { NodeSpec } from '../map/index.js';
import { isRefusal, shown, suggestion, UsageError } from './usage.js';

/** How nodes are written, for help. */
export const NODES = 'nodes as NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE, with commas between them';

const NODE = /^([^=@]+)(?:=([^=@]*))?(?:@([^=@]+))?$/;
const PAIR = /^([^=@]+)=([^=@]*)$/;
const NUMBER = /^[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?$/i;
const MOST_WEIGHT = 1e9;

/** Parses an option that is a list. The option may be repeated to add to the list. */
type ListParser<T> = (given: string, before?: readonly T[]) => readonly T[];

/** Parses `db1=2@eu,db2`. */
export function nodeList(option: string): ListParser<NodeSpec> {
  return listOf<NodeSpec>(option, (text) => {
    const [, name, weight, zone] = NODE.exec(text) ?? [];
    if (name === undefined) throw expected(option, 'NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE', text);
    return {
      name,
      ...(weight !== undefined && { weight: weightOf(option, name, weight) }),
      ...(zone !== undefined && { zone }),
    };
  });
}

/** Parses `db1,db2`. */
export function nameList(option: string): ListParser<{ readonly name: string }> {
  return listOf(option, (name) => {
    if (name === '' || /[=@]/.test(name)) throw expected(option, 'the name of a node', name);
    return { name };
  });
}

/** Parses `db1=3,db2=0.5`. */
export function weightList(option: string): ListParser<{ readonly name: string; readonly weight: number }> {
  return listOf(option, (text) => {
    const [, name, weight] = PAIR.exec(text) ?? [];
    if (name === undefined || weight === undefined) throw expected(option, 'NAME=WEIGHT', text);
    return { name, weight: weightOf(option, name, weight) };
  });
}

/** Parses `db1=eu,db2=`, of which the second has no zone. */
export function zoneList(option: string): ListParser<{ readonly name: string; readonly zone: string }> {
  return listOf(option, (text) => {
    const [, name, zone] = PAIR.exec(text) ?? [];
    if (name === undefined || zone === undefined) throw expected(option, 'NAME=ZONE', text);
    return { name, zone };
  });
}

function listOf<T extends { readonly name: string }>(option: string, parse: (text: string) => T): ListParser<T> {
  return (given, before = []) => {
    const all = [...before];
    const names = new Set(all.map(({ name }) => name));
    for (const text of given.split(',')) {
      const one = parse(text);
      if (names.has(one.name)) throw expected(option, 'each node once', one.name, ' again');
      names.add(one.name);
      all.push(one);
    }
    return all;
  };
}

function weightOf(option: string, name: string, text: string): number {
  const weight = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (weight > 0 && weight <= MOST_WEIGHT) return weight;
  throw expected(option, `a weight above 0, at most ${MOST_WEIGHT}, for ${name}`, text);
}

function expected(option: string, what: string, got: string, more = ''): UsageError {
  return new UsageError(`${option}: expected ${what}, got ${shown(got)}${more}`);
}

/** Refuses names that are not those of nodes. */
export function checkKnown(
  option: string,
  given: readonly { readonly name: string }[],
  known: readonly string[],
): void {
  const names = new Set(known);
  for (const { name } of given) {
    if (names.has(name)) continue;
    throw new UsageError(
      `${option}: expected the name of a node of the map, got ${shown(name)}${suggestion(name, known)}`,
    );
  }
}

/** Makes a map from nodes. If the library refuses a node, that is bad usage. */
export function fromNodes<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const [, field] = (isRefusal(error) && /^nodes\[\d+\]\.(\w+)$/.exec(error.argument)) || [];
    if (!isRefusal(error) || field === undefined) throw error;
    throw new UsageError(`the ${field} of a node: expected ${error.expected}, got ${shown(error.got)}`);
  }
}
