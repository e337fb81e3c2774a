import { expect } from 'vitest';

/** For `toThrow`: an error about an argument, and about a row of it. */
export function wrong(argument: string, row?: number): Error {
  return expect.objectContaining(row === undefined ? { argument } : { argument, row });
}
