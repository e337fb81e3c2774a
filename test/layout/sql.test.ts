import { expect, test } from 'vitest';
import { defineLayout, type Layout, layouts, type SqlDialect } from '../../src/index.js';
import { numberTimeMask } from '../support/number-times.js';

const TEXTS: { [preset in keyof typeof layouts]?: { [dialect in SqlDialect]: { [field: string]: string } } } = {
  snowflake: {
    postgres: {
      timestamp: '(((id >> 22) & 2199023255551) + 1672531200000)',
      shard: '((id >> 12) & 1023)',
      sequence: '(id & 4095)',
    },
    mysql: {
      timestamp: '(cast(((id >> 22) & 2199023255551) as signed) + 1672531200000)',
      shard: '((id >> 12) & 1023)',
      sequence: '(id & 4095)',
    },
    clickhouse: {
      timestamp: '(toInt64(bitAnd(bitShiftRight(id, 22), 2199023255551)) + 1672531200000)',
      shard: 'bitAnd(bitShiftRight(id, 12), 1023)',
      sequence: 'bitAnd(id, 4095)',
    },
  },
  mastodon: {
    postgres: { timestamp: '(((id >> 16) & 281474976710655))', tail: '(id & 65535)' },
    mysql: { timestamp: '(cast(((id >> 16) & 281474976710655) as signed))', tail: '(id & 65535)' },
    clickhouse: {
      timestamp: '(toInt64(bitAnd(bitShiftRight(id, 16), 281474976710655)))',
      tail: 'bitAnd(id, 65535)',
    },
  },
};

test.each(Object.keys(TEXTS) as (keyof typeof TEXTS)[])('the expressions of %s', (preset) => {
  for (const [dialect, texts] of Object.entries(TEXTS[preset] ?? {})) {
    const expressions = layouts[preset].toSql('id', dialect as SqlDialect);
    expect(expressions).toEqual(texts);
    expect(Object.keys(expressions)).toEqual(Object.keys(layouts[preset].fields));
  }
  expect(layouts[preset].toSql('id')).toEqual(TEXTS[preset]?.postgres);
});

test('64 bits: PostgreSQL has to go to numeric, and MySQL to unsigned', () => {
  const layout = defineLayout({ all: 64 });
  expect(layout.toSql('id').all).toBe('mod(id + 18446744073709551616, 18446744073709551616)');
  expect(layout.toSql('id', 'mysql').all).toBe('(id & 18446744073709551615)');
  expect(layout.toSql('id', 'clickhouse').all).toBe('bitAnd(id, 18446744073709551615)');
});

test('63 bits, and the topmost one', () => {
  const layout = defineLayout({ top: 1, rest: 63 });
  expect(layout.toSql('id')).toEqual({ top: '((id >> 63) & 1)', rest: '(id & 9223372036854775807)' });
});

const DIALECTS = ['postgres', 'mysql', 'clickhouse'] as const;
const PLAIN = ['id', 'Id', '_id2', 't.id', 'schema.table.id', 'x'.repeat(200)];
const DOUBLE_QUOTED = ['"Order Id"', '"a""b"', '""""', 't."Order Id"', '"s".t."a.b"', '"; --"', '"\'"', '"жизнь"'];
const BACKQUOTED = DOUBLE_QUOTED.map((name) => name.replaceAll('"', '`'));
const NOWHERE = [
  ...[
    '',
    ' ',
    '.',
    'a.',
    '.a',
    'a..b',
    'a.b.c.d',
    ' id',
    'id ',
    'id\n',
    '\nid',
    'id\0',
    '1id',
    '1',
    '?',
    '$1',
    'a$',
    '*',
  ],
  ...[
    'a b',
    'a-b',
    'a;b',
    'a,b',
    '(id)',
    'id)',
    "'id'",
    'id --',
    'id/**/',
    'a.1',
    't. id',
    'f(id)',
    'id::text',
    'жизнь',
  ],
  ...['""', '``', '"', '"a', 'a"', '"a"b"', '"a" "b"', '"a"b', 'a"b"', '"a"""b"', '`a', '"a`', '`a"', '"a""', '`a``'],
  ...['"a\\"', '"a\\"b"', '`a\\`', '`a\\``b`', '"a"."', '"a" OR 1=1 --"', '[a]', '"a".`b'],
];

test.each(DIALECTS)('%s: names of columns, quoted in its way', (dialect) => {
  const quoted = [dialect === 'mysql' ? [] : DOUBLE_QUOTED, dialect === 'postgres' ? [] : BACKQUOTED].flat();
  for (const column of [...PLAIN, ...quoted]) {
    const start = dialect === 'clickhouse' ? 'bitAnd(' : '(';
    expect(layouts.snowflake.toSql(column, dialect).sequence.startsWith(`${start}${column}`)).toBe(true);
  }
  const others = [...DOUBLE_QUOTED, ...BACKQUOTED].filter((name) => !quoted.includes(name));
  for (const column of [...NOWHERE, ...others]) {
    expect(() => layouts.snowflake.toSql(column, dialect), column).toThrow(RangeError);
    expect(() => layouts.snowflake.toSql(column, dialect), column).toThrow(
      `"column": expected a column name in ${dialect}`,
    );
  }
});

test('a long name is judged at once', () => {
  // 10 ms; in a time that grows with the square of the length, minutes
  for (const column of [`"${'""'.repeat(200_000)}`, `${'a.'.repeat(200_000)}`, `"${'"."'.repeat(200_000)}`]) {
    expect(() => layouts.snowflake.toSql(column)).toThrow(RangeError);
  }
});

// Operators of MySQL take and give unsigned 64 bits, as those of BigInt do here.
test.each(Object.keys(layouts) as (keyof typeof layouts)[])('what the expressions of %s say for MySQL', (preset) => {
  const layout = layouts[preset];
  const mask = numberTimeMask(layout as unknown as Layout);
  for (const id of [mask, mask / 3n, mask / 5n]) {
    const expected = layout.unpack(id) as { [field: string]: number | bigint };
    for (const [field, text] of Object.entries<string>(layout.toSql('id', 'mysql'))) {
      const ticks = text.replace(/ \/ 1000\.0\)$/, ')');
      const inJs = ticks.replace(/\d+/g, '$&n').replace(/cast\((.+) as signed\)/, 'BigInt.asIntN(64, $1)');
      const value: bigint = Function('id', `return ${inJs}`)(id);
      if (ticks === text) expect(value).toBe(BigInt(expected[field] as number));
      else expect(Number(value) / 1000).toBe(expected[field]);
    }
  }
});

test('times count from the epoch, by their unit; microseconds are fractions of a millisecond', () => {
  const born = (unit: 's' | '10ms' | 'ms' | '10us' | 'us', epoch: number) =>
    defineLayout({ born: { bits: 40, unit, epoch }, low: 4 }).toSql('id').born;
  expect(born('s', 5)).toBe('(((id >> 4) & 1099511627775) * 1000 + 5)');
  expect(born('10ms', -5)).toBe('(((id >> 4) & 1099511627775) * 10 - 5)');
  expect(born('ms', 0)).toBe('(((id >> 4) & 1099511627775))');
  expect(born('10us', 7)).toBe('((((id >> 4) & 1099511627775) * 10 + 7000) / 1000.0)');
  expect(born('us', -7)).toBe('((((id >> 4) & 1099511627775) - 7000) / 1000.0)');
});
