import { describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { shardbits } from '../support/cli.js';
import { linesOf, mixed } from './placed-users.js';

describe('detect', () => {
  it('ends when it is interrupted while it searches', async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `user:${i}`);
    const input = linesOf(keys, partitioner('kafka', { partitions: 1_000_000 })).join('');
    const from = performance.now();
    const interruptWhen = () => performance.now() > from + 1000; // of about 4 s
    const { code, stdout } = await shardbits(['detect'], { input: [input], interruptWhen });
    expect([code, stdout.toString()]).toEqual(['SIGINT', '']);
  });

  it('is ended by a closed pipe without a word', async () => {
    const { code, stderr } = await shardbits(['detect', '--json'], { input: mixed.join('') });
    expect([code, stderr.toString()]).toEqual([0, '']);
  });
});
