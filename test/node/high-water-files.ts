import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type HighWater, LeaseLostError } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';

export const newFile = (): string => join(temporaryFolder(), 'mark');
export const textOf = (file: string): string => readFileSync(file, 'latin1');
export const markOf = (file: string): number => Number.parseInt(textOf(file), 10);

/** Whether a save succeeded. Any other failure than a lost mark is one of the test. */
export function saves(highWater: HighWater, at: number): boolean {
  try {
    highWater.save(at);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(LeaseLostError);
    return false;
  }
}
