import { detectRouting } from 'shardbits/detect';
import { partitioner } from 'shardbits/partitioners';
import type { Checks } from './checks.js';

/** Who placed rows: a system, and a hash that people use by hand, which comes from another package. */
export function detected(checks: Checks): void {
  const keys = Array.from({ length: 100 }, (_, i) => `user:${i}`);
  const kafka = partitioner('kafka', { partitions: 12 }).routeMany(keys);
  checks.same('a client of Kafka', detectRouting(keys, kafka).verdict?.options, '--as kafka --shards 12');
  const name = detectRouting(keys, FIRST_OF_SHA256, { shards: 16 }).verdict?.name;
  checks.same('SHA-256', name, 'the first 32 bits of SHA-256 % 16');
}

/** The lowest 4 of the first 32 bits of the SHA-256 of `user:0` to `user:99`, in hexadecimal. */
const FIRST_OF_SHA256 = Array.from(
  'fbc473ee9d49041fbd9c44a283cb397b40d4df0fafb25e3bbb9ee05490b2a6bd340939197db05d67e8cccca1b0a4f9439c22',
  (digit) => Number.parseInt(digit, 16),
);
