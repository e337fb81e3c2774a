import { parseId, type Router, type TextFormat } from '../../index.js';
import type { ReadFormat } from '../../tokens/formats.js';
import { UTC } from './dates.js';
import type { LayoutChoice } from './layout-choice.js';

export const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const satisfies readonly Router['strategy'][];
export const FORMATS = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'] as const satisfies readonly TextFormat[];
export const TABS = ['ids', 'shards'] as const;
/** Widths of bars over time that may be chosen, in milliseconds: months are so long on average. */
export const BARS = { '': 0, hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_629_746_000 };
export const SHOWN = ['all', 'good', 'bad'] as const;

export function idAs(text: string, format: TextFormat): bigint | undefined {
  try {
    return parseId(text, format);
  } catch {
    return undefined;
  }
}

/** A first value, as the type of all that may follow it. */
export const initially = <T>(value: T): T => value;

export const ROUTING_DEFAULTS = {
  /** What keys are routed by: a strategy of the Router, or a system. What is typed of it is not checked yet. */
  by: 'jump',
  /** The number of shards; empty: as many as there are by default. */
  n: '',
  seed: '',
  down: '',
  /** Nodes with their weights, which the shards are on: `db-1, db-2:2`. */
  nodes: '',
  /** The same for the plan. What is empty is as now; the number of shards may be one more. */
  toBy: '',
  toN: '',
  toSeed: '',
  toDown: '',
  toNodes: '',
};

/** All that is chosen, besides the ids: what it is by default. */
export const DEFAULTS = {
  tab: initially<(typeof TABS)[number]>('ids'),
  read: initially<ReadFormat | 'guess'>('guess'),
  /** The name of the column that has them; undefined: guessed. */
  column: initially<string | undefined>(undefined),
  /** undefined: guessed. */
  layout: initially<LayoutChoice | undefined>(undefined),
  /** The title of the group that is shown, or `all`; undefined: the one that has most of the rows, if one has. */
  group: initially<string | undefined>(undefined),
  /** How ids are shown: as they are written, or in a format. */
  as: initially<TextFormat | 'written'>('written'),
  sort: initially<{ readonly column: string; readonly descending: boolean } | undefined>(undefined),
  filter: '',
  show: initially<(typeof SHOWN)[number]>('all'),
  /** What the second chart counts ids by: a field, or a column; undefined: the field called shard, or the first one. */
  per: initially<string | undefined>(undefined),
  /** The width of the bars over time; '': automatic. */
  bars: initially<keyof typeof BARS>(''),
  /** Whether the charts over time, and per field, have a logarithmic scale. */
  logTime: false,
  logPer: false,
  /** The time zone of dates, such as `Europe/Berlin`. */
  zone: UTC,
  /** The service whose layout was chosen last: ids that come later are more likely of it. */
  last: initially<string | undefined>(undefined),
  ...ROUTING_DEFAULTS,
};

export type Settings = Readonly<typeof DEFAULTS>;

/** For other rows: what was chosen to see some of the rows before them does not fit them. */
export const forOtherRows = (settings: Settings): Settings => ({
  ...settings,
  filter: '',
  sort: undefined,
  show: 'all',
  per: undefined,
});

/** For ids to come, after Clear: everything about the ids is guessed again. What is about the page stays. */
export const forNewIds = (settings: Settings): Settings => ({
  ...forOtherRows(settings),
  read: 'guess',
  column: undefined,
  group: undefined,
  layout: undefined,
});

/** Whether one text is another after some typing: at least half of the shorter one is at the start or end of both. */
export function isEditOf(before: string, after: string): boolean {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return (start + end) * 2 >= shorter;
}
