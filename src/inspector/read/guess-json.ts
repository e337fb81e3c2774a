import type { CellList } from './cells.js';
import { Cursor, EACH, isContainer, type JsonStep, MOST_DEPTH, NEWLINE, NotJson, OPEN_ARRAY } from './json-cursor.js';
import { readJson } from './read-json.js';
import type { Guess } from './shape.js';
import { guessColumn, isIdLike } from './strength.js';
import { uniqueNames } from './unique-names.js';

const MOST_ELEMENTS = 100;
const MOST_COLUMNS = 300;
/** Of arrays that are rows: `[0]`, `[1]`. Longer ones are lists. */
const MOST_INDEXES = 8;
const MOST_BYTES = 200;

/** Where values are: `data.items[].id`, as a name and as steps. */
export interface JsonPath {
  readonly name: string;
  readonly steps: readonly JsonStep[];
}

/** A path, and the values that the sample has there. */
interface Leaf extends JsonPath {
  readonly texts: string[];
  /** The array whose elements have it, or '' for all values. */
  readonly container: string;
}

/** The paths of the sample, if it is JSON that has values. */
export function guessJson(data: Uint8Array): Guess | undefined {
  if (!isContainer(new Cursor(data).peek())) return undefined;
  const { leaves, elements, isBroken } = sampleJson(data);
  const columns = columnsOf(leaves, elements.get('') ?? 0);
  if (columns.length === 0) return undefined;
  // The elements of the outermost array are rows, which need not be said.
  const names = uniqueNames(columns.map(({ name }) => name.replace(/^\[\]\.?/, '')));
  const paths = columns.map(({ steps }, i) => ({ name: names[i] as string, steps }));
  const choices = paths.map(({ name, steps }) => ({ name, read: (cells: CellList) => readJson(cells, steps) }));
  const guess = guessColumn(
    names,
    columns.map(({ texts }) => texts),
    columns.map(({ container }) => elements.get(container) ?? 1),
  );
  return { ...guess, shape: { kind: 'json', choices, paths }, mostIds: Infinity, isDoubtful: isBroken };
}

/** Elements by their index only where they are ids, in arrays that are rows: every list has a first element. */
function columnsOf(leaves: readonly Leaf[], values: number): Leaf[] {
  const isRow = ({ steps }: Leaf) => (steps.length === 1 ? values > 1 : steps.at(-2) === EACH);
  const isShown = (leaf: Leaf) => typeof leaf.steps.at(-1) !== 'number' || (isRow(leaf) && leaf.texts.some(isIdLike));
  return leaves.filter(isShown).slice(0, MOST_COLUMNS);
}

interface Sample {
  readonly leaves: readonly Leaf[];
  /** How many elements were looked at, by the name of their array. */
  readonly elements: ReadonlyMap<string, number>;
  /** Whether some of it is not JSON. */
  readonly isBroken: boolean;
}

/** The values of the first elements of every array, each with its path. */
function sampleJson(data: Uint8Array): Sample {
  const leaves = new Map<string, Leaf>();
  const elements = new Map<string, number>();
  const cursor = new Cursor(data);
  const decoder = new TextDecoder();
  let [isBroken, isEnough] = [false, false];

  const count = (name: string) => elements.set(name, (elements.get(name) ?? 0) + 1);

  const add = (text: string, name: string, steps: readonly JsonStep[], container: string) => {
    const leaf = leaves.get(name) ?? { name, steps, container, texts: [] };
    if (leaves.size > 10 * MOST_COLUMNS || leaf.texts.length > 10 * MOST_ELEMENTS) return;
    leaves.set(name, leaf);
    leaf.texts.push(text);
  };

  /** @returns the text of a value without others in it */
  const take = (name: string, steps: readonly JsonStep[], container: string): string | undefined => {
    if (steps.length > MOST_DEPTH) throw new NotJson();
    const byte = cursor.peek();
    if (!isContainer(byte)) {
      cursor.scalar();
      const text = decoder.decode(data.subarray(cursor.start, Math.min(cursor.end, cursor.start + MOST_BYTES)));
      add(text, name, steps, container);
      return text;
    }
    const each = `${name}[]`;
    let index = 0;
    if (cursor.enter(byte))
      do {
        if (byte !== OPEN_ARRAY) {
          const key = data.subarray(cursor.start, cursor.end);
          take(under(name, decoder.decode(key)), [...steps, key], container);
        } else if (index < MOST_ELEMENTS) {
          count(each);
          const text = take(each, [...steps, EACH], each);
          if (text !== undefined && index < MOST_INDEXES) add(text, `${name}[${index}]`, [...steps, index], container);
          index++;
        } else if (steps.length > 0) cursor.pass();
        else isEnough = true;
      } while (!isEnough && cursor.more(byte));
    return undefined;
  };

  for (let values = 0; values < MOST_ELEMENTS && !isEnough && cursor.peek() >= 0; values++) {
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
