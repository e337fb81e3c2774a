import { type GivenText, openGiven } from '../read/open-given.js';
import { plainText } from '../read/plain-text.js';
import { utf8Of } from '../read/utf8.js';
import type { CsvPieces } from './csv-export.js';
import { millionIds } from './example-ids.js';
import { Inspection } from './inspection.js';
import { routeKeys } from './key-routing.js';
import type { Answer, Request, Source } from './messages.js';

/** What is used of a worker's global scope. */
export interface WorkerScope {
  postMessage(answer: Answer): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
}

/** Answers the page: all work on ids is done here. */
export function serve(scope: WorkerScope): void {
  let inspection: Inspection | undefined;
  let opened = 0;
  let parts: Uint8Array[] = [];
  let version = 0;

  /** Beside other answers: between two pieces rows are scrolled and settings changed. */
  const write = async ({ pieces, count }: CsvPieces, of: number) => {
    const blobs: Blob[] = [];
    for (const piece of pieces) {
      blobs.push(new Blob([piece])); // a blob is not on the heap
      await new Promise((resolve) => setTimeout(resolve));
      if (of !== opened) return;
      scope.postMessage({ kind: 'exporting', of, share: blobs.length / count });
    }
    scope.postMessage({ kind: 'export', of, csv: new Blob(blobs, { type: 'text/csv' }) });
  };

  const fail = ({ of, kind }: Request, error: Error) => {
    scope.postMessage({ kind: 'failed', of, during: kind, message: error.message });
  };

  const answer = async (request: Request) => {
    const { kind, of } = request;
    if (kind === 'part' || kind === 'open') {
      if (of !== opened) parts = [];
      opened = of;
      inspection = undefined;
    }
    if (kind === 'part') parts.push(utf8Of(request.text));
    else if (kind === 'route') {
      scope.postMessage({ kind: 'routed', routed: routeKeys(request.keys, request.routing) });
    } else if (kind === 'open' || kind === 'settings') {
      if (kind === 'open') {
        const texts = await textsOf(request.source, parts);
        parts = [];
        inspection = new Inspection(texts, request.now, request.settings.last);
      }
      const view = inspection?.view(request.settings, kind === 'open' ? undefined : request.chosen);
      if (view !== undefined) scope.postMessage({ kind: 'view', of, version: ++version, view });
    } else if (inspection === undefined) return;
    else if (kind === 'export') write(inspection.csv(), of).catch((error) => fail(request, error));
    else if (request.version !== version) return;
    else if (kind === 'rows') {
      const { from, to } = request;
      scope.postMessage({ kind, version, from, rows: inspection.rows(from, to) });
    } else scope.postMessage({ kind, version, statistics: inspection.statistics() });
  };

  // One after the other: a file takes a while to read, and settings that come meanwhile are for it.
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    before = before.then(() => answer(request).catch((error) => fail(request, error)));
  };
  scope.postMessage({ kind: 'ready' });
}

/** @param before the parts of a text that came before the last one */
async function textsOf(source: Source, before: readonly Uint8Array[]): Promise<readonly GivenText[] | Uint8Array> {
  if ('text' in source) return plainText(joined([...before, utf8Of(source.text)]));
  if ('example' in source) return new TextEncoder().encode(millionIds(source.now));
  const texts: GivenText[] = [];
  for (const file of source.files) texts.push(await textOf(file, source.files.length));
  return texts;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function textOf(file: File, files: number): Promise<GivenText> {
  try {
    return await openGiven(file.name, new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    throw files === 1 ? error : new Error(`${file.name}: ${(error as Error).message}`);
  }
}
