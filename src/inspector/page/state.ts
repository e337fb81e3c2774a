import type { ComponentType } from 'preact';
import { detailsOf } from '../../errors.js';
import { type Dialect, typedDates } from '../decode/date-ranges.js';
import type { ExportFormat } from '../decode/export.js';
import { FIRST_ROWS, type StatisticsView, type View } from '../decode/inspection.js';
import { isSameChoice, type SnippetKind } from '../decode/layout-choice.js';
import { DEFAULTS, forNewIds, forOtherRows, initially, isEditOf, type Settings } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';
import { textToShow } from '../read/open.js';
import { fromFragment, toFragment } from './link.js';
import { type Answer, type AskedFile, type Client, connect, type PastedSource, type Request } from './worker.js';

/** The rows of a view as far as the page has seen them; the worker is asked for the rest when they come into sight. */
export class RowCache {
  /** A block is empty while its rows are on their way. */
  readonly #blocks = new Map<number, readonly TableRow[]>();

  /** @param first as many as a block has, or all if they are fewer */
  constructor(
    readonly count: number,
    first: readonly TableRow[],
    private readonly ask: (from: number, to: number) => void,
  ) {
    if (first.length > 0) this.receive(0, first);
  }

  /** Rows `from..to`; undefined where they have not come yet. */
  slice(from: number, to: number): (TableRow | undefined)[] {
    return Array.from({ length: to - from }, (_, i) => {
      const index = from + i;
      const start = index - (index % FIRST_ROWS);
      if (!this.#blocks.has(start)) {
        this.receive(start, []);
        this.ask(start, Math.min(this.count, start + FIRST_ROWS));
      }
      return this.#blocks.get(start)?.[index % FIRST_ROWS];
    });
  }

  receive(from: number, rows: readonly TableRow[]): void {
    this.#blocks.set(from, rows);
  }
}

interface PageInput {
  /** The name of a file or of an example. */
  readonly name: string;
  readonly bytes: number;
  /** undefined: too much for a text box and for a link. */
  readonly text: string | undefined;
  readonly isTyped?: boolean;
  /** When it came, if it is a date instead of ids. */
  readonly datedAt?: number;
}

/** What the script of the Shards tab brings when it is run. */
export interface ShardsTab {
  readonly Panel: ComponentType;
  /** Takes keys that were pasted or dropped anywhere. */
  take(keys: string | readonly File[]): void;
  /** Is called when a link has brought other settings. */
  load(): void;
  hasKeys(): boolean;
}

/** So much goes into the text box; more would make each keystroke slow. */
export const MAX_TEXT = 20_000;

/** Statistics of a million ids take the worker half a second, in which it does not answer somebody who types. */
const STATISTICS_AFTER_MS = 150;
const LINK_AFTER_MS = 200; // Chromium lets a page set its address 200 times in 30 s

/** What there is while nothing that was opened is seen. */
const NO_VIEW = {
  view: initially<View | undefined>(undefined),
  rows: initially<RowCache | undefined>(undefined),
  selected: initially<TableRow | undefined>(undefined),
  /** Statistics of the rows that are shown, or of those before while `isCounting`; undefined: there are none yet. */
  statistics: initially<StatisticsView | undefined>(undefined),
  isCounting: false,
  /** How much of an export is done, from 0 to 1, or why it failed; undefined: none is being made. */
  export: initially<number | string | undefined>(undefined),
  /** Another id to compare the selected one with, as it is typed. */
  compared: '',
  /** Brings back what was cleared, until something else is opened. */
  undo: initially<(() => void) | undefined>(undefined),
};

/** Everything that the page shows. What is set in it is seen with the next {@link update}. */
export const page = {
  ...NO_VIEW,
  settings: initially<Settings>(DEFAULTS),
  input: initially<PageInput | undefined>(undefined),
  /** Whether the input is still being read: `view` is then of the input before it. */
  isReading: false,
  /** How much of the input is read, from 0 to 1, if that takes a while. */
  progress: initially<number | undefined>(undefined),
  failure: initially<string | undefined>(undefined),
  /** undefined: the tab has not been opened yet. */
  shards: initially<ShardsTab | undefined>(undefined),
  /** The label of the button that has just copied something. */
  copied: initially<string | undefined>(undefined),
  exportAs: initially<ExportFormat>('csv'),
  snippet: initially<SnippetKind>('postgres'),
  dialect: initially<Dialect>('postgres'),
  showsAllLayouts: false,
  epochInSeconds: initially<number | undefined>(undefined),
};

type Opened = { readonly source: PastedSource; readonly input: PageInput };

let draw: () => void;
let client: Client;
let version = 0;
/** What is seen, and what is being opened, so that `cancel` can go back. */
let seen: Opened | undefined;
let opening: Opened | undefined;
let settingsBefore: Settings = DEFAULTS;
let statisticsTimer: ReturnType<typeof setTimeout>;
let linkTimer: ReturnType<typeof setTimeout>;
/** Ids that the address may have: those of a link that was opened or copied. */
let linked: string | undefined;

