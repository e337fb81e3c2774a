import type { Speed } from '../decode/decoded.js';
import type { View } from '../decode/inspection.js';
import type { Answer, Request, Source } from '../decode/messages.js';
import type { Settings } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';

/** What the page is told. */
export interface Listener {
  onView(view: View, version: number): void;
  onRows(version: number, from: number, rows: readonly TableRow[]): void;
  onSpeed(speed: Speed | undefined): void;
  onExport(csv: Blob): void;
  onFailure(message: string): void;
}

/** The worker as the page sees it. Settings that change faster than they are answered are answered once. */
export class Client {
  readonly #worker: Worker;
  #of = 0;
  #busy = false;
  #waiting: Settings | undefined;

  /** @param script the page's own, which knows when it is run as a worker's */
  constructor(script: string, listener: Listener) {
    const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    this.#worker = new Worker(url);
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#hear(data, listener);
  }

  open(source: Source, settings: Settings, now: number): void {
    this.#of++;
    this.#busy = true;
    this.#waiting = undefined;
    this.#send({ kind: 'open', of: this.#of, source, settings, now }, 'bytes' in source ? [source.bytes] : []);
  }

  change(settings: Settings): void {
    if (this.#busy) {
      this.#waiting = settings;
      return;
    }
    this.#busy = true;
    this.#send({ kind: 'settings', of: this.#of, settings });
  }

  askRows(version: number, from: number, to: number): void {
    this.#send({ kind: 'rows', of: this.#of, version, from, to });
  }

  askExport(): void {
    this.#send({ kind: 'export', of: this.#of });
  }

  #send(request: Request, transfer: Transferable[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  #hear(answer: Answer, listener: Listener): void {
    if (answer.kind === 'rows') {
      listener.onRows(answer.version, answer.from, answer.rows);
      return;
    }
    if (answer.of !== this.#of) return;
    if (answer.kind === 'speed') listener.onSpeed(answer.speed);
    else if (answer.kind === 'export') listener.onExport(answer.csv);
    else {
      this.#busy = false;
      const settings = this.#waiting;
      this.#waiting = undefined;
      if (answer.kind === 'view') listener.onView(answer.view, answer.version);
      else listener.onFailure(answer.message);
      if (settings !== undefined) this.change(settings);
    }
  }
}
