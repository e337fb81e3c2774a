import type { NodeSpec } from '../../../map/index.js';
import { BadValue, shown } from '../../options/usage.js';

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
