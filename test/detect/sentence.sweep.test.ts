import { describe, expect, it } from 'vitest';
import { detectRouting } from '../../src/detect/index.js';
import { Router } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';

const keys = Array.from({ length: 20_000 }, (_, i) => `user:${i * 7919}`);

const sentenceOf = (rows: string[], shards: Uint32Array, given?: number) =>
  detectRouting(rows, shards, { shards: given }).sentence;

describe('the sentence of a detection', () => {
  it.each([
    [16_384, 5000],
    [20_000, 20_000],
    [1_000_000, 3000],
  ])('never names a wrong number near %i shards of a jump from %i rows', (shards, rows) => {
    const some = keys.slice(0, rows);
    expect(sentenceOf(some, new Router({ shards }).routeMany(some))).toMatch(
      new RegExp(`^No verdict: .* and [\\d,]+ shards as well|^jump .* ${shards.toLocaleString('en')} shards: `),
    );
  });

  it('is not led astray by one row beyond the shards', () => {
    const shards = new Router({ shards: 65_536 }).routeMany(keys);
    shards[6] = 68_812;
    const sentences = [sentenceOf(keys, shards), sentenceOf(keys, shards, 65_536)];
    for (const sentence of sentences) expect(sentence).toMatch(/19,999 of 20,000 rows/);
    expect(sentences[1]).toMatch(/^jump .* 65,536 shards: 19,999 of 20,000 rows; 1 row was placed by something else$/);
  });

  it('writes large numbers with separators', () => {
    const shards = partitioner('kafka', { partitions: 20_000 }).routeMany(keys);
    expect(sentenceOf(keys, shards)).toBe("Kafka's Java client, 20,000 partitions: 20,000 of 20,000 rows");
  });
});
