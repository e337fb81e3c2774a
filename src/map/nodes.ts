import { checkGiven, checkString, wrongKind, wrongValue } from '../arguments.js';
import { hasControlCharacter } from '../columns/keys.js';

/** A machine that holds shards. */
export interface NodeSpec {
  /** 1 to 255 characters, none of them a control character. No two nodes have the same name. */
  name: string;
  /** The node's share of the shards, relative to the weights of the others: above 0, at most 1e9. 1 by default. */
  weight?: number | undefined;
  /** Nodes in one zone can fail together: a rack or a data center. A node without a zone counts as its own zone. */
  zone?: string | undefined;
}

/** A node of a map, with its defaults filled in. */
export interface MapNode {
  readonly name: string;
  readonly weight: number;
  readonly zone?: string;
}

// Indexes of nodes have 16 bits, and one value means "no node".
const MAX_NODES = 65_535;
const MAX_WEIGHT = 1e9;
const MAX_CHARACTERS = 255;

/** Checks nodes and sorts them by name (code units), so that maps do not depend on the order in which nodes are given. */
export function checkNodes(argument: string, nodes: readonly NodeSpec[]): readonly MapNode[] {
  if (!Array.isArray(nodes)) throw wrongKind(argument, 'an array of nodes', nodes);
  if (nodes.length === 0 || nodes.length > MAX_NODES) {
    throw wrongValue(argument, `1 to ${MAX_NODES} nodes`, nodes.length);
  }
  const names = new Set<string>();
  const checked = Array.from(nodes, (node: NodeSpec, row) => {
    const { name, weight = 1, zone } = checkGiven(node, ['name', 'weight', 'zone'], `${argument}[${row}]`);
    checkName(`${argument}[${row}].name`, name);
    if (names.has(name)) throw wrongValue(`${argument}[${row}].name`, 'a name that no other node has', name);
    names.add(name);
    if (typeof weight !== 'number') throw wrongKind(`${argument}[${row}].weight`, 'a number', weight);
    if (!(weight > 0 && weight <= MAX_WEIGHT)) {
      throw wrongValue(`${argument}[${row}].weight`, `a number above 0, at most ${MAX_WEIGHT}`, weight);
    }
    if (zone === undefined) return Object.freeze({ name, weight });
    return Object.freeze({ name, weight, zone: checkName(`${argument}[${row}].zone`, zone) });
  });
  return Object.freeze(checked.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function checkName(argument: string, name: string): string {
  checkString(argument, name);
  if (name.length < 1 || name.length > MAX_CHARACTERS || hasControlCharacter(name)) {
    throw wrongValue(argument, `1 to ${MAX_CHARACTERS} characters, none of them a control character`, name);
  }
  return name;
}

// With 10,000,000 rows, gathering takes 2.7 ns a row and checking 1.3, one row at a time. Several rows at a time take 1.1
// and 0.8 ns, because V8 checks the bounds of the arrays once for all of them.

/**
 * The node of every shard.
 * @param column the node of each shard
 * @param nodes the result; written only if all rows are valid
 * @throws RangeError if a row is not a shard
 */
export function gatherNodes(column: Uint16Array, shards: Uint32Array, nodes: Uint16Array): void {
  checkShards(shards, column.length - 1);
  let row = 0;
  for (; row + 8 <= shards.length; row += 8) {
    nodes[row] = column[shards[row]];
    nodes[row + 1] = column[shards[row + 1]];
    nodes[row + 2] = column[shards[row + 2]];
    nodes[row + 3] = column[shards[row + 3]];
    nodes[row + 4] = column[shards[row + 4]];
    nodes[row + 5] = column[shards[row + 5]];
    nodes[row + 6] = column[shards[row + 6]];
    nodes[row + 7] = column[shards[row + 7]];
  }
  for (; row < shards.length; row++) nodes[row] = column[shards[row]];
}

function checkShards(shards: Uint32Array, last: number): void {
  let row = 0;
  for (; row + 4 <= shards.length; row += 4) {
    if (shards[row] > last || shards[row + 1] > last) break;
    if (shards[row + 2] > last || shards[row + 3] > last) break;
  }
  for (; row < shards.length; row++) {
    if (shards[row] > last) throw wrongValue('shards', `a shard from 0 to ${last}`, shards[row], row);
  }
}
