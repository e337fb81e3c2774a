import type { RejectedLine } from '../../node/index.js';
import { isBadData, problemOf } from '../options/usage.js';
import { withOutput } from './output.js';

/** The description of --rejects. */
export const REJECTS =
  'write malformed rows to this file and continue; each as LINE, tab, REASON, tab, ROW, with FILE:LINE for several inputs';

/** A row that the command line refuses, with a message in its own words. */
export class BadRow extends Error {
  /**
   * @param row counted from the first row of the batch
   * @param problem what was expected and what came
   */
  constructor(
    readonly row: number,
    readonly problem: string,
    cause?: Error,
  ) {
    super(problem, { cause });
  }
}

/**
 * Takes a malformed row.
 * @param place where the row is, if it is not a line of a file
 */
export type Reject = (row: RejectedLine, place?: string) => Promise<void>;

/**
 * Runs work that may meet malformed rows. They go to a file, or the first one ends the command.
 * @param severalInputs whether the number of a line is ambiguous without the name of its file
 * @param hintFor what to do about the row that ends the command; added to the message
 */
export async function withRejects(
  file: string | undefined,
  severalInputs: boolean,
  work: (reject: Reject) => Promise<void>,
  hintFor: (row: RejectedLine) => string = () => '',
): Promise<void> {
  if (file === undefined) {
    return work(async (row, place = `${row.file}:${row.line}`) => {
      throw new RangeError(`${place}: ${reasonOf(row.error)}${hintFor(row)}`, { cause: row.error });
    });
  }
  let count = 0;
  await withOutput(file, (print) =>
    work(async (row, place = severalInputs ? `${row.file}:${row.line}` : String(row.line)) => {
      count++;
      await print(Buffer.concat([Buffer.from(`${place}\t${reasonOf(row.error)}\t`), row.bytes, NEWLINE]));
    }),
  );
  const where = file === '-' || count === 0 ? '' : `: see ${file}`;
  process.stderr.write(`${count} ${count === 1 ? 'row' : 'rows'} rejected${where}\n`);
}

const NEWLINE = Buffer.from('\n');

function reasonOf(error: Error): string {
  if (error instanceof BadRow) return error.problem;
  return isBadData(error) ? problemOf(error) : error.message;
}
