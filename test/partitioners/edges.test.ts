import { expect, it } from 'vitest';
import { systems } from '../../src/partitioners/index.js';
import { BYTES, HASH_EDGES, REPEATED, TEXTS } from '../vectors/hash-edges.js';
import { testEdges } from './edges.js';

// Up to 543 bytes: edges.sweep.test.ts has longer keys.
testEdges({ lengths: BYTES.slice(0, 544), repeated: REPEATED, texts: TEXTS });

it('edges are known of every system with keys of text or bytes', () => {
  const wanted = Object.values(systems).filter(({ keys }) => keys.includes('text') || keys.includes('bytes'));
  const known = new Set(HASH_EDGES.flatMap(({ words }) => words));
  expect([...known].sort()).toEqual(wanted.map(({ word }) => word).sort());
});
