import { wrongValue } from '../../arguments.js';
import { byName, type FieldPlace, placeFields } from '../../layout/fields.js';
import type { IdLayout, LayoutTime } from '../../layout/id-layout.js';
import { fieldToSql, type SqlDialect } from '../../layout/sql.js';
import type { Dialect, DialectName, SqlFunction } from './types.js';

/**
 * The functions of a layout: one for each field, and for its time `NAME_time`, `NAME_min_id_at` and `NAME_max_id_at`.
 * @param name what their names begin with
 * @throws RangeError if two of them would have one name
 */
export function functionsOf(layout: IdLayout, name: string, dialect: DialectName, { times }: Dialect): SqlFunction[] {
  const { time } = layout;
  const bodies = expressionsOf(layout, dialect);
  const fields = layout.places.map(({ name: field, bits }): SqlFunction => {
    const whole = bits > 63 ? 'u64' : 'integer';
    const returns = field === time?.name && time.unitMs < 1 ? 'fraction' : whole;
    return { name: field, parameter: 'id', returns, body: bodies[field] };
  });
  const all = time === undefined ? fields : [...fields, ...timeFunctions(layout, time, bodies[time.name], times)];
  const names = new Set<string>();
  return all.map((one) => {
    const full = `${snakeCase(name)}_${snakeCase(one.name)}`;
    if (names.has(full)) throw wrongValue('spec', 'fields whose functions have different names', one.name);
    names.add(full);
    return { ...one, name: full };
  });
}

/**
 * What other dialects write in another way than one that `Layout.toSql` knows. Their expressions are made here, because
 * programs that never use them would have to load them with a layout.
 */
const ALIKE: { readonly [name in DialectName]: readonly [as: SqlDialect, ...Replacement[]] } = {
  postgres: ['postgres'],
  mysql: ['mysql'],
  clickhouse: ['clickhouse'],
  duckdb: ['mysql', [/ as signed\)/g, ' as bigint)']],
  // SQLite has no integers above 2^63 - 1, so all 64 bits stay a signed one.
  sqlite: ['postgres', [/mod\(id \+ 18446744073709551616, 18446744073709551616\)/g, '(id)']],
  spark: [
    'postgres',
    [/\(id >> (\d+)\)/g, 'shiftright(id, $1)'],
    [/mod\(id \+ (18446744073709551616), \1\)/g, 'pmod(cast(id as decimal(20, 0)), $1)'],
  ],
};

type Replacement = readonly [theirs: RegExp, ours: string];

/** The expressions that unpack the fields of `id`. */
export function expressionsOf(layout: IdLayout, dialect: DialectName): { readonly [field: string]: string } {
  const [as, ...instead] = ALIKE[dialect];
  const theirs = fieldToSql('id', as);
  return byName(placeFields(layout.fields), (field) =>
    instead.reduce((sql, [from, to]) => sql.replace(from, to), theirs(field)),
  );
}

/** `client_entity` for `clientEntity`, because SQL does not tell upper case from lower case. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();
}

function timeFunctions(layout: IdLayout, time: LayoutTime, ms: string, times: Dialect['times']): SqlFunction[] {
  const [place] = layout.places.filter(({ name }) => name === time.name);
  const others = layout.places.filter((one) => one !== place);
  const unitUs = BigInt(Math.round(time.unitMs * 1000));
  const epochUs = BigInt(time.epoch) * 1000n;
  const [first, last] = [epochUs + BigInt(place.min) * unitUs, epochUs + (place.mask + 1n) * unitUs - 1n];
  const sinceEpoch = `(${times.toUs} ${epochUs < 0n ? '+' : '-'} ${epochUs < 0n ? -epochUs : epochUs})`;
  const units = unitUs === 1n ? sinceEpoch : times.divide(sinceEpoch, unitUs);
  // Milliseconds with fractions are whole microseconds over 1000.0.
  const [, us] = /^\((.*) \/ 1000\.0\)$/.exec(ms) ?? [];
  const ofTime = us === undefined ? times.fromMs(ms) : times.fromUs(us);
  const idAt = (name: string, other: (field: FieldPlace) => bigint): SqlFunction => {
    const bits = others.reduce((sum, field) => sum | (other(field) << BigInt(field.shift)), 0n);
    // For other times it is NULL.
    const body = `case when ${times.toUs} between ${first} and ${last} then ${times.toId(units, place.shift, bits)} end`;
    return { name, parameter: 'instant', returns: 'id', body };
  };
  return [
    { name: 'time', parameter: 'id', returns: 'time', body: ofTime },
    idAt('min_id_at', ({ min }) => BigInt(min)),
    idAt('max_id_at', ({ mask }) => mask),
  ];
}
