import { checkOneOf, checkString, wrongValue } from '../arguments.js';
import type { PlacedField } from './fields.js';
import type { Clock } from './time.js';

export type SqlDialect = 'postgres' | 'mysql' | 'clickhouse';

/** Checks the arguments of `toSql`. @returns a function that gives the expression for a field */
export function fieldToSql(column: string, dialect: SqlDialect): (field: PlacedField) => string {
  checkString('column', column);
  checkOneOf('dialect', dialect, ['postgres', 'mysql', 'clickhouse']);
  const postgres = dialect === 'postgres';
  const clickhouse = dialect === 'clickhouse';
  const quote = clickhouse ? '["`]' : postgres ? '"' : '`';
  // A quote inside is doubled. No backslashes: in ClickHouse they make a quote part of the name.
  const names = RegExp(`^(([A-Za-z_]\\w*|(${quote})((?!\\3)[^\\\\]|\\3\\3)+\\3)\\.){1,3}$`);
  if (!names.test(`${column}.`)) throw wrongValue('column', `a column name in ${dialect}`, column);
  return ({ bits, shift, mask, clock }) => {
    const shifted = !shift ? column : clickhouse ? `bitShiftRight(${column}, ${shift})` : `(${column} >> ${shift})`;
    // PostgreSQL's bigint is signed and its shifts keep the sign, so the highest field needs a mask, too.
    const value =
      postgres && bits > 63
        ? `mod(${column} + ${mask + 1n}, ${mask + 1n})`
        : clickhouse
          ? `bitAnd(${shifted}, ${mask})`
          : `(${shifted} & ${mask})`;
    return clock === undefined ? value : toMs(value, clock, dialect);
  };
}

/** Converts units to Unix milliseconds. Times before 1970 need signed integers; MySQL rejects negative unsigned results. */
function toMs(units: string, clock: Clock, dialect: SqlDialect): string {
  const { mul, div } = clock.scale;
  const offset = BigInt(clock.epoch) * BigInt(div);
  const signed =
    dialect === 'mysql' ? `cast(${units} as signed)` : dialect === 'clickhouse' ? `toInt64(${units})` : units;
  const multiplied = mul === 1 ? signed : `${signed} * ${mul}`;
  const ticks =
    offset === 0n ? multiplied : `${multiplied} ${offset < 0n ? '-' : '+'} ${offset < 0n ? -offset : offset}`;
  return div === 1 ? `(${ticks})` : `((${ticks}) / ${div}.0)`;
}
