import { parentPort, workerData } from 'node:worker_threads';
import type { Keys } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { setBackend } from '../../kernels/active.js';
import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import { type Routing, shardsOf } from '../../routing/routing.js';
import type { Operation } from '../../rows/operations/operation.js';
import { ChunkWork, type SentOptions } from './chunk-work.js';
import { type ColumnTask, type JobKind, type Jobs, type Reply, UP, type WorkerData } from './messages.js';

/** The options that were sent. */
function received({ plain, routings }: SentOptions): object {
  const made = Object.entries(routings).map(([name, json]) => [name, routingFrom(json)]);
  return { ...plain, ...Object.fromEntries(made) };
}

/** Makes a Router or a partitioner from its JSON. */
function routingFrom(json: object): Routing<any> {
  return 'system' in json ? partitionerFrom(json) : Router.from(json);
}

function doColumnTask({ keys, to, out }: ColumnTask): Uint32Array | BigUint64Array {
  if ('routing' in to) return shardsOf(routingFrom(to.routing), keys, out as Uint32Array | undefined);
  return xxh64Many(keys as Keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}

/** The result of a task, and its memory to transfer. */
interface TaskOutcome {
  readonly result: Jobs[JobKind]['result'];
  readonly sent: ArrayBuffer[];
}

/**
 * Makes this a thread of `Workers`. It runs tasks one after the other and sends their results in order.
 * @param operations those that jobs name
 */
export function serve(operations: readonly Operation<any, any, any>[]): void {
  /** Starts a job of each kind. */
  const jobs: {
    readonly [K in JobKind]: (options: Jobs[K]['options']) => (task: Jobs[K]['task']) => TaskOutcome;
  } = {
    columns: () => (task) => {
      const result = doColumnTask(task);
      return { result, sent: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
    },
    chunks: ({ operation: name, options, ...job }) => {
      const operation = operations.find((one) => one.name === name) as Operation<any, any, any>;
      const work = new ChunkWork(operation, { ...job, options: received(options) });
      return ({ chunk, spare }) => work.run(chunk, spare);
    },
  };
  const { backend, kind, options }: WorkerData<JobKind> = workerData;
  setBackend(backend);
  const work = jobs[kind](options as never) as (task: Jobs[JobKind]['task']) => TaskOutcome;

  parentPort?.on('message', (task: Jobs[JobKind]['task']) => {
    let reply: Reply;
    let memory: ArrayBuffer[] = [];
    try {
      const outcome = work(task);
      reply = { result: outcome.result };
      memory = outcome.sent;
    } catch (error) {
      // The copy of an error has its message, but not its other properties, such as the code of a system call.
      reply = { error: Object(error), fields: { ...detailsOf(error) } };
    }
    parentPort?.postMessage(reply, memory);
  });
  parentPort?.postMessage(UP);
}
