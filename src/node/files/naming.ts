/** Runs something on a file; if it fails, the error names this path, and not a temporary one or none. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(path, error);
  }
}

/** The error of a system call, with the path of the file that it was about. */
export function named(path: string, error: unknown): unknown {
  return Object.assign(error as Error, { path });
}
