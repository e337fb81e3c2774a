import { MAX_BUCKETS } from '../../../arguments.js';
import { detailsOf } from '../../../errors.js';
import { NEWLINE, QUOTE, textIn } from '../../read/cells.js';
import { uniqueNames } from '../../read/guess.js';
import { textAt } from '../../read/json.js';
import { type InputText, openInput } from '../../read/open.js';
import { firstRecord, isDelimiter, records } from '../../read/table.js';
import { KeyWriter } from './list.js';

/** Files of keys, with what was chosen of them; undefined: guessed. */
export interface ChosenFiles {
  readonly files: readonly File[];
  /** The number of the files: of the same ones, other columns may be chosen. */
  readonly opened: number;
  readonly key?: string | undefined;
  /** '': the files do not say where the keys are. */
  readonly shard?: string | undefined;
}

/** What can be chosen of files, and what is. */
export interface FileColumns {
  /** The names of the files. */
  readonly files: readonly string[];
  /** The names of columns, of which the first may be {@link WHOLE_LINES}. */
  readonly columns: readonly string[];
  readonly key: string;
  readonly shard: string;
  /** How the files are read on the command line. */
  readonly options: readonly string[];
  /** Rows that have no key. */
  readonly missing: number;
}

export const WHOLE_LINES = 'whole lines';

type Shape =
  | { readonly kind: 'lines' }
  | { readonly kind: 'ndjson'; readonly steps: ReadonlyMap<string, readonly Uint8Array[]> }
  | { readonly kind: 'csv'; readonly delimiter: string; readonly header: boolean };

/** A file, its columns, and which of them most likely has the keys and their shards. */
interface KeyFile extends InputText {
  readonly shape: Shape;
  readonly columns: readonly string[];
  readonly key: string;
  readonly shard: string;
}

/** @throws Error for a file that cannot be read, with its name */
export async function openKeyFiles(files: readonly File[]): Promise<readonly KeyFile[]> {
  const opened: KeyFile[] = [];
  for (const file of files) {
    try {
      const input = await openInput(file.name, new Uint8Array(await file.arrayBuffer()), undefined, true);
      opened.push({ ...input, ...guessOf(input) });
    } catch (error) {
      throw new Error(`${file.name} cannot be read: ${detailsOf(error).message}`);
    }
  }
  return opened;
}

const encoder = new TextEncoder();

const SAMPLE_BYTES = 64 * 1024;
const SAMPLE_ROWS = 100;
const DELIMITERS = [',', '\t', ';', '|'];
const NAME = /^[A-Za-z_][\w .-]{0,63}$/;
const KEY_NAME = /(^|\.)(_?id|e?mail)$|[_-](key|id)$|[a-z](Key|Id)$/;
const SHARD_NAME = /^(shard|partition|bucket|slot|vbucket)([_-]?(id|no|number))?$/i;
const SHARD = /^\d{1,10}$/;

/** The columns of a file, and which most likely has the keys, and which their shards. */
function guessOf({ name, data }: InputText): Omit<KeyFile, keyof InputText> {
  const sample = textIn(data, 0, SAMPLE_BYTES).split('\n').slice(0, SAMPLE_ROWS);
  if (data.length > SAMPLE_BYTES) sample.pop();
  const lines = sample.filter((line) => line.trim() !== '');
  const [, extension = ''] = /\.(\w+?)(\.(gz|zst|zstd))?$/i.exec(name) ?? [];
  const steps = stepsIn(lines);
  if (steps.size > 0) {
    const columns = [...steps.keys()];
    const shard = columns.find((path) => SHARD_NAME.test(path)) ?? '';
    return { shape: { kind: 'ndjson', steps }, columns, key: bestOf(columns.filter((path) => path !== shard)), shard };
  }
  const isTable = /^(csv|tsv|tab)$/i.test(extension);
  const delimiter = DELIMITERS.find((each) => isDelimiter(lines, each));
  if (delimiter === undefined) {
    return { shape: { kind: 'lines' }, columns: [WHOLE_LINES], key: WHOLE_LINES, shard: '' };
  }
  const rows = lines.map((line) => firstRecord(encoder.encode(line), delimiter.charCodeAt(0)).texts);
  const [first, ...rest] = rows;
  const header = rest.length > 0 && first.every((text) => NAME.test(text)) && new Set(first).size === first.length;
  const names = uniqueNames(first.map((text, i) => (header ? text : `column ${i + 1}`)));
  const isShards = (at: number) => rest.every((row) => SHARD.test(row[at] ?? '')) && (header || SHARD.test(first[at]));
  const shardAt = header
    ? names.findIndex((each, at) => SHARD_NAME.test(each) && isShards(at))
    : delimiter === '\t' && names.length === 2
      ? names.findIndex((_, at) => isShards(at))
      : -1;
  const keys = names.filter((_, at) => at !== shardAt);
  return {
    shape: { kind: 'csv', delimiter, header },
    columns: [WHOLE_LINES, ...names],
    key: isTable || shardAt >= 0 ? bestOf(keys) : WHOLE_LINES,
    shard: names[shardAt] ?? '',
  };
}

