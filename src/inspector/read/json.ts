import { bytesLike, type CellList, COLON, NEWLINE, pushTrimmed, QUOTE, textIn } from './cells.js';
import { guessColumn, type JsonPath, type JsonStep, type ShapeGuess, strength, uniqueNames } from './guess.js';
import { Problem } from './problems.js';

// JSON, byte by byte: what a value is made of, and where it ends. JSON.parse would round numbers above 2^53.

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** A step to each element of an array. */
export const EACH = 'each';

/** Deeper than any data, and less than the stack. */
const MAX_DEPTH = 500;

class NotJson extends Error {}

/** A place in a text, from which values are taken. */
class Cursor {
  line = 1;
  /** The place of the last string or word. It is in fields, because an object for each would take as long as reading it. */
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
      const byte = data[this.at];
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
    while (at < data.length && IN_WORDS[data[at]] === 1) at++;
    if (at === this.at) throw new NotJson();
    this.at = at;
    this.end = at;
  }

  scalar(): void {
    if (this.peek() === QUOTE) this.string();
    else this.word();
  }

  pass(depth = 0): void {
    if (depth > MAX_DEPTH) throw new NotJson();
    if (!isContainer(this.peek())) this.scalar();
    else this.each(() => this.pass(depth + 1));
  }

  /**
   * Goes through an array or an object. The key of each value is `start..end`.
   * @param visit takes the value, or says `false` to stay there
   * @returns whether it went to the end
   */
  each(visit: (index: number) => unknown): boolean {
    const open = this.peek();
    const close = open + 2;
    this.at++;
    for (let index = 0; index > 0 || this.peek() !== close; index++) {
      if (open === OPEN_OBJECT) {
        this.string();
        this.take(COLON);
      }
      if (visit(index) === false) return false;
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(close);
    return true;
  }

  /** Whether what is here has values that a step leads to. */
  leads(step: JsonStep): boolean {
    return this.peek() === (step instanceof Uint8Array ? OPEN_OBJECT : OPEN_ARRAY);
  }

  isAt(step: JsonStep, index: number): boolean {
    if (!(step instanceof Uint8Array)) return step === EACH || step === index;
    const { data, start } = this;
    if (this.end - start !== step.length) return false;
    for (let i = 0; i < step.length; i++) if (data[start + i] !== step[i]) return false;
    return true;
  }
}

const isContainer = (byte: number): boolean => byte === OPEN_ARRAY || byte === OPEN_OBJECT;

const IN_WORDS = bytesLike(/[\w+.-]/);

/** The text of a value inside the one at a place; '' if there is none. Numbers are the digits that they are written in. */
export function textAt(data: Uint8Array, start: number, steps: readonly JsonStep[]): string {
  const cursor = new Cursor(data, start);
  const goTo = (step: JsonStep) =>
    cursor.leads(step) && !cursor.each((index) => (cursor.isAt(step, index) ? false : cursor.pass()));
  try {
    if (!steps.every(goTo)) return '';
    const byte = cursor.peek();
    cursor.scalar();
    const text = textIn(data, cursor.start, cursor.end);
    if (byte === QUOTE) return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
    return text === 'null' ? '' : text;
  } catch {
    return '';
  }
}

const NINE = 0x39;

/** The values at a path, in one value after the other. After text that is not JSON the next line is tried. */
export function readJson(cells: CellList, steps: readonly JsonStep[]): void {
  const { data } = cells;
  const cursor = new Cursor(data);
  for (let values = 0; cursor.peek() >= 0; values++) {
    const { at, line } = cursor;
    const { count } = cells;
    try {
      readValue(cells, cursor, steps, 0);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      const keeps = steps.includes(EACH);
      const start = keeps ? Math.min(cursor.at, data.length) : at;
      const newline = data.indexOf(NEWLINE, start);
      if (!keeps) cells.count = count; // what was found in a row that then broke off
      cells.push(start, newline < 0 ? data.length : newline, keeps ? cursor.line : line, Problem.brokenJson);
      if (newline < 0 || (keeps && values === 0)) break;
      cursor.at = newline;
      if (!keeps) cursor.line = line;
    }
  }
}

function readValue(cells: CellList, cursor: Cursor, steps: readonly JsonStep[], depth: number): void {
  const step = steps[depth];
  const open = cursor.peek();
  if (step === undefined) readLeaf(cells, cursor, open);
  else if (!cursor.leads(step)) passWith(cells, cursor, Problem.missing);
  else {
    const { at, line } = cursor;
    let isFound = false;
    cursor.each((index) => {
      if ((isFound && step !== EACH) || !cursor.isAt(step, index)) cursor.pass();
      else {
        isFound = true;
        readValue(cells, cursor, steps, depth + 1);
      }
    });
    if (isFound || (step === EACH && depth === 0)) return;
    cells.push(at, cursor.at, line, step === EACH ? Problem.empty : Problem.missing);
  }
}

