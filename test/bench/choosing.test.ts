// The figures of docs/choosing.md are those that were recorded.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COUNTS, KEYS } from '../../bench/choosing/ours.js';
import type { Placement } from '../../bench/choosing/placement.js';
import { choosingTables, PLACEMENTS } from '../../bench/choosing/table.js';
import { betweenMarks } from '../../bench/everywhere/pages.js';

const PAGE = 'docs/choosing.md';
const placements: Placement[] = JSON.parse(readFileSync(PLACEMENTS, 'utf8'));
const page = readFileSync(PAGE, 'utf8');

describe('docs/choosing.md', () => {
  it('has the tables of the recorded figures: after a run, `npm run bench -- report` writes them', () => {
    const { areas } = JSON.parse(readFileSync('bench/choosing/results.json', 'utf8'));
    expect(page).toBe(betweenMarks(page, 'bench:choosing', choosingTables(placements, areas)));
  });

  it('gives the fullness that chance alone would have', () => {
    // xorshift32, with 20 draws of all keys.
    let state = 2463534242;
    const draw = (count: number) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return Math.floor(((state >>> 0) / 2 ** 32) * count);
    };
    const fullest = COUNTS.map((count) => {
      let sum = 0;
      for (let run = 0; run < 20; run++) {
        const loads = new Uint32Array(count);
        for (let key = 0; key < KEYS; key++) loads[draw(count)]++;
        sum += Math.max(...loads) / (KEYS / count);
      }
      return sum / 20;
    });
    const said = /has ([\d.]+), ([\d.]+) and ([\d.]+) times the average/
      .exec(page.replace(/\s+/g, ' '))
      ?.slice(1)
      .map(Number);
    for (const [i, ratio] of fullest.entries()) expect(Math.abs(ratio - (said?.[i] ?? 0))).toBeLessThan(0.015);
  });
});
