import {
  checkAttached,
  checkGiven,
  checkInteger,
  checkOptions,
  checkString,
  typeName,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { checkOut } from '../columns/keys.js';
import { Xxh64 } from '../hash/xxh64.js';
import { arrangePrimaries } from './choice.js';
import { type CopyMove, movesBetween, type PrimaryChange, primaryChangesBetween } from './moves.js';
import { checkNodes, gatherNodes, type MapNode, type NodeSpec } from './nodes.js';
import { rebalance } from './rebalance.js';
import { cellOf, type Shares, sharesOf, spread } from './shares.js';

/** The JSON of a map. */
export interface MapJson {
  readonly version: number;
  /** The digest of the map that this one was made from; missing in the first version. */
  readonly parent?: string | undefined;
  readonly shards: number;
  readonly replicas: number;
  readonly nodes: readonly MapNode[];
  /** For each copy, the primary first, the index of the node of every shard. */
  readonly copies: readonly (readonly number[])[];
}

/** The parts of a map. All but `parent` are present; their values have not been checked. */
function readMapJson(json: string | object): MapJson {
  const names = ['version', 'shards', 'replicas', 'nodes', 'copies'] as const;
  const value = typeof json === 'string' ? parsedJson(json, 'a shard map') : json;
  const known = checkGiven<MapJson>(value, [...names, 'parent'], 'json');
  for (const name of names) if (known[name] === undefined) throw wrongKind(`json.${name}`, 'a value', undefined);
  return known;
}

export function parsedJson(text: string, what: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongValue('json', `the JSON of ${what}`, text);
  }
}

export interface ShardMapOptions {
  /** The number of shards, 1 to 2^24, which never changes. Shards are numbered from 0. */
  shards: number;
  /** The nodes, at least one for each copy of a shard, in any order. */
  nodes: readonly NodeSpec[];
  /** The number of copies of each shard, including the primary; 1 by default. */
  replicas?: number | undefined;
}

/** Changes to a map. Options that are left out stay as they are. */
export interface ShardMapChanges {
  /** All nodes of the next version. */
  nodes?: readonly NodeSpec[] | undefined;
  replicas?: number | undefined;
}

/** What a node holds, and what it should hold. */
export interface NodeBalance {
  readonly node: string;
  /** How many shards it is the primary of. */
  readonly primaries: number;
  /** How many copies of shards it holds. */
  readonly copies: number;
  /** Its share of all copies by weight, as far as zones and the number of nodes allow. Not rounded. */
  readonly ideal: number;
}

const MAX_SHARDS = 2 ** 24;

interface MapContents extends Omit<MapJson, 'copies' | 'parent'> {
  readonly parent: string | undefined;
  /** The nodes of each shard as indexes, the primary first, one shard after the other. */
  readonly cells: Uint16Array;
}

/**
 * Which nodes hold which shards. The number of shards is fixed, and each has one primary and `replicas` - 1 further copies.
 * Immutable: a change gives the next version. The same steps give the same maps on every machine.
 *
 * - A node gets its share of the copies and of the primaries by weight, rounded up or down. If the share of a zone's nodes is
 *   more than the zone can hold, the number of primaries may differ by more.
 * - Two copies of a shard are never on one node, and never in one zone if there are as many zones as copies. If a zone then
 *   cannot hold the share of its nodes, they get less; `limited` names them.
 * - A change moves as few copies as possible. If a primary is removed, a node that holds the shard already takes over.
 * @example
 * const map = ShardMap.create({ shards: 4096, nodes: [{ name: 'db1' }, { name: 'db2' }], replicas: 2 });
 * map.nodesOf(17);                                                       // ['db2', 'db1']
 * const next = map.with({ nodes: [...map.nodes, { name: 'db3', weight: 2 }] });
 * map.movesTo(next).length;                                              // 4096
 */