function readLeaf(cells: CellList, cursor: Cursor, byte: number): void {
  if (isContainer(byte)) passWith(cells, cursor, Problem.notScalar);
  else if (byte === QUOTE) {
    cursor.string();
    pushTrimmed(cells, cursor.start, cursor.end, cursor.line);
  } else {
    cursor.word();
    // Words that are not numbers begin with a letter.
    cells.push(cursor.start, cursor.end, cursor.line, byte > NINE ? Problem.notScalar : Problem.none);
  }
}

function passWith(cells: CellList, cursor: Cursor, problem: Problem): void {
  const { at, line } = cursor;
  cursor.pass();
  cells.push(at, cursor.at, line, problem);
}

const MAX_ELEMENTS = 100;
const MAX_COLUMNS = 300;
/** Of arrays that are rows: `[0]`, `[1]`. Longer ones are lists. */
const MAX_INDEXES = 8;
const MAX_BYTES = 200;

interface Leaf extends JsonPath {
  readonly texts: string[];
  /** The array whose elements have it, or '' for all values. */
  readonly container: string;
}

/** The paths of the sample, if it is JSON that has values. */
export function guessJson(data: Uint8Array): ShapeGuess | undefined {
  if (!isContainer(new Cursor(data).peek())) return undefined;
  const { leaves, elements, isBroken } = sampleJson(data);
  const columns = columnsOf(leaves, elements.get('') ?? 0);
  if (columns.length === 0) return undefined;
  // The elements of the outermost array are rows, which need not be said.
  const names = uniqueNames(columns.map(({ name }) => name.replace(/^\[\]\.?/, '')));
  const paths = columns.map(({ steps }, i) => ({ name: names[i], steps }));
  const choices = paths.map(({ name, steps }) => ({ name, read: (cells: CellList) => readJson(cells, steps) }));
  const texts = columns.map((column) => column.texts);
  const rows = columns.map(({ container }) => elements.get(container) ?? 1);
  const guess = guessColumn(names, texts, rows);
  return { ...guess, shape: { kind: 'json', choices, paths }, mostIds: Infinity, isDoubtful: isBroken };
}

/** Elements by their index only where they are ids, in arrays that are rows: every list has a first element. */
function columnsOf(leaves: readonly Leaf[], values: number): Leaf[] {
  const isRow = ({ steps }: Leaf) => (steps.length === 1 ? values > 1 : steps.at(-2) === EACH);
  const isShown = (leaf: Leaf) => typeof leaf.steps.at(-1) !== 'number' || (isRow(leaf) && leaf.texts.some(strength));
  return leaves.filter(isShown).slice(0, MAX_COLUMNS);
}

/** The values of the first elements of every array, each with its path. */
function sampleJson(data: Uint8Array) {
  const leaves = new Map<string, Leaf>();
  /** How many elements were looked at, by the name of their array. */
  const elements = new Map<string, number>();
  const cursor = new Cursor(data);
  /** Whether some of it is not JSON, and whether there is enough of it. */
  let [isBroken, isEnough] = [false, false];

  const count = (name: string) => elements.set(name, (elements.get(name) ?? 0) + 1);

  const add = (text: string, name: string, steps: readonly JsonStep[], container: string) => {
    const leaf = leaves.get(name) ?? { name, steps, container, texts: [] };
    if (leaves.size > 10 * MAX_COLUMNS || leaf.texts.length > 10 * MAX_ELEMENTS) return;
    leaves.set(name, leaf);
    leaf.texts.push(text);
  };

  /** @returns the text of a value without others in it */
  const take = (name: string, steps: readonly JsonStep[], container: string): string | undefined => {
    if (steps.length > MAX_DEPTH) throw new NotJson();
    const byte = cursor.peek();
    if (!isContainer(byte)) {
      cursor.scalar();
      const text = textIn(data, cursor.start, Math.min(cursor.end, cursor.start + MAX_BYTES));
      add(text, name, steps, container);
      return text;
    }
    const each = `${name}[]`;
    cursor.each((index) => {
      if (byte === OPEN_OBJECT) {
        const key = data.subarray(cursor.start, cursor.end);
        take(under(name, textIn(key)), [...steps, key], container);
      } else if (index < MAX_ELEMENTS) {
        count(each);
        const text = take(each, [...steps, EACH], each);
        if (text !== undefined && index < MAX_INDEXES) add(text, `${name}[${index}]`, [...steps, index], container);
      } else if (steps.length > 0) cursor.pass();
      else isEnough = true;
      return !isEnough;
    });
    return undefined;
  };

  for (let values = 0; values < MAX_ELEMENTS && !isEnough && cursor.peek() >= 0; values++) {
    const { at } = cursor;
    count('');
    try {
      take('', [], '');
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      isBroken = true;
      const newline = data.indexOf(NEWLINE, at);
      if (newline < 0) break;
      cursor.at = newline;
    }
  }
  return { leaves: [...leaves.values()], elements, isBroken };
}

/** `user.id`, and `user["a.b"]` where a dot would be read as a step. */
function under(name: string, key: string): string {
  if (/[.[\]"\s]/.test(key) || key === '') return `${name}["${key}"]`;
  return name === '' ? key : `${name}.${key}`;
}
