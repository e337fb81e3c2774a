import { fstatSync, statSync } from 'node:fs';
import type { Input } from '../node/index.js';

/** Writes to standard output and waits until it is taken: a failure is not lost, and bytes may change then. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Refuses a file that standard output goes to as an input: it would never end. */
export function checkNotOutput(inputs: readonly Input[]): void {
  const out = fstatSync(1);
  if (!out.isFile()) return;
  for (const input of inputs) {
    const stats = typeof input === 'string' ? statSync(input, { throwIfNoEntry: false }) : fstatSync(0);
    if (stats?.ino === out.ino && stats.dev === out.dev && stats.size > 0) {
      throw new Error(`${typeof input === 'string' ? input : '-'}: input file is output file`);
    }
  }
}
