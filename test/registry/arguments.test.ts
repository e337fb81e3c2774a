import {
  checkStore,
  copyStore,
  Interner,
  journal,
  leaseShard,
  leases,
  memoryStore,
  mintFloor,
  moveBack,
  moveStore,
  releaseShard,
  resetMark,
  restoreStore,
  skipAhead,
  storeState,
  TypeRegistry,
} from '../../src/registry/index.js';
import { type Entry, integer, type Table, testWrongArguments } from '../support/argument-table.js';
import { NO_BOOLEAN, NO_FUNCTION, NO_NUMBER, NO_OBJECT, NO_STRING } from '../support/wrong-values.js';

const NO_GIVEN_NUMBER = NO_NUMBER.filter((value) => value !== undefined); // what an option may be left out for
const NO_GIVEN_STRING = NO_STRING.filter((value) => value !== undefined);
const NO_SIGNAL = [null, 5, 'a', {}, new AbortController()];
const NO_OPTIONS = [null, 5, 'a', true];
const MAX_SHARD = 2 ** 20 - 1;

const store = memoryStore();
const other = memoryStore();

const ofStore = (call: (store: never) => unknown, argument = 'store'): Entry => [
  argument,
  call,
  NO_OBJECT,
  [],
  'an object',
];
const ofOptions = (call: (options: never) => unknown, ...names: readonly string[]): readonly Entry[] => [
  ['options', call, NO_OPTIONS, [], 'an object'],
  [
    'options',
    (name) => call({ [name]: undefined } as never),
    [],
    ['By', 'onevent', 'toString'],
    `only ${names.join(', ')}`,
  ],
];
const ofBy = (call: (options: never) => unknown): Entry => [
  'by',
  (by) => call({ by } as never),
  NO_GIVEN_STRING,
  [],
  'a string',
];

const SKIP = ['strings', 'types', 'tokens', 'leadMs', 'by'] as const;
const ofSkipping = (call: (options: never) => unknown, ...others: readonly string[]): readonly Entry[] => [
  ...ofOptions(call, ...SKIP, ...others),
  ...SKIP.slice(0, -1).map((name) => {
    const most = { types: 65_535, leadMs: 2 ** 31 - 1 }[name as string] ?? Number.MAX_SAFE_INTEGER;
    return integer(name, (value) => call({ [name]: value } as never), 0, most, NO_GIVEN_NUMBER);
  }),
  ofBy(call),
];
const ofBoth = (call: (from: never, to: never) => unknown): readonly Entry[] => [
  ofStore((from) => call(from, other as never), 'from'),
  ofStore((to) => call(store as never, to), 'to'),
];
const ofMoving = (call: (from: never, to: never, options: never) => unknown): readonly Entry[] => [
  ...ofOptions((options) => call(store as never, other as never, options), 'from', 'to', 'by', 'signal', 'onProgress'),
  ...(['from', 'to', 'by'] as const).map(
    (name): Entry => [
      name,
      (value) => call(store as never, other as never, { [name]: value } as never),
      NO_GIVEN_STRING,
      [],
      'a string',
    ],
  ),
  ['signal', (signal) => call(store as never, other as never, { signal } as never), NO_SIGNAL],
  ['onProgress', (onProgress) => call(store as never, other as never, { onProgress } as never), NO_FUNCTION],
];

const TABLE: Table = {
  storeState: [ofStore((v) => storeState(v))],
  journal: [ofStore((v) => journal(v))],
  leases: [ofStore((v) => leases(v))],
  mintFloor: [ofStore((v) => mintFloor(v))],
  checkStore: [ofStore((v) => checkStore(v))],
  releaseShard: [
    ofStore((v) => releaseShard(v, 0)),
    integer('shard', (v) => releaseShard(store, v), 0, MAX_SHARD),
    ...ofOptions((options) => releaseShard(store, 0, options), 'by'),
    ofBy((options) => releaseShard(store, 0, options)),
  ],
  resetMark: [
    ofStore((v) => resetMark(v, 0)),
    integer('shard', (v) => resetMark(store, v), 0, MAX_SHARD),
    ...ofOptions((options) => resetMark(store, 0, options), 'by'),
    ofBy((options) => resetMark(store, 0, options)),
  ],
  skipAhead: [ofStore((v) => skipAhead(v)), ...ofSkipping((options) => skipAhead(store, options))],
  restoreStore: [
    ofStore((v) => restoreStore(v)),
    ...ofSkipping((options) => restoreStore(store, options), 'isTargetLost'),
    [
      'isTargetLost',
      (isTargetLost) => restoreStore(store, { isTargetLost } as never),
      NO_BOOLEAN.filter((value) => value !== undefined),
      [],
      'a boolean',
    ],
  ],
  copyStore: [
    ...ofBoth((from, to) => copyStore(from, to)),
    ...ofOptions((options) => copyStore(store, other, options), 'signal', 'onProgress'),
    ['signal', (signal) => copyStore(store, other, { signal }), NO_SIGNAL],
    ['onProgress', (onProgress) => copyStore(store, other, { onProgress }), NO_FUNCTION],
  ],
  moveStore: ofBoth((from, to) => moveStore(from, to)),
  'moveStore with options': ofMoving((from, to, options) => moveStore(from, to, options)),
  moveBack: ofBoth((from, to) => moveBack(from, to)),
  'moveBack with options': ofMoving((from, to, options) => moveBack(from, to, options)),
  leaseShard: [
    ['options', (v) => leaseShard(v), NO_OBJECT, [], 'an object'],
    ofStore((v) => leaseShard({ store: v, shards: 1 })),
    integer('shards', (shards) => leaseShard({ store, shards }), 1, MAX_SHARD + 1),
    integer('ttlMs', (ttlMs) => leaseShard({ store, shards: 1, ttlMs }), 100, 2 ** 31 - 1, NO_GIVEN_NUMBER),
    ['owner', (owner) => leaseShard({ store, shards: 1, owner }), NO_GIVEN_STRING, [], 'a string'],
    ['signal', (signal) => leaseShard({ store, shards: 1, signal }), NO_SIGNAL],
    ['onEvent', (onEvent) => leaseShard({ store, shards: 1, onEvent }), NO_FUNCTION],
  ],
  TypeRegistry: [
    ['options', (v) => new TypeRegistry(v), NO_OBJECT, [], 'an object'],
    ofStore((v) => new TypeRegistry({ store: v })),
    ['onEvent', (onEvent) => new TypeRegistry({ store, onEvent }), NO_FUNCTION],
  ],
  'TypeRegistry.nameOf': [integer('id', (id) => new TypeRegistry({ store }).nameOf(id), 1, 65_535)],
  Interner: [
    ['options', (v) => new Interner(v), NO_OBJECT, [], 'an object'],
    ofStore((v) => new Interner({ store: v })),
    ['onEvent', (onEvent) => new Interner({ store, onEvent }), NO_FUNCTION],
  ],
};

testWrongArguments(TABLE);