export class ShardMap {
  /** 1 for the first version, and 1 more with each change. */
  readonly version: number;
  /** The digest of the map that this one was made from by {@link ShardMap.with}; undefined for one made by `create`. */
  readonly parent: string | undefined;
  readonly shards: number;
  /** The number of copies of each shard. */
  readonly replicas: number;
  /** The nodes, sorted by name (code units). Columns hold indexes into this array. */
  readonly nodes: readonly MapNode[];
  /** The nodes that hold less than their share by weight, because they or their zone cannot hold more. */
  readonly limited: readonly string[];
  readonly #cells: Uint16Array;
  readonly #shares: Shares;
  /** For each copy, the node of each shard; made on first use. */
  readonly #columns: Uint16Array[] = [];
  #digest: string | undefined;

  private constructor({ version, parent, shards, replicas, nodes, cells }: MapContents, shares: Shares) {
    this.version = version;
    this.parent = parent;
    this.shards = shards;
    this.replicas = replicas;
    this.nodes = nodes;
    this.limited = Object.freeze(shares.limited.map((node) => nodes[node].name));
    this.#cells = cells;
    this.#shares = shares;
    Object.freeze(this);
  }

  /**
   * Makes the first version of a map.
   * @throws TypeError if an option is of the wrong kind
   * @throws RangeError if an option is out of range or unknown, two nodes have the same name, or there are fewer nodes than
   *   copies
   * @example
   * ShardMap.create({ shards: 1024, nodes: [{ name: 'a', zone: 'eu' }, { name: 'b', zone: 'us', weight: 2 }], replicas: 2 });
   */
  static create(options: ShardMapOptions): ShardMap {
    const { shards, nodes: given, replicas = 1 } = checkGiven(options, ['shards', 'nodes', 'replicas']);
    checkInteger('shards', shards, 1, MAX_SHARDS);
    const nodes = checkNodes('nodes', given);
    checkInteger('replicas', replicas, 1, nodes.length);
    const shares = sharesOf(nodes, shards, replicas);
    const cells = spread(shares, shards, replicas);
    arrangePrimaries({ nodes: cells, replicas }, shares.primaries);
    return new ShardMap({ version: 1, parent: undefined, shards, replicas, nodes, cells }, shares);
  }

  /**
   * Makes a map from its JSON.
   * @param json the JSON of a map, as text or parsed
   * @throws TypeError or RangeError if it is not a map: it is cut short, or has an unknown node or a node twice for a shard
   * @example
   * ShardMap.from(readFileSync('map.json', 'utf8'));
   */
  static from(json: string | object): ShardMap {
    const { version, parent, shards, replicas, nodes: given, copies } = readMapJson(json);
    checkInteger('json.version', version, 1, Number.MAX_SAFE_INTEGER);
    if (parent !== undefined && !/^[0-9a-f]{16}$/.test(checkString('json.parent', parent))) {
      throw wrongValue('json.parent', '16 hexadecimal digits in lower case', parent);
    }
    checkInteger('json.shards', shards, 1, MAX_SHARDS);
    const nodes = checkNodes('json.nodes', given);
    checkInteger('json.replicas', replicas, 1, nodes.length);
    const sorted = new Map(nodes.map(({ name }, index) => [name, index]));
    const indexes = given.map(({ name }) => sorted.get(name) ?? -1);
    const cells = checkCopies(copies, shards, replicas, nodes.length).map((node) => indexes[node]);
    return new ShardMap({ version, parent, shards, replicas, nodes, cells }, sharesOf(nodes, shards, replicas));
  }

  /**
   * Makes the next version, even if nothing changes. It moves as few copies as possible.
   * @throws TypeError or RangeError as {@link ShardMap.create}
   * @example
   * map.with({ nodes: map.nodes.filter(({ name }) => name !== 'db2') });
   */
  with(changes: ShardMapChanges): ShardMap {
    const known = checkGiven(changes, ['nodes', 'replicas'], 'changes');
    const nodes = known.nodes === undefined ? this.nodes : checkNodes('nodes', known.nodes);
    const { replicas = this.replicas } = known;
    checkInteger('replicas', replicas, 1, nodes.length);
    const { shards } = this;
    const shares = sharesOf(nodes, shards, replicas);
    const width = Math.max(replicas, this.replicas);
    const before = this.#cellsAmong(nodes, width);
    const cells = rebalance(before, width, replicas, shares, this.version);
    const isOld = cells.map((node, cell) => (cellOf(before, width, Math.floor(cell / replicas), node) < 0 ? 0 : 1));
    const primaries = Uint16Array.from({ length: shards }, (_, shard) => before[shard * width]);
    arrangePrimaries({ nodes: cells, replicas, primaries, isOld }, shares.primaries);
    const next = { version: this.version + 1, parent: this.digest, shards, replicas, nodes, cells };
    return new ShardMap(next, shares);
  }

