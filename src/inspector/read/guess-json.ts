import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  Cursor,
  MOST_DEPTH,
  NEWLINE,
  NotJson,
  OPEN_ARRAY,
  OPEN_OBJECT,
} from './json-cursor.js';
import { EACH, type JsonStep } from './read-json.js';
import { indexOfBest, isIdLike, nameBonus, sumOfStrengths } from './strength.js';
import { uniqueNames } from './unique-names.js';

const MOST_ELEMENTS = 100;
const MOST_COLUMNS = 300;
/** Of arrays that are rows: `[0]`, `[1]`. Longer ones are lists. */
const MOST_INDEXES = 8;

/** A value that the sample has at a path. */
interface Leaf {
  readonly name: string;
  readonly steps: readonly JsonStep[];
  readonly texts: string[];
  /** The array whose elements have it, or '' for all values. */
  readonly container: string;
}

/** Where values are: `data.items[].id`, as a name and as steps. */
export interface JsonPath {
  readonly name: string;
  readonly steps: readonly JsonStep[];
}

/** What the sample has, if it is JSON. */
export interface JsonGuess {
  readonly columns: readonly JsonPath[];
  readonly guessed: number;
  /** As of {@link TableGuess}. */
  readonly sum: number;
  readonly good: number;
  readonly isBroken: boolean;
}

export function guessJson(data: Uint8Array): JsonGuess | undefined {
  const first = new Cursor(data).peek();
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return undefined;
  const sample = new Sample(data);
  const isBroken = sample.take();
  const leaves = columnsOf([...sample.leaves.values()], sample.elements.get('') ?? 0);
  if (leaves.length === 0)
    return isBroken ? undefined : { columns: [{ name: '', steps: [] }], guessed: 0, sum: 0, good: 0, isBroken };
  const guessed = indexOfBest(leaves.map((leaf) => scoreOf(leaf, sample.elements.get(leaf.container) ?? 1)));
  const { texts } = leaves[guessed] as Leaf;
  // The elements of the outermost array are rows, which need not be said.
  const names = uniqueNames(leaves.map(({ name }) => name.replace(/^\[\]\.?/, '')));
  return {
    columns: leaves.map(({ steps }, i) => ({ name: names[i] as string, steps })),
    guessed,
    sum: sumOfStrengths(texts),
    good: texts.filter(isIdLike).length,
    isBroken,
  };
}

/** Elements by their index only where they are ids, in arrays that are rows: every list has a first element. */
function columnsOf(leaves: readonly Leaf[], values: number): Leaf[] {
  const isRow = ({ steps }: Leaf) => (steps.length === 1 ? values > 1 : steps.at(-2) === EACH);
  const isShown = (leaf: Leaf) => typeof leaf.steps.at(-1) !== 'number' || (isRow(leaf) && leaf.texts.some(isIdLike));
  return leaves.filter(isShown).slice(0, MOST_COLUMNS);
}

/** Of paths that look alike, the one with more values is rather the rows. */
function scoreOf({ name, texts }: Leaf, elements: number): number {
  const mean = sumOfStrengths(texts) / Math.max(elements, texts.length);
  return mean === 0 ? 0 : mean + nameBonus(name.replace(/^\[\]\.?/, '')) + Math.log2(texts.length) / 10;
}

/** The values of the first elements of every array, each with its path. */
class Sample {
  readonly leaves = new Map<string, Leaf>();
  /** How many elements were looked at, by the name of their array. */
  readonly elements = new Map<string, number>();
  readonly #cursor: Cursor;
  readonly #decoder = new TextDecoder();

  constructor(private readonly data: Uint8Array) {
    this.#cursor = new Cursor(data);
  }

  /** @returns whether some of it is not JSON */
  take(): boolean {
    const cursor = this.#cursor;
    let isBroken = false;
    for (let values = 0; values < MOST_ELEMENTS && cursor.peek() >= 0; values++) {
      const { at } = cursor;
      this.#count('');
      try {
        this.#value('', [], '');
      } catch (error) {
        if (error instanceof Enough) break;
        if (!(error instanceof NotJson)) throw error;
        isBroken = true;
        const newline = this.data.indexOf(NEWLINE, at);
        if (newline < 0) break;
        cursor.at = newline;
      }
    }
    return isBroken;
  }

  #value(name: string, steps: readonly JsonStep[], container: string): void {
    if (steps.length > MOST_DEPTH) throw new NotJson();
    const byte = this.#cursor.peek();
    if (byte === OPEN_ARRAY) this.#array(name, steps, container);
    else if (byte === OPEN_OBJECT) this.#object(name, steps, container);
    else this.#leaf(name, steps, container);
  }

  #array(name: string, steps: readonly JsonStep[], container: string): void {
    const cursor = this.#cursor;
    const each = `${name}[]`;
    let count = 0;
    if (cursor.enter(CLOSE_ARRAY))
      do {
        const { at, line } = cursor;
        if (count >= MOST_ELEMENTS) {
          if (steps.length === 0) throw new Enough(); // the rest of all there is
          cursor.pass();
          continue;
        }
        this.#count(each);
        const byte = cursor.peek();
        this.#value(each, [...steps, EACH], each);
        const isScalar = byte !== OPEN_ARRAY && byte !== OPEN_OBJECT;
        if (isScalar && count < MOST_INDEXES) {
          cursor.at = at;
          cursor.line = line;
          this.#leaf(`${name}[${count}]`, [...steps, count], container);
        }
        count++;
      } while (cursor.more(CLOSE_ARRAY));
  }

  #object(name: string, steps: readonly JsonStep[], container: string): void {
    const cursor = this.#cursor;
    if (cursor.enter(CLOSE_OBJECT))
      do {
        cursor.key();
        const key = this.data.subarray(cursor.start, cursor.end);
        this.#value(under(name, this.#decoder.decode(key)), [...steps, key], container);
      } while (cursor.more(CLOSE_OBJECT));
  }

  #leaf(name: string, steps: readonly JsonStep[], container: string): void {
    const cursor = this.#cursor;
    cursor.scalar();
    const leaf = this.leaves.get(name) ?? { name, steps, container, texts: [] };
    if (leaf.texts.length === 0) {
      if (this.leaves.size >= 10 * MOST_COLUMNS) return;
      this.leaves.set(name, leaf);
    }
    if (leaf.texts.length >= 10 * MOST_ELEMENTS) return;
    leaf.texts.push(this.#decoder.decode(this.data.subarray(cursor.start, Math.min(cursor.end, cursor.start + 200))));
  }

  #count(name: string): void {
    this.elements.set(name, (this.elements.get(name) ?? 0) + 1);
  }
}

class Enough extends Error {}

/** `user.id`, and `user["a.b"]` where a dot would be read as a step. */
function under(name: string, key: string): string {
  if (/[.[\]"\s]/.test(key) || key === '') return `${name}["${key}"]`;
  return name === '' ? key : `${name}.${key}`;
}
