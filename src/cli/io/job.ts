import { openWorkspace, type Workspace } from '../../lines/memory.js';
import type { Input, RejectedLine } from '../../node/index.js';
import { isBadData, problemOf } from '../options/usage.js';
import { isStdout, type Outputs, type Print, withOutput } from './output.js';
import { type ProgressBar, startProgress } from './progress.js';

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
type Reject = (row: RejectedLine, place?: string) => Promise<void>;

/** What the work of a command writes to. */
interface Job {
  readonly print: Print;
  readonly reject: Reject;
  readonly progress: ProgressBar;
  /** What is made with these kernels is freed when the work is done. */
  readonly kernels: Workspace;
}

interface JobOptions extends Outputs {
  /** Whether rows go to standard output; by default, whether `out` does. */
  readonly rowsToStdout?: boolean;
  /** What to do about a malformed row that ends the command; added to the message. */
  readonly hintFor?: (row: RejectedLine) => string;
}

/**
 * Runs work on inputs, with a progress bar. What it prints goes to a file, which is complete or not there, or to standard
 * output. Malformed rows go to another file, or the first one ends the command.
 */
export async function runJob(
  inputs: readonly Input[],
  { out, rejects, rowsToStdout = isStdout(out), hintFor = () => '' }: JobOptions,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const progress = startProgress(inputs, { rowsToStdout });
  const kernels = openWorkspace();
  try {
    await withOutput(out, async (print) => {
      if (rejects === undefined) {
        return work({ print, progress, kernels, reject: (row, place) => fail(row, place, hintFor(row)) });
      }
      let count = 0;
      await withOutput(rejects, (printReject) => {
        const reject: Reject = (row, place = inputs.length > 1 ? `${row.file}:${row.line}` : String(row.line)) => {
          count++;
          return printReject(Buffer.concat([Buffer.from(`${place}\t${reasonOf(row.error)}\t`), row.bytes, NEWLINE]));
        };
        return work({ print, progress, kernels, reject });
      });
      progress.stop(); // before rejects are counted in words
      const where = rejects === '-' || count === 0 ? '' : `: see ${rejects}`;
      process.stderr.write(`${count} ${count === 1 ? 'row' : 'rows'} rejected${where}\n`);
    });
  } finally {
    kernels.free();
    progress.stop();
  }
}

async function fail(row: RejectedLine, place = `${row.file}:${row.line}`, hint: string): Promise<never> {
  throw new RangeError(`${place}: ${reasonOf(row.error)}${hint}`, { cause: row.error });
}

const NEWLINE = Buffer.from('\n');

function reasonOf(error: Error): string {
  if (error instanceof BadRow) return error.problem;
  return isBadData(error) ? problemOf(error) : error.message;
}
