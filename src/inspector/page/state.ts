import { isZone } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { type KeyRouting, ROUTED_BY, type RoutedKeys, routingOf } from '../decode/key-routing.js';
import { isSameChoice, isUnit } from '../decode/layout-choice.js';
import {
  DEFAULTS,
  FORMATS,
  forNewIds,
  forOtherRows,
  isEditOf,
  ROUTING_STRATEGIES,
  type Settings,
  SHOWN,
} from '../decode/settings.js';
import type { Statistics } from '../decode/statistics.js';
import type { TableRow } from '../decode/table.js';
import type { Answer, Request, Source } from '../decode/worker.js';
import { textToShow } from '../read/open.js';
import { WIDE_ID_KINDS } from '../read/problems.js';
import { type Client, connect } from './client.js';

/** Longer links are cut by mail programs and chats; browsers take 2 MB and more. */
export const MAX_LINK_CHARACTERS = 8000;

/** Settings that a link has as they are: all but these. */
const { layout: _layout, sort: _sort, last: _last, ...PLAIN } = DEFAULTS;
const NAMES = Object.keys(PLAIN) as (keyof typeof PLAIN)[];

/** What there is to choose from. */
const WORDS: { readonly [name: string]: readonly string[] } = {
  read: [...FORMATS, ...WIDE_ID_KINDS],
  strategy: ROUTING_STRATEGIES,
  as: FORMATS,
  show: SHOWN,
  by: ROUTED_BY,
};

/** The fragment of a link: what differs from the defaults, and the ids if they fit. */
export function toFragment(settings: Settings, ids: string | undefined): { fragment: string; complete: boolean } {
  const { layout, sort } = settings;
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | number | boolean | undefined) => {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  };
  set('layout', layout?.spec);
  set('epoch', layout?.epoch);
  set('unit', layout?.unit);
  for (const name of NAMES) if (settings[name] !== DEFAULTS[name]) set(name, settings[name]);
  set('sort', sort && `${sort.descending ? '-' : ''}${sort.column}`);
  const without = { fragment: readable(parameters), complete: ids === '' };
  if (ids === undefined || ids.length > MAX_LINK_CHARACTERS) return without;
  set('ids', ids);
  const fragment = readable(parameters);
  return fragment.length > MAX_LINK_CHARACTERS ? without : { fragment, complete: true };
}

/** What need not be escaped in a fragment stays as it is, so that a link can be read. */
function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%0A', '~');
}

