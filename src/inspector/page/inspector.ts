import type { View } from '../decode/inspection.js';
import { type KeyRouting, type RoutedKeys, routingOf } from '../decode/key-routing.js';
import { isSameChoice } from '../decode/layout-choice.js';
import type { Request } from '../decode/messages.js';
import { DEFAULTS, forNewIds, forOtherRows, isEditOf, type Settings } from '../decode/settings.js';
import type { Statistics } from '../decode/statistics.js';
import type { TableRow } from '../decode/table.js';
import { textToShow } from '../read/open-given.js';
import { Client } from './client.js';
import { fromFragment, toFragment } from './link.js';
import { RowCache } from './row-cache.js';

/** What was given, as the page shows it. */
export interface Given {
  /** Of a file or an example. */
  readonly name: string;
  readonly bytes: number;
  /** undefined: too much for a text box and for a link. */
  readonly text: string | undefined;
}

/** So much goes into the text box; more would make each keystroke slow. */
export const MOST_TEXT = 20_000;

const LINK_AFTER_MS = 200; // Chromium lets a page set its address 200 times in 30 s

/** The state of the page. */
export class Inspector {
  settings: Settings;
  given: Given | undefined;
  view: View | undefined;
  rows: RowCache | undefined;
  /** The row whose id is taken apart. */
  selected: TableRow | undefined;
  /** Of the rows that are shown; undefined until they have been counted. */
  statistics: Statistics | undefined;
  busy = false;
  failure: string | undefined;
  /** How much of an export is done, from 0 to 1; undefined: none is being made. */
  exported: number | undefined;
  exportFailure: string | undefined;
  /** Text keys, one per line; they are private, and not in the link. */
  keys = '';
  routed: RoutedKeys | undefined;
  /** Why keys cannot be routed, and the option that is wrong. What was routed before stays. */
  routingProblem: { readonly argument: string; readonly message: string } | undefined;
  /** Whether the link has the ids, too. */
  linkIsComplete = true;

  readonly #client: Client;
  readonly #redraw: () => void;
  #linkTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether what is seen is still of what was given before. */
  #opening = false;
  /** Ids that the address may have: those of a link that was opened or copied. */
  #linked: string | undefined;

  constructor(script: string, redraw: () => void) {
    this.#redraw = redraw;
    this.#client = new Client(script, {
      onView: (view, version) => this.#showView(view, version),
      onRows: (version, from, rows) => {
        if (version !== this.#version) return;
        this.rows?.receive(from, rows);
        this.#redraw();
      },
      onStatistics: (version, statistics) => {
        if (version !== this.#version) return;
        this.statistics = statistics;
        this.#redraw();
      },
      onExporting: (share) => {
        if (this.exported === undefined) return; // it is of what has been cleared
        this.exported = share;
        this.#redraw();
      },
      onExport: (csv) => {
        if (this.exported === undefined) return;
        this.exported = undefined;
        download(csv, 'ids.csv');
        this.#redraw();
      },
      onRouted: (routed) => {
        this.routed = this.keys === '' ? undefined : routed;
        this.#redraw();
      },
      onFailure: (during, message) => this.#fail(during, message),
    });
    this.settings = DEFAULTS;
    this.loadLink();
    window.addEventListener('hashchange', () => this.loadLink());
  }

  #version = 0;
  #wantsStatistics = false;

  /** Takes everything from the address. */
  loadLink(): void {
    const { settings, ids } = fromFragment(location.hash);
    this.settings = settings;
    this.#linked = ids;
    if (ids !== '') this.#openText(ids, '');
    else if (this.given !== undefined) this.change({});
    this.routeKeys(this.keys);
  }

  openText(text: string, name = ''): void {
    if (text.trim() === '') {
      this.clear();
      return;
    }
    this.#forgetOldRows(text);
    this.#openText(text, name);
  }

