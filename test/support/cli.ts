import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';

export interface Run {
  /** The exit code, or the signal that ended the process. */
  code: number | string | null;
  stdout: Buffer;
  stderr: string;
}

export interface RunOptions {
  /** Standard input, written in these pieces. */
  input?: Iterable<string | Uint8Array>;
  /** Options of node itself. */
  node?: string[];
  cwd?: string;
  /** Sends Ctrl-C when this becomes true. */
  interruptWhen?: () => boolean;
  /** Further variables of its environment. */
  env?: NodeJS.ProcessEnv;
  /** How many files it may have open. Not for Windows. */
  openFiles?: number;
}

/** Runs the built command line as a separate process. */
export function shardbits(
  args: string[],
  { input = [], node = [], cwd, interruptWhen, env, openFiles }: RunOptions = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const command = [process.execPath, ...node, join(process.cwd(), 'dist/cli.js'), ...args];
    const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh'];
    const [program, ...given] = [...limited, ...command];
    const child = spawn(program, given, { cwd, env: { ...process.env, ...env } });
    const out: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    const interrupting = setInterval(() => {
      if (interruptWhen?.()) child.kill('SIGINT');
    }, 20);
    child.on('exit', () => clearInterval(interrupting));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal, stdout: Buffer.concat(out), stderr }));
    child.stdin.on('error', () => {}); // it may end before it has read all
    feed(child.stdin, input);
  });
}

async function feed(stdin: Writable, pieces: Iterable<string | Uint8Array>): Promise<void> {
  for (const piece of pieces) {
    if (stdin.destroyed) return;
    await new Promise((written) => stdin.write(piece, written));
  }
  stdin.end();
}

/**
 * A folder that is removed at the end of the test.
 * @param onFinished that of the test's context, in tests that run concurrently
 */
export function temporaryFolder(onFinished: typeof onTestFinished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The keys in some bytes, by the rule of the command line, one byte at a time. */
export function keysIn(bytes: Uint8Array): Uint8Array[] {
  const keys: Uint8Array[] = [];
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; // a byte order mark
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== 0x0a) continue;
    keys.push(bytes.subarray(start, at > start && bytes[at - 1] === 0x0d ? at - 1 : at));
    start = at + 1;
  }
  if (start < bytes.length) keys.push(bytes.subarray(start));
  return keys;
}
