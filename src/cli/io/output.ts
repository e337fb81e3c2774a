import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { areOneFile, openOutput } from '../../node/files/output.js';
import type { Input } from '../../node/index.js';
import { UsageError } from '../options/usage.js';
import { cleanUpWhenInterrupted } from './interruption.js';

/** Writes to standard output. Resolves when all is written. Then the bytes may change. Rejects if the write fails. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
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
export async function withOutput(out: string | undefined, work: (print: Print) => Promise<void>): Promise<void> {
  const stop = cleanUpWhenInterrupted();
  try {
    await printingTo(out, work);
  } finally {
    stop();
  }
}

/** Like {@link withOutput}, for work that handles signals itself. */
export async function printingTo(out: string | undefined, work: (print: Print) => Promise<void>): Promise<void> {
  const output = openOutput(isStdout(out) ? process.stdout : out);
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
  /** Standard output by default. */
  readonly out?: string | undefined;
  readonly rejects?: string | undefined;
}

/**
 * Refuses to write to a file that the command reads, or to write two outputs to one file.
 * @param inputs files that the command reads, including stores
 */
export function checkOutputs({ out = '-', rejects }: Outputs, inputs: readonly Input[]): void {
  checkNotInput('--out', out, inputs);
  if (rejects === undefined) return;
  checkNotInput('--rejects', rejects, inputs);
  if (areOneOutput(out, rejects)) throw new UsageError(`--rejects: expected another file than --out, got ${rejects}`);
}

function checkNotInput(option: string, out: string, inputs: readonly Input[]): void {
  const input = inputs.find((one) => areSame(out, one));
  if (input === undefined) return;
  if (out === '-') throw new Error(`${typeof input === 'string' ? input : '-'}: input file is output file`);
  throw new UsageError(`${option}: expected another file than the input, got ${out}`);
}

function areSame(out: string, input: Input): boolean {
  if (out !== '-' && typeof input === 'string') return areOneFile(out, input);
  const to = out === '-' ? fstatSync(1, { bigint: true }) : statOf(out);
  const from = typeof input === 'string' ? statOf(input) : fstatSync(0, { bigint: true });
  if (!to?.isFile() || from?.ino !== to.ino || from.dev !== to.dev) return false;
  return out !== '-' || from.size > 0n; // an input that the shell has just emptied ends at once
}

function areOneOutput(a: string, b: string): boolean {
  if (a === '-' || b === '-') return a === b;
  return areOneFile(a, b);
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
