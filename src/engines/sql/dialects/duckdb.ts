import { MAX_BUCKETS } from '../../../arguments.js';
import { PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5 } from '../../../kernels/js/xxh64.js';
import { JUMP_FACTOR, LANES, ROTATIONS, TWO_64 } from '../procedures.js';
import type { Dialect, Strategy } from '../types.js';

/** Integers of 128 unsigned bits hold every product. Operators on bits take no other types beside them. */
const LOW_64 = `${TWO_64 - 1n}::uhugeint`;
const wrap = (value: string) => `((${value}) & ${LOW_64})`;
const shiftRight = (value: string, bits: number) => `(${value} >> ${bits}::uhugeint)`;
const round = (lane: string, word: string) => `xxh64_round(${lane}, ${word})`;

/** What is done to the hash, one step after the other. A step is a number with a word of 64 bits below it. */
const STEPS = [
  `xor(hash, ${round('0::uhugeint', 'word')}) * ${PRIME_1} + ${PRIME_4}`, // an accumulator
  `${rotated(`xor(hash, ${round('0::uhugeint', 'word')})`, 27)} * ${PRIME_1} + ${PRIME_4}`, // 8 bytes
  `${rotated(`xor(hash, ${wrap(`word * ${PRIME_1}`)})`, 23)} * ${PRIME_2} + ${PRIME_3}`, // 4 bytes
  `${rotated(`xor(hash, ${wrap(`word * ${PRIME_5}`)})`, 11)} * ${PRIME_1}`, // a byte
  'hash + word', // the length
  `xor(hash, ${shiftRight('hash', 33)}) * ${PRIME_2}`,
  `xor(hash, ${shiftRight('hash', 29)}) * ${PRIME_3}`,
  `xor(hash, ${shiftRight('hash', 32)})`,
];

function rotated(x: string, bits: number): string {
  return `xxh64_rotate(${x}, ${bits}::uhugeint)`;
}

const step = (number: number, word = '0') => `((${number}::uhugeint << 64::uhugeint) | ${word}::uhugeint)`;

/** Bytes of the key from a place on, whose digits are in an order in which the lowest byte comes last. */
const word = (digits: string, place: string, count: number) =>
  `('0x' || substr(${digits}, 2 * (${place}) + 1, ${2 * count}))::ubigint`;

/** Digits with the bytes of every group in the other order. */
function reversed(digits: string, group: number): string {
  const references = Array.from({ length: group }, (_, i) => `\\${group - i}`).join('');
  return `regexp_replace(${digits}, '${'(..)'.repeat(group)}', '${references}', 'g')`;
}

/** Names values for those after them and for an expression. A macro would compute them again wherever they stand. */
const lets = (values: { readonly [name: string]: string }, body: string) =>
  Object.entries(values).reduceRight(
    (inner, [name, value]) => `list_transform([${value}], lambda ${name}:\n  ${inner})[1]`,
    body,
  );

const LANE = `list_reduce(
      list_transform(range(lane, size // 32 * 4, 4), lambda i: ${word('by_8', '8 * i', 8)}::uhugeint),
      lambda acc, word: ${round('acc', 'word')},
      ${wrap(`seed::uhugeint + [${LANES.map((start) => `${start}::uhugeint`).join(', ')}][lane + 1]`)})`;

const SUM = wrap(ROTATIONS.map((bits, lane) => rotated(`lanes[${lane + 1}]`, bits)).join(' + '));

const XXH64 = `list_reduce(list_concat(
    list_transform(lanes, lambda lane: ${step(0, 'lane')}),
    [${step(4, 'size')}],
    list_transform(range(size // 32 * 4, size // 8), lambda i: ${step(1, word('by_8', '8 * i', 8))}),
    case when size % 8 >= 4 then [${step(2, word('by_4', 'size // 8 * 8', 4))}] else [] end,
    list_transform(range(size // 4 * 4, size), lambda i: ${step(3, word('digits', 'i', 1))}),
    [${step(5)}, ${step(6)}, ${step(7)}]),
  lambda hash, step: xxh64_step(hash, ${shiftRight('step', 64)}, ${wrap('step')}),
  case when size < 32 then ${wrap(`seed::uhugeint + ${PRIME_5}`)} else ${SUM} end)::ubigint`;

