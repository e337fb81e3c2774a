import { afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { Router } from '../../src/index.js';
import * as api from '../../src/map/index.js';
import {
  currentMap,
  leastMoved,
  type MapJson,
  mapHistory,
  type NodeSpec,
  placementOf,
  publishMap,
  rollbackMap,
  ShardMap,
  watchMap,
} from '../../src/map/index.js';
import { memoryStore } from '../../src/registry/index.js';
import { ofOut } from '../arguments/table/columns.js';
import {
  callablesIn,
  callablesOf,
  type Entry,
  integer,
  type Room,
  type Table,
  testWrongArguments,
} from '../support/argument-table.js';
import { IS_WHOLE } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';
import { isLost, NO_FUNCTION, NO_NUMBER, NO_OBJECT, NO_STRING, NO_U32S, named } from '../support/wrong-values.js';

const MAX_SHARDS = 2 ** 24;
const NO_GIVEN_NUMBER = NO_NUMBER.filter((value) => value !== undefined); // what an option may be left out for
const NO_GIVEN_STRING = NO_STRING.filter((value) => value !== undefined);
const NO_ARRAY = [null, 5, 'ab', true, {}, new Set([1]), new Uint8Array(2), () => 1];
const NO_GIVEN_ARRAY = NO_ARRAY.filter((value) => value !== undefined);
const NO_NAME = ['', '\0', 'a\nb', '\t', 'a\x1f', '\x7f', 'a\x00'];
const NO_WEIGHT = [0, -0, -1, -0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e9 + 1, 2 ** 64];
const NO_DIGEST = [
  '',
  '0123456789abcde',
  '0123456789abcdef0',
  '0123456789ABCDEF',
  ' 123456789abcdef',
  '0x123456789abcde',
];
const NAME = '1 to 255 characters, none of them a control character';
const WEIGHT = 'a number above 0, at most 1000000000';
const TOO_MANY = named(
  '65,536 nodes',
  Array.from({ length: 65_536 }, (_, i) => ({ name: `n${i}` })),
);

const three = [{ name: 'a', zone: 'x' }, { name: 'b', weight: 2, zone: 'y' }, { name: 'c' }];
const map = ShardMap.create({ shards: 64, nodes: three, replicas: 2 });
const router = new Router({ shards: 64 });
const json = map.toJSON();
const before = JSON.stringify(map);
const shards = Uint32Array.of(0, 63, 5);

/** What is wrong with nodes, wherever they are given. */
const ofNodes = (argument: string, call: (nodes: never) => unknown): readonly Entry[] => {
  const second = (node: object) => call([{ name: 'a' }, node, { name: 'c' }] as never);
  return [
    [argument, call, NO_ARRAY, [], 'an array of nodes'],
    [argument, call, [], [[], TOO_MANY], '1 to 65535 nodes'],
    [`${argument}[0]`, () => call(new Array(3) as never), [undefined], [], 'an object'],
    [`${argument}[1]`, (node) => second(node), NO_OBJECT, [], 'an object'],
    [
      `${argument}[1]`,
      (name) => second({ name: 'b', [name]: undefined }),
      [],
      ['Weight', 'zones', 'id', 'toString'],
      'only name, weight, zone',
    ],
    [`${argument}[1].name`, (name) => second({ name }), NO_STRING, [], 'a string'],
    [`${argument}[1].name`, (name) => second({ name }), [], NO_NAME, NAME],
    [`${argument}[1].name`, (name) => second({ name }), [], ['a'], 'a name that no other node has'],
    [`${argument}[2].name`, (name) => call([{ name: 'a' }, { name: 'b' }, { name }] as never), [], ['b', 'a']],
    [`${argument}[1].weight`, (weight) => second({ name: 'b', weight }), NO_GIVEN_NUMBER, [], 'a number'],
    [`${argument}[1].weight`, (weight) => second({ name: 'b', weight }), ['2'], [], 'a number'],
    [`${argument}[1].weight`, (weight) => second({ name: 'b', weight }), [], NO_WEIGHT, WEIGHT],
    [`${argument}[1].zone`, (zone) => second({ name: 'b', zone }), NO_GIVEN_STRING, [], 'a string'],
    [`${argument}[1].zone`, (zone) => second({ name: 'b', zone }), [], NO_NAME, NAME],
  ];
};

const store = memoryStore();
/** The second version of another map. */
const next = (change: object) => create(change).with({});

const create = (change: object) => ShardMap.create({ shards: 64, nodes: three, ...change });
const from = (change: object) => ShardMap.from({ ...json, ...change });
/** With other values in the column of a copy. */
const withColumn = (copy: number, change: (column: number[]) => unknown) =>
  from({ copies: json.copies.map((column, i) => (i === copy ? change([...column]) : column)) });
const withNode = (copy: number, shard: number, node: never) => withColumn(copy, (column) => column.with(shard, node));

const missing = (name: keyof MapJson): Entry => [
  `json.${name}`,
  (value) => from({ [name]: value }),
  [undefined],
  [],
  'a value',
];
const withLabel = (label: string) => new Array(64).fill('a').with(7, label);

const ofNext = (call: (next: ShardMap) => unknown): readonly Entry[] => [
  ['next', call, [...NO_OBJECT, {}, json, named('the class', ShardMap)], [], 'a ShardMap'],
  ['next', (count) => call(create({ shards: count })), [], [1, 63, 65, 128], 'a map of 64 shards'],
];

const TABLE: Table = {
  'ShardMap.create': [
    ['options', (v) => ShardMap.create(v), NO_OBJECT, [], 'an object'],
    ['options', (name) => create({ [name]: 1 }), [], ['shard', 'Nodes', 'copies'], 'only shards, nodes, replicas'],
    integer('shards', (v) => create({ shards: v }), 1, MAX_SHARDS),
    integer('replicas', (v) => create({ replicas: v }), 1, 3, NO_GIVEN_NUMBER),
    ...ofNodes('nodes', (nodes) => create({ nodes })),
    ['nodes', (v) => create({ nodes: v }), [undefined], [], 'an array of nodes'],
  ],
  'ShardMap.with': [
    ['changes', (v) => map.with(v), NO_OBJECT, [], 'an object'],
    ['changes', (name) => map.with({ [name]: 64 }), [], ['shards', 'Replicas', 'node'], 'only nodes, replicas'],
    integer('replicas', (v) => map.with({ replicas: v }), 1, 3, NO_GIVEN_NUMBER),
    ...ofNodes('nodes', (nodes) => map.with({ nodes })),
  ],
  'ShardMap.with more nodes': [
    integer('replicas', (v) => map.with({ replicas: v, nodes: [...three, { name: 'd' }] }), 1, 4, NO_GIVEN_NUMBER),
  ],
  'ShardMap.with fewer nodes than copies': [
    ['replicas', (v) => map.with({ nodes: three.slice(v) }), [], [2], 'an integer from 1 to 1'],
  ],
  'ShardMap.from text': [
    ['json', (v) => ShardMap.from(JSON.stringify(v)), [null, 5, true, 'a'], [], 'an object'],
    ['json', (v) => ShardMap.from(v), [], ['', ' ', '{', 'undefined', "{'a':1}", '{}}'], 'the JSON of a shard map'],
  ],
  'ShardMap.from': [
    ['json', (v) => ShardMap.from(v), NO_OBJECT.filter((value) => typeof value !== 'string'), [], 'an object'],
    [
      'json',
      (name) => from({ [name]: 1 }),
      [],
      ['ideal', 'Version'],
      'only version, shards, replicas, nodes, copies, parent',
    ],
    ...(['version', 'shards', 'replicas', 'nodes', 'copies'] as const).map(missing),
    ['json.parent', (parent) => from({ parent }), NO_GIVEN_STRING, [], 'a string'],
    ['json.parent', (parent) => from({ parent }), [], NO_DIGEST, '16 hexadecimal digits in lower case'],
    integer('json.version', (v) => from({ version: v }), 1, Number.MAX_SAFE_INTEGER, NO_GIVEN_NUMBER),
    integer('json.shards', (v) => from({ shards: v }), 1, MAX_SHARDS, NO_GIVEN_NUMBER),
    integer('json.replicas', (v) => from({ replicas: v }), 1, 3, NO_GIVEN_NUMBER),
    ...ofNodes('json.nodes', (nodes) => from({ nodes })),
    ['json.copies', (v) => from({ copies: v }), NO_ARRAY, [], 'an array'],
    ['json.copies', (v) => from({ copies: v }), [], [[], json.copies.slice(1), [...json.copies, []]], '2 arrays'],
    ['json.copies', ([replicas]: [number]) => from({ replicas }), [], [[1], [3]]],
    ['json.copies[1]', (v) => withColumn(1, () => v), [undefined, ...NO_ARRAY], [], 'an array'],
    [
      'json.copies[1]',
      (length) => withColumn(1, (column) => Array.from({ length }, (_, i) => column[i] ?? 0)),
      [],
      [0, 1, 63, 65],
      'a node for each of 64 shards',
    ],
    ['json.copies[0]', ([count]: [number]) => from({ shards: count }), [], [[1], [63], [65]]],
    [
      'json.copies[0] row 7',
      (node) => withNode(0, 7, node),
      [],
      [3, 255, -1, 65_535, 65_536, 0.5, Number.NaN, 2 ** 32],
      'the index of a node, 0 to 2',
    ],
    ['json.copies[1] row 63', (node) => withNode(1, 63, node), [], [3, -1, 1.5], 'the index of a node, 0 to 2'],
    [
      'json.copies[1] row 9',
      () => withNode(1, 9, json.copies[0]?.[9] as never),
      [],
      [json.copies[0]?.[9]],
      'a node that does not hold the shard already',
    ],
  ],
  'ShardMap.nodesOf': [integer('shard', (v) => map.nodesOf(v), 0, 63)],
  'ShardMap.shardsOf': [
    ['node', (v) => map.shardsOf(v), NO_STRING, [], 'a string'],
    ['node', (v) => map.shardsOf(v), [], ['', 'A', 'd', '0', 'toString'], 'the name of a node of the map'],
  ],
  'ShardMap.nodeColumn': [
    ['shards', (v) => map.nodeColumn(v), NO_U32S.filter((value) => !isLost(value)), [], 'a Uint32Array'],
    ...([0, 1, 2] as const).map(
      (row): Entry => [
        `shards row ${row}`,
        (shard, room: Room) => map.nodeColumn(shards.with(row, shard), { out: room(Uint16Array) }),
        [],
        [64, 65, 2 ** 31, 2 ** 32 - 1],
        'a shard from 0 to 63',
      ],
    ),
    integer('copy', (copy, room) => map.nodeColumn(shards, { copy, out: room(Uint16Array) }), 0, 1, NO_GIVEN_NUMBER),
    ...ofOut(Uint16Array, (options) => map.nodeColumn(shards, options), ['copy', 'out']),
  ],
  'ShardMap.movesTo': ofNext((next) => map.movesTo(next)),
  'ShardMap.primaryChangesTo': ofNext((next) => map.primaryChangesTo(next)),
  placementOf: [['what', (v) => placementOf(v), [undefined, null, 5, 'a', true, [], {}, json], []]],
  'placementOf of a map': [['labels', (v) => placementOf(map, v), [['a'], map], [], 'undefined except with a routing']],
  'placementOf of servers': [
    ['what.system', (system) => placementOf({ servers: [{ name: 'a' }], system }), [], ['redis', '']],
  ],
  'placementOf of a routing': [
    ['labels', (v) => placementOf(router, v), NO_GIVEN_ARRAY, [], 'an array of strings'],
    [
      'labels',
      (v) => placementOf(router, v),
      [],
      [[], ['a'], new Array(65).fill('a')],
      'a label for each of 64 shards',
    ],
    ['labels row 7', (v) => placementOf(router, withLabel(v)), [], ['\0', 'a\n'], 'no control characters'],
    ['labels', (shards) => placementOf(router, create({ shards })), [], [1, 63, 65], 'a map of 64 shards'],
  ],
  'placementOf with a label': [['labels', (v) => placementOf(router, withLabel(v)), NO_STRING, [], 'a string']],
  leastMoved: [
    ['from', (v) => leastMoved(v, placementOf(map)), NO_OBJECT, [], 'an object'],
    ['to', (v) => leastMoved(placementOf(map), v), NO_OBJECT, [], 'an object'],
    ['from.routing', (routing) => leastMoved({ ...placementOf(map), routing }, placementOf(map)), NO_OBJECT, []],
  ],
  publishMap: [
    ['store', (v) => publishMap(v, map), NO_OBJECT, [], 'an object'],
    ['map', (v) => publishMap(store, v), [...NO_OBJECT, {}, json, named('the class', ShardMap)], [], 'a ShardMap'],
    ['map', (shards) => publishMap(store, next({ shards })), [], [1, 63, 65], 'a map of 64 shards'],
  ],
  mapHistory: [['store', (v) => mapHistory(v), NO_OBJECT, [], 'an object']],
  rollbackMap: [
    ['store', (v) => rollbackMap(v, 1), NO_OBJECT, [], 'an object'],
    integer('version', (v) => rollbackMap(store, v), 1, Number.MAX_SAFE_INTEGER),
    [
      'version',
      (v) => rollbackMap(store, v),
      [],
      [2, 100, Number.MAX_SAFE_INTEGER],
      "a version of the store's history, which has only 1",
    ],
    ['confirm', (confirm) => rollbackMap(store, 1, { confirm }), NO_FUNCTION, [], 'a function'],
  ],
  'rollbackMap of an empty store': [
    ['version', (v) => rollbackMap(memoryStore(), v), [], [1, 2], "a version of the store's history, which is empty"],
  ],
  currentMap: [['store', (v) => currentMap(v), NO_OBJECT, [], 'an object']],
  watchMap: [
    ['store', (v) => watchMap(v), NO_OBJECT, [], 'an object'],
    ['options', (v) => watchMap(store, v), [null, 5, 'a', true], [], 'an object'],
    [
      'options',
      (name) => watchMap(store, { [name]: 1 }),
      [],
      ['interval', 'Signal'],
      'only signal, intervalMs, onEvent',
    ],
    ['signal', (signal) => watchMap(store, { signal }), [null, 5, 'a', {}, new AbortController()], []],
    ['onEvent', (onEvent) => watchMap(store, { onEvent }), NO_FUNCTION, []],
    integer('intervalMs', (intervalMs) => watchMap(store, { intervalMs }), 1, 2 ** 31 - 1, NO_GIVEN_NUMBER),
  ],
};
const ANYTHING_GOES = Object.keys(api).filter((name) => name.endsWith('Error')); // causes and messages
const WITHOUT_ARGUMENTS = ['ShardMap', 'ShardMap.balance', 'ShardMap.toJSON'];

beforeAll(() => publishMap(store, map));
afterEach(() => expect(JSON.stringify(map)).toBe(before));
afterEach(async () => expect(JSON.stringify(await currentMap(store))).toBe(before));

testWrongArguments(TABLE);

test('the table has every function and method, and no others', () => {
  expect([...callablesIn(TABLE), ...WITHOUT_ARGUMENTS, ...ANYTHING_GOES].sort()).toEqual(callablesOf(api).sort());
});

/** The error of a call, with what it says as data. */
function errorOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

describe('names of nodes and zones', () => {
  it('have up to 255 characters', () => {
    const longest = 'x'.repeat(255);
    const { nodes } = create({ nodes: [{ name: longest, zone: longest }] });
    expect(nodes).toEqual([{ name: longest, weight: 1, zone: longest }]);
    const long = { argument: 'nodes[0].name', code: 'ERR_OUT_OF_RANGE' };
    expect(errorOf(() => create({ nodes: [{ name: `${longest}x` }] }))).toMatchObject(long);
    const zone = { argument: 'nodes[0].zone', code: 'ERR_OUT_OF_RANGE' };
    expect(errorOf(() => create({ nodes: [{ name: 'a', zone: `${longest}x` }] }))).toMatchObject(zone);
  });

  it('can be anything else', () => {
    const names = [' ', '__proto__', 'a b', 'constructor', 'ü', '节点', '\u{1f600}'];
    const all: NodeSpec[] = names.map((name) => ({ name, zone: name }));
    const odd = create({ nodes: all, replicas: 7 });
    expect(odd.nodes.map(({ name }) => name)).toEqual(names);
    for (const name of names) expect(odd.shardsOf(name)).toHaveLength(64);
    expect(ShardMap.from(JSON.stringify(odd)).nodes).toEqual(odd.nodes);
  });
});

describe('the largest and the smallest', () => {
  it('number of shards', () => {
    expect(create({ shards: 1 }).nodesOf(0)).toHaveLength(1);
    const most = IS_WHOLE ? MAX_SHARDS : 2 ** 20; // the largest map takes half a minute on a busy machine
    const largest = create({ shards: most, nodes: [{ name: 'a' }] });
    expect(largest.nodesOf(most - 1)).toEqual(['a']);
  });

  it('number of nodes, one of which holds each shard', () => {
    const nodes = Array.from({ length: 65_535 }, (_, i) => ({ name: `n${i}` }));
    const widest = create({ shards: 3, nodes });
    expect(new Set([0, 1, 2].map((shard) => widest.nodesOf(shard)[0])).size).toBe(3);
    expect(ShardMap.from(JSON.stringify(widest)).nodesOf(2)).toEqual(widest.nodesOf(2));
  });
});

describe('JSON that is not of a map', () => {
  it('is refused if it is a list', () => {
    expect(errorOf(() => ShardMap.from('[]'))).toMatchObject({ argument: 'json', code: 'ERR_INVALID_ARG_TYPE' });
  });

  it('is refused wherever it is cut short', () => {
    for (let length = 0; length < before.length; length++) {
      expect(errorOf(() => ShardMap.from(before.slice(0, length)))).toMatchObject({
        argument: 'json',
        code: 'ERR_OUT_OF_RANGE',
      });
    }
    expect(ShardMap.from(before).toJSON()).toEqual(json);
  });

  it.each([['1'], [null], [true], [[1]], [{}]])('is refused with %j for the index of a node', (node) => {
    expect(() => withNode(0, 3, node as never)).toThrow(wrong('json.copies[0]', 3));
  });
});

describe('nodeColumn', () => {
  it('does not write over the shards it reads', () => {
    const memory = Uint32Array.of(1, 2, 3, 4).buffer;
    const column = new Uint32Array(memory, 0, 3);
    for (const at of [0, 2, 6, 10]) {
      const error = errorOf(() => map.nodeColumn(column, { out: new Uint16Array(memory, at, 3) }));
      expect(error).toMatchObject({
        argument: 'out',
        code: 'ERR_OUT_OF_RANGE',
        expected: 'no overlap with the input',
      });
    }
    expect([...column]).toEqual([1, 2, 3]);
  });

  it('gives back `out`, filled, and takes shared memory, right beside the shards', () => {
    const memory = new SharedArrayBuffer(32);
    const column = new Uint32Array(memory, 8, 3);
    column.set(shards);
    for (const copy of [0, 1]) {
      const out = new Uint16Array(memory, 2, 3);
      expect(map.nodeColumn(column, { copy, out })).toBe(out);
      expect(Array.from(out, (node) => map.nodes[node]?.name)).toEqual(
        Array.from(shards, (shard) => map.nodesOf(shard)[copy]),
      );
      expect([...column]).toEqual([...shards]);
    }
  });

  it('finds the first row that is not a shard, wherever it is, and then writes nothing', () => {
    for (let length = 1; length <= 20; length++) {
      for (let row = 0; row < length; row++) {
        const column = Uint32Array.from({ length }, (_, i) => (i === row || i === length - 1 ? 64 + i : i));
        const out = new Uint16Array(length).fill(999);
        expect(() => map.nodeColumn(column, { out })).toThrow(
          expect.objectContaining({ argument: 'shards', code: 'ERR_OUT_OF_RANGE', row }),
        );
        expect(out).toEqual(new Uint16Array(length).fill(999));
      }
    }
  });

  it('gives the node of every row, however many there are', () => {
    for (let length = 1; length <= 20; length++) {
      const column = Uint32Array.from({ length }, (_, i) => (i * 37) % 64);
      expect(Array.from(map.nodeColumn(column), (node) => map.nodes[node]?.name)).toEqual(
        Array.from(column, (shard) => map.nodesOf(shard)[0]),
      );
    }
  });

  it('takes no shards', () => {
    expect(map.nodeColumn(new Uint32Array(0))).toEqual(new Uint16Array(0));
  });
});
