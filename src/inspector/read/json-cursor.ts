// JSON, byte by byte: what a value is made of, and where it ends. JSON.parse would round numbers above 2^53.

export const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;

/** Deeper than any data, and less than the stack. */
export const MOST_DEPTH = 500;

export class NotJson extends Error {}

/** A place in a text, from which values are taken. */
export class Cursor {
  line = 1;
  /** Where the last string or word lies. Fields, because an object for each would take as long as reading it. */
  start = 0;
  end = 0;

  constructor(
    readonly data: Uint8Array,
    public at = 0,
  ) {}

  /** The next byte that is not a space, or -1. */
  peek(): number {
    const { data } = this;
    while (this.at < data.length) {
      const byte = data[this.at] as number;
      if (byte > 0x20) return byte;
      if (byte === NEWLINE) this.line++;
      this.at++;
    }
    return -1;
  }

  take(byte: number): void {
    if (this.peek() !== byte) throw new NotJson();
    this.at++;
  }

  string(): void {
    this.take(QUOTE);
    const { data } = this;
    this.start = this.at;
    for (let at = this.at; at < data.length; at++) {
      const byte = data[at];
      if (byte === BACKSLASH) at++;
      else if (byte === NEWLINE) break;
      else if (byte === QUOTE) {
        this.end = at;
        this.at = at + 1;
        return;
      }
    }
    throw new NotJson();
  }

  /** A number, or one of true, false and null. */
  word(): void {
    const { data } = this;
    let { at } = this;
    this.start = at;
    while (at < data.length && IN_WORDS[data[at] as number] === 1) at++;
    if (at === this.at) throw new NotJson();
    this.at = at;
    this.end = at;
  }

  /** A string or a word. */
  scalar(): void {
    if (this.peek() === QUOTE) this.string();
    else this.word();
  }

  /** Any value, whatever it is. */
  pass(depth = 0): void {
    if (depth > MOST_DEPTH) throw new NotJson();
    const byte = this.peek();
    if (byte === OPEN_ARRAY) {
      if (this.enter(CLOSE_ARRAY))
        do this.pass(depth + 1);
        while (this.more(CLOSE_ARRAY));
    } else if (byte === OPEN_OBJECT) {
      if (this.enter(CLOSE_OBJECT))
        do {
          this.key();
          this.pass(depth + 1);
        } while (this.more(CLOSE_OBJECT));
    } else this.scalar();
  }

  /** Goes into an array or an object, and says whether it has anything. */
  enter(close: number): boolean {
    this.at++;
    if (this.peek() !== close) return true;
    this.at++;
    return false;
  }

  /** Whether an array or an object goes on: takes the comma, or the end. */
  more(close: number): boolean {
    if (this.peek() === COMMA) {
      this.at++;
      return true;
    }
    this.take(close);
    return false;
  }

  /** Takes a key, which is then `start..end`. */
  key(): void {
    this.string();
    this.take(COLON);
  }
}

const IN_WORDS = new Uint8Array(256);
for (const character of '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._') {
  IN_WORDS[character.charCodeAt(0)] = 1;
}

export function sameBytes(data: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  if (end - start !== other.length) return false;
  for (let i = 0; i < other.length; i++) if (data[start + i] !== other[i]) return false;
  return true;
}
