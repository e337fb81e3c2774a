import { bytesLike } from './byte-class.js';

// JSON, byte by byte: what a value is made of, and where it ends. JSON.parse would round numbers above 2^53.

export const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
export const OPEN_OBJECT = 0x7b;
export const NEWLINE = 0x0a;

/** A step from a value to one in it: by its key, as the bytes between its quotes; by its index; or each of an array. */
export type JsonStep = Uint8Array | number | typeof EACH;
export const EACH = 'each';

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
    const open = this.peek();
    if (!isContainer(open)) this.scalar();
    else if (this.enter(open))
      do this.pass(depth + 1);
      while (this.more(open));
  }

  /** Goes into an array or an object, and says whether it has anything. The key of the first value is then `start..end`. */
  enter(open: number): boolean {
    this.at++;
    if (this.peek() !== open + 2) return this.#key(open);
    this.at++;
    return false;
  }

  /** Whether an array or an object goes on: takes the comma and the next key, or the end. */
  more(open: number): boolean {
    if (this.peek() === COMMA) {
      this.at++;
      return this.#key(open);
    }
    this.take(open + 2);
    return false;
  }

  #key(open: number): true {
    if (open === OPEN_OBJECT) {
      this.string();
      this.take(COLON);
    }
    return true;
  }

  /** Whether what is here has values that a step leads to. */
  leads(step: JsonStep): boolean {
    return this.peek() === (step instanceof Uint8Array ? OPEN_OBJECT : OPEN_ARRAY);
  }

  /** Whether a step leads to the next value. */
  isAt(step: JsonStep, index: number): boolean {
    if (!(step instanceof Uint8Array)) return step === EACH || step === index;
    const { data, start } = this;
    if (this.end - start !== step.length) return false;
    for (let i = 0; i < step.length; i++) if (data[start + i] !== step[i]) return false;
    return true;
  }
}

export function isContainer(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT;
}

const IN_WORDS = bytesLike(/[\w+.-]/);
