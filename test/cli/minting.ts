import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { runHere } from '../support/run-here.js';

/** The signals that end a command, after which it gives back what it holds. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The ids that `mint` writes in this process. */
export async function mint(...args: string[]): Promise<bigint[]> {
  const { code, stdout, stderr } = await runHere(['mint', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString().trimEnd().split('\n').map(BigInt);
}

interface Leased {
  shard: number;
  owner: string;
  heldUntil: string | null;
  mintedUntil: string;
}

export async function leasesOf(store: string): Promise<Leased[]> {
  const { stdout } = await runHere(['leases', '--store', store, '--format', 'json']);
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export interface Minting {
  child: ChildProcess;
  /** What it has written so far, in full lines. */
  ids(): bigint[];
  stderr(): string;
  /** How it ended: an exit code or a signal. */
  ended: Promise<number | string>;
}

/** A process that mints; it has written ids when this resolves, unless it is not to be waited for. */
export async function startMinting(args: string[], { wait = true, node = [] as string[] } = {}): Promise<Minting> {
  const child = spawn(process.execPath, [...node, 'dist/cli.js', 'mint', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => pieces.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  if (wait) await once(child.stdout, 'data');
  return {
    child,
    ids: () => Buffer.concat(pieces).toString().split('\n').slice(0, -1).map(BigInt),
    stderr: () => stderr,
    ended,
  };
}
