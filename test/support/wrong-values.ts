// Values of the wrong kind, by the kind that the argument should have.
import { stringify } from 'fast-check';
import { TYPED_ARRAYS } from './typed-arrays.js';

export type Values = readonly unknown[];

const names = new WeakMap<object, string>();

/** Names a value for the titles of tests, if its text would be too long or not unique. */
export function named<T extends object>(name: string, value: T): T {
  names.set(value, name);
  return value;
}

/** A value as the title of a test shows it. */
export function shown(value: unknown): string {
  const name = names.get(value as object);
  if (name !== undefined) return name;
  if (typeof value === 'function') return `function ${value.name}`.trim();
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${value.byteLength})`;
  if (!ArrayBuffer.isView(value)) return stringify(value);
  return `${value.constructor.name}(${(value as Uint8Array).length ?? value.byteLength})`;
}

// From ES2024, which is newer than the compiler's library.
type Resizable = ArrayBuffer & { resize(byteLength: number): void };
const ResizableBuffer = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => Resizable;

type View = new (memory: ArrayBuffer, at: number, length: number) => ArrayBufferView;
const VIEWS: { readonly [type: string]: View } = { ...TYPED_ARRAYS, DataView };
const withoutMemory = new WeakSet<object>();

/** Whether a value is from {@link lost}. */
export const isLost = (value: unknown): boolean => withoutMemory.has(value as object);

/** Views whose memory was transferred, or has shrunk below them. JavaScript gives such an array a length of 0. */
export function lost(...types: readonly string[]): Values {
  const views = types.flatMap((type) => {
    const View = VIEWS[type];
    const memory = new ArrayBuffer(64);
    const shrinking = new ResizableBuffer(64, { maxByteLength: 64 });
    const [detached, outgrown] = [new View(memory, 16, 2), new View(shrinking, 16, 2)];
    transfer(memory);
    shrinking.resize(17);
    return [named(`a detached ${type}`, detached), named(`an outgrown ${type}`, outgrown)];
  });
  for (const view of views) withoutMemory.add(view);
  return views;
}

function transfer(memory: ArrayBuffer): ArrayBuffer {
  structuredClone(memory, { transfer: [memory] });
  return memory;
}

const DETACHED_BUFFER = named('a detached ArrayBuffer', transfer(new ArrayBuffer(16)));
withoutMemory.add(DETACHED_BUFFER);

/** Numbers that are not integers from min to max. */
export const outside = (min: number, max: number): Values =>
  [
    ...[min - 1, max + 1, 0, -0, -1, -2, -3, -4, 2 ** 53, 2 ** 64],
    ...[min + 0.5, max + 0.000001, 2.5, -0.5, 1e-300, Number.MIN_VALUE],
    ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ]
    .filter((value) => !Number.isInteger(value) || value < min || value > max)
    .filter((value, at, all) => all.findIndex((other) => Object.is(other, value)) === at);

/** Values that are hard to put into words, as messages have to. */
const STRANGE = [
  ...[Object.create(null), Symbol('s'), () => 1, { toString: null, toJSON: () => 1n }],
  named('a proxy', new Proxy({}, {})),
];
const THINGS = [...STRANGE, null, {}, [], true, new Date(0), new Map()];
const boxed = (value: unknown): object => named(`Object(${shown(value)})`, Object(value));
export const VIEW = new DataView(new ArrayBuffer(8));
const ARRAYS = [
  ...[new Uint8Array(8), new Uint16Array(3), new Uint32Array(3), new Float64Array(3), new Int16Array(3)],
  ...[VIEW, new ArrayBuffer(8)],
];

export const NO_BIGINT = [
  ...[...THINGS, boxed(1n), undefined, 1, 0, -0, 5, 42, 1.5, Number.NaN, 2 ** 53, 2 ** 64],
  ...['1', '5', '42', 'a', 'abc', [1n], ['a']],
];
export const NO_SEED = NO_BIGINT.filter((value) => value !== undefined);
export const NO_U64 = [-1n, 2n ** 64n, 2n ** 64n + 1n, 2n ** 70n, -(2n ** 63n), -(2n ** 64n)];
export const U64 = 'a bigint from 0 to 2^64 - 1';
export const NO_NUMBER = [...THINGS, boxed(1), undefined, 1n, 10n, '1', '10', [1]];
export const NO_STRING = [...THINGS, boxed('a'), undefined, 1, 5, 1n, 5n, ['a'], new Uint8Array(1)];
/** Wrong values for a row of a column of texts. */
export const NO_TEXT = [undefined, null, 5, 1n, 5n, ['b'], new Uint8Array(1), boxed('a')];
export const NO_BOOLEAN = [...THINGS, boxed(true), 0, 1, 'yes', '', 1n].filter((value) => value !== true);
export const NO_FUNCTION = [null, 5, '5', {}, [], true, new Date(0)];
export const NO_CHOICE = [...THINGS, boxed('a'), 1, 5, ['a']];
export const NO_OPTIONS = [
  ...[null, 5, 10, 5n, 'x', true, Symbol('s'), () => 1],
  ...[[], new Array(1), [1, 2, 3], new BigUint64Array(2)],
];
export const NO_OBJECT = [...NO_OPTIONS, undefined];
export const NO_BYTES = [
  ...[...THINGS, boxed('a'), undefined, 5, 42, 1.5, 0, false, [1, 2], [1, 2, 3], ['a'], new Set()],
  ...[{ data: new Uint8Array(1), offsets: Uint32Array.of(0, 1) }, DETACHED_BUFFER, ...lost(...Object.keys(VIEWS))],
];
export const NO_U64S = [
  ...[...STRANGE, undefined, null, 5, 1n, 5n, 'ab', {}, { length: 2 }, [1n, 2n], [1n], [1, 2], ['a']],
  ...[new Set([1n]), new Array(2), ...ARRAYS, ...lost('BigUint64Array', 'BigInt64Array')],
];
export const NO_KEYS = [
  ...[...STRANGE, undefined, null, 3, 5, 5n, 'ab', 'abc', {}, { offsets: new Uint32Array(4) }, new Set(['a', 'b'])],
  ...[...ARRAYS, ...lost('BigUint64Array', 'BigInt64Array')],
];
export const NO_U32S = [
  ...[undefined, null, 5, 5n, 'ab', {}, { length: 2 }, [0, 1], [0, 1, 2, 3], new Set([1]), new Int32Array(2)],
  ...[[1n, 2n], new Array(2), new Uint8Array(2), new BigUint64Array(2), VIEW, ...lost('Uint32Array')],
];
export const NO_U8S = [
  ...[undefined, null, 'ab', 'abc', [1, 2], new Int8Array(2), new Uint16Array(3), new ArrayBuffer(3), VIEW],
  ...lost('Uint8Array'),
];
export const NO_OUT = [
  ...[null, 5, {}, [], [0], [0n], [0, 0, 0], [1, 2], new BigInt64Array(3), new Int32Array(3)],
  ...ARRAYS.filter((array) => !(array instanceof Uint32Array)),
];
export const NO_FIELD = [...THINGS, undefined, '5', [1, 2], new Array(2), new Set([1]), new ArrayBuffer(8)];
export const NO_DATE = [undefined, null, 5n, '2024-01-01', {}, []];

/** Texts that are not decimal integers from 0 to 2^64 - 1. */
export const NO_DECIMAL = [
  ...['', ' 5', '5 ', '-1', '+1', '5n', '0x5', '5.0', '1e3', '5\n', '٣', '1_0', '18446744073709551616'],
];
