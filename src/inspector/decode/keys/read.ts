import { MAX_BUCKETS } from '../../../arguments.js';
import { detectRouting } from '../../../detect/index.js';
import { detailsOf } from '../../../errors.js';
import { type BytesColumn, type Routing, xxh64Many } from '../../../index.js';
import { partitioner } from '../../../partitioners/index.js';
import { textIn } from '../../read/cells.js';
import { type JsonPath, uniqueNames } from '../../read/guess.js';
import { guessJson, textAt } from '../../read/json.js';
import { type InputText, joined, openFiles, utf8Of } from '../../read/open.js';
import { firstLines } from '../../read/shape.js';
import { DELIMITERS, forEachLine, isDelimiter, records, sampleCsv, valueIn, withoutReturn } from '../../read/table.js';
import { allRows } from '../order.js';
import { runsOf } from '../statistics.js';
import { type KeyRouting, keysIn, parsed, ROUTED_BY, routingOf } from './routing.js';

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
  readonly delimiter?: string;
  readonly header?: boolean;
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
  if (!guess || guess.isDoubtful) return [];
  return (guess.shape.paths ?? []).filter(({ name }) => !/["[]/.test(name));
}

/** The keys of files, and the shards in which they are, if a column says so. */
export function keysInFiles(files: readonly KeyFile[], chosen: Pick<ChosenFiles, 'key' | 'shard'>) {
  const [first] = files;
  const key = chosen.key ?? first.key;
  const shard = key === WHOLE_LINES ? '' : (chosen.shard ?? first.shard);
  const keys = new KeyWriter(new Uint8Array(files.reduce((sum, { data }) => sum + data.length, 0)));
  const shards: number[] = [];
  let missing = 0;
  for (const file of files) {
    forEachRow(file, key, shard, (bytes, place) => {
      if (bytes.length === 0) missing++;
      else keys.push(bytes);
      if (bytes.length === 0 || shard === '') return;
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

export const keyListOf = (keys: readonly string[]): KeyList => ({
  count: keys.length,
  column: keys,
  text: (row) => keys[row],
});

/** Collects keys as bytes, so that a million of them are no objects. */
class KeyWriter {
  readonly #offsets = [0];

  constructor(private bytes: Uint8Array) {}

  push(key: Uint8Array): void {
    const at = this.#offsets[this.#offsets.length - 1];
    const end = at + key.length;
    if (end > this.bytes.length) this.bytes = joined([this.bytes, new Uint8Array(end)]);
    this.bytes.set(key, at);
    this.#offsets.push(end);
  }

  finish(): KeyList {
    const offsets = Uint32Array.from(this.#offsets);
    const count = offsets.length - 1;
    const data = this.bytes.subarray(0, offsets[count]);
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

export const shortened = (key: string): string =>
  key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key;

const SHARD_FIRST = /^(?<shard>\d{1,10})\t(?<key>.*)$/s;
const SHARD_LAST = /^(?<key>.*)\t(?<shard>\d{1,10})$/s;

/** Rows of `shard <TAB> key`, of `key <TAB> shard`, or of both if all are numbers. */
export const placedIn = (lines: readonly string[]) =>
  [SHARD_FIRST, SHARD_LAST].flatMap((form) => {
    const keys: string[] = [];
    const shards = new Uint32Array(lines.length);
    const arePlaced = lines.every((line, row) => {
      const { key, shard } = form.exec(line)?.groups ?? {};
      if (key === undefined || Number(shard) >= MAX_BUCKETS) return false;
      shards[row] = Number(shard);
      return keys.push(key);
    });
    return arePlaced && keys.length > 0 ? [{ keys, shards }] : [];
  });

export type KeySource = { readonly text: string } | ChosenFiles;

type AnySource = Partial<ChosenFiles & { readonly text: string }>;

export interface ReadKeys {
  readonly keys: KeyList;
  readonly told?: Told | undefined;
  /** undefined: they were pasted. */
  readonly files?: FileColumns;
  readonly areMadeUp?: boolean;
}

const MADE_UP = 20_000;

/** Keys for somebody who has not given any, always the same: ids in decimal, because every system takes these. */
function madeUpKeys(): ReadKeys {
  const hashes = xxh64Many(Array.from({ length: MADE_UP }, (_, i) => `key ${i}`));
  return { keys: keyListOf(Array.from(hashes, (hash) => String(hash >> 1n))), areMadeUp: true };
}

/**
 * Reads keys that were pasted, or makes some up if there are none. If their shards were pasted with them, it tells who placed them, too. If both columns may be
 * the shards, it is the column with which somebody placed them.
 */
export function readPasted(text: string): ReadKeys {
  const lines = keysIn(text);
  if (lines.length === 0) return madeUpKeys();
  const all = placedIn(lines).map((placed) => {
    const keys = keyListOf(placed.keys);
    return { keys, told: toldOf(keys, placed.shards) };
  });
  return all.find(({ told }) => told.isSure) ?? all[0] ?? { keys: keyListOf(lines), told: undefined };
}

/** Keeps what was read last: it is not read again while only the routing changes. */
export class KeyReader {
  #source: AnySource = {};
  #files: readonly KeyFile[] = [];
  #read: ReadKeys | undefined;

  /** @throws Error for files that cannot be read */
  async read(source: KeySource): Promise<ReadKeys> {
    const { text, opened, key, shard }: AnySource = source;
    const before = this.#source;
    const isSame = before.text === text && before.opened === opened && before.key === key && before.shard === shard;
    if (this.#read && isSame) return this.#read;
    this.#read = undefined;
    if ('files' in source && opened !== before.opened) this.#files = await openKeyFiles(source.files);
    this.#source = source;
    if ('text' in source) this.#read = readPasted(source.text);
    else {
      const { keys, shards, about } = keysInFiles(this.#files, source);
      this.#read = { keys, told: shards && toldOf(keys, shards), files: about };
    }
    return this.#read;
  }
}

export type Told = ReturnType<typeof toldOf>;

const MAX_FOREIGN = 10;

export function toldOf(keys: KeyList, shards: Uint32Array) {
  const { candidates, verdict, sentence, placed, foreign } = detectRouting(keys.column, shards);
  return {
    isSure: verdict !== undefined,
    sentence,
    candidates: candidates.map(({ name, agree, byChance, also }) => ({ name, agree, byChance, also })),
    /** Some rows that do not fit the verdict. */
    foreign: Array.from(foreign.subarray(0, MAX_FOREIGN), (row) => ({
      key: keys.text(row),
      is: shards[row],
      belongs: placed?.[row] ?? 0,
    })),
    foreignCount: foreign.length,
    /** The verdict as the page routes keys, if it can. */
    routing: verdict && settingsOf(verdict.routing),
  };
}

/** The settings with which the page routes keys in the same way; undefined if it cannot. */
function settingsOf(routing: Routing<any>): KeyRouting | undefined {
  const json = JSON.stringify(routing);
  const all = ROUTED_BY.flatMap((by) =>
    ['', '42'].map((seed) => ({ by, n: String(routing.shards), seed, down: '', nodes: '' })),
  );
  return all.find((settings) => {
    try {
      return JSON.stringify(routingOf(settings)) === json;
    } catch (error) {
      if (detailsOf(error).argument === undefined) throw error;
      return false; // the system does not have so many shards
    }
  });
}
