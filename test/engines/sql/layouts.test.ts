import { expect, test } from 'vitest';
import { expressionsOf } from '../../../src/engines/sql/layouts.js';
import { defineLayout, layouts } from '../../../src/index.js';

test.each([
  [
    'duckdb',
    '(cast(((id >> 22) & 2199023255551) as bigint) + 1672531200000)',
    '((id >> 12) & 1023)',
    '(id & 18446744073709551615)',
  ],
  ['sqlite', '(((id >> 22) & 2199023255551) + 1672531200000)', '((id >> 12) & 1023)', '(id)'],
  [
    'spark',
    '((shiftright(id, 22) & 2199023255551) + 1672531200000)',
    '(shiftright(id, 12) & 1023)',
    'pmod(cast(id as decimal(20, 0)), 18446744073709551616)',
  ],
] as const)('the expressions of %s', (dialect, timestamp, shard, all) => {
  expect(expressionsOf(layouts.snowflake, dialect)).toEqual({ timestamp, shard, sequence: '(id & 4095)' });
  expect(expressionsOf(defineLayout({ all: 64 }), dialect)).toEqual({ all });
});

test.each(['postgres', 'mysql', 'clickhouse'] as const)('those of %s are those of toSql', (dialect) => {
  expect(expressionsOf(layouts.discord, dialect)).toEqual(layouts.discord.toSql('id', dialect));
});
