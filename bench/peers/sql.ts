// `npm run verify -- sql`: runs the SQL of docs/sql.md in ClickHouse, with several numbers of shards, on a million texts and
// a million u64s, and the SQL of `toSql` for every layout; then what `shardbits sql` writes for ClickHouse and DuckDB. Compares
// all rows with those of shardbits, and the time that the module for ClickHouse takes with that of ClickHouse's own functions.
// `ROWS=…` for fewer, and `--json FILE` to record the times.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { documentedSql } from '../../test/support/markdown.js';
import { numberTimeMask } from '../../test/support/number-times.js';
import { writeFigures } from '../figure-tables.js';
import { u64s } from '../inputs.js';
import { defineLayout, type FieldSpecs, type Layout, layouts, planReshard, Router } from '../shardbits.js';
import { ClickHouse } from './clickhouse.js';
import { compareAnswers, compareModule, compareTimes, rowBinaryStrings } from './clickhouse-module.js';
import { comparePrinted, inClickHouse, inDuckDb } from './printed-sql.js';
import { ROWS } from './rows.js';
import { compareKinds } from './sql-kinds.js';

const SHARDS = [1, 2, 10, 1024, 100_000, 2147483647];
const PLANS = [
  [10, 11],
  [11, 10],
  [1, 2],
  [1024, 1025],
  [100_000, 2147483647],
] as const;
const PRINTED_ROWS = Math.min(ROWS / 10, 100_000); // DuckDB takes 12 to 45 µs for each
const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;

type Keys = string[] | BigUint64Array;

const { values } = parseArgs({ options: { json: { type: 'string' } } });
let different = 0;
process.exitCode = await main();

async function main(): Promise<number> {
  if (!existsSync(new URL('node_modules/chdb', import.meta.url))) {
    console.log('skipped: ClickHouse and DuckDB are not installed (npm install --prefix bench/peers)');
    return process.env.CI ? 1 : 0;
  }
  const clickhouse = new ClickHouse();
  try {
    const texts = textKeys();
    clickhouse.load('texts', 'String', rowBinaryStrings(texts));
    await compareRouting(clickhouse, 'texts', texts);
    comparePlans(clickhouse, 'texts', texts);
    const keys = u64s(ROWS);
    clickhouse.load('u64s', 'UInt64', keys);
    await compareRouting(clickhouse, 'u64s', keys);
    await compareUnhashed(clickhouse, keys);
    comparePlans(clickhouse, 'u64s', keys);
    await compareLayouts(clickhouse, keys);
    await comparePrinted(inClickHouse(clickhouse), PRINTED_ROWS, report);
    await compareModule(clickhouse, ROWS, report);
    compareKinds(clickhouse, PRINTED_ROWS, report);
    compareAnswers(clickhouse, report);
    const times = await compareTimes(clickhouse, ROWS, report);
    if (values.json !== undefined) writeFigures(values.json, [times]);
    await comparePrinted(await inDuckDb(), PRINTED_ROWS, report);
  } finally {
    clickhouse.stop();
  }
  console.log(
    different === 0 ? 'all rows are the same as those of ClickHouse and DuckDB' : `${different} are not the same`,
  );
  return different === 0 ? 0 : 1;
}

function report(same: boolean, what: string): void {
  if (!same) different++;
  console.log(`${same ? 'same     ' : 'DIFFERENT'} ${what}`);
}

/** Texts of 0 to 3,000 bytes, some with characters beyond ASCII, zeros and line feeds. */
function textKeys(): string[] {
  const parts = ['', 'user:', 'жизнь', '漢字', '😀', '\0', '\n\t', 'é'.repeat(100), 'x'.repeat(31)];
  const keys = Array.from({ length: ROWS }, (_, i) => `${parts[i % parts.length]}${i}`);
  keys.splice(0, 4, '', 'a'.repeat(3000), '\0', '\0\0');
  return keys;
}

/** A statement of docs/sql.md over one of our tables. */
function over(table: string, title: string): string {
  return documentedSql(title).replace(/\bFROM (keys|orders)\b/, (_, name) => {
    return `FROM (SELECT x AS ${name === 'keys' ? 'key' : 'id'} FROM bench.${table})`;
  });
}

/** Columns of a query, in the order of its rows. */
async function columns<T extends typeof Uint32Array | typeof BigUint64Array>(
  clickhouse: ClickHouse,
  names: readonly string[],
  from: string,
  Column: T,
): Promise<InstanceType<T>[]> {
  const type = Column.BYTES_PER_ELEMENT === 4 ? 'toUInt32' : 'toUInt64';
  const sql = `SELECT ${names.map((name) => `${type}(${name})`)} FROM ${from} SETTINGS max_threads = 1`;
  const rows = new Column(await clickhouse.rowBinary(sql));
  return names.map((_, i) => rows.filter((_: unknown, at: number) => at % names.length === i) as InstanceType<T>);
}

