import { statSync } from 'node:fs';
import { Presets, SingleBar } from 'cli-progress';
import type { Input, Progress } from '../../node/index.js';
import { streams } from '../streams.js';

/**
 * A progress bar on standard error, if that is a terminal. It shows the rate, and the remaining time if the size of
 * the inputs is known. There is no bar if rows go to the same terminal.
 */
export function startProgress(inputs: readonly Input[], { rowsToStdout }: { rowsToStdout: boolean }): ProgressBar {
  const isShown = !(rowsToStdout && streams().stdout.isTTY);
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
    get keys() {
      return read;
    },
    update({ keys, bytes }) {
      read = keys;
      // Only now, because before the first rows the command may still say something.
      if (isShown) bar ??= startBar(format, total ?? 0, { keys: '0', rate: '' });
      bar?.update(bytes, { keys: keys.toLocaleString('en'), rate: rateOf(keys, performance.now() - start) });
    },
    stop: () => bar?.stop(),
  };
}

/** Undefined for what is no regular file. */
function sizeOf(input: Input): number | undefined {
  const stats = typeof input === 'string' ? statSync(input, { throwIfNoEntry: false }) : undefined;
  return stats?.isFile() ? stats.size : undefined;
}

/** Shows a progress bar on standard error, if that is a terminal, for work on the entries of a store. */
export async function withCount<T>(total: number, work: (report: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = startBar('{bar} {percentage}%  {value} of {total}, {eta_formatted} to go', total);
  try {
    return await work((done) => bar?.update(Math.min(done, total))); // other processes may add entries meanwhile
  } finally {
    bar?.stop();
  }
}

function startBar(format: string, total: number, payload?: object): SingleBar | undefined {
  const { stderr } = streams();
  if (!stderr.isTTY) return undefined;
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
}

export interface ProgressBar {
  /** How many keys have been read in all. */
  readonly keys: number;
  update(progress: Progress): void;
  stop(): void;
}

/** Keys per second, as text. */
export function rateOf(keys: number, ms: number): string {
  const rate = (keys / Math.max(ms, 0.001)) * 1000;
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(1)} M keys/s` : `${(rate / 1e3).toFixed(1)} k keys/s`;
}
