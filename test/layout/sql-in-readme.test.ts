import { expect, test } from 'vitest';
import { layouts } from '../../src/index.js';
import { readmeSql } from '../support/readme.js';

test.each([
  ['postgres', "PostgreSQL: layouts.snowflake.toSql('id')"],
  ['mysql', "MySQL: layouts.snowflake.toSql('id', 'mysql')"],
  ['clickhouse', "ClickHouse: layouts.snowflake.toSql('id', 'clickhouse')"],
] as const)('README has the expressions for %s', (dialect, title) => {
  for (const text of Object.values(layouts.snowflake.toSql('id', dialect))) expect(readmeSql(title)).toContain(text);
});
