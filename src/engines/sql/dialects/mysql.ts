import {
  block,
  checkShards,
  type Language,
  PLACING,
  placeAfter,
  TWO_64,
  XXH64_VARIABLES,
  xxh64,
} from '../procedures.js';
import { type Dialect, headOf, type SqlTypes, type Strategy } from '../types.js';

/** MySQL's and MariaDB's. Sums and products are decimals of up to 65 digits, because an overflow of bigint is an error. */
const STORED: Language = {
  set: (variable, value) => `set ${variable} = ${value};`,
  loop: (condition) => [`while ${condition} do`, 'end while;'],
  branch: (condition) => [`if ${condition} then`, 'end if;'],
  fail: (message) => `signal sqlstate '22003' set message_text = '${message}';`,
  multiply: (x, factor, addend = 0n) =>
    `mod(cast(${x} as decimal(20)) * ${factor}${addend === 0n ? '' : ` + ${addend}`}, ${TWO_64})`,
  add: (x, y) => `mod(cast(${x} as decimal(20)) + ${y}, ${TWO_64})`,
  xor: (x, y) => `${x} ^ ${y}`,
  shiftRight: (x, bits) => `(${x} >> ${bits})`,
  bytes: (after, count) =>
    `cast(conv(hex(reverse(substr(data, ${placeAfter(after)} + 1, ${count}))), 16, 10) as unsigned)`,
  remainder: (hash, shards) => `${hash} % ${shards}`,
};

function create(head: string, statements: readonly string[]): string {
  const [name = ''] = head.split('(');
  const lines = [`create function ${head}`, 'deterministic no sql', ...block(['begin', 'end'], statements)];
  return [`drop function if exists ${name} $$`, ...lines].join('\n').concat(' $$');
}

const ifNull = (...arguments_: readonly string[]): string[] =>
  block(STORED.branch(arguments_.map((one) => `${one} is null`).join(' or ')), ['return null;']);

function placing(strategy: Strategy): string {
  const { name, variables, statements } = PLACING[strategy];
  return create(`${name}(hash bigint unsigned, shards int) returns int`, [
    ...Object.entries(variables).map(([variable, start]) => `declare ${variable} double default ${start};`),
    ...ifNull('hash', 'shards'),
    ...checkShards(STORED),
    ...statements(STORED),
  ]);
}

/** In a client, $$ ends a statement. */
function delimited(statements: readonly string[]): string {
  return ['delimiter $$', ...statements, 'delimiter ;'].join('\n\n');
}

const TYPES: SqlTypes = {
  integer: 'bigint',
  u64: 'bigint unsigned',
  fraction: 'decimal(23, 3)',
  id: 'bigint unsigned',
  time: 'datetime(6)',
};

export const mysql: Dialect = {
  title: 'MySQL',
  routing({ strategy, seed }) {
    const shardOf = (name: string, type: string, bytes: string) =>
      create(`${name}(\`key\` ${type}, shards int) returns int`, [
        `return ${PLACING[strategy].name}(xxh64(${bytes}, ${seed}), shards);`,
      ]);
    return [
      '-- MySQL 8 or MariaDB. Texts of any character set are hashed as UTF-8.\n' +
        '-- Sums and products are decimals, because an overflow of bigint is an error.',
      delimited([
        create('xxh64(data longblob, seed bigint unsigned) returns bigint unsigned', [
          'declare place int default 0;',
          'declare size int default length(data);',
          `declare ${XXH64_VARIABLES.join(', ')} bigint unsigned;`,
          ...ifNull('data', 'seed'),
          ...xxh64(STORED),
          'return hash;',
        ]),
        placing(strategy),
        shardOf('shard_of', 'longtext character set utf8mb4', '`key`'),
        shardOf('shard_of_bytes', 'longblob', '`key`'),
        shardOf('shard_of_u64', 'bigint unsigned', "reverse(unhex(lpad(hex(`key`), 16, '0')))"),
      ]),
    ].join('\n');
  },
  times: {
    fromMs: (ms) => `timestampadd(microsecond, ${ms} * 1000, '1970-01-01')`,
    fromUs: (us) => `timestampadd(microsecond, ${us}, '1970-01-01')`,
    toUs: "timestampdiff(microsecond, '1970-01-01', instant)",
    divide: (dividend, divisor) => `${dividend} div ${divisor}`,
    toId: (units, shift, others) => `(((${units}) << ${shift}) | ${others})`,
  },
  functions: (functions) => delimited(functions.map((one) => create(headOf(one, TYPES), [`return ${one.body};`]))),
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
  map: {
    begin: `create table if not exists shard_nodes (
  shard int not null, copy int not null, node varchar(255) character set utf8mb4 not null, primary key (shard, copy)
);
start transaction;
delete from shard_nodes;`,
  },
};
