/** Runs work on a file. If it fails, the error names this path instead of a temporary one or none. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(path, error);
  }
}

/** Adds the path of a file to the error of a system call. */
export function named(path: string, error: unknown): unknown {
  return Object.assign(error as Error, { path });
}
