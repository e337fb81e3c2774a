import { expect } from 'vitest';

/** For `toThrow`: an error about an argument, and about this row of it or none. */
export function wrong(argument: string, row?: number): Error {
  return expect.toSatisfy(
    (error: { argument?: string; row?: number }) => {
      return error.argument === argument && error.row === row;
    },
    `an error about "${argument}"${row === undefined ? '' : ` row ${row}`}`,
  );
}
