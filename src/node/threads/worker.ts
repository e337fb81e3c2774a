// A thread of `Workers`. It runs tasks one after the other and sends their results in order.

import { parentPort, workerData } from 'node:worker_threads';
import { detailsOf } from '../../errors.js';
import { setBackend } from '../../kernels/active.js';
import { JOBS, type JobKind, type Jobs, type TaskOutcome } from './tasks.js';
import type { Reply, WorkerData } from './workers.js';

setBackend(workerData.backend);
const work = started(workerData);

function started<K extends JobKind>({ kind, options }: WorkerData<K>): (task: Jobs[K]['task']) => TaskOutcome {
  return JOBS[kind](options);
}

parentPort?.on('message', (task: Jobs[JobKind]['task']) => {
  let reply: Reply;
  let memory: ArrayBuffer[] = [];
  try {
    const { result, transfer } = work(task);
    reply = { result };
    memory = transfer;
  } catch (error) {
    // The copy of an error has its message, but not its other properties, such as the code of a system call.
    reply = { error: Object(error), fields: { ...detailsOf(error) } };
  }
  parentPort?.postMessage(reply, memory);
});
