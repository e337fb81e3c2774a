/** Runs several tasks at a time. */
export interface Executor<T, R> {
  /** Whether it can take another task. */
  readonly hasRoom: boolean;
  run(task: T): Promise<R>;
}

/**
 * Runs each task on the first executor that has room, and yields the results in the order of the tasks.
 * @param ahead how many tasks may be running or done before their results are taken
 */
export async function* inOrder<T, R>(
  tasks: Iterator<T, void>,
  executors: readonly Executor<T, R>[],
  ahead: number,
): AsyncGenerator<{ task: T; result: R }> {
  const results: { task: T; result: Promise<R> }[] = [];
  const giveOut = (): void => {
    while (results.length < ahead) {
      const executor = executors.find(({ hasRoom }) => hasRoom);
      const next = executor && tasks.next();
      if (executor === undefined || next === undefined || next.done) return;
      // This also rejects if `run` throws synchronously.
      const result = new Promise<R>((resolve) => resolve(executor.run(next.value)));
      result.then(giveOut, () => {}); // a failure is thrown when its turn comes
      results.push({ task: next.value, result });
    }
  };
  giveOut();
  for (let next = results.shift(); next !== undefined; next = results.shift()) {
    const { task } = next;
    yield { task, result: await next.result };
    giveOut();
  }
}
