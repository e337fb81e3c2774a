import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { visible } from '../../arguments.js';
import { type Compression, checkCompression, compressedOutput } from '../../node/files/compressed.js';
import { areOneFile, descriptorOf, isSameFile, openOutput } from '../../node/files/output.js';
import type { Input, RejectedLine } from '../../node/index.js';
import { openWorkspace, type Workspace } from '../../rows/batch.js';
import { isBadData, problemOf, UsageError } from '../options/usage.js';
import { cleanUpWhenInterrupted } from './interruption.js';
import { say } from './messages.js';
import { type ProgressBar, startProgress } from './progress.js';
import { fileBehind, streams } from './streams.js';

/** Writes to standard output. Resolves when all is written. Then the bytes may change. Rejects if the write fails. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    streams().stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** What `--format` may be for a table. */
export type TableFormat = 'tsv' | 'json';

/**
 * Prints a table with a header, or an object on each line.
 * @param cellsOf the cells of a row of the table
 */
export async function printTable<R>(
  rows: readonly R[],
  format: TableFormat,
  header: readonly string[],
  cellsOf: (row: R) => readonly unknown[],
): Promise<void> {
  const table = [header, ...rows.map(cellsOf)].map((cells) => cells.map((cell) => visible(String(cell))).join('\t'));
  const lines = format === 'json' ? rows.map((row) => visible(JSON.stringify(row))) : table;
  await print(lines.map((line) => `${line}\n`).join(''));
}

/** Resolves when all is written. Then the bytes may change. Rejects if the write fails. */
export type Print = (text: string | Uint8Array) => Promise<void>;

/** Whether --out, which may be missing, is standard output. */
export function isStdout(out: string | undefined): out is '-' | undefined {
  return out === undefined || out === '-';
}

/**
 * Runs work that prints to a file or to standard output. A file appears under its name when the work is done. If the work
 * fails, or a signal ends the process, no file is left.
 */
export async function withOutput(
  out: string | undefined,
  work: (print: Print) => Promise<void>,
  compress?: Compression,
): Promise<void> {
  const stop = cleanUpWhenInterrupted();
  try {
    await printingTo(out, work, compress);
  } finally {
    stop();
  }
}

/** Like {@link withOutput}, for work that handles signals itself. */
export async function printingTo(
  out: string | undefined,
  work: (print: Print) => Promise<void>,
  compress?: Compression,
): Promise<void> {
  checkCompression(compress); // before a file is made
  const output = compressedOutput(openOutput(isStdout(out) ? streams().stdout : out), compress);
  try {
    await work((text) => output.write(typeof text === 'string' ? Buffer.from(text) : text));
    await output.finish();
  } catch (error) {
    output.discard();
    throw error;
  }
}

/** Where a command writes. */
export interface Outputs {
  readonly compress?: Compression | undefined;
  /** Standard output by default. */
  readonly out?: string | undefined;
  readonly rejects?: string | undefined;
  /** How many rows may be rejected. */
  readonly maxRejects?: number | undefined;
  readonly outDir?: string | undefined;
}

/**
 * Refuses to write to a file that the command reads, or to write two outputs to one file.
 * @param inputs files that the command reads, including stores
 */
export function checkOutputs({ out = '-', rejects, maxRejects, outDir }: Outputs, inputs: readonly Input[]): void {
  checkNotInput('--out', out, inputs);
  if (maxRejects !== undefined && rejects === undefined) throw new UsageError('--max-rejects requires --rejects');
  if (rejects === undefined) return;
  checkNotInput('--rejects', rejects, inputs);
  if (areOneOutput(out, rejects)) throw new UsageError(`--rejects: expected another file than --out, got ${rejects}`);
  if (outDir !== undefined && (resolve(outDir) === resolve(rejects) || areOneFile(outDir, rejects)))
    throw new UsageError(`--rejects: expected another name than that of --out-dir, got ${rejects}`);
}

/** Whether two outputs, each a path or - for standard output, are the same file or stream. */
function areOneOutput(a: string, b: string): boolean {
  const [one, other] = [a, b].map((out) => (out === '-' ? 1 : descriptorOf(out)));
  if (a === b || (one !== undefined && one === other)) return true;
  if (a !== '-' && b !== '-') return areOneFile(a, b);
  return isSameFile(fileBehind('stdout'), statOf(a === '-' ? b : a));
}

function checkNotInput(option: string, out: string, inputs: readonly Input[]): void {
  const input = inputs.find((one) => areSame(out, one));
  if (input === undefined) return;
  if (out === '-') throw new Error(`${typeof input === 'string' ? input : '-'}: input file is output file`);
  throw new UsageError(`${option}: expected another file than the input, got ${out}`);
}

function areSame(out: string, input: Input): boolean {
  if (out !== '-' && typeof input === 'string') return areOneFile(out, input);
  const to = out === '-' ? fileBehind('stdout') : statOf(out);
  const from = typeof input === 'string' ? statOf(input) : fileBehind('stdin');
  if (!isSameFile(to, from)) return false;
  return out !== '-' || (from?.size ?? 0n) > 0n; // an input that the shell has just emptied ends at once
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** A row that the command line refuses, with a message in its own words. */
export class BadRow extends Error {
  /**
   * @param row counted from the first row of the batch
   * @param problem what was expected and what came
   */
  constructor(
    readonly row: number,
    problem: string,
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
  /** Whether `reject` ends the command. */
  readonly isStrict: boolean;
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
  {
    out,
    compress,
    rejects,
    maxRejects = Number.POSITIVE_INFINITY,
    rowsToStdout = isStdout(out),
    hintFor = () => '',
  }: JobOptions,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const progress = startProgress(inputs, { rowsToStdout });
  const kernels = openWorkspace();
  try {
    await withOutput(
      out,
      async (print) => {
        if (rejects === undefined) {
          const reject: Reject = (row, place) => fail(row, place, hintFor(row));
          return work({ print, progress, kernels, reject, isStrict: true });
        }
        let count = 0;
        await withOutput(rejects, (printReject) => {
          const reject: Reject = (row, place) => {
            count++;
            if (count > maxRejects) return fail(row, place, `; with it, ${count} rows are malformed`);
            const where = place ?? (inputs.length > 1 ? `${row.file}:${row.line}` : String(row.line));
            const reason = `${where}\t${reasonOf(row.error)}\t`;
            return printReject(
              Buffer.from(`${Buffer.from(reason).toString('latin1')}${onOneLine(row.bytes)}\n`, 'latin1'),
            );
          };
          return work({ print, progress, kernels, reject, isStrict: false });
        });
        progress.stop(); // before rejects are counted in words
        const where = rejects === '-' || count === 0 ? '' : `: see ${rejects}`;
        say(`${count} ${count === 1 ? 'row' : 'rows'} rejected${where}`);
        if (count > 0 && progress.keys === 0) throw new Error('no row was accepted');
      },
      compress,
    );
  } finally {
    kernels.free();
    progress.stop();
  }
}

async function fail(row: RejectedLine, place = `${row.file}:${row.line}`, hint: string): Promise<never> {
  throw new RangeError(`${place}: ${reasonOf(row.error)}${hint}`, { cause: row.error });
}

/** The bytes of a row as characters, with line breaks and backslashes escaped. */
function onOneLine(bytes: Uint8Array): string {
  const escaped: { [character: string]: string } = { '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\n\r\\]/g, (character) => escaped[character] ?? '');
}

function reasonOf(error: Error): string {
  return isBadData(error) ? problemOf(error) : error.message;
}
