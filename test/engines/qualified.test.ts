import { describe, expect, it } from 'vitest';
import { qualified } from '../../src/engines/qualified.js';

const op = (operator: string) => `operator(pg_catalog.${operator})`;

describe('SQL with the schemas of all names', () => {
  it.each([
    ['select a + b * c', `select (a ${op('+')} (b ${op('*')} c))`],
    ['select a - b - c', `select ((a ${op('-')} b) ${op('-')} c)`],
    ['where a <= b + 1 and c = $1', `where (a ${op('<=')} (b ${op('+')} 1)) and (c ${op('=')} $1)`],
    ['select a >> 8 & 255', `select ((a ${op('>>')} 8) ${op('&')} 255)`],
    ['select (a + b) * -2', `select ((a ${op('+')} b) ${op('*')} -2)`],
    ['select f((a || b)::text)', `select pg_catalog.f((a ${op('||')} b)::pg_catalog.text)`],
    ['select count(*), t.*, * from t', 'select pg_catalog.count(*), t.*, * from t'],
    ['select a = any ($1::text::uuid[])', `select (a ${op('=')} any ($1::pg_catalog.text::pg_catalog.uuid[]))`],
    [
      'update s.t set a = b + 1, c = case when d = e then f end where g = h',
      `update s.t set a = (b ${op('+')} 1), c = case when (d ${op('=')} e) then f end where (g ${op('=')} h)`,
    ],
    [
      'insert into s.t as kept (a) select x from unnest(y) with ordinality as given (x, n)',
      'insert into s.t as kept (a) select x from pg_catalog.unnest(y) with ordinality as given (x, n)',
    ],
    ['sum(a) over (order by n) - a', `(pg_catalog.sum(a) over (order by n) ${op('-')} a)`],
    [
      'create table if not exists t (a uuid not null, -- b + c\n  primary key (a))',
      'create table if not exists t (a pg_catalog.uuid not null, -- b + c\n  primary key (a))',
    ],
    [`select 'a = b', "c+d"."e", /* state */ null`, `select 'a = b', "c+d"."e", /* state */ null`],
  ])('%s', (sql, expected) => {
    expect(qualified(sql)).toBe(expected);
  });

  it('leaves functions of its own as they are', () => {
    expect(qualified('shard_of(key, abs(n))', ['shard_of'])).toBe('shard_of(key, pg_catalog.abs(n))');
  });

  it.each([
    'a between 1 and 2',
    'a in (1)',
    'a is distinct from b',
    'nullif(a, b)',
    'a join b using (c)',
    "a like 'b'",
    'case a when 1 then 2 end',
    'select - a',
    'select a ? b',
  ])('refuses operators that cannot be named so: %s', (sql) => {
    expect(() => qualified(sql)).toThrow(/no schema can be given|write 0 - x|unknown SQL/);
  });
});
