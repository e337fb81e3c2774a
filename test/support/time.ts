import { expect } from 'vitest';

/** Expects that something took less than `mostMs`. Only files that run on their own may: `TIMED` in kinds.ts. */
export function expectTime(ms: number, mostMs: number): void {
  const seen = `took ${Math.round(ms)} ms, which is about time: try again on a machine that does nothing else`;
  expect(ms, seen).toBeLessThan(mostMs);
}
