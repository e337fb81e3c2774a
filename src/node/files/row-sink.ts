import type { LineJobOptions, Progress } from './line-jobs.js';

/** A target of rows. In the end it is complete, or nothing is left of it. */
export interface RowSink<T> {
  write(batch: T): Promise<void>;
  finish(): Promise<void>;
  discard(): void;
}

/** Passes all rows to a sink. */
export async function drain<T>(
  rows: AsyncIterable<T & { readonly progress: Progress }>,
  sink: RowSink<T>,
  onProgress: LineJobOptions['onProgress'],
): Promise<Progress> {
  let progress: Progress = { keys: 0, bytes: 0 };
  try {
    for await (const batch of rows) {
      await sink.write(batch);
      progress = batch.progress;
      onProgress?.(progress);
    }
    await sink.finish();
    return progress;
  } catch (error) {
    sink.discard();
    throw error;
  }
}
