import { checkOneOf, checkString, namesIn, wrongValue } from '../arguments.js';
import type { PlacedField } from './fields.js';
import type { Clock } from './time.js';

export type SqlDialect = 'postgres' | 'mysql' | 'clickhouse' | 'duckdb' | 'sqlite' | 'spark';

type Some = { readonly [dialect in SqlDialect]?: string };

/** The characters, one of which quotes a name. */
const QUOTES = { postgres: '"', mysql: '`', clickhouse: '"`', duckdb: '"', sqlite: '"`', spark: '`' };

/** The functions that shift to the right, where there is no operator. */
const SHIFTS: Some = { clickhouse: 'bitShiftRight', spark: 'shiftright' };

/** What makes unsigned integers signed, for times before 1970. MySQL rejects negative unsigned results. */
const SIGNED: Some = { mysql: 'cast($ as signed)', duckdb: 'cast($ as bigint)', clickhouse: 'toInt64($)' };

/** All 64 bits as a number, where integers are signed. SQLite has no wider ones, so there it may be negative. */
const WHOLE: Some = {
  postgres: 'mod($ + 18446744073709551616, 18446744073709551616)',
  sqlite: '($)',
  spark: 'pmod(cast($ as decimal(20, 0)), 18446744073709551616)',
};

export function fieldsToSql(fields: readonly PlacedField[], column: string, dialect: SqlDialect): [string, string][] {
  checkString('column', column);
  checkOneOf('dialect', dialect, namesIn(QUOTES));
  // A quote inside is doubled. No backslashes: in ClickHouse they make a quote part of the name.
  const names = RegExp(`^(([A-Za-z_]\\w*|([${QUOTES[dialect]}])((?!\\3)[^\\\\]|\\3\\3)+\\3)\\.){1,3}$`);
  if (!names.test(`${column}.`)) throw wrongValue('column', `a column name in ${dialect}`, column);
  const fill = (template = '$', value: string) => template.replace('$', () => value);
  return fields.map(({ name, bits, shift, mask, clock }) => {
    const call = SHIFTS[dialect];
    const shifted = !shift ? column : call ? `${call}(${column}, ${shift})` : `(${column} >> ${shift})`;
    // Where integers are signed, shifts keep the sign, so the highest field needs a mask, too.
    const value =
      bits > 63 && WHOLE[dialect]
        ? fill(WHOLE[dialect], column)
        : dialect === 'clickhouse'
          ? `bitAnd(${shifted}, ${mask})`
          : `(${shifted} & ${mask})`;
    return [name, clock === undefined ? value : toMs(fill(SIGNED[dialect], value), clock)];
  });
}

/** Converts units to Unix milliseconds. */
function toMs(units: string, clock: Clock): string {
  const { mul, div } = clock.scale;
  const offset = BigInt(clock.epoch) * BigInt(div);
  const multiplied = mul === 1 ? units : `${units} * ${mul}`;
  const ticks =
    offset === 0n ? multiplied : `${multiplied} ${offset < 0n ? '-' : '+'} ${offset < 0n ? -offset : offset}`;
  return div === 1 ? `(${ticks})` : `((${ticks}) / ${div}.0)`;
}
