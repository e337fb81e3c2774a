import { expect, test } from 'vitest';
import { layouts } from '../../src/index.js';
import { documentedSql } from '../support/markdown.js';

test.each([
  ['postgres', "PostgreSQL: layouts.snowflake.toSql('id')"],
  ['mysql', "MySQL: layouts.snowflake.toSql('id', 'mysql')"],
  ['clickhouse', "ClickHouse: layouts.snowflake.toSql('id', 'clickhouse')"],
] as const)('docs/sql.md has the expressions for %s', (dialect, title) => {
  for (const text of Object.values(layouts.snowflake.toSql('id', dialect)))
    expect(documentedSql(title)).toContain(text);
});
