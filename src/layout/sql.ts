import { checkOneOf, checkString, wrongValue } from '../arguments.js';
import type { PlacedField } from './fields.js';

export type SqlDialect = 'postgres' | 'mysql' | 'clickhouse';

/** Names of fields with expressions that a database unpacks them by. */
export function fieldsToSql(fields: readonly PlacedField[], column: string, dialect: SqlDialect): [string, string][] {
  checkString('column', column);
  checkOneOf('dialect', dialect, ['postgres', 'mysql', 'clickhouse']);
  const postgres = dialect === 'postgres';
  const clickhouse = dialect === 'clickhouse';
  const quote = clickhouse ? '["`]' : postgres ? '"' : '`';
  // A quote inside is doubled. No backslashes: in ClickHouse they make a quote part of the name.
  const names = RegExp(`^(([A-Za-z_]\\w*|(${quote})((?!\\3)[^\\\\]|\\3\\3)+\\3)\\.){1,3}$`);
  if (!names.test(`${column}.`)) throw wrongValue('column', `a name in ${dialect}`, column);
  return fields.map(({ name, bits, shift, mask }) => {
    const shifted = !shift ? column : clickhouse ? `bitShiftRight(${column}, ${shift})` : `(${column} >> ${shift})`;
    // No bigint of PostgreSQL holds 64 bits, and its shifts keep the sign: so the topmost field has a mask, too.
    if (postgres && bits > 63) return [name, `mod(${column} + ${mask + 1n}, ${mask + 1n})`];
    return [name, clickhouse ? `bitAnd(${shifted}, ${mask})` : `(${shifted} & ${mask})`];
  });
}
