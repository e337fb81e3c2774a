import { wrongValue } from '../../arguments.js';
import type { Layout, LayoutTime } from '../../layout/layout.js';
import type { SqlDialect } from '../../layout/sql.js';
import type { Dialect, SqlFunction } from './types.js';

/**
 * The functions of a layout: one for each field, and for its time `NAME_time`, `NAME_min_id_at` and `NAME_max_id_at`.
 * @param name what their names begin with
 * @throws RangeError if two of them would have one name
 */
export function functionsOf(layout: Layout, name: string, dialect: SqlDialect, { times }: Dialect): SqlFunction[] {
  const { time } = layout;
  const bodies = layout.toSql('id', dialect);
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

/** `client_entity` for `clientEntity`, because SQL does not tell upper case from lower case. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();
}

function timeFunctions(layout: Layout, time: LayoutTime, ms: string, times: Dialect['times']): SqlFunction[] {
  const place = layout.places.find(({ name }) => name === time.name) as Layout['places'][number];
  const others = layout.places.filter((one) => one !== place);
  const filled = (value: (field: Layout['places'][number]) => bigint) =>
    others.reduce((bits, field) => bits | (value(field) << BigInt(field.shift)), 0n);
  const unitUs = BigInt(Math.round(time.unitMs * 1000));
  const epochUs = BigInt(time.epoch) * 1000n;
  const [first, last] = [epochUs + BigInt(place.min) * unitUs, epochUs + (place.mask + 1n) * unitUs - 1n];
  const sinceEpoch = `(${times.toUs} ${epochUs < 0n ? '+' : '-'} ${epochUs < 0n ? -epochUs : epochUs})`;
  const units = unitUs === 1n ? sinceEpoch : times.divide(sinceEpoch, unitUs);
  // Milliseconds with fractions are whole microseconds over 1000.0.
  const [, us] = /^\((.*) \/ 1000\.0\)$/.exec(ms) ?? [];
  const ofTime = us === undefined ? times.fromMs(ms) : times.fromUs(us);
  const idAt = (name: string, bits: bigint): SqlFunction => ({
    name,
    parameter: 'instant',
    returns: 'id',
    // For other times it is NULL.
    body: `case when ${times.toUs} between ${first} and ${last} then ${times.toId(units, place.shift, bits)} end`,
  });
  return [
    { name: 'time', parameter: 'id', returns: 'time', body: ofTime },
    idAt(
      'min_id_at',
      filled(({ min }) => BigInt(min)),
    ),
    idAt(
      'max_id_at',
      filled(({ mask }) => mask),
    ),
  ];
}
