// Tables of wrong arguments, and their tests: one for each entry, in which an error names the value.
import { describe, expect, test } from 'vitest';
import { isLost, NO_NUMBER, outside, shown, type Values } from './wrong-values.js';

/** Makes an array for results. A call that fails must leave its memory as it was. */
export type Room = <T>(Type: new (memory: ArrayBuffer, at: number, length: number) => T, rows?: number) => T;

/** One argument, with values that are wrong for it. */
export type Entry = readonly [
  /** The argument as messages name it: `key`, `keys row 1`, `keys.data`. */
  where: string,
  /** A call in which only this argument is wrong. Columns have three rows, so that `room` has the right length. */
  call: (value: never, room: Room) => unknown,
  /** Values of the wrong kind: each is a TypeError. */
  kinds: Values,
  /** Wrong values of the right kind: each is a RangeError. */
  values?: Values,
  /** What the message says was expected. */
  expected?: string,
];

/** Entries by function, class (`Router`) or method (`Router.route`). A note may follow: `xxh64 of bytes`. */
export type Table = { readonly [callable: string]: readonly Entry[] };

/** An argument that takes integers from min to max. */
export const integer = (where: string, call: Entry[1], min: number, max: number, kinds: Values = NO_NUMBER): Entry => [
  where,
  call,
  kinds,
  outside(min, max),
  `an integer from ${min} to ${max}`,
];

/** The same entries for several things. */
export function each<Name extends string, Thing>(
  things: { readonly [name in Name]: Thing },
  make: (name: Name, thing: Thing) => readonly [callable: string, entries: readonly Entry[]],
): Table {
  return Object.fromEntries(Object.entries<Thing>(things).map(([name, thing]) => make(name as Name, thing)));
}

/**
 * Tests that every wrong value throws an error of the right class; that the message names the argument and the row, what
 * was expected and what came; that the error has these as properties, too; and that nothing has been written.
 */
export function testWrongArguments(table: Table): void {
  describe.each(Object.entries(table))('%s', (callable, entries) => {
    const titles = new Set<string>();
    for (const [where, call, kinds, values = [], expected] of entries) {
      const cases = [
        ...kinds.map((value) => ({ value, errorClass: TypeError })),
        ...values.map((value) => ({ value, errorClass: RangeError })),
      ].map((one) => ({ ...one, title: `${where} = ${shown(one.value)}: ${one.errorClass.name}` }));
      for (const { title } of cases) {
        if (titles.has(title)) throw new Error(`the table has it twice: ${callable}, ${title}`);
        titles.add(title);
      }
      test(`${where}: ${cases.length} wrong values`, async () => {
        for (const { value, errorClass, title } of cases) {
          try {
            const { error, isAsync } = await failure(call, value);
            expectError(error, errorClass, where, value, expected);
            if (/^load|Async/.test(callable) && !isAsync) throw new Error('it throws at once, and does not reject');
          } catch (error) {
            throw new Error(title, { cause: error });
          }
        }
      });
    }
  });
}

/** The error of a call that must fail. */
async function failure(call: Entry[1], value: unknown): Promise<{ error: unknown; isAsync: boolean }> {
  const memories: Uint8Array[] = [];
  const room: Room = (Type, rows = 3) => {
    const memory = new Uint8Array(16 + rows * 8 + 16).fill(0xa5);
    memories.push(memory);
    return new Type(memory.buffer, 16, rows);
  };
  let isAsync = false;
  try {
    const result = call(value as never, room);
    isAsync = result instanceof Promise;
    await result;
  } catch (error) {
    const isWritten = memories.some((memory) => memory.some((byte) => byte !== 0xa5));
    if (isWritten) throw new Error('something has been written', { cause: error });
    return { error, isAsync };
  }
  throw new Error(`accepted: ${shown(value)}`);
}

/** What the error of a wrong argument says as data. */
interface WrongArgument extends Error {
  readonly code: string;
  readonly argument: string;
  readonly row?: number;
  readonly expected: string;
  readonly got: unknown;
}

function expectError(error: unknown, errorClass: ErrorConstructor, where: string, value: unknown, expected?: string) {
  const { message, row, ...said } = error as WrongArgument;
  const [, start, saysExpected, saysGot] = /^(.+?): expected ([\s\S]+), got ([\s\S]+)$/.exec(message) ?? [];
  const facts: [what: string, seen: unknown, wanted: unknown][] = [
    [`the class of ${error}`, error instanceof errorClass, true],
    [message, start, where.replace(/^\S+/, '"$&"')],
    ['the row', row === undefined ? '' : ` row ${row}`, where.replace(/^\S+/, '')],
    // The same as data.
    ['the code', said.code, errorClass === TypeError ? 'ERR_INVALID_ARG_TYPE' : 'ERR_OUT_OF_RANGE'],
    ['the argument', said.argument, where.replace(/ .*/, '')],
    ['what was expected', said.expected, saysExpected],
    [
      'all data',
      Object.keys(error as Error)
        .sort()
        .join(),
      `argument,code,expected,got${row === undefined ? '' : ',row'}`,
    ],
  ];
  if (isLost(value)) facts.push([message, saysExpected?.includes('array'), true]);
  else {
    if (expected !== undefined) facts.push([message, saysExpected, expected]);
    // If an array or an object has a wrong value in it, the message shows only that.
    const isShown = errorClass === TypeError || value instanceof Date || !/object|function/.test(typeof value);
    if (isShown && saysGot !== value) facts.push([message, saysGot, inWords(value)], ['what came', said.got, value]);
  }
  // Each call of `expect` takes 10 times as long as the comparison.
  for (const [what, seen, wanted] of facts) if (!Object.is(seen, wanted)) expect(seen, what).toBe(wanted);
}

/** A value as messages show it. */
function inWords(value: unknown): string {
  const type = Object.prototype.toString.call(value).slice(8, -1);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (value instanceof Date) return `the date ${value.toJSON() ?? 'Invalid Date'}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'object' && value !== null ? `an object (${type})` : String(value);
}

/** The names of a module's functions, classes and methods, inherited ones among them. */
export function callablesOf(module: object): string[] {
  return Object.entries(module).flatMap(([name, value]) => {
    if (typeof value !== 'function') return [];
    return [name, ...[...ownMethodsOf(value), ...methodsOf(value.prototype)].map((method) => `${name}.${method}`)];
  });
}

/** The names of methods, up to a built-in prototype. */
export function methodsOf(owner: object | undefined): string[] {
  if (owner === undefined || owner === Object.prototype || owner === Error.prototype) return [];
  return [...new Set([...ownMethodsOf(owner), ...methodsOf(Object.getPrototypeOf(owner))])];
}

function ownMethodsOf(owner: object): string[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(owner));
  return members
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name);
}

/** The names in a table, without the notes. */
export const callablesIn = (table: Table): string[] => [
  ...new Set(Object.keys(table).map((callable) => callable.replace(/ .*/, ''))),
];
