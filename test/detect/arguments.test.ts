import { expect, test } from 'vitest';
import * as api from '../../src/detect/index.js';
import { callablesIn, callablesOf, integer, type Table, testWrongArguments } from '../support/argument-table.js';
import { onBothBackends } from '../support/backends.js';
import { NO_NUMBER, NO_OPTIONS, outside } from '../support/wrong-values.js';

const { detectRouting } = api;
const keys = ['a', 'b', 'c'];
const detected = (options: unknown) => detectRouting(keys, [0, 1, 2], options as never);

const MAX = 2 ** 31 - 2;

const TABLE: Table = {
  detectRouting: [
    ['keys', (v) => detectRouting(v, [0, 1, 2]), [undefined, null, 5, 'ab', {}, new Set(['a']), new Float64Array(3)]],
    ['keys row 1', (v) => detectRouting(['a', v, 'c'], [0, 1, 2]), [undefined, null, 5, 1n, ['b']]],
    ['shards', (v) => detectRouting(keys, v), [undefined, null, 5, '012', true, {}, new Set([0, 1, 2]), () => 1]],
    ['shards', (v) => detectRouting(keys, v), [], [[], [0, 1], new Uint32Array(4)], '3 shards, one for each key'],
    [
      'shards row 2',
      (v) => detectRouting(keys, [0, 1, v]),
      NO_NUMBER.filter((v) => !Array.isArray(v)),
      outside(0, MAX),
    ],
  ],
  'detectRouting with options': [
    ['options', detected, NO_OPTIONS],
    ['options', (name) => detected({ [name]: 1 }), [], ['Shards', 'shard', 'count', 'toString']],
    integer(
      'shards',
      (shards) => detected({ shards }),
      1,
      MAX + 1,
      NO_NUMBER.filter((v) => v !== undefined),
    ),
    integer(
      'most',
      (most) => detected({ most }),
      1,
      100,
      NO_NUMBER.filter((v) => v !== undefined),
    ),
  ],
};

onBothBackends('a wrong argument', () => testWrongArguments(TABLE));

test('the table has every function of the entry', () => {
  expect([...new Set(callablesIn(TABLE))]).toEqual(callablesOf(api));
});