  #openText(text: string, name: string): void {
    this.given = { name, bytes: text.length, text: text.length <= MOST_TEXT ? text : undefined };
    this.#open({ text }); // encoded by the worker: for 100 MB that takes half a second
  }

  /** One file, or several, whose rows come one after the other. */
  openFiles(files: readonly File[]): void {
    const [file] = files;
    if (file === undefined) return;
    if (files.length > 1 || file.size > MOST_TEXT) this.#openFiles(files);
    else this.#openSmall(file);
  }

  /** Into the text box, if it is text. */
  #openSmall(file: File): void {
    file.arrayBuffer().then(
      (bytes) => {
        const text = textToShow(new Uint8Array(bytes));
        if (text === undefined) this.#openFiles([file]);
        else this.openText(text, file.name);
      },
      (error: Error) => {
        this.given = { name: file.name, bytes: file.size, text: undefined };
        this.#fail('open', error.message);
      },
    );
  }

  #openFiles(files: readonly File[]): void {
    this.#forgetOldRows();
    const name = files.length > 3 ? `${files.length} files` : files.map((file) => file.name).join(', ');
    this.given = { name, bytes: files.reduce((sum, { size }) => sum + size, 0), text: undefined };
    this.#open({ files });
  }

  openMillion(): void {
    this.#forgetOldRows();
    this.given = { name: 'example', bytes: 0, text: undefined };
    this.#open({ example: 'million', now: Date.now() });
  }

  #open(source: Parameters<Client['open']>[0]): void {
    this.busy = true;
    this.failure = undefined;
    this.exported = undefined;
    this.exportFailure = undefined;
    this.#opening = true;
    this.#client.open(source, this.settings, Date.now());
    this.#saveLink();
    this.#redraw();
  }

  clear(): void {
    this.given = undefined;
    this.failure = undefined;
    this.busy = false;
    this.settings = forNewIds(this.settings);
    this.#dropView();
    this.#saveLink();
    this.#redraw();
  }

  #dropView(): void {
    this.view = undefined;
    this.rows = undefined;
    this.selected = undefined;
    this.statistics = undefined;
    this.exported = undefined;
    this.exportFailure = undefined;
  }

  /** Rows that replace others are seen whole. A link has a filter and its ids, or waits for them: both are kept. */
  #forgetOldRows(text?: string): void {
    const before = this.given;
    if (before === undefined) return;
    const isEdit = text !== undefined && before.text !== undefined && isEditOf(before.text, text);
    if (!isEdit) this.settings = forOtherRows(this.settings);
  }

  #fail(during: Request['kind'], message: string): void {
    const name = this.given?.name || 'The text';
    if (during === 'route') {
      this.routingProblem = { argument: '', message };
      this.#redraw();
      return;
    }
    if (during === 'export') {
      this.exported = undefined;
      this.exportFailure = message;
      this.#redraw();
      return;
    }
    this.failure = during === 'open' ? `${name} cannot be read: ${message}` : message;
    this.busy = false;
    // What is seen must not be taken for what could not be read.
    this.#dropView();
    if (this.given?.text === undefined) this.given = undefined;
    this.#redraw();
  }

  change(changes: Partial<Settings>): void {
    this.settings = { ...this.settings, ...changes };
    const { layout } = changes;
    const chosen = layout && this.view?.readings.find(({ choice }) => isSameChoice(choice, layout));
    if (chosen !== undefined) this.settings = { ...this.settings, last: chosen.name };
    if (this.given !== undefined) this.#client.change(this.settings, this.#opening ? undefined : this.selected?.row);
    this.#saveLink();
    this.#redraw();
  }

  changeRouting(changes: Partial<KeyRouting>): void {
    this.settings = { ...this.settings, ...changes };
    this.#saveLink();
    this.routeKeys(this.keys);
  }

  routeKeys(keys: string): void {
    this.keys = keys;
    const { by, n, seed, down } = this.settings;
    const routing = { by, n, seed, down };
    try {
      routingOf(routing);
      this.routingProblem = undefined;
      if (keys === '') this.routed = undefined;
      else this.#client.route(keys, routing);
    } catch (error) {
      this.routingProblem = error as RangeError & { argument: string };
    }
    this.#redraw();
  }

  select(row: TableRow): void {
    this.selected = row;
    if (this.#client.busy && !this.#opening) this.#client.change(this.settings, row.row); // what is on its way has the row before
    this.#redraw();
  }

  /** Statistics take a while of a million ids, and are made only where they are seen. */
  wantStatistics(wanted: boolean): void {
    if (wanted === this.#wantsStatistics) return;
    this.#wantsStatistics = wanted;
    if (wanted && this.view !== undefined) this.#client.askStatistics(this.#version);
  }

  exportCsv(): void {
    this.exported = 0;
    this.exportFailure = undefined;
    this.#client.askExport();
    this.#redraw();
  }

  /** The address of the page with everything that fits: from now on it has the ids, too. */
  link(): string {
    clearTimeout(this.#linkTimer);
    this.#linked = this.given?.text;
    this.#writeLink();
    return location.href;
  }

  #showView(view: View, version: number): void {
    if (this.given === undefined) return;
    this.#version = version;
    this.#opening = false;
    this.view = view;
    this.busy = false;
    this.rows = new RowCache(view.shown, view.firstRows, (from, to) => this.#client.askRows(version, from, to));
    this.selected = selectedIn(view, this.selected);
    this.statistics = undefined;
    if (this.#wantsStatistics) this.#client.askStatistics(version);
    this.#redraw();
  }

  #saveLink(): void {
    clearTimeout(this.#linkTimer);
    this.#linkTimer = setTimeout(() => this.#writeLink(), LINK_AFTER_MS);
  }

  #writeLink(): void {
    const ids = this.given === undefined ? '' : this.given.text;
    const { fragment, complete } = toFragment(this.settings, ids);
    this.linkIsComplete = complete;
    // An address stays in the history and is seen in pictures of the screen: ids get there only if they are sent.
    const shown = ids === this.#linked ? fragment : toFragment(this.settings, '').fragment;
    history.replaceState(null, '', `#${shown}`);
    this.#redraw();
  }
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
