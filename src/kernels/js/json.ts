import { encoder } from '../../utf8.js';
import { Fault, type JsonColumns, type JsonPaths, MAX_LEVELS, Stop } from '../record-types.js';
import { type Spans, viewOf } from '../types.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** {@link RecordKernels.jsonRecords} in plain JavaScript. */
export function jsonRecords({ data, starts, ends }: Spans, given: JsonPaths, found: JsonColumns): number {
  const { keyStarts, keyEnds, closes, most, stop } = found;
  const paths = { ...given, names: given.names.map((path) => path.map((name) => latin1(encoder().encode(name)))) };
  stop.fill(0);
  for (let row = 0; row < ends.length; row++) {
    const reader = new JsonReader(data, starts[row], ends[row], paths);
    const fault = reader.read();
    for (const [path, value] of reader.values.entries()) {
      if (value === undefined) continue;
      const [from, to] = value;
      const isString = data[from] === QUOTE;
      const isEscaped = isString && viewOf(data, from, to).includes(BACKSLASH);
      if (isEscaped) stop[Stop.ESCAPED] = 1;
      const inside = isString && !isEscaped ? 1 : 0;
      keyStarts[path * most + row] = from + inside;
      keyEnds[path * most + row] = to - inside;
    }
    if (fault !== Fault.NONE) {
      stop[Stop.FAULT] = fault;
      return row;
    }
    closes[row] = reader.close;
  }
  return ends.length;
}

/** The value of a string without its quotes and escapes; any other value as it is. */
export function unescaped(value: Uint8Array): Uint8Array {
  if (value[0] !== QUOTE) return value;
  const text = withoutEscapes(latin1(viewOf(value, 1, value.length - 1)));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The same for text that has one character for each byte. A lone surrogate becomes U+FFFD, as in the UTF-8 of any text. */
function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (match) => latin1(encoder().encode(JSON.parse(`"${match}"`))));
}

const ESCAPE = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\./g;

/** The most arguments of one call: they must fit the stack. */
const CHARACTERS = 4096;

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHARACTERS) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHARACTERS));
  }
  return text;
}

class Malformed extends Error {
  constructor(readonly fault: number) {
    super();
  }
}

class JsonReader {
  /** The places of the values, by path. */
  readonly values: (readonly [from: number, to: number] | undefined)[];
  /** The place of the record's last brace. */
  close = 0;
  /** The record, with one character for each byte. */
  readonly #text: string;
  #at = 0;
  #hasOther = false;
  /** The paths whose first name has been seen. */
  readonly #named = new Set<number>();

  constructor(
    data: Uint8Array,
    private readonly start: number,
    end: number,
    /** Their names have one character for each byte, too. */
    private readonly paths: JsonPaths,
  ) {
    this.#text = latin1(viewOf(data, start, end));
    this.values = paths.names.map(() => undefined);
  }

  read(): number {
    const all = this.values.map((_, path) => path);
    try {
      this.#take(SPACE);
      const isObject = this.#text[this.#at] === '{';
      this.#value(all, [], 0);
      this.close = this.start + this.#at - 1;
      this.#take(SPACE);
      if (this.#at < this.#text.length) return Fault.NO_JSON;
      if (!isObject) return Fault.NO_OBJECT;
    } catch (error) {
      if (error instanceof Malformed) return error.fault;
      throw error;
    }
    if (this.#hasOther) return Fault.HAS_NAME;
    const { names, extra } = this.paths;
    const wanted = this.values.slice(0, names.length - extra);
    return wanted.includes(undefined) ? Fault.NO_KEY : Fault.NONE;
  }

  /**
   * @param entering the paths that continue inside this value
   * @param ending the paths that end here
   * @param level how many objects and arrays are open
   */
  #value(entering: readonly number[], ending: readonly number[], level: number): void {
    this.#take(SPACE);
    if (level === MAX_LEVELS && '{['.includes(this.#text[this.#at] ?? ' ')) throw new Malformed(Fault.TOO_DEEP);
    if (this.#isTaken('{')) this.#list('}', () => this.#member(entering, level + 1));
    else if (this.#isTaken('[')) this.#list(']', () => this.#value([], [], level + 1));
    else {
      const from = this.#at;
      if (this.#text[from] === '"') this.#string();
      else this.#expect(SCALAR);
      if (this.#text[from] === 'n') return;
      for (const path of ending) this.values[path] = [this.start + from, this.start + this.#at];
    }
  }

  #member(alive: readonly number[], level: number): void {
    const { names, extra, isClosed } = this.paths;
    this.#take(SPACE);
    const from = this.#at;
    this.#string();
    const name = alive.length > 0 ? withoutEscapes(this.#text.slice(from + 1, this.#at - 1)) : '';
    const matched = alive.filter((path) => names[path]?.[level - 1] === name);
    const ending = matched.filter((path) => names[path]?.length === level);
    for (const path of matched) this.values[path] = undefined;
    const isOther = isClosed
      ? alive.length > 0 && (matched.length === 0 || matched.some((path) => this.#named.has(path)))
      : ending.some((path) => path >= names.length - extra);
    if (isOther) this.#hasOther = true;
    for (const path of matched) this.#named.add(path);
    this.#expect(BEFORE_VALUE);
    const entering = matched.filter((path) => !ending.includes(path));
    this.#value(entering, ending, level);
  }

  /** Reads what stands between commas, up to the end of an object or an array. */
  #list(end: string, readOne: () => void): void {
    this.#take(SPACE);
    if (this.#isTaken(end)) return;
    do {
      readOne();
      this.#take(SPACE);
    } while (this.#isTaken(','));
    this.#expectCharacter(end);
  }

  /** Not a regular expression, which long strings would make overflow its stack. */
  #string(): void {
    this.#expectCharacter('"');
    for (;;) {
      this.#take(PLAIN);
      if (this.#isTaken('"')) return;
      this.#expect(ESCAPED);
    }
  }

  /** Moves past what a pattern matches here. */
  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isThere = pattern.test(this.#text);
    if (isThere) this.#at = pattern.lastIndex;
    return isThere;
  }

  #isTaken(character: string): boolean {
    const isThere = this.#text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  #expectCharacter(character: string): void {
    if (!this.#isTaken(character)) throw new Malformed(Fault.NO_JSON);
  }

  #expect(pattern: RegExp): void {
    if (!this.#take(pattern)) throw new Malformed(Fault.NO_JSON);
  }
}

// RFC 8259, over bytes as characters.
const SPACE = /[ \t\n\r]*/y;
const BEFORE_VALUE = /[ \t\n\r]*:/y;
const PLAIN = /[ !#-[\]-\xff]*/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
