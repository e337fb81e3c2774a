import { MAX_BUCKETS } from '../../arguments.js';
import { type Report, reportOf } from '../../detect/report.js';
import { detailsOf } from '../../errors.js';
import type { Routing } from '../../index.js';
import { type KeyRouting, keysIn, ROUTED_BY, routeKeys, routingOf } from './key-routing.js';

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

/** Who placed keys, for the page: plain data. */
export type Told = ReturnType<typeof toldOf>;

const MAX_FOREIGN = 10;

let last: { readonly text: string; readonly placed: PlacedKeys; readonly told: Told } | undefined;

/** Routes keys that were pasted. If their shards were pasted with them, it tells who placed them, too. */
export function routePasted(text: string, routing: KeyRouting) {
  if (last?.text !== text) last = likeliest(text); // not again while only the routing changes
  if (last === undefined) return { ...routeKeys(text, routing), told: undefined };
  return { ...routeKeys(last.placed.keys.join('\n'), routing), told: last.told };
}

/** If both columns may be the shards, those that somebody placed. */
function likeliest(text: string): typeof last {
  const all = placedIn(keysIn(text)).map((placed) => ({ text, placed, told: toldOf(placed) }));
  return all.find(({ told }) => told.isSure) ?? all[0];
}

export type RoutedKeys = ReturnType<typeof routePasted>;

export function toldOf({ keys, shards }: PlacedKeys) {
  const report = reportOf(keys, shards, undefined);
  const { candidates, verdict, sentence, placed, foreign } = report;
  return {
    isSure: verdict !== undefined,
    sentence,
    candidates: candidates.map(({ name, agree, byChance, also }) => ({ name, agree, byChance, also })),
    /** Some rows that do not fit the verdict. */
    foreign: Array.from(foreign.subarray(0, MAX_FOREIGN), (row) => ({
      key: keys[row],
      is: shards[row],
      belongs: placed?.[row] ?? 0,
    })),
    foreignCount: foreign.length,
    /** The verdict as the page routes keys, if it can. */
    routing: verdict && settingsOf(verdict.routing, report),
  };
}

/** The settings with which the page routes keys in the same way; undefined if it cannot. */
function settingsOf(routing: Routing<any>, { shards }: Report): KeyRouting | undefined {
  const json = JSON.stringify(routing);
  const all = ROUTED_BY.flatMap((by) => ['', '42'].map((seed) => ({ by, n: String(shards), seed, down: '' })));
  return all.find((settings) => {
    try {
      return JSON.stringify(routingOf(settings)) === json;
    } catch (error) {
      if (detailsOf(error).argument === undefined) throw error;
      return false; // the system does not have so many shards
    }
  });
}
