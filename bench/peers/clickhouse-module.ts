// What `shardbits sql --dialect clickhouse` writes with the module for ClickHouse, and for the systems of `--as`, run there and
// compared with what the command line gives for the same keys, row by row.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACING_WORDS } from '../../src/engines/sql/index.js';
import { partitionerNamed, systems } from '../../src/partitioners/index.js';
import { randomKeys } from '../../test/partitioners/random-keys.js';
import { type FigureTable, plainFigures } from '../figure-tables.js';
import { median } from '../summary.js';
import type { ClickHouse } from './clickhouse.js';
import { hasRuleForNull } from './sql-kinds.js';

type Report = (same: boolean, what: string) => void;

/** Keys are compared in pieces of this many rows. */
const PIECE = 2_500_000;
const SEED = 7;
const LARGE_SEED = 2n ** 64n - 1n;
const SHARDS = 64;
const MANY = 2_147_483_647;

/** A table of keys, and a file with them, a line each. */
interface Keys {
  readonly table: 'keys_text' | 'keys_u64' | 'keys_int64';
  /** The options of the command line that say what the lines are. */
  readonly options: readonly string[];
  readonly file: string;
}

/** Statements, and an expression over `x` that has to give what a command does. */
interface Case {
  readonly keys: Keys['table'];
  /** The options of `shardbits sql --dialect clickhouse`. */
  readonly statements: readonly string[];
  readonly expression: string;
  /** The command with its options. */
  readonly command: readonly string[];
}

const CASES: readonly Case[] = [
  ...(['keys_text', 'keys_u64'] as const).flatMap((keys) => {
    const suffix = keys === 'keys_u64' ? '_u64' : '';
    return [
      ...['jump', 'fastrange', 'modulo'].flatMap((strategy) =>
        [
          { seed: SEED, shards: SHARDS },
          { seed: LARGE_SEED, shards: MANY },
          { seed: 0, shards: 100, down: '3,7,98' },
          { seed: SEED, shards: 10, down: '0,1,2,4,5,6,7,9' },
        ].map(({ seed, shards, down }): Case => {
          const options = [
            '--strategy',
            strategy,
            '--seed',
            `${seed}`,
            ...(down === undefined ? [] : ['--down', down]),
          ];
          return {
            keys,
            statements: [...options, '--shards', `${shards}`],
            expression: `shard_of${suffix}(x, ${shards})`,
            command: ['route', ...options, '--shards', `${shards}`],
          };
        }),
      ),
      ...[0, SEED, LARGE_SEED].map(
        (seed): Case => ({
          keys,
          statements: ['--seed', `${SEED}`],
          expression: `xxh64${suffix}(x, ${seed})`,
          command: ['hash', '--format', 'dec', '--seed', `${seed}`],
        }),
      ),
    ];
  }),
  ...PLACING_WORDS.flatMap((word) =>
    countsOf(word).map((shards): Case => {
      const statements = placedAs(word, shards);
      return {
        keys: systems[word].keys.includes('text') ? 'keys_text' : 'keys_int64',
        statements,
        expression: '',
        command: ['route', ...statements],
      };
    }),
  ),
];

/** The options that name a system, and its number of shards if it has one. */
function placedAs(word: string, shards: number | undefined): string[] {
  return ['--as', word, ...(shards === undefined ? [] : ['--shards', `${shards}`])];
}

function countsOf(word: string): readonly (number | undefined)[] {
  const { system, most } = systems[word];
  if (system === 'redis') return [undefined];
  if (system === 'elasticsearch') return [1, 5, 1000, most];
  if (system === 'vitess') return [12, 256, 257, most];
  if (system === 'kinesis') return [1, 12, most];
  return [12, most];
}

const printed = new Map<string, string>();

function statementsOf({ statements }: Case): string {
  const key = statements.join(' ');
  const sql = printed.get(key) ?? shardbits(['sql', '--dialect', 'clickhouse', ...statements]).toString();
  printed.set(key, sql);
  return sql;
}

function shardbits(args: readonly string[]): Buffer {
  return execFileSync(process.execPath, ['dist/cli.js', ...args], { maxBuffer: 2 ** 30 });
}

/** Whether it is the first case of a system, or one of a Router. */
function isFirst(one: Case, index: number): boolean {
  const system = systemIn(one);
  return system === undefined || CASES.findIndex((other) => systemIn(other) === system) === index;
}

const systemIn = ({ statements: [option, word] }: Case) => (option === '--as' ? word : undefined);

