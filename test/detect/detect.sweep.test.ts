import { expect, it } from 'vitest';
import { detectRouting } from '../../src/detect/index.js';
import { onBothBackends } from '../support/backends.js';
import { testDetection, users } from './detection.js';

onBothBackends('detectRouting', () => {
  testDetection(20_000);

  it('finds no number of shards if the shards are all different, however large they are', () => {
    const shards = Uint32Array.from({ length: 300 }, (_, i) => i * 7_000_000);
    expect(detectRouting(users(300), shards).verdict).toBeUndefined();
  });
});
