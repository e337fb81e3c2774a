import { readFile } from 'node:fs/promises';
import { type NodeSpec, ShardMap } from '../../map/index.js';
import type { ShardNames } from '../../node/index.js';
import { checkOutputs, withOutput } from '../io/output.js';
import { inputsOf } from './input.js';
import { isRefusal, problemOf, type Refusal, shown, suggestion, UsageError } from './usage.js';

/** What a MAP is, for help. */
export const MAP = 'a file written by map create, change or get, or - for standard input';

/**
 * Reads a map from a file, or from standard input for `-`.
 * @throws Error that names the file if it is not a map
 */
export async function readMap(where: string): Promise<ShardMap> {
  const text = await textOf(where);
  try {
    return ShardMap.from(text);
  } catch (error) {
    throw isRefusal(error) ? new Error(`${where}: ${notAMap(error, text)}`, { cause: error }) : error;
  }
}

async function textOf(where: string): Promise<string> {
  const [input] = inputsOf([where]);
  const decoder = new TextDecoder(); // skips a byte order mark
  if (typeof input === 'string') {
    const bytes = await readFile(input).catch((error) => {
      throw Object.assign(error, { path: input }); // Node.js does not name a directory
    });
    return decoder.decode(bytes);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of input as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return decoder.decode(Buffer.concat(chunks));
}

function notAMap(error: Refusal & { readonly row?: number | undefined }, text: string): string {
  if (text === '') return 'expected the JSON of a shard map, got nothing';
  if (error.got === text) {
    const what = text.startsWith('{') ? 'JSON that is damaged or cut short' : shown(text);
    return `expected the JSON of a shard map, got ${what}`;
  }
  const [, place] = /^json\.(.+)/.exec(error.argument) ?? [];
  const row = error.row === undefined ? '' : `[${error.row}]`;
  return `this is no shard map: ${place === undefined ? '' : `${place}${row}: `}${problemOf(error)}`;
}

/** Writes a map as JSON to a file or to standard output. */
export async function writeMap(map: ShardMap, out: string | undefined): Promise<void> {
  await withOutput(out, (print) => print(`${JSON.stringify(map)}\n`));
}

/** Refuses to overwrite a map that is also read. */
export function checkMapOutput(out: string | undefined, where: string): void {
  checkOutputs({ out }, inputsOf([where]));
}

/**
 * Refuses to read two things from standard input.
 * @param given the inputs by name; `-` is standard input
 */
export function checkOneStdin(given: { readonly [name: string]: string | undefined }): void {
  const names = Object.keys(given).filter((name) => given[name] === '-');
  if (names.length < 2) return;
  throw new UsageError(`expected only one of ${names.join(' and ')} from standard input, got both as -`);
}

/** How nodes are written, for help. */
export const NODES = 'nodes as NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE, with commas between them';

const NODE = /^([^=@]+)(?:=([^=@]*))?(?:@([^=@]+))?$/;
const PAIR = /^([^=@]+)=([^=@]*)$/;
const NUMBER = /^[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?$/i;
const MAX_WEIGHT = 1e9;

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
  if (weight > 0 && weight <= MAX_WEIGHT) return weight;
  throw expected(option, `a weight above 0, at most ${MAX_WEIGHT}, for ${name}`, text);
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

/** The index of the primary node of each shard. */
export function primariesOf(map: ShardMap): Uint16Array {
  return map.nodeColumn(Uint32Array.from({ length: map.shards }, (_, shard) => shard));
}

/** The names of the primary nodes, to write instead of shards. */
export function nodeNames(map: ShardMap): ShardNames {
  return { texts: map.nodes.map(({ name }) => name), ofShard: primariesOf(map) };
}

/** Adds up the counts of shards by primary node. */
export function countsByNode(map: ShardMap, counts: Float64Array): Float64Array {
  const sums = new Float64Array(map.nodes.length);
  for (const [shard, node] of primariesOf(map).entries()) {
    sums[node] = sums[node] + counts[shard];
  }
  return sums;
}