  /**
   * What tells this assignment from others, for metrics: 16 hexadecimal digits. Maps with the same shards, nodes, weights,
   * zones and copies have the same digest, whatever their version and parent. It is not made to resist forgery.
   */
  get digest(): string {
    this.#digest ??= digestOf(this, this.#cells);
    return this.#digest;
  }

  /**
   * The nodes that hold a shard, the primary first.
   * @param shard 0 to shards - 1
   * @throws TypeError or RangeError if `shard` is not a shard of the map
   */
  nodesOf(shard: number): readonly string[] {
    checkInteger('shard', shard, 0, this.shards - 1);
    const first = shard * this.replicas;
    // Array.from of a part of the cells takes five times as long.
    const names: string[] = [];
    for (let at = first; at < first + this.replicas; at++) names.push(this.nodes[this.#cells[at]].name);
    return names;
  }

  /**
   * The shards that a node holds, as the primary or as another copy. Ascending.
   * @param node the name of a node
   * @throws TypeError if `node` is not a string; RangeError if there is no such node
   */
  shardsOf(node: string): Uint32Array {
    checkString('node', node);
    const index = this.nodes.findIndex(({ name }) => name === node);
    if (index < 0) throw wrongValue('node', 'the name of a node of the map', node);
    const held = new Uint32Array(this.shards);
    let count = 0;
    for (let cell = 0; cell < this.#cells.length; cell++) {
      if (this.#cells[cell] === index) held[count++] = Math.floor(cell / this.replicas);
    }
    return held.slice(0, count);
  }

  /**
   * The node of every shard of a column, as an index into `nodes`.
   * @param shards the result of `routeMany`: each 0 to shards - 1
   * @param options.copy the number of the copy, 0 to replicas - 1; 0 (default) is the primary
   * @param options.out where the nodes go, as long as `shards`
   * @returns `out`, or a new array
   * @throws TypeError if an argument is of the wrong kind
   * @throws RangeError if a row is not a shard of the map, or an option is out of range; nothing has been written then
   * @example
   * const nodes = map.nodeColumn(router.routeMany(keys));
   * map.nodes[nodes[0]].name;
   */
  nodeColumn(shards: Uint32Array, options?: { copy?: number | undefined; out?: Uint16Array | undefined }): Uint16Array {
    if (typeName(shards) !== 'Uint32Array') throw wrongKind('shards', 'a Uint32Array', shards);
    const { copy = 0, out } = checkOptions(options, ['copy', 'out']);
    checkInteger('copy', copy, 0, this.replicas - 1);
    checkAttached('shards', shards);
    const nodes = checkOut(out, Uint16Array, shards.length, [shards]);
    gatherNodes(this.#column(copy), shards, nodes);
    return nodes;
  }

  /**
   * The copies to make and to drop on the way to another version, ascending by shard. Without `from` a copy is only added;
   * without `to` it is only dropped.
   * @param next any map with the same number of shards
   * @throws TypeError or RangeError if `next` is not a map with the same number of shards
   */
  movesTo(next: ShardMap): CopyMove[] {
    this.#checkNext(next);
    return movesBetween(this, next);
  }

  /**
   * The shards whose primary changes to a node that holds them already, ascending. No data moves for that.
   * @throws TypeError or RangeError as {@link ShardMap.movesTo}
   */
  primaryChangesTo(next: ShardMap): PrimaryChange[] {
    this.#checkNext(next);
    return primaryChangesBetween(this, next);
  }

  /** What each node holds, in the order of `nodes`. */
  balance(): NodeBalance[] {
    const counts = this.nodes.map(({ name }, node) => {
      return { node: name, primaries: 0, copies: 0, ideal: this.#shares.copies[node] };
    });
    this.#cells.forEach((node, cell) => {
      const count = counts[node];
      count.copies++;
      if (cell % this.replicas === 0) count.primaries++;
    });
    return counts;
  }

  /** The JSON that {@link ShardMap.from} takes. `copies` has a list for each copy: the index of the node of each shard. */
  toJSON(): MapJson {
    const { version, parent, shards, replicas, nodes } = this;
    const copies = Array.from({ length: replicas }, (_, copy) => Array.from(this.#column(copy)));
    return { version, ...(parent !== undefined && { parent }), shards, replicas, nodes, copies };
  }

  /** Lets other copies of this package recognise a ShardMap. */
  get [Symbol.toStringTag](): string {
    return 'ShardMap';
  }

  /** The cells with the indexes of other nodes; a removed node gets a number above all indexes. */
  #cellsAmong(nodes: readonly MapNode[], width: number): Uint16Array {
    const indexes = new Map(nodes.map(({ name }, index) => [name, index]));
    const newIndexes = this.nodes.map(({ name }) => indexes.get(name) ?? nodes.length);
    const cells = new Uint16Array(this.shards * width).fill(nodes.length);
    for (let cell = 0; cell < this.#cells.length; cell++) {
      const shard = Math.floor(cell / this.replicas);
      cells[shard * width + (cell % this.replicas)] = newIndexes[this.#cells[cell]];
    }
    return cells;
  }

  #checkNext(next: ShardMap): void {
    if (typeName(next) !== 'ShardMap') throw wrongKind('next', 'a ShardMap', next);
    if (next.shards !== this.shards) throw wrongValue('next', `a map of ${this.shards} shards`, next.shards);
  }

  #column(copy: number): Uint16Array {
    this.#columns[copy] ??= this.#cells.filter((_, cell) => cell % this.replicas === copy);
    return this.#columns[copy];
  }
}

/**
 * The digest of an assignment: XXH64 with the seed 0, as 16 hexadecimal digits, of these bytes, one after the other:
 *
 * 1. the UTF-8 bytes of `[shards,replicas,[[name,weight,zone],…]]` as `JSON.stringify` writes it. The nodes are sorted by
 *    name, by code units; `null` stands for the zone of a node without one.
 * 2. a newline, which the JSON has nowhere else
 * 3. for each shard, the indexes of its nodes among these, the primary first: 16 bits each, little-endian
 *
 * Two stores compare these digests, so nothing of this may change.
 * @param cells the indexes; their memory is hashed as it is, because all engines that run this are little-endian
 */
function digestOf({ shards, replicas, nodes }: ShardMap, cells: Uint16Array): string {
  const rows = nodes.map(({ name, weight, zone = null }) => [name, weight, zone]);
  return new Xxh64()
    .update(`${JSON.stringify([shards, replicas, rows])}\n`)
    .update(cells)
    .digestHex();
}

function checkCopies(copies: MapJson['copies'], shards: number, replicas: number, nodes: number): Uint16Array {
  if (!Array.isArray(copies)) throw wrongKind('json.copies', 'an array', copies);
  if (copies.length !== replicas) throw wrongValue('json.copies', `${replicas} arrays`, copies.length);
  const cells = new Uint16Array(shards * replicas);
  for (const [copy, column] of copies.entries()) {
    const argument = `json.copies[${copy}]`;
    if (!Array.isArray(column)) throw wrongKind(argument, 'an array', column);
    if (column.length !== shards) throw wrongValue(argument, `a node for each of ${shards} shards`, column.length);
    for (let shard = 0; shard < shards; shard++) {
      const node: unknown = column[shard];
      if (typeof node !== 'number' || !Number.isInteger(node) || node < 0 || node >= nodes) {
        throw wrongValue(argument, `the index of a node, 0 to ${nodes - 1}`, node, shard);
      }
      const first = shard * replicas;
      if (cells.subarray(first, first + copy).includes(node)) {
        throw wrongValue(argument, 'a node that does not hold the shard already', node, shard);
      }
      cells[first + copy] = node;
    }
  }
  return cells;
}
