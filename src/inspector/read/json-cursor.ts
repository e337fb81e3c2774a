// JSON, byte by byte: what a value is made of, and where it ends. JSON.parse would round numbers above 2^53.

export const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;

export class NotJson extends Error {}

/** A place in a text, from which values are taken. */
export class Cursor {
  line = 1;
  constructor(
    readonly data: Uint8Array,
    public at = 0,
  ) {}

  /** The next byte that is no space, or -1. */
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

  string(): { start: number; end: number } {
    this.take(QUOTE);
    const { data } = this;
    const start = this.at;
    for (; this.at < data.length; this.at++) {
      const byte = data[this.at];
      if (byte === BACKSLASH) this.at++;
      else if (byte === NEWLINE) break;
      else if (byte === QUOTE) return { start, end: this.at++ };
    }
    throw new NotJson();
  }

  /** A number, or one of true, false and null. */
  word(): { start: number; end: number } {
    const { data } = this;
    const start = this.at;
    while (this.at < data.length && isWordByte(data[this.at] as number)) this.at++;
    if (this.at === start) throw new NotJson();
    return { start, end: this.at };
  }

  /** Any value, whatever it is. */
  pass(depth = 0): void {
    const byte = this.peek();
    if (depth > 500) throw new NotJson(); // deeper than any data, and less than the stack
    if (byte === QUOTE) this.string();
    else if (byte === OPEN_ARRAY) this.elements(() => this.pass(depth + 1));
    else if (byte === OPEN_OBJECT) this.members(() => this.pass(depth + 1));
    else this.word();
  }

  elements(onElement: () => void): void {
    this.take(OPEN_ARRAY);
    if (this.peek() === CLOSE_ARRAY) {
      this.at++;
      return;
    }
    for (;;) {
      onElement();
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(CLOSE_ARRAY);
  }

  /** `onMember` is given the span of the key, and takes the value. */
  members(onMember: (start: number, end: number) => void): void {
    this.take(OPEN_OBJECT);
    if (this.peek() === CLOSE_OBJECT) {
      this.at++;
      return;
    }
    for (;;) {
      this.peek();
      const { start, end } = this.string();
      this.take(COLON);
      onMember(start, end);
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(CLOSE_OBJECT);
  }
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}
