import { MAX_BUCKETS } from '../../../arguments.js';
import { detectRouting } from '../../../detect/index.js';
import { detailsOf } from '../../../errors.js';
import type { Routing } from '../../../index.js';
import { commandFor } from './command.js';
import { type ChosenFiles, type FileColumns, type KeyList, keyListOf, keysInFiles, openKeyFiles } from './files.js';
import { planKeys } from './plan.js';
import { type KeyRouting, keysIn, type PlanSettings, ROUTED_BY, routingOf, routingsOf } from './routing.js';

const SHARD_FIRST = /^(?<shard>\d{1,10})\t(?<key>.*)$/s;
const SHARD_LAST = /^(?<key>.*)\t(?<shard>\d{1,10})$/s;

/** Rows of `shard <TAB> key`, of `key <TAB> shard`, or of both if all are numbers. */
export function placedIn(lines: readonly string[]) {
  return [SHARD_FIRST, SHARD_LAST].flatMap((form) => placedAs(form, lines) ?? []);
}

function placedAs(form: RegExp, lines: readonly string[]) {
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

export type KeySource = { readonly text: string } | ChosenFiles;

/** Keys that were read, and what else is known of them. */
interface ReadKeys {
  readonly keys: KeyList;
  readonly told: Told | undefined;
  /** undefined: they were pasted. */
  readonly files: FileColumns | undefined;
}

export type RoutedKeys = ReturnType<typeof routeRead>['routed'];

/** Routes keys by two mappings, for the page and for a file. @throws as {@link routingsOf} and {@link planKeys} */
export function routeRead({ keys, ...about }: ReadKeys, settings: PlanSettings) {
  const routings = routingsOf(settings); // rings take a while to make
  const { plan, movesCsv } = planKeys(keys, routings);
  /** What tells the same on the command line; undefined: nothing does. */
  const command = commandFor(routings, about.files);
  return { routed: { ...plan, ...about, command }, movesCsv };
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
  #source: Partial<ChosenFiles & { text: string }> | undefined;
  #files: Awaited<ReturnType<typeof openKeyFiles>> = [];
  #read: ReadKeys | undefined;

  /** @throws Error for files that cannot be read */
  async read(source: KeySource): Promise<ReadKeys> {
    const { text, opened, key, shard }: Partial<ChosenFiles & { text: string }> = source;
    const before = this.#source;
    const isSame = before?.text === text && before?.opened === opened && before?.key === key && before?.shard === shard;
    if (this.#read !== undefined && isSame) return this.#read;
    this.#read = undefined;
    if ('files' in source && opened !== before?.opened) this.#files = await openKeyFiles(source.files);
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
