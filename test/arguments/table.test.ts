import { afterEach, beforeEach, expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { callablesIn, callablesOf, type Table, testWrongArguments } from '../support/argument-table.js';
import { onBothBackends } from '../support/backends.js';
import { BACKENDS } from './table/backends.js';
import { content, HASH, stream } from './table/hash.js';
import { IDS } from './table/ids.js';
import { LAYOUT } from './table/layout.js';
import { generator, MINTING } from './table/minting.js';
import { ROUTING } from './table/routing.js';

const TABLE: Table = { ...HASH, ...ROUTING, ...IDS, ...LAYOUT, ...MINTING, ...BACKENDS };

const WITHOUT_ARGUMENTS = [
  'Router.toJSON',
  'getBackend',
  'Xxh64.digest',
  'Xxh64.digestHex',
  'Xxh64.clone',
  'Layout.expiresAt',
  'Layout.toJSON',
  'SnowflakeGenerator.nextAsync',
  'SnowflakeGenerator.close',
];
const ANYTHING_GOES = Object.keys(api).filter((name) => name.endsWith('Error')); // causes and messages

onBothBackends('a wrong argument', (kernels) => {
  let id: bigint;

  beforeEach(() => {
    stream.reset(7n).update(content);
    id = generator.next();
  });

  // What a call that failed was made on is as it was.
  afterEach(() => {
    expect(api.getBackend()).toBe(kernels.name);
    expect(stream.digest()).toBe(api.xxh64(content, 7n));
    expect(stream.clone().reset().digest()).toBe(api.xxh64('', 7n));
    expect(generator.next()).toBe(id + 1n);
  });

  testWrongArguments(TABLE);
});

test('the table has every function, class and method of the package, and no others', () => {
  expect([...callablesIn(TABLE), ...WITHOUT_ARGUMENTS, ...ANYTHING_GOES].sort()).toEqual(callablesOf(api).sort());
});
