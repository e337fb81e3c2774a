import type { Speed } from '../decode/decoded.js';
import type { View } from '../decode/inspection.js';
import { DEFAULTS, type Settings } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';
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
  speed: Speed | undefined;
  busy = false;
  failure: string | undefined;
  /** Whether the link has the ids, too. */
  linkIsComplete = true;

  readonly #client: Client;
  readonly #redraw: () => void;
  #linkTimer: ReturnType<typeof setTimeout> | undefined;
  #keepSelected = false;

  constructor(script: string, redraw: () => void) {
    this.#redraw = redraw;
    this.#client = new Client(script, {
      onView: (view, version) => this.#showView(view, version),
      onRows: (version, from, rows) => {
        if (version !== this.#version) return;
        this.rows?.receive(from, rows);
        this.#redraw();
      },
      onSpeed: (speed) => {
        this.speed = speed;
        this.#redraw();
      },
      onExport: (csv) => {
        this.busy = false;
        download(csv, 'ids.csv');
        this.#redraw();
      },
      onFailure: (message) => {
        this.busy = false;
        this.failure = message;
        this.#redraw();
      },
    });
    this.settings = DEFAULTS;
    this.loadLink();
    window.addEventListener('hashchange', () => this.loadLink());
  }

  #version = 0;

  /** Takes everything from the address. */
  loadLink(): void {
    const { settings, ids } = fromFragment(location.hash);
    this.settings = settings;
    if (ids !== '') this.openText(ids);
    else if (this.given !== undefined) this.change({});
    this.#redraw();
  }

  openText(text: string, name = ''): void {
    if (text.trim() === '') {
      this.clear();
      return;
    }
    const bytes = new TextEncoder().encode(text);
    this.given = { name, bytes: bytes.length, text: text.length <= MOST_TEXT ? text : undefined };
    this.#open({ bytes: bytes.buffer });
  }

  openFile(file: File): void {
    if (file.size <= MOST_TEXT) {
      file.text().then((text) => this.openText(text, file.name));
      return;
    }
    this.given = { name: file.name, bytes: file.size, text: undefined };
    this.#open({ file });
  }

  openMillion(): void {
    this.given = { name: 'example', bytes: 0, text: undefined };
    this.#open({ example: 'million', now: Date.now() });
  }

  #open(source: Parameters<Client['open']>[0]): void {
    this.busy = true;
    this.failure = undefined;
    this.speed = undefined;
    this.#keepSelected = false;
    this.#client.open(source, this.settings, Date.now());
    this.#saveLink();
    this.#redraw();
  }

  clear(): void {
    this.given = undefined;
    this.view = undefined;
    this.rows = undefined;
    this.selected = undefined;
    this.failure = undefined;
    this.speed = undefined;
    this.busy = false;
    // What was chosen for those ids is not for the next.
    this.settings = { ...this.settings, column: undefined, filter: '', show: 'all', sort: undefined, per: undefined };
    this.#saveLink();
    this.#redraw();
  }

  change(changes: Partial<Settings>): void {
    this.settings = { ...this.settings, ...changes };
    this.#keepSelected = true;
    if (this.given !== undefined) this.#client.change(this.settings);
    this.#saveLink();
    this.#redraw();
  }

  select(row: TableRow): void {
    this.selected = row;
    this.#redraw();
  }

  exportCsv(): void {
    this.busy = true;
    this.#client.askExport();
    this.#redraw();
  }

  /** The address of the page with everything that fits. */
  link(): string {
    clearTimeout(this.#linkTimer);
    this.#writeLink();
    return location.href;
  }

  #showView(view: View, version: number): void {
    if (this.given === undefined) return;
    this.#version = version;
    this.view = view;
    this.busy = false;
    this.rows = new RowCache(view.shown, view.firstRows, (from, to) => this.#client.askRows(version, from, to));
    if (!this.#keepSelected || this.selected === undefined) this.selected = view.firstGood ?? view.firstRows[0];
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
    history.replaceState(null, '', `#${fragment}`);
    this.#redraw();
  }
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // by then it has been read
}
