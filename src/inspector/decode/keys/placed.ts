import { MAX_BUCKETS } from '../../../arguments.js';
import { detectRouting } from '../../../detect/index.js';
import { detailsOf } from '../../../errors.js';
import type { Routing } from '../../../index.js';
import { commandFor } from './command.js';
import { type ChosenFiles, type FileColumns, keysInFiles, openKeyFiles } from './files.js';
import { type KeyList, keyListOf } from './list.js';
import { type KeyPlan, type MovesTable, planKeys } from './plan.js';
import { type KeyRouting, keysIn, type PlanSettings, ROUTED_BY, routingOf } from './routing.js';

/** Keys that have been pasted with the shards in which they are. */
export interface PlacedKeys {
  readonly keys: readonly string[];
  readonly shards: Uint32Array;
}

const SHARD_FIRST = /^(?<shard>\d{1,10})\t(?<key>.*)$/s;
const SHARD_LAST = /^(?<key>.*)\t(?<shard>\d{1,10})$/s;

/** Rows of `shard <TAB> key`, of `key <TAB> shard`, or of both if all are numbers. */
export function placedIn(lines: readonly string[]): PlacedKeys[] {
  return [SHARD_FIRST, SHARD_LAST].flatMap((form) => placedAs(form, lines) ?? []);
}

function placedAs(form: RegExp, lines: readonly string[]): PlacedKeys | undefined {
  if (lines.length === 0) return undefined;
  const keys: string[] = [];
  const shards = new Uint32Array(lines.length);
  for (const [row, line] of lines.entries()) {
    const { key, shard } = form.exec(line)?.groups ?? {};
    if (key === undefined || Number(shard) >= MAX_BUCKETS) return undefined;
    keys.push(key);
    shards[row] = Number(shard);
  }
  return { keys, shards };
}

/** Keys as a text, or in files. */
export type KeySource = { readonly text: string } | ChosenFiles;

/** Keys that were read, and what else is known of them. */
interface ReadKeys {
  readonly keys: KeyList;
  readonly told: Told | undefined;
  /** undefined: they were pasted. */
  readonly files: FileColumns | undefined;
}

export type RoutedKeys = KeyPlan &
  Omit<ReadKeys, 'keys'> & {
    /** What tells the same on the command line. */
    readonly command: string | undefined;
  };

/** Routes keys by two mappings, for the page, and to write their moves. */
export function routeRead(
  { keys, ...about }: ReadKeys,
  settings: PlanSettings,
): { routed: RoutedKeys; table: MovesTable } {
  const { plan, table } = planKeys(keys, settings);
  return { routed: { ...plan, ...about, command: commandFor(settings, about.files) }, table };
}

/**
 * Reads keys that were pasted. If their shards were pasted with them, it tells who placed them, too. If both columns may be
 * the shards, it is the column with which somebody placed them.
 */
export function readPasted(text: string): ReadKeys {
  const lines = keysIn(text);
  const all = placedIn(lines).map((placed) => {
    const keys = keyListOf(placed.keys);
    return { keys, told: toldOf(keys, placed.shards), files: undefined };
  });
  return all.find(({ told }) => told.isSure) ?? all[0] ?? { keys: keyListOf(lines), told: undefined, files: undefined };
}

/** Keeps what was read last: it is not read again while only the routing changes. */
export class KeyReader {
  #text: string | undefined;
  #chosen: ChosenFiles | undefined;
  #files: Awaited<ReturnType<typeof openKeyFiles>> = [];
  #read: ReadKeys | undefined;

  /** @throws Error for files that cannot be read */
  async read(source: KeySource): Promise<ReadKeys> {
    if ('text' in source) {
      if (this.#read === undefined || this.#text !== source.text) this.#read = readPasted(source.text);
      this.#text = source.text;
      this.#chosen = undefined;
      return this.#read;
    }
    const { files, key, shard } = source;
    const before = this.#chosen;
    if (this.#read !== undefined && before !== undefined && isSame(before, source)) return this.#read;
    if (before === undefined || before.opened !== source.opened) this.#files = await openKeyFiles(files);
    this.#chosen = source;
    this.#text = undefined;
    this.#read = undefined;
    const { keys, shards, about } = keysInFiles(this.#files, { key, shard });
    const told = shards && toldOf(keys, shards);
    this.#read = { keys, told, files: about };
    return this.#read;
  }
}

function isSame(a: ChosenFiles, b: ChosenFiles): boolean {
  return a.opened === b.opened && a.key === b.key && a.shard === b.shard;
}

/** Routes keys that were pasted, by two mappings. */
export function routePasted(text: string, settings: PlanSettings): RoutedKeys {
  return routeRead(readPasted(text), settings).routed;
}

/** Who placed keys, for the page: plain data. */
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
