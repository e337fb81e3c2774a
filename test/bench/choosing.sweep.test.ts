// The figures of docs/choosing.md that are ours are computed again.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OURS } from '../../bench/choosing/ours.js';
import { type Placement, placementOf } from '../../bench/choosing/placement.js';
import { PLACEMENTS } from '../../bench/choosing/table.js';

const placements: Placement[] = JSON.parse(readFileSync(PLACEMENTS, 'utf8'));

describe('docs/choosing.md', () => {
  it.each(OURS.map((contender) => [contender.name, contender] as const))('%s places keys as recorded', (name, ours) => {
    expect(placementOf(ours)).toEqual(placements.find((recorded) => recorded.name === name));
  });
});
