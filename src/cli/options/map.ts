import { readFile } from 'node:fs/promises';
import { type NodeSpec, ShardMap } from '../../map/index.js';
import { inputsOf } from './input.js';
import { BadValue, isRefusal, problemOf, type Refusal, refuse, shown, UsageError } from './usage.js';

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

/** The text of a file, or of standard input for `-`. */
export async function textOf(where: string): Promise<string> {
  const [input] = inputsOf([where]);
  const decoder = new TextDecoder(); // skips a byte order mark
  if (typeof input === 'string') {
    const bytes = await readFile(input).catch((error) => {
      throw Object.assign(error, { path: input }); // Node.js does not name a directory
    });
    return decoder.decode(bytes);
  }
  let text = '';
  for await (const chunk of input as AsyncIterable<Uint8Array>) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
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

/**
 * Refuses to read two things from standard input.
 * @param given the inputs by name; `-` is standard input
 */
export function checkOneStdin(given: { readonly [name: string]: string | undefined }): void {
  const names = Object.keys(given).filter((name) => given[name] === '-');
  if (names.length < 2) return;
  throw new UsageError(`expected only one of ${names.join(' and ')} from standard input, got both as -`);
}

/** The options of a map instead of a number of shards. */
export interface MapOptions {
  map?: string;
  shards?: number;
  as?: unknown;
  down?: unknown;
}

/** Reads the map that is given instead of a routing, if there is one, and checks it against the other options. */
export async function mapFor(options: MapOptions, files: readonly string[]): Promise<ShardMap | undefined> {
  const { map: where, shards } = options;
  if (where === undefined) return undefined;
  refuse(options, ['as', 'down'], 'cannot be combined with --map');
  checkOneStdin({ FILE: files.length === 0 || files.includes('-') ? '-' : '', '--map': where });
  const map = await readMap(where);
  if (shards === undefined || shards === map.shards) return map;
  throw new UsageError(`--shards: expected ${map.shards}, the number of shards in ${where}, got ${shards}`);
}

/** How nodes are written, for help. */
export const NODES = 'nodes as NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE, with commas between them';

const NODE = /^(?<name>[^=@]+)(?:=(?<weight>[^=@]*))?(?:@(?<zone>[^=@]+))?$/;
const NAME = /^(?<name>[^=@]+)$/;
const WEIGHT = /^(?<name>[^=@]+)=(?<weight>[^=@]*)$/;
const ZONE = /^(?<name>[^=@]+)=(?<zone>[^=@]*)$/;
const NUMBER = /^([0-9]+(\.[0-9]+)?|\.[0-9]+)(e[+-]?[0-9]+)?$/i;
const MAX_WEIGHT = 1e9;

/** Parses an option that is a list. The option may be repeated to add to the list. */
type ListParser = (given: string, before?: readonly NodeSpec[]) => readonly NodeSpec[];

/** Parses `db1=2@eu,db2`. */
export const nodeList = listOf(NODE, 'NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE');

/** Parses `db1,db2`. */
export const nameList = listOf(NAME, 'the name of a node');

/** Parses `db1=3,db2=0.5`. */
export const weightList = listOf(WEIGHT, 'NAME=WEIGHT');

/** Parses `db1=eu,db2=`, of which the second has no zone. */
export const zoneList = listOf(ZONE, 'NAME=ZONE');

function listOf(form: RegExp, expected: string): ListParser {
  return (given, before = []) => {
    const all = [...before];
    for (const text of given.split(',')) {
      const { groups } = form.exec(text) ?? {};
      if (groups === undefined) throw new BadValue(expected, '', shown(text));
      const { name, weight, zone } = groups;
      if (all.some((node) => node.name === name)) throw new BadValue('each node once', ' again', shown(name));
      all.push({
        name,
        ...(weight !== undefined && { weight: weightOf(name, weight) }),
        ...(zone !== undefined && { zone }),
      });
    }
    return all;
  };
}

function weightOf(name: string, text: string): number {
  const weight = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (weight > 0 && weight <= MAX_WEIGHT) return weight;
  throw new BadValue(`a weight above 0, at most ${MAX_WEIGHT}, for ${name}`, '', shown(text));
}
