import { qualified } from '../../qualified.js';
import { block, checkShards, type Language, PLACING, placeAfter, XXH64_VARIABLES, xxh64 } from '../procedures.js';
import { type Dialect, headOf, type SqlTypes, type Strategy } from '../types.js';

/** A u64 as a bigint of the same bits, which PostgreSQL reads as such. */
const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

const LOW_32 = 2n ** 32n - 1n;
const low = (x: bigint | string): string => (typeof x === 'string' ? `(${x} & ${LOW_32})` : `${x & LOW_32}`);
const high = (x: bigint | string): string => (typeof x === 'string' ? `(${x} >> 32)` : `${signed(x) >> 32n}`);
const plus = (half: string): string => (half === '0' ? '' : ` + ${half}`);

/** 64 bits of two halves, of which the lower one may have more than 32 bits, and the upper one is taken modulo 2^32. */
const joined = (lower: string, upper: string): string =>
  `((((${lower}) >> 32) + ${upper}) << 32) | ((${lower}) & ${LOW_32})`;

/** PL/pgSQL. A bigint has the bits of a u64; it is added and multiplied in halves, because an overflow is an error. */
const PLPGSQL: Language = {
  set: (variable, value) => `${variable} := ${value};`,
  loop: (condition) => [`while ${condition} loop`, 'end loop;'],
  branch: (condition) => [`if ${condition} then`, 'end if;'],
  fail: (message, variable) => `raise exception '${message}, got %', ${variable} using errcode = '22003';`,
  multiply(x, factor, addend = 0n) {
    // The lower half of the factor is signed: an unsigned one would overflow. The upper one makes up for it.
    const below = BigInt.asIntN(32, factor);
    const above = BigInt.asIntN(32, (factor - below) >> 32n);
    const upper = `((${low(x)} * ${above}) & ${LOW_32}) + ${high(x)} * ${below}${plus(high(addend))}`;
    return joined(`${low(x)} * ${below}${plus(low(addend))}`, upper);
  },
  add: (x, y) => joined(`${low(x)}${plus(low(y))}`, `${high(x)}${plus(high(y))}`),
  xor: (x, y) => `${x} # ${y}`,
  shiftRight: (x, bits) => `((${x} >> ${bits}) & ${2n ** BigInt(64 - bits) - 1n})`,
  bytes: (after, count) =>
    Array.from({ length: count }, (_, i) => {
      const byte = `get_byte(data, ${placeAfter(after + i)})::bigint`;
      return i === 0 ? byte : `(${byte} << ${8 * i})`;
    }).join(' | '),
  remainder: (hash, shards) => `(((${hash} >> 1) & ${2n ** 63n - 1n}) % ${shards} * 2 + (${hash} & 1)) % ${shards}`,
};

const HOW = 'immutable strict parallel safe';

function procedure(head: string, variables: readonly string[], statements: readonly string[]): string {
  const lines = ['declare', ...variables.map((one) => `  ${one};`), ...block(['begin', 'end'], statements)];
  const how = `language plpgsql ${HOW} set search_path = pg_catalog, pg_temp as $$`;
  return [`create or replace function ${qualifiedHead(head)}`, how, ...lines, '$$;'].join('\n');
}

/** The name, parameters and result of a function. */
function qualifiedHead(head: string): string {
  return qualified(head, [head.slice(0, head.indexOf('('))]);
}

/** The functions that others call. */
const OURS = ['xxh64', ...Object.values(PLACING).map(({ name }) => name)];

/** A function of one expression, in which names are looked up when it is made: by whoever makes it, in their search path. */
function expression(head: string, value: string): string {
  return `create or replace function ${qualifiedHead(head)}\nlanguage sql ${HOW}\nreturn ${qualified(compared(value), OURS)};`;
}

/** The same without "between", whose operators cannot be named with their schema. */
function compared(value: string): string {
  const [start = '', bounds] = value.split(' between ');
  const tested = start.slice('case when '.length);
  return bounds === undefined ? value : `${start} >= ${bounds.replace(' and ', () => ` and ${tested} <= `)}`;
}

function placing(strategy: Strategy): string {
  const { name, variables, statements } = PLACING[strategy];
  return procedure(
    `${name}(hash bigint, shards integer) returns integer`,
    Object.entries(variables).map(([variable, start]) => `${variable} double precision := ${start}`),
    [...checkShards(PLPGSQL), ...statements(PLPGSQL)],
  );
}

const TYPES: SqlTypes = { integer: 'bigint', u64: 'numeric', fraction: 'numeric', id: 'bigint', time: 'timestamptz' };

/** The bytes of a bigint, the lowest one first. */
const LITTLE_ENDIAN = [8, 7, 6, 5, 4, 3, 2, 1]
  .map((byte) => `substring(int8send(key) from ${byte} for 1)`)
  .join(' || ');

/** In parts, because a double with the microseconds of all seconds is not exact after 2100. */
function timeOf(ticks: string, perSecond: bigint): string {
  const unit = perSecond === 1000n ? 'millisecond' : 'microsecond';
  return `to_timestamp(${ticks} / ${perSecond}) + ${ticks} % ${perSecond} * interval '1 ${unit}'`;
}

export const postgres: Dialect = {
  title: 'PostgreSQL',
  routing({ strategy, seed }) {
    const withSeed = `seed bigint default ${signed(seed)}`;
    const place = PLACING[strategy].name;
    return [
      '-- PostgreSQL 14 or later. A hash and a u64 are bigints of the same bits: from 2^63 on they are negative.\n' +
        '-- Sums and products are taken in halves of 32 bits, because an overflow of bigint is an error.',
      procedure(
        'xxh64(data bytea, seed bigint default 0) returns bigint',
        ['place integer := 0', 'size integer := length(data)', ...XXH64_VARIABLES.map((name) => `${name} bigint`)],
        [...xxh64(PLPGSQL), 'return hash;'],
      ),
      expression('xxh64(key text, seed bigint default 0) returns bigint', "xxh64(convert_to(key, 'UTF8'), seed)"),
      expression('xxh64(key bigint, seed bigint default 0) returns bigint', `xxh64(${LITTLE_ENDIAN}, seed)`),
      placing(strategy),
      ...['text', 'bytea', 'bigint'].map((type) =>
        expression(
          `shard_of(key ${type}, shards integer, ${withSeed}) returns integer`,
          `${place}(xxh64(key, seed), shards)`,
        ),
      ),
    ].join('\n\n');
  },
  times: {
    fromMs: (ms) => timeOf(ms, 1000n),
    fromUs: (us) => timeOf(us, 1_000_000n),
    toUs: '(case when isfinite(instant) then extract(epoch from instant) * 1000000 end)::bigint',
    divide: (dividend, divisor) => `${dividend} / ${divisor}`,
    toId: (units, shift, others) => `(((${units}) << ${shift}) | ${signed(others)})`,
  },
  functions: (functions) => functions.map((one) => expression(headOf(one, TYPES), one.body)).join('\n\n'),
  text: (value) => `'${value.replaceAll("'", "''")}'`,
  map: {
    begin: `begin;
create table if not exists shard_nodes (
  shard integer not null, copy integer not null, node text not null, primary key (shard, copy)
);
delete from shard_nodes;`,
  },
};
