import { fastRange } from '../procedures.js';
import { type Dialect, headOf, type SqlTypes, type Strategy } from '../types.js';
import { mysql } from './mysql.js';

const HASH = 'xxhash64(key)';

const shiftRight = (x: string, bits: number): string => `shiftrightunsigned(${x}, ${bits})`;

/** From a hash that is signed. */
const PLACES: { readonly [strategy in Strategy]?: string } = {
  modulo: `pmod(pmod(${shiftRight(HASH, 1)}, shards) * 2 + (${HASH} & 1), shards)`,
  fastrange: fastRange(HASH, 'shards', shiftRight),
};

const TYPES: SqlTypes = {
  integer: 'bigint',
  u64: 'decimal(20, 0)',
  fraction: 'decimal(23, 3)',
  id: 'bigint',
  time: 'timestamp',
};

/** Databricks has had such functions for longer. */
const VERSIONS =
  '-- Spark 4 and Databricks. In Spark 3, which has no functions in SQL, take the expressions after "return".';

function create(head: string, body: string): string {
  return `create or replace temporary function ${head}\nreturn ${body};`;
}

export const spark: Dialect = {
  title: 'Spark',
  strategies: ['modulo', 'fastrange'],
  seeds: [42n],
  routing({ strategy }) {
    const body = `case when key is not null then cast(${PLACES[strategy]} as int) end`;
    return [
      VERSIONS,
      '-- Its xxhash64 is XXH64 with seed 42. Jump hash is not available: it needs a loop, so a function in another language.',
      create('shard_of(key string, shards int) returns int', body),
    ].join('\n');
  },
  times: {
    fromMs: (ms) => `timestamp_millis(${ms})`,
    fromUs: (us) => `timestamp_micros(${us})`,
    toUs: 'unix_micros(instant)',
    divide: mysql.times.divide,
    toId: (units, shift, others) => `(shiftleft(${units}, ${shift}) | ${BigInt.asIntN(64, others)})`,
  },
  functions: (functions) => `${VERSIONS}\n${functions.map((one) => create(headOf(one, TYPES), one.body)).join('\n\n')}`,
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  map: {
    begin: 'create table if not exists shard_nodes (shard int, copy int, node string) using parquet;',
    insert: 'insert overwrite shard_nodes values',
    batch: Number.POSITIVE_INFINITY,
    end: '',
  },
};