const bestOf = (names: readonly string[]): string =>
  names.find((name) => /(^|\.)_?key$/i.test(name)) ?? names.find((name) => KEY_NAME.test(name)) ?? names[0];

/** The paths of the texts and numbers in lines of JSON, such as `user.email`. None if a line is something else. */
function stepsIn(lines: readonly string[]): Map<string, Uint8Array[]> {
  const found = new Map<string, Uint8Array[]>();
  const visit = (value: object, before: string, steps: Uint8Array[]) => {
    for (const [name, inner] of Object.entries(value)) {
      const path = [...steps, encoder.encode(name)];
      if (typeof inner !== 'object') found.set(before + name, path);
      else if (inner !== null && !Array.isArray(inner)) visit(inner, `${before}${name}.`, path);
    }
  };
  try {
    for (const line of lines) {
      if (!line.startsWith('{')) return new Map();
      visit(JSON.parse(line), '', []);
    }
    return found;
  } catch {
    return new Map();
  }
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
  const columns = [...new Set(files.flatMap((file) => file.columns))];
  const names = files.map((file) => file.name);
  const about: FileColumns = { files: names, columns, key, shard, options: optionsOf(first, key), missing };
  return { keys: keys.finish(), shards: shard === '' ? undefined : Uint32Array.from(shards), about };
}

/** The options of the commands that read keys. */
function optionsOf({ shape, columns }: KeyFile, key: string): string[] {
  if (key === WHOLE_LINES || shape.kind === 'lines') return [];
  if (shape.kind === 'ndjson') return ['--ndjson', '--key', key];
  const { delimiter, header } = shape;
  const format = delimiter === '\t' ? ['--tsv'] : delimiter === ',' ? ['--csv'] : ['--csv', '--delimiter', delimiter];
  return header ? [...format, '--key', key] : [...format, '--no-header', '--key', `${columns.indexOf(key)}`];
}

/**
 * Visits the rows of a file that are not blank.
 * @param onRow is called with the bytes of the key, which are none if the row has no key, and with the text of the shard
 */
function forEachRow(file: KeyFile, key: string, shard: string, onRow: (key: Uint8Array, shard: string) => void): void {
  const { name, data, shape, columns } = file;
  for (const column of [key, shard]) {
    if (column !== '' && !columns.includes(column)) throw new Error(`${name} has no column ${JSON.stringify(column)}`);
  }
  if (shape.kind === 'csv' && key !== WHOLE_LINES) {
    forEachRecord(data, shape, columns.indexOf(key) - 1, columns.indexOf(shard) - 1, onRow);
    return;
  }
  const [keySteps, shardSteps] = [key, shard].map((column) =>
    shape.kind === 'ndjson' ? shape.steps.get(column) : undefined,
  );
  for (let start = 0; start < data.length; ) {
    const newline = data.indexOf(NEWLINE, start);
    const end = newline < 0 ? data.length : newline;
    const last = withoutReturn(data, start, end);
    if (last > start) {
      onRow(
        keySteps ? encoder.encode(textAt(data, start, keySteps)) : data.subarray(start, last),
        shardSteps ? textAt(data, start, shardSteps) : '',
      );
    }
    start = end + 1;
  }
}

function forEachRecord(
  data: Uint8Array,
  { delimiter, header }: Extract<Shape, { kind: 'csv' }>,
  keyAt: number,
  shardAt: number,
  onRow: (key: Uint8Array, shard: string) => void,
): void {
  const none = data.subarray(0, 0);
  let [at, key, shard] = [0, none, none];
  const onCell = (start: number, end: number) => {
    if (at === keyAt) key = data.subarray(start, end);
    if (at === shardAt) shard = data.subarray(start, end);
    at++;
  };
  let skip = header;
  for (const { start, end } of records(data, delimiter.charCodeAt(0), 0, onCell)) {
    if (!skip && withoutReturn(data, start, end) > start) onRow(unquoted(key), textOf(unquoted(shard)));
    [at, key, shard, skip] = [0, none, none, false];
  }
}

const textOf = (bytes: Uint8Array): string => (bytes.length === 0 ? '' : textIn(bytes, 0, bytes.length));

/** A cell without the quotes around it and the end of its line. */
function unquoted(cell: Uint8Array): Uint8Array {
  const last = withoutReturn(cell, 0, cell.length);
  if (cell[0] !== QUOTE || cell[last - 1] !== QUOTE || last < 2) return cell.subarray(0, last);
  const inside = cell.subarray(1, last - 1);
  return inside.includes(QUOTE) ? encoder.encode(textOf(inside).replaceAll('""', '"')) : inside;
}

const RETURN = 0x0d;

function withoutReturn(data: Uint8Array, start: number, end: number): number {
  return end > start && data[end - 1] === RETURN ? end - 1 : end;
}