/** Compares every function, `rows` keys each. */
export async function compareModule(clickhouse: ClickHouse, rows: number, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-module-'));
  const different = new Map<Case, number>();
  // Each case runs the command line: of a few rows, one number of shards is compared for each system.
  const cases = rows >= 1_000_000 ? CASES : CASES.filter(isFirst);
  try {
    for (let from = 0; from < rows; from += PIECE) {
      const tables = loadPiece(clickhouse, folder, from, Math.min(PIECE, rows - from));
      for (const one of cases) {
        const keys = tables.find(({ table }) => table === one.keys) as Keys;
        const count = await wrongRows(clickhouse, keys, one, folder);
        different.set(one, (different.get(one) ?? 0) + count);
      }
      for (const { table } of tables) clickhouse.drop(table);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const [{ keys, statements, expression }, count] of different) {
    const what = `${rows} keys of ${keys}: sql ${shortened(statements.join(' '))} ${expression}`;
    report(count === 0, count === 0 ? what : `${what}: ${count} rows`);
  }
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text);

async function wrongRows(clickhouse: ClickHouse, keys: Keys, one: Case, folder: string): Promise<number> {
  const sql = statementsOf(one);
  clickhouse.lines(sql);
  // The function of a system is that of the example.
  const called = one.expression || /select (.*); gives/.exec(sql)?.[1]?.replace(/\((?:'user:42'|\d{12,})/, '(x');
  const out = join(folder, 'out');
  const isHash = one.command[0] === 'hash';
  shardbits([...one.command, ...(isHash ? [] : ['--format', 'u32']), ...keys.options, keys.file, '--out', out]);
  const ours = readFileSync(out);
  rmSync(out);
  const query = `SELECT ${called} FROM bench.${keys.table} SETTINGS max_threads = 1`;
  if (isHash) {
    const [mine, theirs] = [ours.toString().split('\n'), clickhouse.lines(query).split('\n')];
    return mine.length === theirs.length ? mine.filter((hash, row) => hash !== theirs[row]).length : mine.length;
  }
  const theirs = Buffer.from(await clickhouse.rowBinary(query));
  if (ours.equals(theirs)) return 0;
  const [a, b] = [ours, theirs].map((bytes) => new Uint32Array(Uint8Array.from(bytes).buffer)) as [
    Uint32Array,
    Uint32Array,
  ];
  return a.length === b.length ? a.filter((shard, row) => shard !== b[row]).length : a.length;
}

/** Random keys of every length from 0 to 300, and with characters of every kind but line ends. */
function loadPiece(clickhouse: ClickHouse, folder: string, from: number, count: number): Keys[] {
  const salt = from === 0 ? '' : `${from}`;
  const all = randomKeys('text', Math.max(count, 1000)).keys as string[];
  const texts = all.slice(0, count).map((text) => text.replace(/[\n\r]/g, ';') + salt);
  const integers = (randomKeys('int64', Math.max(count, 1000)).keys as BigInt64Array).slice(0, count);
  for (let row = 0; from > 0 && row < count; row++) integers[row] = (integers[row] as bigint) * 3n + BigInt(from);
  const write = (
    table: Keys['table'],
    type: string,
    lines: readonly string[],
    column: Uint8Array,
    options: string[],
  ): Keys => {
    const file = join(folder, `${table}.txt`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    clickhouse.load(table, type, column);
    return { table, file, options };
  };
  const bytes = new Uint8Array(integers.buffer);
  return [
    write('keys_text', 'String', texts, rowBinaryStrings(texts), []),
    write('keys_u64', 'UInt64', Array.from(new BigUint64Array(integers.buffer), String), bytes, ['--keys', 'u64']),
    write('keys_int64', 'Int64', Array.from(integers, String), bytes, []),
  ];
}

/** Each text after its length in bytes, with seven bits in a byte, the lowest first. */
export function rowBinaryStrings(texts: readonly string[]): Uint8Array {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const all = Buffer.alloc(lengths.reduce((sum, length) => sum + length + 5, 0));
  let at = 0;
  for (const [row, text] of texts.entries()) {
    let rest = lengths[row] as number;
    for (; rest >= 128; rest >>>= 7) all[at++] = (rest & 127) | 128;
    all[at++] = rest;
    at += all.write(text, at);
  }
  return all.subarray(0, at);
}

const ANSWERS: readonly (readonly [query: string, answer: string | RegExp])[] = [
  [
    "shard_of(NULL, 64), shard_of('a', NULL), shard_of_u64(NULL, 64), xxh64(NULL, 1), redis_slot(NULL)",
    `${'\\N\t'.repeat(4)}\\N`,
  ],
  ["kafka_partition(NULL, 12), kafka_partition('a', NULL)", '\\N\t\\N'],
  [
    "shard_of(arrayJoin(['user:42', NULL, 'user:43']), 64) = shard_of(arrayJoin(['user:42', NULL, 'user:43']), 64)",
    '1\n\\N\n1',
  ],
  ["shard_of(toLowCardinality('user:42'), 64) = shard_of(toNullable('user:42'), 64)", '1'],
  [
    'countIf(xxh64(toString(number), 0) != xxHash64(toString(number))) from numbers_mt(3000000) settings max_threads = 4',
    '0',
  ],
  ["shard_of('user:42', 0)", /shards: expected an integer from 1 to 2147483647, got 0/],
  ['shard_of_u64(5, -1)', /shards: expected an integer from 1 to 2147483647, got 18446744073709551615/],
  ["shard_of('user:42', toInt64(number) - 5) from numbers(10)", /got 18446744073709551611/],
  ["kafka_partition('a', 0)", /shards: expected an integer from 1 to 2147483647|Division by zero/],
  ["vitess_shard('a', 0)", /shards: expected an integer from 1 to 65536/],
  ["spark_rdd_partition('\\xff', 12)", /key: expected text in UTF-8, got other bytes/],
  ['shard_of(5, 64)', /Illegal type of arguments, expected \(String, UInt128\)/],
  [
    "max(shard_of(concat(repeat('x', 3000), toString(number)), 64)) from numbers(200000) settings max_block_size = 65536",
    /no memory for a block of \d+ bytes: raise webassembly_udf_max_memory, or set webassembly_udf_max_input_block_size/,
  ],
  [
    "max(shard_of(concat(repeat('x', 3000), toString(number)), 64)) from numbers(200000) settings webassembly_udf_max_input_block_size = 10000",
    '63',
  ],
];

/** NULL, and what a query says that cannot be answered. */
export function compareAnswers(clickhouse: ClickHouse, report: Report): void {
  clickhouse.lines(shardbits(['sql', '--dialect', 'clickhouse', '--seed', `${SEED}`]).toString());
  for (const [query, expected] of [...ANSWERS, ...answersOfSystems(clickhouse), ...answersOfSeed42(clickhouse)]) {
    let answer: string;
    try {
      answer = clickhouse.lines(`select ${query}`).trimEnd();
    } catch (error) {
      answer = (error as Error).message;
    }
    const isSame = typeof expected === 'string' ? answer === expected : expected.test(answer);
    report(isSame, isSame ? `answer to ${query}` : `answer to ${query}: ${answer}`);
  }
}

type Answer = (typeof ANSWERS)[number];

/** NULL keys in a column, and a number of shards that is one too many. */
function answersOfSystems(clickhouse: ClickHouse): Answer[] {
  return PLACING_WORDS.flatMap((word): Answer[] => {
    const hasCount = !countsOf(word).includes(undefined);
    const sql = shardbits(['sql', '--dialect', 'clickhouse', ...placedAs(word, hasCount ? 12 : undefined)]).toString();
    clickhouse.lines(sql);
    const [, name, key] = /To check it: select (\w+)\(('user:42'|\d+)/.exec(sql) ?? [];
    const call = (one: string | undefined, shards = 12) => `${name}(${one}${hasCount ? `, ${shards}` : ''})`;
    const ofNull: Answer = [
      `${call(`arrayJoin([${key}, NULL])`)} = ${call(key)}`,
      hasRuleForNull(partitionerNamed(word, { shards: 12 })) ? /^1\n[01]$/ : '1\n\\N',
    ];
    const tooMany: Answer = [call(key, systems[word].most + 1), /shards: expected an integer from 1 to \d+/];
    return hasCount ? [ofNull, tooMany] : [ofNull];
  });
}

/** For these, ClickHouse has functions of its own. */
function answersOfSeed42(clickhouse: ClickHouse): Answer[] {
  return ['jump', 'fastrange', 'modulo'].flatMap((strategy): Answer[] => {
    const name = `shard_of_${strategy}`;
    const options = ['--seed', '42', '--strategy', strategy];
    const sql = shardbits(['sql', '--dialect', 'clickhouse', ...options, '--shards', '64']).toString();
    clickhouse.lines(sql.replaceAll(/\bshard_of\b/g, name));
    const some = "arrayJoin(['user:42', NULL])";
    return [
      [`${name}(${some}, 64) = ${name}('user:42', 64)`, '1\n\\N'],
      [`${name}('user:42', 0)`, /expected an integer from 1|must be positive/],
      [`${name}('user:42', -1)`, /expected an integer from 1|must be positive/],
      [`${name}('user:42', 2147483648)`, /expected an integer from 1|must not be greater/],
    ];
  });
}

const ROUNDS = 7;

/** A query takes 15 ms more with the module, whatever its rows. Fewer rows tell little. */
const TIMED_ROWS = 10_000_000;

/** A function that gives a zero for each row shows what ClickHouse itself takes for the arguments and results. */
const ZEROS = `
  export function clickhouse_create_buffer(byteLength: u32): usize {
    const missing = <i32>((65536 + 16 + byteLength) >>> 16) + 1 - memory.size();
    if (missing > 0) memory.grow(missing);
    store<u32>(65536, 65536 + 8);
    store<u32>(65540, byteLength);
    return 65536;
  }
  export function clickhouse_destroy_buffer(handle: usize): void {}
  export function zeros(input: usize, rows: u32): usize {
    const output = clickhouse_create_buffer(4 * rows);
    memory.fill(65544, 0, 4 * rows);
    return output;
  }`;

async function installZeros(clickhouse: ClickHouse): Promise<void> {
  const { default: asc } = await import('assemblyscript/asc');
  const options = { optimizeLevel: 3, runtime: 'stub', use: ['abort='], enable: ['bulk-memory'] };
  const { binary } = await asc.compileString(ZEROS, options);
  const code = Buffer.from(binary as Uint8Array).toString('base64');
  clickhouse.lines(`insert into system.webassembly_modules (name, code) select 'zeros', base64Decode('${code}')`);
  for (const key of ['String', 'UInt64']) {
    clickhouse.lines(`create or replace function zeros_of_${key} language WASM from 'zeros' :: 'zeros'
      arguments (key ${key}, router UInt128) returns UInt32 abi BUFFERED_V1
      settings serialization_format = 'RowBinary', webassembly_udf_enable_fuel = false`);
  }
}

/**
 * What a query takes with the module, and with the functions that ClickHouse has.
 * @param compared how many rows are compared
 */
export async function compareTimes(clickhouse: ClickHouse, compared: number, report: Report): Promise<FigureTable> {
  const isMeasured = compared >= 1_000_000;
  const rows = isMeasured ? TIMED_ROWS : compared;
  await installZeros(clickhouse);
  clickhouse.lines(shardbits(['sql', '--dialect', 'clickhouse', '--seed', `${SEED}`]).toString());
  clickhouse.lines(`CREATE TABLE bench.mails ENGINE = Memory AS
    SELECT concat('user', toString(number * 7919), '@example', toString(number % 97), '.com') AS x, cityHash64(number) AS n
    FROM numbers(${rows}) SETTINGS max_threads = 1`);
  const table: FigureTable = {
    title: `${rows.toLocaleString('en')} keys to 64 shards, one thread`,
    columns: ['ns a row, with the module', 'of which ClickHouse takes', 'with its own functions', 'times as long'],
    rows: (
      [
        [
          'e-mail addresses',
          'jumpConsistentHash(xxHash64(x), 64)',
          'shard_of(x, 64)',
          'zeros_of_String(x, toUInt128(64))',
        ],
        ['UInt64s', 'jumpConsistentHash(xxHash64(n), 64)', 'shard_of_u64(n, 64)', 'zeros_of_UInt64(n, toUInt128(64))'],
      ] as const
    ).map(([what, native, ours, zeros]) => {
      const times = Array.from({ length: ROUNDS }, () =>
        [ours, zeros, native].map((expression) => {
          return clickhouse.time(`SELECT ignore(${expression}) FROM bench.mails SETTINGS max_threads = 1`) / rows;
        }),
      );
      const [after, floor, before] = [0, 1, 2].map((i) => median(times.map((one) => one[i] as number)));
      const factor = median(times.map((one) => (one[0] as number) / (one[2] as number)));
      report(
        !isMeasured || factor <= 2,
        `the module takes at most twice as long for ${what}: ${factor.toFixed(2)} times`,
      );
      return [what, after, floor, before, factor];
    }),
  };
  clickhouse.drop('mails');
  console.log(plainFigures(table));
  return table;
}
