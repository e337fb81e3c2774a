// What functions of columns have in common: keys, and where results go.
import type { Entry, Room } from '../../support/argument-table.js';
import { lost, NO_KEYS, NO_OPTIONS, NO_OUT, NO_TEXT, NO_U8S, NO_U32S } from '../../support/wrong-values.js';

export const MANY = 20_000; // more rows than go through the kernels at a time

// Three rows each.
export const texts = ['1', '', '你好'];
export const bytes = { data: new Uint8Array(9), offsets: Uint32Array.of(0, 3, 3, 9) };
export const u64s = BigUint64Array.of(1n, 2n ** 63n, 2n ** 64n - 1n);

type Call = (column: never, room: Room, rows: number) => unknown;

/** Wrong rows of a column of texts, and wrong bytes in their place. */
export function ofTexts(argument: string, call: Call): readonly Entry[] {
  const ofList = (row: number, of: (text: never) => unknown[], wrong: readonly unknown[] = NO_TEXT): Entry => [
    `${argument} row ${row}`,
    (text, room) => call(of(text) as never, room, Math.max(3, row + 1)),
    wrong,
    [],
    'a string',
  ];
  const ofBytes = (row: number, of: (offset: never) => number[], wrong: readonly number[], from: number): Entry => [
    `${argument}.offsets row ${row}`,
    (offset, room) => call({ data: new Uint8Array(10), offsets: Uint32Array.from(of(offset)) } as never, room, 3),
    [],
    wrong,
    `an offset from ${from} to 10`,
  ];
  return [
    ofList(0, (text) => [text, '1', '1']),
    ofList(1, (text) => ['1', text, '1']),
    ofList(2, () => Object.assign(['1', '1'], { length: 3 }), [undefined]),
    ofList(MANY - 1, (text) => [...new Array(MANY - 1).fill('1'), text]),
    [`${argument}.data`, (data, room) => call({ data, offsets: new Uint32Array(4) } as never, room, 3), NO_U8S],
    [`${argument}.offsets`, (offsets, room) => call({ data: new Uint8Array(3), offsets } as never, room, 3), NO_U32S],
    ofBytes(0, (offset) => [offset, offset, offset, offset], [11, 2 ** 32 - 1], 0),
    ofBytes(0, (offset) => [offset], [12], 0),
    ofBytes(1, (offset) => [0, offset, 4, 10], [11, 2 ** 32 - 1], 0),
    ofBytes(2, (offset) => [0, 2, offset, 3], [0, 1, 11], 2),
    ofBytes(3, (offset) => [0, 1, 3, offset], [0, 2, 11, 2 ** 32 - 1], 3),
  ];
}

export const ofKeys = (call: Call): readonly Entry[] => [
  ['keys', (keys, room) => call(keys, room, 3), NO_KEYS],
  ...ofTexts('keys', call),
];

/** Results of another length than the rows. */
export const ofLength = (rows: number, call: (length: number, room: Room) => unknown): Entry => [
  'out',
  call,
  [],
  [0, rows - 1, rows + 1, 2 * rows],
  `a length of ${rows}`,
];

type ResultClass = new (memory: ArrayBuffer, at: number, length: number) => unknown;

/** The options of a call with three results. */
export const ofOut = (Out: ResultClass, call: (options: never) => unknown, known = ['out']): readonly Entry[] => [
  ['options', call, NO_OPTIONS, [], 'an object'],
  [
    'options',
    (name, room) => call({ out: room(Out), [name]: undefined } as never),
    [],
    NAMES.filter((name) => !known.includes(name)),
    `only ${known.join(', ')}`,
  ],
  ['out', (out) => call({ out } as never), [...noOut(Out), ...lost(Out.name)], [], `a ${Out.name}`],
  ofLength(3, (length, room) => call({ out: room(Out, length) } as never)),
];
const noOut = (Out: ResultClass) =>
  [...NO_OUT, new Uint32Array(3), new BigUint64Array(3)].filter((array) => !(array instanceof Out));
const NAMES = ['Out', 'outs', 'seed', 'sed', 'sead', 'length', 'wide', 'down', 'toString', '__proto__'];
