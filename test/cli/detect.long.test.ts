import { describe, expect, it } from 'vitest';
import type { Routing } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { shardbits } from '../support/cli.js';

const USERS = Array.from({ length: 2000 }, (_, i) => `user:${i * 7919}`);
const kafka = partitioner('kafka', { partitions: 12 });
const rdkafka = partitioner('rdkafka', { partitions: 12 });

const linesOf = (keys: readonly string[], routing: Routing<any>) =>
  keys.map((key) => `${routing.route(key)}\t${key}\n`);

/** Of which every 100th has been placed by another client. */
const mixed = linesOf(USERS, kafka).map((line, i) => (i % 100 === 99 ? linesOf([USERS[i]], rdkafka)[0] : line));

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