export function start(script: string, drawPage: () => void): void {
  draw = drawPage;
  client = connect(script, hear);
  loadLink();
  window.addEventListener('hashchange', loadLink);
}

export function update(changes: Partial<typeof page> = {}): void {
  Object.assign(page, changes);
  draw();
}

function loadLink(): void {
  const { settings, ids } = fromFragment(location.hash);
  page.settings = settings;
  linked = ids;
  if (ids.trim() !== '') {
    page.input = undefined; // what the link says of rows is not of those before
    openText(ids);
  } else if (page.input) change({});
  else update();
  page.shards?.load();
}

export function openText(text: string, name = '', isTyped = false): void {
  const shown = text.length <= MAX_TEXT ? text : undefined;
  const datedAt = Date.now();
  if (text.trim() === '') empty();
  else if (typedDates(text, datedAt) !== undefined) {
    saveLink();
    update({ ...NO_VIEW, input: { name, bytes: text.length, text, isTyped, datedAt }, isReading: false });
  } else open({ text }, { name, bytes: text.length, text: shown, isTyped }); // encoded by the worker: 100 MB take half a second
}

/** Opens one file, which goes into the text box if it is a short text, or several, whose rows come one after the other. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const [file] = files;
  if (file === undefined) return;
  const name = files.length > 3 ? `${files.length} files` : files.map((each) => each.name).join(', ');
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const input = { name, bytes, text: undefined };
  try {
    const text = files.length === 1 && bytes <= MAX_TEXT ? textToShow(await file.arrayBuffer()) : undefined;
    if (text?.trim()) openText(text, name);
    else open({ files }, input);
  } catch (error) {
    page.input = input;
    fail('open', detailsOf(error).message);
  }
}

export function openMillion(): void {
  open({ example: 'million', now: Date.now() }, { name: 'example', bytes: 0, text: undefined });
}

/** Rows that replace others are seen whole. A link has a filter and its ids, or waits for them: both are kept. */
function open(source: PastedSource, input: PageInput): void {
  const before = page.input;
  if (page.progress !== undefined) stop();
  settingsBefore = page.settings;
  opening = { source, input };
  const isEdit = 'text' in source && before?.text !== undefined && isEditOf(before.text, source.text);
  if (before !== undefined && !isEdit) page.settings = forOtherRows(page.settings);
  client.open(source, page.settings);
  saveLink();
  page.undo = undefined;
  update({ input, isReading: true, progress: undefined, failure: undefined, export: undefined, statistics: undefined });
}

function stop(): void {
  client.stop();
  update({ progress: undefined, isReading: false });
}

/** Opens no more of the input. What was seen before is opened again, and stays in sight until it is. */
export function cancel(): void {
  stop();
  opening = seen;
  seen = undefined;
  page.settings = settingsBefore;
  saveLink();
  if (!opening) update({ ...NO_VIEW, input: undefined });
  else {
    client.open(opening.source, page.settings);
    update({ input: opening.input, isReading: true });
  }
}

/** Empties the page. `page.undo` brings back the input, and the settings that went with it. */
export function clear(): void {
  const { input, settings } = page;
  const source = opening?.source;
  empty();
  const lost = Object.entries(settings).filter(([name, value]) => page.settings[name as keyof Settings] !== value);
  page.undo = () => {
    page.settings = { ...page.settings, ...Object.fromEntries(lost) };
    if (input?.text !== undefined) openText(input.text, input.name, input.isTyped);
    else if (input && source) open(source, input);
  };
  update();
}

function empty(): void {
  if (page.progress !== undefined) stop();
  seen = undefined;
  saveLink();
  update({ ...NO_VIEW, input: undefined, failure: undefined, isReading: false, settings: forNewIds(page.settings) });
}

export function change(changes: Partial<Settings>): void {
  const { view, input, isReading, selected } = page;
  const { layout } = changes;
  const chosen = layout && view?.readings.find(({ choice }) => isSameChoice(choice, layout));
  const settings = { ...page.settings, ...changes, ...(chosen && { last: chosen.name }) };
  if (input && input.datedAt === undefined) client.change(settings, isReading ? undefined : selected?.row);
  saveLink();
  update({ settings });
}

/** Sets what does not change how ids are shown. */
export function set(changes: Partial<Settings>): void {
  page.settings = { ...page.settings, ...changes };
  saveLink();
  update();
}

export function selectRow(row: TableRow): void {
  if (client.isBusy() && !page.isReading) client.change(page.settings, row.row); // what is on its way has the row before
  update({ selected: row });
}

/** More than this is for a file: programs take seconds to paste it. */
const MAX_COPIED = 20_000_000;

let waiting: { resolve(file: Blob): void; reject(error: Error): void } | undefined;

