import { checkOneOf, checkString, namesIn, wrongValue } from '../arguments.js';
import type { PlacedField } from './fields.js';
import type { Clock } from './time.js';

export type SqlDialect = 'postgres' | 'mysql' | 'clickhouse' | 'duckdb' | 'sqlite' | 'spark';

/** How a dialect writes what takes the bits of a field out of an id. */
interface Dialect {
  /** The characters, one of which quotes a name. */
  readonly quotes: string;
  shift(id: string, bits: number): string;
  and(value: string, mask: bigint): string;
  /** An id as an unsigned number, where ids of 64 bits are signed integers and there is a wider type. */
  unsigned?(id: string): string;
  /** Makes unsigned integers signed, for times before 1970. */
  signed?(units: string): string;
}

const BY_OPERATORS: Omit<Dialect, 'quotes'> = {
  shift: (id, bits) => `(${id} >> ${bits})`,
  and: (value, mask) => `(${value} & ${mask})`,
};

const DIALECTS: { readonly [name in SqlDialect]: Dialect } = {
  postgres: { ...BY_OPERATORS, quotes: '"', unsigned: (id) => `mod(${id} + ${2n ** 64n}, ${2n ** 64n})` },
  // It rejects negative unsigned results.
  mysql: { ...BY_OPERATORS, quotes: '`', signed: (units) => `cast(${units} as signed)` },
  clickhouse: {
    quotes: '"`',
    shift: (id, bits) => `bitShiftRight(${id}, ${bits})`,
    and: (value, mask) => `bitAnd(${value}, ${mask})`,
    signed: (units) => `toInt64(${units})`,
  },
  duckdb: { ...BY_OPERATORS, quotes: '"', signed: (units) => `cast(${units} as bigint)` },
  // It has no integers beyond 63 bits, so all 64 are those of a negative one.
  sqlite: { ...BY_OPERATORS, quotes: '"`', unsigned: (id) => `(${id})` },
  spark: {
    ...BY_OPERATORS,
    quotes: '`',
    shift: (id, bits) => `shiftright(${id}, ${bits})`,
    unsigned: (id) => `pmod(cast(${id} as decimal(20, 0)), ${2n ** 64n})`,
  },
};

export function fieldsToSql(fields: readonly PlacedField[], column: string, dialect: SqlDialect): [string, string][] {
  checkString('column', column);
  checkOneOf('dialect', dialect, namesIn(DIALECTS));
  const { quotes, shift: shiftRight, and, unsigned, signed = (units) => units } = DIALECTS[dialect];
  // A quote inside is doubled. No backslashes: in ClickHouse they make a quote part of the name.
  const names = RegExp(`^(([A-Za-z_]\\w*|([${quotes}])((?!\\3)[^\\\\]|\\3\\3)+\\3)\\.){1,3}$`);
  if (!names.test(`${column}.`)) throw wrongValue('column', `a column name in ${dialect}`, column);
  return fields.map(({ name, bits, shift, mask, clock }) => {
    // Where integers are signed, shifts keep the sign, so the highest field needs a mask, too.
    const value =
      unsigned !== undefined && bits > 63 ? unsigned(column) : and(shift ? shiftRight(column, shift) : column, mask);
    return [name, clock === undefined ? value : toMs(value, clock, signed)];
  });
}

/** Converts units to Unix milliseconds. */
function toMs(units: string, clock: Clock, signed: (units: string) => string): string {
  const { mul, div } = clock.scale;
  const offset = BigInt(clock.epoch) * BigInt(div);
  const multiplied = mul === 1 ? signed(units) : `${signed(units)} * ${mul}`;
  const ticks =
    offset === 0n ? multiplied : `${multiplied} ${offset < 0n ? '-' : '+'} ${offset < 0n ? -offset : offset}`;
  return div === 1 ? `(${ticks})` : `((${ticks}) / ${div}.0)`;
}