async function compareRouting(clickhouse: ClickHouse, table: string, keys: Keys): Promise<void> {
  for (const shards of SHARDS) {
    const statement = over(table, 'ClickHouse: route').replaceAll('1024', String(shards));
    const theirs = await columns(clickhouse, STRATEGIES, `(${statement})`, Uint32Array);
    for (const [i, strategy] of STRATEGIES.entries()) {
      const ours = new Router({ shards, strategy }).routeMany(keys);
      report(equal(ours, theirs[i]), `${keys.length} ${table}, ${strategy}, ${shards} shards`);
    }
  }
}

async function compareUnhashed(clickhouse: ClickHouse, keys: BigUint64Array): Promise<void> {
  const statement = over('u64s', 'ClickHouse: route').replaceAll('xxHash64(key)', 'key');
  const theirs = await columns(clickhouse, STRATEGIES, `(${statement})`, Uint32Array);
  for (const [i, strategy] of STRATEGIES.entries()) {
    const ours = new Router({ shards: 1024, strategy, hash: 'none' }).routeMany(keys);
    report(equal(ours, theirs[i]), `${keys.length} u64s, ${strategy}, 1024 shards, not hashed`);
  }
}

function comparePlans(clickhouse: ClickHouse, table: string, keys: Keys): void {
  for (const [before, after] of PLANS) {
    const router = new Router({ shards: before });
    const { total, moved, flows } = planReshard(keys, router, router.with({ shards: after }));
    const run = (title: string) => {
      const statement = over(table, title);
      return clickhouse.lines(statement.replace(/, (10|11)\)/g, (_, n) => `, ${n === '10' ? before : after})`));
    };
    const what = `${table}, ${before} to ${after} shards`;
    report(run('ClickHouse: plan') === `${total}\t${moved}\n`, `plan of ${total} ${what}: ${moved} move`);
    const ours = flows.map(({ from, to, count }) => `${from}\t${to}\t${count}\n`).join('');
    report(run('ClickHouse: flows') === ours, `${flows.length} flows of ${what}`);
  }
}

async function compareLayouts(clickhouse: ClickHouse, random: BigUint64Array): Promise<void> {
  const others = { '64': { all: 64 }, '63': { all: 63 }, '1, 63': { top: 1, rest: 63 }, '63, 1': { top: 63, low: 1 } };
  const all = [
    ...Object.entries(layouts as unknown as { [name: string]: Layout }),
    ...Object.entries(others).map(([name, fields]) => [`of bits ${name}`, defineLayout(fields as FieldSpecs)] as const),
  ];
  for (const [i, [name, layout]] of all.entries()) {
    const mins = Object.entries(layout.fields).map(([field, { min }]) => [field, BigInt(min)]);
    const smallest = layout.pack(Object.fromEntries(mins));
    const mask = numberTimeMask(layout);
    const ids = random.map((value) => (value & mask) | smallest);
    ids.set([smallest, mask]);
    clickhouse.load(`ids${i}`, 'UInt64', ids);
    const texts = Object.values(layout.toSql('x', 'clickhouse'));
    const theirs = await columns(clickhouse, texts, `bench.ids${i}`, BigUint64Array);
    const wide = layout.unpackMany(ids, { wide: true });
    // Whole Unix milliseconds, as in ClickHouse.
    if (layout.time) wide[layout.time.name] = BigUint64Array.from(layout.datesOf(ids), (ms) => BigInt(Math.floor(ms)));
    const ours = Object.values(wide);
    report(
      ours.every((column, field) => equal(column, theirs[field])),
      `${ids.length} ids, layout ${name}`,
    );
    if (layout === (layouts.snowflake as unknown as Layout)) await compareDates(clickhouse, `ids${i}`, ids);
  }
}

async function compareDates(clickhouse: ClickHouse, table: string, ids: BigUint64Array): Promise<void> {
  const statement = over(table, "ClickHouse: layouts.snowflake.toSql('id', 'clickhouse')");
  const names = ['shard', 'toUnixTimestamp64Milli(created)'];
  const [shards, created] = await columns(clickhouse, names, `(${statement})`, BigUint64Array);
  const chosen = ids.filter((id) => layouts.snowflake.unpack(id).sequence === 123);
  const ours = [...chosen].map((id) => BigInt(layouts.snowflake.dateOf(id).getTime()));
  const same = equal(
    chosen.map((id) => BigInt(layouts.snowflake.shardOf(id))),
    shards,
  );
  report(same && equal(BigUint64Array.from(ours), created), `shards and dates of ${chosen.length} ids`);
}

function equal(ours: Uint32Array | BigUint64Array, theirs: Uint32Array | BigUint64Array | undefined): boolean {
  return ours.length === theirs?.length && ours.every((value, row) => value === theirs[row]);
}
