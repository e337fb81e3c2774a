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
  let parts: { of: number; bytes: Uint8Array[] } = { of: 0, bytes: [] };
  let version = 0;

  const show = (request: Request & { kind: 'open' | 'settings' }) => {
    if (inspection === undefined) return;
    version++;
    const view = inspection.view(request.settings, 'chosen' in request ? request.chosen : undefined);
    scope.postMessage({ kind: 'view', of: request.of, version, view });
  };

  /** Beside other answers: between two pieces rows are scrolled and settings changed. */
  const write = async ({ pieces, count }: CsvPieces, of: number) => {
    const parts: Blob[] = [];
    for (const piece of pieces) {
      parts.push(new Blob([piece])); // a blob is not on the heap
      await new Promise((resolve) => setTimeout(resolve));
      if (of !== opened) return;
      scope.postMessage({ kind: 'exporting', of, share: parts.length / count });
    }
    scope.postMessage({ kind: 'export', of, csv: new Blob(parts, { type: 'text/csv' }) });
  };

  const fail = ({ of, kind }: Request, error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    scope.postMessage({ kind: 'failed', of, during: kind, message });
  };

  const answer = async (request: Request) => {
    if (request.kind === 'part') {
      inspection = undefined;
      if (request.of !== parts.of) parts = { of: request.of, bytes: [] };
      parts.bytes.push(utf8Of(request.text));
    } else if (request.kind === 'open') {
      opened = request.of;
      inspection = undefined;
      const before = request.of === parts.of ? parts.bytes : [];
      parts = { of: 0, bytes: [] };
      inspection = new Inspection(await textsOf(request.source, before), request.now, request.settings.last);
      show(request);
    } else if (request.kind === 'settings') show(request);
    else if (request.kind === 'rows') {
      const { from, to } = request;
      const rows = request.version === version ? (inspection?.rows(from, to) ?? []) : [];
      scope.postMessage({ kind: 'rows', version: request.version, from, rows });
    } else if (request.kind === 'statistics') {
      if (request.version !== version || inspection === undefined) return;
      scope.postMessage({ kind: 'statistics', version, statistics: inspection.statistics() });
    } else if (request.kind === 'route') {
      scope.postMessage({ kind: 'routed', routed: routeKeys(request.keys, request.routing) });
    } else if (inspection !== undefined) {
      write(inspection.csv(), request.of).catch((error: unknown) => fail(request, error));
    }
  };

  // One after the other: a file takes a while to read, and settings that come meanwhile are for it.
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    before = before.then(() => answer(request).catch((error: unknown) => fail(request, error)));
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
  if (parts.length === 1) return parts[0] as Uint8Array;
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
