import { afterAll, beforeAll, describe, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes } from '../support/random.js';
import { KEYS, type RandomKeys, randomKeys } from './random-keys.js';
import { compile, expectSame } from './real-systems.js';
import { bytesColumn } from './samples.js';

const SHARDS = [12, 1000, 2 ** 31 - 1];
const VARIANTS = [undefined, 'floored'] as const;
/** Some blocks longer than random keys: FarmHash takes 64 bytes at a time. */
const LONGEST = 1100;

const farmhash = compile('farmhash.cc', 'g++', 'libfarmhash', 'g++ libfarmhash-dev', '-lfarmhash');
afterAll(() => farmhash.remove());

describe.skipIf(!farmhash.isCompiled).each(['text', 'bytes', 'bytes of every length'] as const)('%s', (name) => {
  const kind = name === 'text' ? 'text' : 'bytes';
  let keys: RandomKeys;
  let columns: BigInt64Array[]; // the fingerprint, then two shards for each of SHARDS

  beforeAll(() => {
    keys = name === kind ? randomKeys(kind) : bytesOfEveryLength();
    const results = new BigInt64Array(farmhash.run(keys.rows, ...SHARDS.map(String)));
    const width = 1 + VARIANTS.length * SHARDS.length;
    columns = Array.from({ length: width }, (_, column) => results.filter((_, at) => at % width === column));
  });

  /** The shards by one of the two formulas. */
  function theirs(shards: number, variant: (typeof VARIANTS)[number]): Uint32Array {
    const at = 1 + VARIANTS.length * SHARDS.indexOf(shards) + VARIANTS.indexOf(variant);
    return Uint32Array.from(columns[at] ?? [], Number);
  }

  it.each([
    [undefined, 'floored', 'bigquery'],
    ['floored', undefined, 'bigquery:floored'],
  ] as const)('with the formula %s are told from their rows, with some of %s', (variant, other, word) => {
    if (name !== kind) return; // too few
    expectDetected(keys.keys, theirs(12, variant), theirs(12, other), `--as ${word} --shards 12`);
  });

  onBothBackends('as FARM_FINGERPRINT of BigQuery', () => {
    it('have the fingerprints of FarmHash', () => {
      expectSame(keys, partitioner('bigquery', { shards: 12, key: kind }).tokens(keys.keys), columns[0] ?? []);
    });

    for (const variant of VARIANTS) {
      it.each(SHARDS)(`go to the same of %i shards, variant ${variant}`, (shards) => {
        const ours = partitioner('bigquery', { shards, variant, key: kind }).routeMany(keys.keys);
        expectSame(keys, ours, theirs(shards, variant));
      });
    }
  });
});

/** Four of each length. */
function bytesOfEveryLength(): RandomKeys {
  const bytes = randomBytes(LONGEST + KEYS);
  const rows = Array.from({ length: 4 * (LONGEST + 1) }, (_, i) => bytes.subarray(i, i + (i >> 2)));
  return { kind: 'bytes', keys: bytesColumn(rows), rows };
}
