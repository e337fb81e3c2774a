import { afterAll, beforeAll, describe, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { IS_WHOLE } from '../support/scale.js';
import { KEYS, type RandomKeys, randomKeys, uuidText } from './random-keys.js';
import { compile, expectSame } from './real-systems.js';

const PARTITIONS = [12, 1000];
const VARIANTS = ['consistent', 'murmur2', 'fnv1a'] as const;

const librdkafka = compile('librdkafka.c', 'gcc', 'librdkafka', 'gcc libc6-dev librdkafka-dev', '-lrdkafka');
afterAll(() => librdkafka.remove());

describe.skipIf(!librdkafka.isCompiled).each(['text', 'bytes', 'int32', 'int64', 'uuid'] as const)(
  '%s keys',
  (kind) => {
    let keys: RandomKeys;
    let results: Int32Array;

    beforeAll(() => {
      keys = randomKeys(kind, IS_WHOLE ? KEYS : KEYS / 5);
      // Kafka's serializers write a UUID as text.
      const serialized = kind === 'uuid' ? keys.rows.map((row) => Buffer.from(uuidText(row))) : keys.rows;
      results = new Int32Array(librdkafka.run(serialized));
    });

    /** What librdkafka returns for every key. */
    function theirs(partitions: number, variant: (typeof VARIANTS)[number]): Int32Array {
      const column = VARIANTS.length * PARTITIONS.indexOf(partitions) + VARIANTS.indexOf(variant);
      return results.filter((_, at) => at % (VARIANTS.length * PARTITIONS.length) === column);
    }

    it.each([
      ['consistent', 'fnv1a', 'rdkafka:consistent'],
      ['murmur2', 'consistent', 'kafka'],
      ['fnv1a', 'murmur2', 'rdkafka:fnv1a'],
    ] as const)('with the partitioner %s are told from their rows, with some of %s', (variant, other, word) => {
      if (kind === 'uuid') return; // they are texts
      const ofKind = kind === 'text' || kind === 'bytes' ? '' : ` --keys ${kind}`;
      expectDetected(keys.keys, theirs(12, variant), theirs(12, other), `--as ${word} --shards 12${ofKind}`);
    });

    onBothBackends('go to the partitions that librdkafka gives', () => {
      for (const partitions of PARTITIONS) {
        // Clients of librdkafka have no serializer for UUIDs.
        for (const variant of kind === 'uuid' ? [] : VARIANTS) {
          it(`${variant}, ${partitions} partitions`, () => {
            const ours = partitioner('rdkafka', { partitions, variant, key: kind }).routeMany(keys.keys);
            expectSame(keys, ours, theirs(partitions, variant));
          });
        }

        it(`Java's partitioner, ${partitions} partitions`, () => {
          const ours = partitioner('kafka', { partitions, key: kind }).routeMany(keys.keys);
          expectSame(keys, ours, theirs(partitions, 'murmur2'));
        });
      }
    });
  },
);
