import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SingleBar } from 'cli-progress';
import { visible } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import {
  areOneFile,
  type HashFileOptions,
  type Input,
  openOutput,
  type Progress,
  type RejectedLine,
} from '../../node/index.js';
import { type Outputs, type RowOptions, syntaxHint } from '../options/input.js';
import { inOwnWords, isBadData, isRefusal, problemOf, type Refusal, UsageError } from '../options/usage.js';
import { cleanUpWhenInterrupted } from '../signals.js';
import { isProcessStdin, isStdout, paint, print, say, streams, withoutColors } from '../terminal.js';

export type TableFormat = 'tsv' | 'json';

/** Prints a table with a header, or an object on each line. */
export function printTable<R>(
  rows: Iterable<R>,
  format: TableFormat,
  header: readonly string[],
  cellsOf: (row: R) => readonly unknown[],
): Promise<void> {
  const lineOf = (cells: readonly unknown[]) => cells.map((cell) => visible(String(cell))).join('\t');
  function* lines() {
    if (format === 'tsv') yield `${paint(lineOf(header), 'heading')}\n`;
    for (const row of rows) yield `${format === 'tsv' ? lineOf(cellsOf(row)) : visible(JSON.stringify(row))}\n`;
  }
  return printAll(lines(), print);
}

export type Print = typeof print;

const PIECE_CHARACTERS = 65_536;

/** Prints short texts, of which there can be millions, in fewer and longer pieces. */
export async function printAll(texts: Iterable<string>, to: (piece: string) => Promise<void> | void): Promise<void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_CHARACTERS) continue;
    await to(piece);
    piece = '';
  }
  await to(piece);
}

/**
 * Runs work that prints to a file or to standard output. A file appears under its name when the work is done. If the work
 * fails, or a signal ends the process, no file is left.
 * @param signal ends writing, for work that handles the signals of the system itself
 */
export async function withOutput<T>(out: string | undefined, work: (print: Print) => Promise<T>, signal?: AbortSignal) {
  const output = openOutput(isStdout(out) ? streams().stdout : out, { signal });
  const stop = signal === undefined ? cleanUpWhenInterrupted() : undefined;
  try {
    const done = await work((text) => output.write(typeof text === 'string' ? Buffer.from(text) : text));
    await output.finish();
    return done;
  } catch (error) {
    output.discard();
    throw error;
  } finally {
    stop?.();
  }
}

/**
 * Refuses to write to a file that the command reads, or to write two outputs to one file.
 * @param inputs files that the command reads, including stores
 */
export function checkOutputs(outputs: Outputs, inputs: readonly Input[]): void {
  const { out = '-', rejects, maxRejects, outDir, outRows } = outputs;
  checkNotInput('--out', out, inputs);
  if (maxRejects !== undefined && rejects === undefined) throw new UsageError('--max-rejects requires --rejects');
  for (const [flag, path] of Object.entries({ '--rejects': rejects, '--out-rows': outRows })) {
    if (path === undefined) continue;
    checkNotInput(flag, path, inputs);
    if (out === path || areOneFile(outputOf(out), outputOf(path))) {
      throw new UsageError(`${flag}: expected another file than --out, got ${path}`);
    }
  }
  if (
    outDir !== undefined &&
    rejects !== undefined &&
    (resolve(outDir) === resolve(rejects) || areOneFile(outDir, rejects))
  )
    throw new UsageError(`--rejects: expected another name than that of --out-dir, got ${rejects}`);
}

/** The path of an output, or the number of standard output. */
const outputOf = (out: string): string | number => (out === '-' ? 1 : out);

function checkNotInput(option: string, out: string, inputs: readonly Input[]): void {
  const input = inputs.find((one) => areSame(out, one));
  if (input === undefined) return;
  if (out === '-') throw new Error(`${typeof input === 'string' ? input : '-'}: input file is output file`);
  throw new UsageError(`${option}: expected another file than the input, got ${out}`);
}

function areSame(out: string, input: Input): boolean {
  if (typeof input !== 'string' && !isProcessStdin(input)) return false;
  const from = typeof input === 'string' ? input : 0;
  if (!areOneFile(outputOf(out), from)) return false;
  if (out !== '-') return true;
  const { size } = typeof from === 'string' ? statSync(from) : fstatSync(from);
  return size > 0; // an input that the shell has just emptied ends at once
}