/** Texts are UTF-8. An integer is its 8 bytes, the lowest one first, and a negative one is the u64 of the same bits. */
const DIGITS = `case when typeof(key) in ('VARCHAR', 'BLOB') then hex(key)
  else ${reversed(`lpad(hex(((key::varchar::hugeint + ${TWO_64}) % ${TWO_64})::ubigint), 16, '0')`, 8)} end`;

/** The hash of a macro's argument is not a name inside, so the state has one of its own. */
const JUMP = `(with recursive jumps (state, bucket, following) as (
  select hash::uhugeint, -1::double, 0::double
  union all
  select ${wrap(`state * ${JUMP_FACTOR} + 1`)}, following,
    floor((following + 1) * (2147483648 / (${shiftRight(wrap(`state * ${JUMP_FACTOR} + 1`), 33)} + 1)::double))
  from jumps where following < shards
) select max(bucket)::integer from jumps)`;

const PLACES: { readonly [strategy in Strategy]: readonly [name: string, body: string] } = {
  jump: ['jump_hash', JUMP],
  fastrange: ['fast_range', `${shiftRight('(hash::uhugeint * shards::uhugeint)', 64)}::integer`],
  modulo: ['hash_modulo', '(hash::uhugeint % shards::uhugeint)::integer'],
};

const macro = (head: string, body: string) => `create or replace macro ${head} as\n${body};`;

export const duckdb: Dialect = {
  title: 'DuckDB',
  routing({ strategy, seed }) {
    const [place, body] = PLACES[strategy];
    const refused = `error('shards: expected an integer from 1 to ${MAX_BUCKETS}, got ' || shards)`;
    return [
      '-- DuckDB 1.3 or later. A key is a text, a blob or an integer, which is a u64.',
      macro('xxh64_rotate(x, bits)', `${wrap('x << bits')} | (x >> (64::uhugeint - bits))`),
      macro('xxh64_round(lane, word)', wrap(`${rotated(wrap(`lane + word * ${PRIME_2}`), 31)} * ${PRIME_1}`)),
      macro(
        'xxh64_step(hash, step, word)',
        wrap(`case step\n${STEPS.map((one, i) => `  when ${i} then ${one}`).join('\n')}\nend`),
      ),
      macro(
        'xxh64(key, seed := 0)',
        `case when key is not null then ${lets(
          {
            digits: DIGITS,
            size: 'length(digits) // 2',
            by_8: reversed('digits', 8),
            by_4: reversed('digits', 4),
            lanes: `case when size < 32 then [] else list_transform([0, 1, 2, 3], lambda lane: ${LANE}) end`,
          },
          XXH64,
        )} end`,
      ),
      macro(
        `${place}(hash, shards)`,
        `case when hash is null or shards is null then null
when shards between 1 and ${MAX_BUCKETS} then ${body}
else ${refused}::integer end`,
      ),
      macro(`shard_of(key, shards, seed := ${seed})`, `${place}(xxh64(key, seed := seed), shards)`),
    ].join('\n\n');
  },
  times: {
    fromMs: (ms) => `epoch_ms(${ms})`,
    fromUs: (us) => `make_timestamp(${us})`,
    toUs: 'epoch_us(instant)',
    divide: (dividend, divisor) => `${dividend} // ${divisor}`,
    toId: (units, shift, others) => `(((${units})::ubigint << ${shift}) | ${others}::ubigint)`,
  },
  functions: (functions) =>
    functions.map(({ name, parameter, body }) => macro(`${name}(${parameter})`, body)).join('\n\n'),
  text: (value) => `'${value.replaceAll("'", "''")}'`,
  map: {
    begin: `begin;
create or replace table shard_nodes (
  shard integer not null, copy integer not null, node varchar not null, primary key (shard, copy)
);`,
  },
};
