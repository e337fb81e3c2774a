import { MAX_BUCKETS } from '../../../arguments.js';
import { type BytesColumn, xxh64Many } from '../../../index.js';
import { partitioner } from '../../../partitioners/index.js';
import { textIn } from '../../read/cells.js';
import { type JsonPath, uniqueNames } from '../../read/guess.js';
import { guessJson, textAt } from '../../read/json.js';
import { type InputText, openFiles, utf8Of } from '../../read/open.js';
import { firstLines } from '../../read/shape.js';
import { DELIMITERS, forEachLine, isDelimiter, records, sampleCsv, valueIn, withoutReturn } from '../../read/table.js';
import { allRows } from '../order.js';
import { runsOf } from '../statistics.js';
import { parsed } from './routing.js';

/** Files of keys, with what was chosen of them; undefined: guessed. */
export interface ChosenFiles {
  readonly files: readonly File[];
  /** The number of the files: of the same ones, other columns may be chosen. */
  readonly opened: number;
  readonly key?: string | undefined;
  /** '': the files do not say where the keys are. */
  readonly shard?: string | undefined;
}

export type FileColumns = ReturnType<typeof keysInFiles>['about'];

export const WHOLE_LINES = 'whole lines';

/** A file, its columns, and which of them most likely has the keys and their shards. */
interface KeyFile extends InputText {
  /** Set for a table. */
  readonly delimiter?: string;
  readonly header?: boolean;
  /** Set for lines of JSON. */
  readonly paths?: readonly JsonPath[];
  readonly columns: readonly string[];
  readonly key: string;
  readonly shard: string;
}

/** @throws Error for a file that cannot be read, with its name */
export async function openKeyFiles(files: readonly File[]): Promise<readonly KeyFile[]> {
  const opened = await openFiles(files, (name, message) => `${name} cannot be read: ${message}`, true);
  return opened.map((input) => ({ ...input, ...guessOf(input) }));
}

const NAME = /^[A-Za-z_][\w .-]{0,63}$/;
const KEY_NAME = /(^|\.)(_?id|e?mail)$|[_-](key|id)$|[a-z](Key|Id)$/;
const SHARD_NAME = /^(shard|partition|bucket|slot|vbucket)([_-]?(id|no|number))?$/i;
const SHARD = /^\d{1,10}$/;

/** The columns of a file, and which most likely has the keys, and which their shards. */
function guessOf({ name, data }: InputText): Omit<KeyFile, keyof InputText> {
  const lines = firstLines(data).filter((line) => line.trim() !== '');
  const paths = pathsIn(data, lines);
  if (paths.length > 0) {
    const columns = paths.map((path) => path.name);
    const shard = columns.find((path) => SHARD_NAME.test(path)) ?? '';
    return { paths, columns, key: bestOf(columns.filter((path) => path !== shard)), shard };
  }
  const delimiter = DELIMITERS.find((each) => isDelimiter(lines, each));
  if (delimiter === undefined) return { columns: [WHOLE_LINES], key: WHOLE_LINES, shard: '' };
  const [first, ...rest] = sampleCsv(data, delimiter);
  const header = rest.length > 0 && first.every((text) => NAME.test(text)) && new Set(first).size === first.length;
  const names = uniqueNames(first.map((text, i) => (header ? text : `column ${i + 1}`)));
  const isPair = delimiter === '\t' && names.length === 2;
  const shardAt = names.findIndex((each, at) => {
    const mayBe = header ? SHARD_NAME.test(each) : isPair && SHARD.test(first[at]);
    return mayBe && rest.every((row) => SHARD.test(row[at] ?? ''));
  });
  const isTable = shardAt >= 0 || /\.(csv|tsv|tab)(\.(gz|zst|zstd))?$/i.test(name);
  return {
    delimiter,
    header,
    columns: [WHOLE_LINES, ...names],
    key: isTable ? bestOf(names.filter((_, at) => at !== shardAt)) : WHOLE_LINES,
    shard: names[shardAt] ?? '',
  };
}

const bestOf = (names: readonly string[]): string =>
  names.find((name) => /(^|\.)_?key$/i.test(name)) ?? names.find((name) => KEY_NAME.test(name)) ?? names[0];

