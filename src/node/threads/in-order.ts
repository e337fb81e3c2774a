/** What does tasks, some at a time. */
export interface Executor<T, R> {
  /** Whether it can take another one. */
  readonly hasRoom: boolean;
  run(task: T): Promise<R>;
}

/**
 * Has tasks done, each by the first executor with room for it, and gives the results in the tasks' order.
 * @param ahead how many results may wait at most for whoever takes them
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
      // Rejects also if `run` throws at once.
      const result = new Promise<R>((resolve) => resolve(executor.run(next.value)));
      result.then(giveOut, () => {}); // a failure is met when its turn comes
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