interface RunningJob {
  readonly print: Print;
  readonly progress: Awaited<ReturnType<typeof startProgress>>;
  /** The options of functions that read files. */
  readonly reading: Pick<HashFileOptions, 'lineEnd' | 'encoding' | 'threads' | 'onReject' | 'onProgress'>;
  /** The options of functions that write rows by themselves. */
  readonly writing: Pick<HashFileOptions, 'out' | 'compress'>;
}

/** A malformed row, of which only the error and the place are known. */
export interface RejectedPlace extends Omit<RejectedLine, 'bytes'> {
  /** Its number in a table, which has no lines. */
  readonly row?: number | undefined;
}

interface JobOptions extends Outputs, Pick<RowOptions, 'null' | 'encoding' | 'threads' | 'key'> {
  /** Where a report goes; by default, to standard output. */
  readonly report?: string | undefined;
  /** Whether rows go to standard output; by default, whether `out` does. */
  readonly rowsToStdout?: boolean;
  /** Where a row is, if it is not a line of a file. */
  readonly placeOf?: (row: RejectedPlace) => string | undefined;
  /** What to do about times that need `raw`; added to the message. */
  readonly rawHint?: string | undefined;
  /** What to do about a malformed row that ends the command; added to the message. */
  readonly hintFor?: (row: RejectedPlace, accepted: number) => Promise<string>;
  /** An error of the library in the words of the command; by default, bad usage. */
  readonly inWords?: (refusal: Refusal) => Error;
}

/**
 * Runs work on inputs, with a progress bar. A report goes to a file, which is complete or not there, or to standard output.
 * Malformed rows go to another file, or the first one ends the command.
 */
export async function runJob<T>(
  inputs: readonly Input[],
  {
    out,
    compress,
    rejects,
    maxRejects = Number.POSITIVE_INFINITY,
    rowsToStdout = isStdout(out),
    placeOf = () => undefined,
    rawHint,
    hintFor = async () => '',
    null: endsWithNul,
    encoding,
    threads,
    key,
    report,
    inWords = (refusal) => new UsageError(inOwnWords(refusal)),
  }: JobOptions,
  work: (job: RunningJob) => Promise<T>,
): Promise<T> {
  const progress = await startProgress(inputs, rowsToStdout);
  const reasonOf = (error: Error) => (isBadData(error) ? problemOf(error, rawHint) : error.message);
  const failAt = (row: RejectedPlace, hint: string): never => {
    const { file, line, error } = row;
    const where = row.row === undefined ? `${file}:${line}` : `${file}: row ${row.row}`;
    throw new RangeError(`${placeOf(row) ?? where}: ${reasonOf(error)}${hint}`, { cause: error });
  };
  const lineEnd = endsWithNul ? ('nul' as const) : undefined;
  const reading = { lineEnd, encoding, threads: threads ?? ('auto' as const), onProgress: progress.update };
  const writing = { out: isStdout(out) ? streams().stdout : out, compress };
  try {
    return await withOutput(report, async (printPiece) => {
      const toFile: Print = (text) => printPiece(typeof text === 'string' ? withoutColors(text) : text);
      const job = { print: isStdout(report) ? printPiece : toFile, progress, reading, writing };
      if (rejects === undefined) return work(job);
      let count = 0;
      const done = await withOutput(rejects, (printReject) => {
        const onReject = async (row: RejectedLine) => {
          count++;
          if (count > maxRejects) return failAt(row, `; with it, ${count} rows are malformed`);
          const where = placeOf(row) ?? (inputs.length > 1 ? `${row.file}:${row.line}` : String(row.line));
          const reason = `${where}\t${reasonOf(row.error)}\t`;
          return printReject(Buffer.concat([Buffer.from(reason), onOneLine(row.bytes)]));
        };
        return work({ ...job, reading: { ...reading, onReject } });
      });
      progress.stop(); // before rejects are counted in words
      const where = rejects === '-' || count === 0 ? '' : `: see ${rejects}`;
      say(`${count} ${count === 1 ? 'row' : 'rows'} rejected${where}`);
      if (count > 0 && progress.keys === 0) throw new Error('no row was accepted');
      return done;
    });
  } catch (error) {
    const row = placeIn(error);
    if (row !== undefined) failAt(row, (await hintFor(row, progress.keys)) + syntaxHint(row.error, key !== undefined));
    throw isRefusal(error) ? inWords(error) : error;
  } finally {
    progress.stop();
  }
}

