import { defineLayout, parseLayout, SnowflakeGenerator } from '../../../src/index.js';
import { integer, type Table } from '../../support/argument-table.js';
import { NO_CHOICE, NO_FUNCTION, NO_OBJECT, NO_OPTIONS } from '../../support/wrong-values.js';

const mint = (options: object) => new SnowflakeGenerator({ shard: 1, clock: () => 2e12, ...options });
/** Has enough ids in a unit of time for all tests. */
export const generator = mint({ layout: defineLayout({ timestamp: 41, sequence: 22 }), shard: 0 });
const lease = { shard: 1, notBefore: 0, validUntil: () => Number.POSITIVE_INFINITY };

const NO_SHARD = [null, undefined, '1', 1n, true];
const NO_LAYOUT = [null, 5, 'snowflake', [], () => 1];
const NO_INSTANT = ['5', 'soon', 5n, Number.NaN, {}, new Date(0)];
// Without a time, without a sequence, and with the sequence above the time.
const BAD_LAYOUT = [['interned'], ['pinterest'], ['mastodon'], ['sequence:12', 'timestamp:42']];
const NEEDED = 'a timestamp field, and below it one named sequence or increment';
const POLICIES = "one of 'throw', 'wait', 'borrow'";
const OPTIONS = 'only layout, shard, clock, onClockBackwards, onSequenceExhausted, maxWaitMs, highWater, onEvent';
const UNIX_MS = 'Unix milliseconds';

export const MINTING: Table = {
  SnowflakeGenerator: [
    ['options', (v) => new SnowflakeGenerator(v), NO_OBJECT, [], 'an object'],
    ['options', (name) => mint({ [name]: 1 }), [], ['nope', 'onClockBackward'], OPTIONS],
    integer('shard', (shard) => mint({ shard }), 0, 1023, NO_SHARD),
    ['layout', (layout) => mint({ layout }), NO_LAYOUT, [], 'a Layout'],
    ['layout', (spec: []) => mint({ layout: parseLayout(spec.join()) }), [], BAD_LAYOUT, NEEDED],
    ['clock', (clock) => mint({ clock }), NO_FUNCTION, [], 'a function'],
    ['onEvent', (onEvent) => mint({ onEvent }), NO_FUNCTION, [], 'a function'],
    [
      'onClockBackwards',
      (v) => mint({ onClockBackwards: v }),
      NO_CHOICE,
      ['', 'Throw', 'ignore', 'toString'],
      POLICIES,
    ],
    ['onSequenceExhausted', (v) => mint({ onSequenceExhausted: v }), NO_CHOICE, ['', 'Throw'], POLICIES],
    integer('maxWaitMs', (maxWaitMs) => mint({ maxWaitMs }), 0, 2 ** 31 - 1, [null, '5', 5n, {}]),
    ['highWater', (highWater) => mint({ highWater }), NO_OPTIONS, [], 'an object'],
    [
      'highWater.load',
      (load) => mint({ highWater: { load, save() {} } }),
      [...NO_FUNCTION, undefined],
      [],
      'a function',
    ],
    [
      'highWater.save',
      (save) => mint({ highWater: { load() {}, save } }),
      [...NO_FUNCTION, undefined],
      [],
      'a function',
    ],
  ],
  'SnowflakeGenerator without room for a shard': [
    integer('shard', (shard) => mint({ shard, layout: parseLayout('timestamp:50,sequence:14') }), 0, 0, NO_SHARD),
  ],
  'SnowflakeGenerator of a lease': [
    [
      'shard.notBefore',
      (notBefore) => mint({ shard: { ...lease, notBefore } }),
      [...NO_INSTANT, undefined],
      [],
      UNIX_MS,
    ],
    ['shard.mintedUntil', (mintedUntil) => mint({ shard: { ...lease, mintedUntil } }).next(), NO_INSTANT, [], UNIX_MS],
  ],
  'SnowflakeGenerator of a mark': [
    ['highWater', (mark) => mint({ highWater: { load: () => mark, save() {} } }), NO_INSTANT, [], UNIX_MS],
  ],
  'SnowflakeGenerator.next': [
    ['clock', (time) => mint({ clock: () => time }).next(), [...NO_INSTANT, null, undefined], [], UNIX_MS],
  ],
  'SnowflakeGenerator.nextMany': [integer('n', (v) => generator.nextMany(v), 0, 2 ** 32)],
  'SnowflakeGenerator.nextManyAsync': [integer('n', (v) => generator.nextManyAsync(v), 0, 2 ** 32)],
};
