export const MAX_U64 = 0xffffffffffffffffn;

/**
 * Modulo 2^64. Unlike `value & MAX_U64`, V8 compiles `asUintN` to a machine word, which makes the jump loop 3 to 4
 * times as fast.
 */
export const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

// Views of a column, of the memory of WebAssembly and of bytes in files all read the same bytes.
if (!new Uint8Array(Uint32Array.of(1).buffer)[0]) throw new Error('shardbits needs a little-endian CPU');

/** The words of a column of u64s, in place: row i has its lower 32 bits at 2i and its upper ones at 2i + 1. */
export function wordsOf(column: BigUint64Array | BigInt64Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
}

/** The names in an object that is written as a literal, in its order. */
export const namesIn = <T extends object>(object: T): (keyof T & string)[] =>
  Object.keys(object) as (keyof T & string)[];

// Checks of arguments, done once at the edge of the library. Wrong kind: TypeError. Right kind, wrong value: RangeError.
// The message is made from the error's data, and only when a check has failed.

export const MAX_BUCKETS = 2147483647; // 2^31 - 1
export const MAX_TIMER_MS = 2147483647;
export const MAX_THREADS = 256;

/** The first step from `least` on that leads through all rows: one that has no divisor in common with their number. */
export function stepThrough(rows: number, least: number): number {
  return greatestDivisor(least, rows) > 1 ? stepThrough(rows, least + 1) : least;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

// Foreign text is what others have chosen: names, owners, paths, keys, rows, what a server says. It may hold what commands
// a terminal, reorders or hides the text around it, or a password.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;

/**
 * Foreign text as a message shows it: on one line, and with an escape of JSON for each control character, line break, mark
 * of direction, half of a surrogate pair and character without a shape. In JSON it changes no value.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found) =>
    found < ' ' ? JSON.stringify(found).slice(1, -1) : found.replace(/./gs, escaped),
  );
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Parameters of a URL, which end at an &, and those of libpq, which end at a space or have quotes. */
const PARAMETERS = [
  /([?&]\w*password=)(?!\*{3}(?:["'&]|$))[^&]*/gi,
  /((?:password|passwd|passphrase|pwd)\s*(?:=|%3d))(?!\s*\*{3}(?:["'&\s]|$))\s*('(?:[^'\\]|\\.)*'?|[^&\s]*)/gi,
];
/** A user and the colon before the password. */
const USER =
  /(?:^|=):|(?:^|[\s/?#"'`=\\])(?:([a-z0-9+.-]+:\/\/)[^\s:/?#"'`=\\]*|(?![a-z]:[\\/])[^\s:/?#"'`=\\]+(?!:\/\/)):/i;
/** A user before a password whose host is missing, so that the password is where a port would be. */
const NO_HOST = /((?:^|[^a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s:/?#"'`=\\@[\]]*:)(?!\d*(?:[/?#,;:\s"'`)\]]|$)|port\b)[^@]+$/i;
const ENCODED: { readonly [code: string]: string } = { '%3a': ':--', '%2f': '/--', '%40': '@--' };

/**
 * A text without its password, if it looks like the URL or the parameters of a database, however mistyped. A password may
 * hold any character, so all up to the last @ is left out.
 */
export function withoutPassword(text: string): string {
  const masked = PARAMETERS.reduce((all, parameter) => all.replace(parameter, '$1***'), text);
  return withoutLogin(masked).replace(NO_HOST, '$1***');
}

function withoutLogin(text: string): string {
  const isEncoded = !text.includes('@'); // otherwise what is encoded belongs to the password
  const read = isEncoded ? text.replace(/%(?:3a|2f|40)/gi, (code) => ENCODED[code.toLowerCase()]) : text;
  const at = read.lastIndexOf('@');
  const found = at > 0 && USER.exec(read.slice(0, at));
  if (!found) return text;
  const end = found.index + found[0].length - 1;
  if (text.slice(end + 1, at) === 'password') return text; // of an example
  const user = text.slice(0, end);
  if (isEncoded) return `${user}:***`;
  return `${user}${found[1] === undefined ? ':***' : ''}${text.slice(at)}`;
}

/** A message that may hold any foreign text, on one line. */
export function message(text: string): string {
  return visible(text.replace(/\S+/g, withoutPassword));
}

/** A word of a command, as a POSIX shell reads it. */
export function inShell(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A value as a message shows it. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(shorten(value));
    case 'bigint':
      return `${shorten(String(value))}n`;
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      if (typeName(value) === 'Date') return `the date ${new Date(Number(value)).toJSON() ?? 'Invalid Date'}`;
      return Array.isArray(value) ? `an array of ${value.length}` : `an object (${typeName(value)})`;
    default:
      return String(value);
  }
}

/** An instant as a message shows it. What a Date cannot hold is shown in milliseconds. */
export function showInstant(unixMs: number | bigint): string {
  return new Date(Number(unixMs)).toJSON() ?? `${unixMs} ms`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The name of a built-in's type, whichever realm it comes from: 'Uint8Array', 'ArrayBuffer', 'Date'. */
export function typeName(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** The data of an error about an argument. Its message is made from the same data. */
export interface ArgumentProblem {
  /** The argument as the message names it, without quotes: `shards`, `columns.shard`, `values.shard`. */
  readonly argument: string;
  /** What the argument has to be. */
  readonly expected: string;
  /** What came. */
  readonly got: unknown;
  /** The first wrong row of a column, counted from 0. */
  readonly row?: number;
}

/** The wrong kind of argument. */
export interface ArgumentTypeError extends TypeError, ArgumentProblem {
  readonly code: 'ERR_INVALID_ARG_TYPE';
}

/** An argument of the right kind with a wrong value. */
export interface ArgumentRangeError extends RangeError, ArgumentProblem {
  readonly code: 'ERR_OUT_OF_RANGE';
}

/**
 * @param got the value itself
 * @param row the first wrong row of a column, counted from 0
 * @param shown `got` in the words of the message
 */
type Refuse<E extends Error> = (argument: string, expected: string, got: unknown, row?: number, shown?: string) => E;

function refusing(Kind: ErrorConstructor, code: string): Refuse<never> {
  return (argument, expected, got, row, shown = describeValue(got)) => {
    const where = row === undefined ? '' : ` row ${row}`;
    const error = new Kind(`"${argument}"${where}: expected ${expected}, got ${shown}`);
    return Object.assign(error, { code, argument, expected, got }, row === undefined ? {} : { row }) as never;
  };
}

export const wrongKind: Refuse<ArgumentTypeError> = /* @__PURE__ */ refusing(TypeError, 'ERR_INVALID_ARG_TYPE');
export const wrongValue: Refuse<ArgumentRangeError> = /* @__PURE__ */ refusing(RangeError, 'ERR_OUT_OF_RANGE');

/** A name that is not a known one: a misspelt option or field. */
export function unknownName(argument: string, got: unknown, known: readonly string[]): ArgumentRangeError {
  return wrongValue(argument, `only ${known.join(', ')}`, got);
}

export function checkInteger(
  argument: string,
  value: number | undefined,
  min: number,
  max: number,
  row?: number,
): number {
  const isNumber = typeof value === 'number';
  if (isNumber && Number.isInteger(value) && value >= min && value <= max) return value;
  throw (isNumber ? wrongValue : wrongKind)(argument, `an integer from ${min} to ${max}`, value, row);
}

export function checkU64(argument: string, value: bigint, row?: number): bigint {
  const isBigint = typeof value === 'bigint';
  if (isBigint && u64(value) === value) return value;
  throw (isBigint ? wrongValue : wrongKind)(argument, 'a bigint from 0 to 2^64 - 1', value, row);
}

/** A seed is taken modulo 2^64. */
export function checkSeed(value: bigint | undefined): bigint {
  if (value === undefined) return 0n;
  if (typeof value !== 'bigint') throw wrongKind('seed', 'a bigint', value);
  return u64(value);
}

export function checkString(argument: string, value: string): string {
  if (typeof value !== 'string') throw wrongKind(argument, 'a string', value);
  return value;
}

export function checkBoolean(argument: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw wrongKind(argument, 'a boolean', value);
  return value;
}

export function checkFunction(argument: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongKind(argument, 'a function', value);
}

export function checkSignal(argument: string, value: AbortSignal): void {
  if (typeName(value) !== 'AbortSignal') throw wrongKind(argument, 'an AbortSignal', value);
}

/** The signal and the functions among options, where they are given. */
export function checkCalls({
  signal,
  ...functions
}: { readonly signal?: AbortSignal | undefined } & { readonly [name: `on${string}`]: unknown }): void {
  if (signal !== undefined) checkSignal('signal', signal);
  for (const [name, call] of Object.entries(functions)) if (call !== undefined) checkFunction(name, call);
}

export function checkOneOf<T extends string>(argument: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  const expected = `one of ${allowed.map((name) => `'${name}'`).join(', ')}`;
  throw (typeof value === 'string' ? wrongValue : wrongKind)(argument, expected, value);
}

/** Options, or undefined for none. A misspelt option is refused. */
export function checkOptions<T extends object>(
  options: T | undefined,
  known: readonly (keyof T & string)[],
  argument = 'options',
): T {
  if (options === undefined) return {} as T;
  checkRecord(argument, options);
  for (const name of namesIn(options)) if (!known.includes(name)) throw unknownName(argument, name, known);
  return options;
}

/** Options of which some are required. */
export function checkGiven<T extends object>(
  options: T,
  known: readonly (keyof T & string)[],
  argument = 'options',
): T {
  checkRecord(argument, options);
  return checkOptions(options, known, argument);
}

/** An object with properties; arrays and typed arrays are refused. */
export function checkRecord(argument: string, value: object): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) {
    throw wrongKind(argument, 'an object', value);
  }
}

/** An array has a length of 0 after its memory was transferred, shrunk or grown. It must not pass for an empty one. */
export function checkAttached(argument: string, memory: ArrayBufferView | ArrayBufferLike): void {
  try {
    if (memory.byteLength > 0) return;
    if (!ArrayBuffer.isView(memory)) new Uint8Array(memory);
    else if (typeName(memory) !== 'DataView') Uint8Array.prototype.keys.call(memory as Uint8Array);
  } catch {
    throw wrongKind(argument, 'an attached array', memory, undefined, 'a detached one');
  }
}
