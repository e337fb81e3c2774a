import type { Pieces } from '../../decode/export.js';
import { type RoutedKeys, routeRead } from '../../decode/keys/plan.js';
import { KeyReader, type KeySource } from '../../decode/keys/read.js';
import type { PlanSettings } from '../../decode/keys/routing.js';
import { fileOf, LatestOnly, SHARDS_WORKER, serveInTurn, startWorker, type WorkerScope } from '../background.js';

/** `moves`: the file of the moves of what was routed last. */
export type KeysRequest =
  | { readonly kind: 'route'; readonly keys: KeySource; readonly settings: PlanSettings }
  | { readonly kind: 'moves' };

export type KeysAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'routed'; readonly routed: RoutedKeys }
  | { readonly kind: 'moves'; readonly done: number | Blob } // a share of the file, or all
  | { readonly kind: 'failed'; readonly during: KeysRequest['kind']; readonly message: string };

/** Answers the page: all work on keys is done here. */
export function serveKeys(scope: WorkerScope<KeysRequest, KeysAnswer>): void {
  const reader = new KeyReader();
  let moves: (() => Pieces) | undefined;
  const fail = ({ kind }: KeysRequest, error: Error) =>
    scope.postMessage({ kind: 'failed', during: kind, message: error.message });
  const answer = async (request: KeysRequest) => {
    if (request.kind === 'route') {
      moves = undefined;
      const { routed, movesCsv } = routeRead(await reader.read(request.keys), request.settings);
      moves = movesCsv;
      scope.postMessage({ kind: 'routed', routed });
    } else if (moves) {
      // Not awaited: other keys may be routed meanwhile, and the file stays as it was asked for.
      fileOf(moves(), (done) => {
        scope.postMessage({ kind: 'moves', done });
        return true;
      }).catch((error) => fail(request, error));
    }
  };
  serveInTurn(scope, answer, fail);
}

export type KeysClient = ReturnType<typeof connectKeys>;

/** @param scripts both of the page's */
export function connectKeys(scripts: readonly string[], hear: (answer: KeysAnswer) => void) {
  const answered = (answer: KeysAnswer) => {
    const isRouted = answer.kind === 'routed' || (answer.kind === 'failed' && answer.during === 'route');
    if (isRouted) routes.answered(() => hear(answer));
    else hear(answer);
  };
  const { post } = startWorker(scripts, SHARDS_WORKER, serveKeys, answered, (message) =>
    answered({ kind: 'failed', during: 'route', message }),
  );
  const routes = new LatestOnly<KeysRequest>(post);
  return {
    route: (keys: KeySource, settings: PlanSettings) => routes.request({ kind: 'route', keys, settings }),
    writeMoves: () => post({ kind: 'moves' }),
  };
}
