/** Runs something on a file; if it fails, the error names this path, and not a temporary one or none. */
export function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    (error as NodeJS.ErrnoException).path = path;
    throw error;
  }
}