function makeFile(format: ExportFormat): Promise<Blob> {
  client.ask({ kind: 'export', format });
  update({ export: 0 });
  return new Promise((resolve, reject) => {
    waiting = { resolve, reject };
  });
}

export function startExport({ format }: AskedFile): void {
  makeFile(format).then(
    (file) => download(file, format === 'json' ? 'ids.json' : 'ids.csv'),
    () => {}, // the page says why it failed
  );
}

/** Copies what would be exported. It is asked for at once, and given later: browsers let a page copy only after a click. */
export async function copyExport(format: ExportFormat): Promise<void> {
  const text = makeFile(format).then((file) => {
    if (file.size <= MAX_COPIED) return new Blob([file], { type: 'text/plain' });
    const megabytes = Math.round(file.size / 1e6);
    update({ export: `The rows have ${megabytes} MB, which is too much to copy. Export them as a file.` });
    throw new Error('too much to copy');
  });
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    tellCopied('rows');
  } catch (error) {
    await text.catch(() => {}); // what comes of the export would hide the message
    if (typeof page.export === 'string') return; // why there was nothing to copy
    update({ export: `The rows cannot be copied: ${detailsOf(error).message}` });
  }
}

export function tellCopied(label: string): void {
  update({ copied: label });
  setTimeout(() => page.copied === label && update({ copied: undefined }), 1500);
}

/** What is on the page, but not in a link to it. */
export function notInLink(): 'ids' | 'keys' | false | undefined {
  const { settings, input, shards } = page;
  if (settings.tab === 'shards') return shards?.hasKeys() && 'keys';
  return input && !toFragment(settings, input.text).includes('ids=') && 'ids';
}

/** The address of the page with everything that fits: from now on it has the ids, too, if it shows them. */
export function link(): string {
  if (page.settings.tab === 'ids') linked = page.input?.text;
  writeLink();
  return location.href;
}

function saveLink(): void {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(writeLink, LINK_AFTER_MS);
}

function writeLink(): void {
  const { settings, input } = page;
  const ids = input ? input.text : '';
  // An address stays in the history and is seen in pictures of the screen: ids get there only if they are sent.
  history.replaceState(null, '', `#${toFragment(settings, ids === linked ? ids : '')}`);
}

function hear(answer: Answer): void {
  const { kind } = answer;
  if (kind === 'view') showView(answer.view, answer.version);
  else if (kind === 'failed') fail(answer.during, answer.message);
  else if (kind === 'progress') update({ progress: page.isReading ? answer.done : undefined });
  else if (kind === 'rows' || kind === 'statistics') {
    if (answer.version !== version) return;
    if (kind === 'rows') page.rows?.receive(answer.from, answer.rows);
    update(kind === 'statistics' ? { statistics: answer.statistics, isCounting: false } : {});
  } else if (kind === 'export' && page.export !== undefined) {
    // or else it is of what has been cleared
    const { done } = answer;
    if (done instanceof Blob) waiting?.resolve(done);
    update({ export: done instanceof Blob ? undefined : done });
  }
}

function fail(during: Request['kind'], message: string): void {
  const { input } = page;
  if (during === 'export') {
    waiting?.reject(new Error(message));
    update({ export: message });
  } else {
    // The view before is dropped, so that it is not taken for what could not be read.
    seen = undefined;
    update({
      ...NO_VIEW,
      progress: undefined,
      failure: during === 'open' ? `${input?.name || 'The text'} cannot be read: ${message}` : message,
      isReading: false,
      input: input?.text === undefined ? undefined : input,
    });
  }
}

function showView(view: View, of: number): void {
  if (page.input?.datedAt !== undefined) return; // of what was there before
  if (view.rows === 0) fail('open', view.header ? 'it has only a header' : 'it is empty');
  if (!page.input || view.rows === 0) return;
  version = of;
  seen = opening;
  const rows = new RowCache(view.shown, view.firstRows, (from, to) =>
    client.ask({ kind: 'rows', version: of, from, to }),
  );
  clearTimeout(statisticsTimer);
  if (view.rows > 1)
    statisticsTimer = setTimeout(() => client.ask({ kind: 'statistics', version: of }), STATISTICS_AFTER_MS);
  if (typeof page.export === 'string') page.export = undefined; // why an export failed may be mended
  update({
    isReading: false,
    progress: undefined,
    view,
    rows,
    selected: selectedIn(view, page.selected),
    isCounting: true,
  });
}

/**
 * The row to take apart: the one before, as it is now, or the first that is an id. A row that is not an id stays only
 * if it was the same before.
 */
function selectedIn({ chosen, firstGood, firstRows }: View, before: TableRow | undefined): TableRow | undefined {
  const stays = chosen && (chosen.isId || chosen.cells[1] === before?.cells[1]);
  return stays ? chosen : (firstGood ?? firstRows[0]);
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // by then it has been read
}
