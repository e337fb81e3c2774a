import { millionIds } from './example-ids.js';
import { Inspection } from './inspection.js';
import type { Answer, Request, Source } from './messages.js';

/** What is used of a worker's global scope. */
export interface WorkerScope {
  postMessage(answer: Answer): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
}

// Until then the page has painted what it was sent: comparing takes 50 ms, and must not delay rows asked for.
const COMPARE_AFTER_MS = 300;

/** Answers the page: all work on ids is done here. */
export function serve(scope: WorkerScope): void {
  let inspection: Inspection | undefined;
  let version = 0;
  let comparing: ReturnType<typeof setTimeout> | undefined;

  const show = (request: Request & { kind: 'open' | 'settings' }) => {
    if (inspection === undefined) return;
    version++;
    scope.postMessage({ kind: 'view', of: request.of, version, view: inspection.view(request.settings) });
    clearTimeout(comparing);
    const compared = inspection;
    comparing = setTimeout(
      () => scope.postMessage({ kind: 'speed', of: request.of, speed: compared.compare() }),
      COMPARE_AFTER_MS,
    );
  };

  const answer = async (request: Request) => {
    if (request.kind === 'open') {
      inspection = undefined;
      inspection = new Inspection(await bytesOf(request.source), request.now);
      show(request);
    } else if (request.kind === 'settings') show(request);
    else if (request.kind === 'rows') {
      const { from, to } = request;
      const rows = request.version === version ? (inspection?.rows(from, to) ?? []) : [];
      scope.postMessage({ kind: 'rows', version: request.version, from, rows });
    } else if (inspection !== undefined) {
      const csv = new Blob([...inspection.csv()], { type: 'text/csv' });
      scope.postMessage({ kind: 'export', of: request.of, csv });
    }
  };

  // One after the other: a file takes a while to read, and settings that come meanwhile are for it.
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    before = before.then(() =>
      answer(request).catch((error: unknown) => {
        scope.postMessage({ kind: 'failed', of: request.of, message: String(error) });
      }),
    );
  };
}

async function bytesOf(source: Source): Promise<Uint8Array> {
  if ('bytes' in source) return new Uint8Array(source.bytes);
  if ('file' in source) return new Uint8Array(await source.file.arrayBuffer());
  return new TextEncoder().encode(millionIds(source.now));
}
