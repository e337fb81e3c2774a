import { setImmediate } from 'node:timers/promises';
import { kernelsWithColumns } from '../../kernels/resident.js';
import { LineError } from '../../lines/hash.js';
import { type Segment, type SegmentJob, SegmentRouter, type SegmentRows, segmentsOf } from '../files/segments.js';
import { type Executor, inOrder, Workers } from '../threads/workers.js';
import type { Progress } from './job.js';

/** How many segments may be in progress or waiting to be written: two for each thread, and some in reserve. */
const ahead = (threads: number): number => 2 * threads + 6;

/** Routes files on several threads, including this one. The rows come in the order of the files. */
export async function* routeSegments(
  paths: readonly string[],
  job: SegmentJob,
  threads: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ rows: Uint8Array; progress: Progress }> {
  const segments = segmentsOf(paths);
  const workers = new Workers(Math.max(0, Math.min(threads, segments.length) - 1), 'segments', {
    ...job,
    routing: job.routing.toJSON(),
  });
  const here = new ThisThread(job);
  const progress: Progress = { keys: 0, bytes: 0 };
  let path: string | undefined;
  let lines = 0;
  try {
    for await (const { task, result } of inOrder(segments.values(), [workers, here], ahead(threads))) {
      signal?.throwIfAborted();
      if (task.path !== path) lines = 0;
      path = task.path;
      progress.keys += result.keys;
      progress.bytes += task.byteLength;
      yield { rows: result.rows, progress };
      const { bad } = result;
      if (bad !== undefined) throw new LineError(lines + bad.line, bad.expected, bad.got, path);
      lines += result.keys;
    }
  } finally {
    await workers.close();
    here.free();
  }
}

/** Routes segments on this thread, between other work such as writing the results of other threads. */
class ThisThread implements Executor<Segment, SegmentRows> {
  readonly #router: SegmentRouter;
  hasRoom = true;

  constructor(job: SegmentJob) {
    this.#router = new SegmentRouter(kernelsWithColumns(), job);
  }

  async run(segment: Segment): Promise<SegmentRows> {
    this.hasRoom = false;
    await setImmediate();
    try {
      return this.#router.route(segment);
    } finally {
      this.hasRoom = true;
    }
  }

  free(): void {
    this.#router.free();
  }
}