/** The paths of names in lines of JSON, such as `user.email`. None if a line is something else. */
function pathsIn(data: Uint8Array, lines: readonly string[]): readonly JsonPath[] {
  const guess = lines.every((line) => line.startsWith('{')) ? guessJson(data) : undefined;
  if (guess === undefined || guess.isDoubtful) return [];
  return (guess.shape.paths ?? []).filter(({ name }) => !/["[]/.test(name));
}

/** The keys of files, and the shards in which they are, if a column says so. */
export function keysInFiles(files: readonly KeyFile[], chosen: Pick<ChosenFiles, 'key' | 'shard'>) {
  const [first] = files;
  const key = chosen.key ?? first.key;
  const shard = key === WHOLE_LINES ? '' : (chosen.shard ?? first.shard);
  const keys = new KeyWriter(files.reduce((sum, { data }) => sum + data.length, 0));
  const shards: number[] = [];
  let missing = 0;
  for (const file of files) {
    forEachRow(file, key, shard, (bytes, place) => {
      if (bytes.length === 0) {
        missing++;
        return;
      }
      keys.push(bytes);
      if (shard === '') return;
      if (!SHARD.test(place) || Number(place) >= MAX_BUCKETS) {
        throw new Error(`${file.name}: ${shard}: expected the number of a shard, got ${JSON.stringify(place)}`);
      }
      shards.push(Number(place));
    });
  }
  return {
    keys: keys.finish(),
    shards: shard === '' ? undefined : Uint32Array.from(shards),
    about: {
      files: files.map((file) => file.name),
      /** The names of columns, of which the first may be {@link WHOLE_LINES}. */
      columns: [...new Set(files.flatMap((file) => file.columns))],
      key,
      shard,
      options: optionsOf(first, key),
      missing,
    },
  };
}

function optionsOf({ delimiter, header, columns }: KeyFile, key: string): string[] {
  if (key === WHOLE_LINES) return [];
  if (delimiter === undefined) return ['--ndjson', '--key', key];
  const format = delimiter === '\t' ? ['--tsv'] : delimiter === ',' ? ['--csv'] : ['--csv', '--delimiter', delimiter];
  return header ? [...format, '--key', key] : [...format, '--no-header', '--key', `${columns.indexOf(key)}`];
}

/**
 * Visits the rows of a file that are not empty.
 * @param onRow is called with the bytes of the key, which are none if the row has no key, and with the text of the shard
 */
function forEachRow(file: KeyFile, key: string, shard: string, onRow: (key: Uint8Array, shard: string) => void): void {
  const { name, data, delimiter, header, paths, columns } = file;
  for (const column of [key, shard]) {
    if (column !== '' && !columns.includes(column)) throw new Error(`${name} has no column ${JSON.stringify(column)}`);
  }
  const isEmpty = (_: Uint8Array, start: number, end: number) => withoutReturn(data, start, end) === start;
  if (delimiter !== undefined && key !== WHOLE_LINES) {
    const [keyAt, shardAt] = [key, shard].map((column) => columns.indexOf(column) - 1);
    let skip = header;
    for (const record of records(data, delimiter)) {
      if (!skip && !isEmpty(data, record.start, record.end)) {
        onRow(valueIn(data, record, keyAt), textIn(valueIn(data, record, shardAt)));
      }
      skip = false;
    }
    return;
  }
  const [keySteps, shardSteps] = [key, shard].map((column) => paths?.find(({ name }) => name === column)?.steps);
  const onLine = (start: number, end: number) =>
    onRow(
      keySteps ? utf8Of(textAt(data, start, keySteps)) : data.subarray(start, withoutReturn(data, start, end)),
      shardSteps ? textAt(data, start, shardSteps) : '',
    );
  forEachLine(data, onLine, isEmpty);
}

/** Keys, as the library takes a column of them. */
export interface KeyList {
  readonly count: number;
  readonly column: readonly string[] | BytesColumn;
  text(row: number): string;
}

export function keyListOf(keys: readonly string[]): KeyList {
  return { count: keys.length, column: keys, text: (row) => keys[row] };
}

/** Collects keys as bytes, so that a million of them are no objects. */
class KeyWriter {
  #bytes: Uint8Array;
  readonly #offsets = [0];

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  push(key: Uint8Array): void {
    const at = this.#offsets[this.#offsets.length - 1];
    const end = at + key.length;
    if (end > this.#bytes.length) {
      const more = new Uint8Array(2 * end);
      more.set(this.#bytes);
      this.#bytes = more;
    }
    this.#bytes.set(key, at);
    this.#offsets.push(end);
  }

  finish(): KeyList {
    const offsets = Uint32Array.from(this.#offsets);
    const count = offsets.length - 1;
    const data = this.#bytes.subarray(0, offsets[count]);
    return { count, column: { data, offsets }, text: (row) => textIn(data, offsets[row], offsets[row + 1]) };
  }
}

/** Keys as ids, which are decimal integers. @throws RangeError for one that is not */
export function idsIn(keys: KeyList): BigInt64Array {
  const checking = partitioner('discord', { shards: 1 });
  return BigInt64Array.from({ length: keys.count }, (_, row) => {
    const id = parsed(keys.text(row), /^-?\d{1,19}$/, BigInt);
    checking.route(id);
    return id;
  });
}

/**
 * How many keys another key before them equals, and the most frequent key with its number of rows; undefined if no key is
 * there twice. Different keys have different hashes of 64 bits, as good as surely.
 */
export function repeatedIn({ column, text }: KeyList) {
  const hashes = xxh64Many(column);
  const { firsts, counts } = runsOf(allRows(hashes), hashes);
  const duplicates = hashes.length - counts.length;
  const count = counts.reduce((most, each) => Math.max(most, each), 0);
  return duplicates === 0 ? undefined : { duplicates, key: shortened(text(firsts[counts.indexOf(count)])), count };
}

const MAX_CHARACTERS = 200;

export function shortened(key: string): string {
  return key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key;
}
