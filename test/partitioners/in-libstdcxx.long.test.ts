import { afterAll, beforeAll, describe, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { IS_WHOLE } from '../support/scale.js';
import { KEYS, type RandomKeys, randomKeys } from './random-keys.js';
import { compile, expectSame } from './real-systems.js';

const SHARDS = [1, 12, 1000, 2 ** 31 - 1];

const libstdcxx = compile('libstdcxx.cc', 'g++', 'libstdc++', 'g++');
afterAll(() => libstdcxx.remove());

describe.skipIf(!libstdcxx.isCompiled).each(['text', 'bytes'] as const)('%s keys', (kind) => {
  let keys: RandomKeys;
  let columns: BigUint64Array[]; // the hash, then the shard for each of SHARDS

  beforeAll(() => {
    keys = randomKeys(kind, IS_WHOLE ? KEYS : KEYS / 5);
    const results = new BigUint64Array(libstdcxx.run(keys.rows, ...SHARDS.map(String)));
    const width = 1 + SHARDS.length;
    columns = Array.from({ length: width }, (_, column) => results.filter((_, at) => at % width === column));
  });

  onBothBackends('in RageDB', () => {
    it('have the tokens that std::hash gives', () => {
      expectSame(keys, partitioner('ragedb', { shards: 12, key: kind }).tokens(keys.keys), columns[0] ?? []);
    });

    it.each(SHARDS)('are spread over %i shards by 128-bit arithmetic', (shards) => {
      const theirs = Uint32Array.from(columns[1 + SHARDS.indexOf(shards)] ?? [], Number);
      expectSame(keys, partitioner('ragedb', { shards, key: kind }).routeMany(keys.keys), theirs);
    });
  });
});
