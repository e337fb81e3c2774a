import type { Routing } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';

export const USERS = Array.from({ length: 2000 }, (_, i) => `user:${i * 7919}`);
export const kafka = partitioner('kafka', { partitions: 12 });
const rdkafka = partitioner('rdkafka', { partitions: 12 });

export const linesOf = (keys: readonly string[], routing: Routing<any>) =>
  keys.map((key) => `${routing.route(key)}\t${key}\n`);

/** Of which every 100th has been placed by another client. */
export const mixed = linesOf(USERS, kafka).map((line, i) => (i % 100 === 99 ? linesOf([USERS[i]], rdkafka)[0] : line));
