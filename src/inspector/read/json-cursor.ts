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
  pass(depth = 0): undefined {
    if (depth > MOST_DEPTH) throw new NotJson();
    if (isContainer(this.peek())) this.each(() => this.pass(depth + 1));
    else this.scalar();
  }

  /**
   * Goes through the array or the object that is here.
   * @param take takes the next value, whose key is then `start..end`; or says true to stop before it
   * @returns whether that was said
   */
  each(take: (index: number) => boolean | undefined): boolean {
    const open = this.data[this.at++] as number;
    const close = open + 2;
    if (this.peek() === close) {
      this.at++;
      return false;
    }
    for (let index = 0; ; index++) {
      if (open === OPEN_OBJECT) {
        this.string();
        this.take(COLON);
      }
      if (take(index)) return true;
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(close);
    return false;
  }

  /** Whether what is here has values that a step leads to. */
  leads(step: JsonStep): boolean {
    return this.peek() === (step instanceof Uint8Array ? OPEN_OBJECT : OPEN_ARRAY);
  }

  /** Whether a step leads to the next value, see {@link each}. */
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

const IN_WORDS = new Uint8Array(256);
for (const character of '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._') {
  IN_WORDS[character.charCodeAt(0)] = 1;
}