/** What a fragment says; what it says wrongly is left as it is by default. */
export function fromFragment(fragment: string): { settings: Settings; ids: string } {
  const parameters = new URLSearchParams(fragment.replace(/^#/, '').replaceAll('~', '%0A'));
  const { layout: spec, epoch, unit = '', sort, ids = '', ...given } = Object.fromEntries(parameters);
  const plain: { [name: string]: unknown } = {};
  for (const name of NAMES) {
    const text = given[name];
    if (text === undefined) continue;
    const isWrong = name === 'zone' ? !isZone(text) : WORDS[name]?.includes(text) === false;
    if (typeof DEFAULTS[name] === 'boolean') plain[name] = true;
    else if (name !== 'shards') plain[name] = isWrong ? DEFAULTS[name] : text;
    else if (/^[1-9]\d*$/.test(text) && Number(text) < 2 ** 31) plain[name] = Number(text);
  }
  const layout = spec !== undefined && {
    spec,
    epoch: Number.isSafeInteger(Number(epoch)) ? Number(epoch) : undefined,
    unit: isUnit(unit) ? unit : undefined,
  };
  const settings: Settings = {
    ...DEFAULTS,
    ...plain,
    layout: layout || undefined,
    sort: sort === undefined ? undefined : { column: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
  };
  return { settings, ids };
}

const BLOCK = 64;

/** The rows of a view as far as the page has seen them; the worker is asked for the rest when they come into sight. */
export class RowCache {
  /** Without rows while they are on their way. */
  readonly #blocks = new Map<number, readonly TableRow[]>();

  constructor(
    readonly count: number,
    first: readonly TableRow[],
    private readonly ask: (from: number, to: number) => void,
  ) {
    for (let from = 0; from + BLOCK <= first.length || (from < first.length && first.length === count); from += BLOCK) {
      this.receive(from, first.slice(from, from + BLOCK));
    }
  }

  /** Rows `from..to`; undefined where they are yet to come. */
  slice(from: number, to: number): (TableRow | undefined)[] {
    return Array.from({ length: to - from }, (_, i) => {
      const index = from + i;
      const start = index - (index % BLOCK);
      if (!this.#blocks.has(start)) {
        this.receive(start, []);
        this.ask(start, Math.min(this.count, start + BLOCK));
      }
      return this.#blocks.get(start)?.[index % BLOCK];
    });
  }

  receive(from: number, rows: readonly TableRow[]): void {
    this.#blocks.set(from, rows);
  }
}

// The state of the page, of which there is one: a module, whose names need not be passed from panel to panel. Nothing
// else changes it, and each change draws the page again.

/** What was given, as the page shows it. */
export interface Given {
  /** Of a file or an example. */
  readonly name: string;
  readonly bytes: number;
  /** undefined: too much for a text box and for a link. */
  readonly text: string | undefined;
  /** Into the text box, by hand. */
  readonly isTyped?: boolean;
}

/** So much goes into the text box; more would make each keystroke slow. */
export const MAX_TEXT = 20_000;

const LINK_AFTER_MS = 200; // Chromium lets a page set its address 200 times in 30 s

export let settings: Settings = DEFAULTS;
export let given: Given | undefined;
export let view: View | undefined;
export let rows: RowCache | undefined;
/** The row whose id is taken apart. */
export let selected: TableRow | undefined;
/** Of the rows that are shown; undefined until they have been counted. */
export let statistics: Statistics | undefined;
/** Whether what was given is still being read: what is seen is of what was given before. */
export let isReading = false;
export let failure: string | undefined;
/** How much of an export is done, from 0 to 1, or why it failed; undefined: none is being made. */
export let exported: number | string | undefined;
/** Another id to compare the chosen one with, as it is typed. */
export let compared = '';
/** Text keys, one per line; they are private, and not in the link. */
export let keys = '';
export let routed: RoutedKeys | undefined;
/** Why keys cannot be routed, and the option that is wrong. What was routed before stays. */
export let routingProblem: { readonly argument: string; readonly message: string } | undefined;
/** Whether the link has the ids, too. */
export let linkIsComplete = true;

/** Draws the page. */
export let redraw: () => void;
let client: Client;
let version = 0;
let wantsStatistics = false;
let linkTimer: ReturnType<typeof setTimeout>;
/** Ids that the address may have: those of a link that was opened or copied. */
let linked: string | undefined;

export function start(script: string, draw: () => void): void {
  redraw = draw;
  client = connect(script, hear);
  loadLink();
  window.addEventListener('hashchange', loadLink);
}

/** Takes everything from the address. */
function loadLink(): void {
  const link = fromFragment(location.hash);
  settings = link.settings;
  linked = link.ids;
  if (linked !== '') takeText(linked, '');
  else if (given !== undefined) change({});
  takeKeys(keys);
}

export function openText(text: string, name = '', isTyped = false): void {
  if (text.trim() === '') {
    clear();
    return;
  }
  forgetOldRows(text);
  takeText(text, name, isTyped);
}

function takeText(text: string, name: string, isTyped = false): void {
  // Encoded by the worker: for 100 MB that takes half a second.
  open({ text }, { name, bytes: text.length, text: text.length <= MAX_TEXT ? text : undefined, isTyped });
}

/** One file, which goes into the text box if it is short and text, or several, whose rows come one after the other. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const [file] = files;
  if (file === undefined) return;
  const name = files.length > 3 ? `${files.length} files` : files.map((each) => each.name).join(', ');
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const what = { name, bytes, text: undefined };
  if (files.length === 1 && bytes <= MAX_TEXT) {
    try {
      const text = textToShow(new Uint8Array(await file.arrayBuffer()));
      if (text !== undefined) {
        openText(text, name);
        return;
      }
    } catch (error) {
      given = what;
      hear({ kind: 'failed', of: 0, during: 'open', message: (error as Error).message });
      return;
    }
  }
  forgetOldRows();
  open({ files }, what);
}

export function openMillion(): void {
  forgetOldRows();
  open({ example: 'million', now: Date.now() }, { name: 'example', bytes: 0, text: undefined });
}

function open(source: Source, what: Given): void {
  given = what;
  isReading = true;
  failure = undefined;
  exported = undefined;
  client.open(source, settings);
  saveLink();
  redraw();
}

export function clear(): void {
  given = undefined;
  failure = undefined;
  isReading = false;
  settings = forNewIds(settings);
  dropView();
  saveLink();
  redraw();
}

function dropView(): void {
  view = undefined;
  rows = undefined;
  selected = undefined;
  statistics = undefined;
  exported = undefined;
  compared = '';
}

/** Rows that replace others are seen whole. A link has a filter and its ids, or waits for them: both are kept. */
function forgetOldRows(text?: string): void {
  if (given === undefined) return;
  const isEdit = text !== undefined && given.text !== undefined && isEditOf(given.text, text);
  if (!isEdit) settings = forOtherRows(settings);
}

export function change(changes: Partial<Settings>): void {
  settings = { ...settings, ...changes };
  const { layout } = changes;
  const chosen = layout && view?.readings.find(({ choice }) => isSameChoice(choice, layout));
  if (chosen !== undefined) settings = { ...settings, last: chosen.name };
  if (given !== undefined) client.change(settings, isReading ? undefined : selected?.row);
  saveLink();
  redraw();
}

export function changeRouting(changes: Partial<KeyRouting>): void {
  settings = { ...settings, ...changes };
  saveLink();
  takeKeys(keys);
}

export function takeKeys(text: string): void {
  keys = text;
  const { by, n, seed, down } = settings;
  const routing = { by, n, seed, down };
  try {
    routingOf(routing);
    routingProblem = undefined;
    if (keys === '') routed = undefined;
    else client.route(keys, routing);
  } catch (error) {
    routingProblem = error as RangeError & { argument: string };
  }
  redraw();
}

export function selectRow(row: TableRow): void {
  selected = row;
  if (client.isBusy() && !isReading) client.change(settings, row.row); // what is on its way has the row before
  redraw();
}

export function compare(text: string): void {
  compared = text;
  redraw();
}

/** Statistics take a while of a million ids, and are made only where they are seen. */
export function wantStatistics(wanted: boolean): void {
  if (wanted === wantsStatistics) return;
  wantsStatistics = wanted;
  if (wanted && view !== undefined) client.askStatistics(version);
}

export function startExport(): void {
  exported = 0;
  client.askExport();
  redraw();
}

/** The address of the page with everything that fits: from now on it has the ids, too. */
export function link(): string {
  linked = given?.text;
  writeLink();
  return location.href;
}

function saveLink(): void {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(writeLink, LINK_AFTER_MS);
}

function writeLink(): void {
  clearTimeout(linkTimer);
  const ids = given === undefined ? '' : given.text;
  const { fragment, complete } = toFragment(settings, ids);
  linkIsComplete = complete;
  // An address stays in the history and is seen in pictures of the screen: ids get there only if they are sent.
  const shown = ids === linked ? fragment : toFragment(settings, '').fragment;
  history.replaceState(null, '', `#${shown}`);
  redraw();
}

function hear(answer: Answer): void {
  const { kind } = answer;
  if (kind === 'view') showView(answer.view, answer.version);
  else if (kind === 'failed') fail(answer.during, answer.message);
  else if (kind === 'routed') routed = keys === '' ? undefined : answer.routed;
  else if (kind === 'rows' || kind === 'statistics') {
    if (answer.version !== version) return;
    if (kind === 'rows') rows?.receive(answer.from, answer.rows);
    else statistics = answer.statistics;
  } else if (exported === undefined)
    return; // it is of what has been cleared
  else if (kind === 'exporting') exported = answer.share;
  else if (kind === 'export') {
    exported = undefined;
    download(answer.csv, 'ids.csv');
  }
  redraw();
}

function fail(during: Request['kind'], message: string): void {
  if (during === 'route') routingProblem = { argument: '', message };
  else if (during === 'export') exported = message;
  else {
    failure = during === 'open' ? `${given?.name || 'The text'} cannot be read: ${message}` : message;
    isReading = false;
    // What is seen must not be taken for what could not be read.
    dropView();
    if (given?.text === undefined) given = undefined;
  }
}

function showView(shown: View, of: number): void {
  if (given === undefined) return;
  version = of;
  isReading = false;
  view = shown;
  rows = new RowCache(view.shown, view.firstRows, (from, to) => client.askRows(of, from, to));
  selected = selectedIn(view, selected);
  statistics = undefined;
  if (wantsStatistics) client.askStatistics(version);
}

/**
 * The row to take apart: the one before, as it is now, or the first that is an id. A row that is not an id stays only
 * if it was the same before.
 */
function selectedIn({ chosen, firstGood, firstRows }: View, before: TableRow | undefined): TableRow | undefined {
  const stays =
    chosen !== undefined && (chosen.problem === '' || chosen.id !== 0n || chosen.cells[1] === before?.cells[1]);
  return stays ? chosen : (firstGood ?? firstRows[0]);
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // by then it has been read
}
