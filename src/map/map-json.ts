import { checkOptions, checkRecord, wrongKind, wrongValue } from '../arguments.js';
import type { MapNode } from './nodes.js';

/** The JSON of a map. */
export interface MapJson {
  readonly version: number;
  readonly shards: number;
  readonly replicas: number;
  readonly nodes: readonly MapNode[];
  /** For each copy, the primary first, the index of the node of every shard. */
  readonly copies: readonly (readonly number[])[];
}

/** The parts of a map. All are present; their values have not been checked. */
export function readMapJson(json: string | object): MapJson {
  const names = ['version', 'shards', 'replicas', 'nodes', 'copies'] as const;
  const value = typeof json === 'string' ? parsed(json) : json;
  checkRecord('json', value);
  const known = checkOptions(value as MapJson, names, 'json');
  for (const name of names) if (known[name] === undefined) throw wrongKind(`json.${name}`, 'a value', undefined);
  return known as MapJson;
}

function parsed(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongValue('json', 'the JSON of a shard map', text);
  }
}