/** The row or the header that an error of the library is about, if the command line has words of its own for it. */
function placeIn(error: unknown): RejectedPlace | undefined {
  const { row, line = row, file, input, known, taken, syntax, lacking } = detailsOf(error);
  if (line === undefined || file === undefined) return undefined;
  if ((row ?? input ?? known ?? taken ?? syntax ?? lacking) === undefined) return undefined;
  return { line, row, file, input: input ?? -1, error: error as Error };
}

/** Bytes in any encoding as a line. */
function onOneLine(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1').replaceAll('\\', '\\\\');
  return Buffer.from(`${text.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}\n`, 'latin1');
}

/**
 * A progress bar on standard error, if that is a terminal. It shows the rate, and the remaining time if the size of
 * the inputs is known. There is no bar if rows go to the same terminal.
 */
async function startProgress(inputs: readonly Input[], rowsToStdout: boolean) {
  const startBar = rowsToStdout && streams().stdout.isTTY ? undefined : await bars();
  const sizes = inputs.map(sizeOf);
  const total = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const format =
    total === undefined
      ? '{keys} keys, {rate}, {duration_formatted}'
      : '{bar} {percentage}%  {keys} keys, {rate}, {eta_formatted} to go';
  let bar: SingleBar | undefined;
  const start = performance.now();
  let read = 0;
  return {
    /** How many keys have been read in all. */
    get keys() {
      return read;
    },
    update({ keys, bytes }: Progress) {
      read = keys;
      // Only now, because before the first rows the command may still say something.
      bar ??= startBar?.(format, total ?? 0, { keys: '0', rate: '' });
      bar?.update(bytes, { keys: number(keys), rate: rateOf(keys, performance.now() - start) });
    },
    stop: () => bar?.stop(),
  };
}

function sizeOf(input: Input): number | undefined {
  const stats = typeof input === 'string' ? statSync(input, { throwIfNoEntry: false }) : undefined;
  return stats?.isFile() ? stats.size : undefined;
}

/** Shows a progress bar on standard error, if that is a terminal, for work on the entries of a store. */
export async function withCount<T>(total: number, work: (report: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = (await bars())?.('{bar} {percentage}%  {value} of {total}, {eta_formatted} to go', total);
  try {
    return await work((done) => bar?.update(Math.min(done, total))); // other processes may add entries meanwhile
  } finally {
    bar?.stop();
  }
}

/** What starts a bar, if standard error is a terminal. */
async function bars() {
  const { stderr } = streams();
  if (!stderr.isTTY) return undefined;
  const { Presets, SingleBar } = (await import('cli-progress')).default; // it is CommonJS
  return (format: string, total: number, payload?: object): SingleBar => {
    const options = {
      format,
      stream: stderr,
      linewrap: true, // and the cursor stays visible, so Ctrl-C has nothing to restore
      clearOnComplete: true,
      noTTYOutput: false,
      barsize: 30,
      etaBuffer: 100,
    };
    const bar = new SingleBar(options, Presets.shades_classic);
    bar.start(total, 0, payload);
    return bar;
  };
}

/** Formats as `1,234.5`. @param decimals how many there are at least */
export function number(value: number, decimals: 0 | 1 = 0): string {
  // The first use of toLocaleString takes 17 ms.
  if (decimals === 0 && Number.isInteger(value) && value >= 0) {
    const digits = String(value);
    const first = digits.length % 3;
    return [digits.slice(0, first), ...(digits.slice(first).match(/.../g) ?? [])].filter(Boolean).join(',');
  }
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: 1 });
}

export function rateOf(keys: number, ms: number): string {
  const rate = (keys / Math.max(ms, 0.001)) * 1000;
  return rate >= 1e6 ? `${measured(rate / 1e6)} M keys/s` : `${measured(rate / 1e3)} k keys/s`;
}

/** A figure that was measured, of which no more than three digits mean anything. */
export const measured = (value: number): string => (value < 999.5 ? value.toPrecision(3) : number(Math.round(value)));
