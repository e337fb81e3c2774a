import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hasSystem } from '../support/programs.js';
import type { RandomKeys } from './random-keys.js';
import type { RandomRows } from './random-rows.js';

/** A program that reads keys and writes what a real system gives for each. */
export interface KeyProgram {
  readonly isCompiled: boolean;
  /** Runs it over keys, each after its length (4 bytes, little-endian). @returns what it has written */
  run(rows: readonly Uint8Array[], ...args: string[]): ArrayBuffer;
  remove(): void;
}

/** Compiles a program of this folder. It is not compiled if the system is missing: see {@link hasSystem}. */
export function compile(
  source: string,
  compiler: 'gcc' | 'g++',
  system: string,
  packages: string,
  ...libraries: string[]
): KeyProgram {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-partitioners-'));
  const program = join(folder, 'program');
  const path = join('test', 'partitioners', source);
  const { error, status, stderr } = spawnSync(compiler, ['-O1', '-Wall', '-o', program, path, ...libraries]);
  if (status !== 0) rmSync(folder, { recursive: true });
  return {
    isCompiled: hasSystem(system, packages, status === 0, String(error ?? stderr)),
    run(rows, ...args) {
      const input = Buffer.concat(rows.flatMap((row) => [lengthBytes(row.length), row]));
      const { stdout, stderr, status, error } = spawnSync(program, args, { input, maxBuffer: 2 ** 30 });
      if (status !== 0) throw error ?? new Error(`${source} ended with ${status}: ${stderr}`);
      return new Uint8Array(stdout).buffer;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function lengthBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length, true);
  return bytes;
}

/** Expects the same results for all keys. A failure shows the first key for which they differ. */
export function expectSame<T extends number | bigint>({ rows }: RandomKeys, ours: ArrayLike<T>, theirs: ArrayLike<T>) {
  expect(ours.length).toBe(rows.length);
  expect(theirs.length).toBe(rows.length);
  for (const [row, bytes] of rows.entries()) {
    if (ours[row] === theirs[row]) continue;
    const key = Buffer.from(bytes).toString('hex');
    expect({ row, key, result: ours[row] }).toEqual({ row, key, result: theirs[row] });
  }
}

/** The same for keys of several columns. */
export function expectSameRows(rows: RandomRows, ours: ArrayLike<number>, theirs: ArrayLike<number>) {
  const { length } = rows.columns[0];
  expect(ours.length).toBe(length);
  expect(theirs.length).toBe(length);
  for (let row = 0; row < length; row++) {
    if (ours[row] === theirs[row]) continue;
    const key = rows.columns.map((values) => values[row]);
    expect({ row, key, result: ours[row] }).toEqual({ row, key, result: theirs[row] });
  }
}
