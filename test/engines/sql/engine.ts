// What an engine has to give for the statements of `shardbits sql`, compared with the library.
import { type DialectName, layoutSql, mapSql, routingSql } from '../../../src/engines/sql/index.js';
import type { Strategy } from '../../../src/engines/sql/types.js';
import { type BytesColumn, defineLayout, type Layout, layouts, Router, xxh64Many } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { randomKeys } from '../../partitioners/random-keys.js';
import { utf8 } from '../../support/bytes.js';
import { randomU64s } from '../../support/random.js';

/** An engine that runs statements, with what differs between engines in the tests' own statements. */
export interface SqlEngine {
  readonly dialect: DialectName;
  readonly strategies: readonly Strategy[];
  readonly seeds: readonly bigint[];
  /** Statements as they are piped into the engine's client. */
  execute(statements: string): Promise<void> | void;
  /** The first column of a query's rows, as texts; NULL is empty. */
  column(query: string): Promise<string[]> | string[];
  readonly types: { readonly text: string; readonly bytes: string; readonly u64: string };
  /** The end of a statement that makes a table. */
  readonly tableOptions?: string;
  text(hex: string): string;
  bytes(hex: string): string;
  u64(value: bigint): string;
  /** The functions for bytes and u64s, if not `shard_of`. */
  readonly names?: { readonly bytes: string; readonly u64: string };
  /** Whole microseconds of a time. */
  us(time: string): string;
  /** A time of which no id of any layout is. */
  readonly before: string;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const BATCH = 500;

async function insert(engine: SqlEngine, table: string, types: readonly string[], rows: readonly string[]) {
  const columns = types.map((type, i) => `${'abc'[i]} ${type}`).join(', ');
  await engine.execute(`create table ${table} (n integer, ${columns})${engine.tableOptions ?? ''};`);
  for (let from = 0; from < rows.length; from += BATCH) {
    const values = rows.slice(from, from + BATCH).map((row, i) => `(${from + i}, ${row})`);
    await engine.execute(`insert into ${table} values ${values.join(',\n')};`);
  }
}

interface SqlKeys {
  readonly texts: string[];
  readonly bytes: BytesColumn;
  readonly u64s: BigUint64Array;
}

/** Texts and bytes of every length from 0 to 300 bytes, and u64s, in the table `sb_keys`. */
export async function loadKeys(engine: SqlEngine, count: number): Promise<SqlKeys> {
  const { keys, rows } = randomKeys('bytes', count);
  const bytes = keys as BytesColumn;
  const u64s = new BigUint64Array((randomKeys('int64', count).keys as BigInt64Array).buffer);
  // PostgreSQL has no texts with U+0000.
  const texts = (randomKeys('text', count).keys as string[]).map((text) => text.replaceAll('\0', '\u0001'));
  for (let length = 0; length <= 300; length++) {
    texts[3 * length] = `${'é'.repeat(length >> 1)}${length % 2 ? 'x' : ''}`;
    texts[3 * length + 1] = 'abcdefghijklmnop'.repeat(19).slice(0, length);
    texts[3 * length + 2] = '😀'.repeat(75).slice(0, length >> 1);
  }
  await insert(
    engine,
    'sb_keys',
    [engine.types.text, engine.types.bytes, engine.types.u64],
    texts.map((text, i) => {
      const [a, b] = [hexOf(utf8(text)), hexOf(rows[i] as Uint8Array)];
      return `${engine.text(a)}, ${engine.bytes(b)}, ${engine.u64(u64s[i] as bigint)}`;
    }),
  );
  return { texts, bytes, u64s };
}

/** The first differences, as texts. */
function differences(what: string, theirs: readonly string[], ours: ArrayLike<unknown>): string[] {
  if (theirs.length !== ours.length) return [`${what}: ${theirs.length} rows, not ${ours.length}`];
  const wrong = theirs.flatMap((text, row) => (text === String(ours[row]) ? [] : [row]));
  return wrong.slice(0, 3).map((row) => `${what}, row ${row}: ${theirs[row]}, not ${ours[row]}`);
}

/** What an engine gives for the keys of a kind, where a Router gives something else. */
export async function wrongShards(
  engine: SqlEngine,
  keys: SqlKeys,
  strategy: Strategy,
  seed: bigint,
  counts: readonly number[],
): Promise<string[]> {
  await engine.execute(routingSql(engine.dialect, { strategy, seed, shards: 10 }));
  const { names = { bytes: 'shard_of', u64: 'shard_of' } } = engine;
  const textsOnly = engine.dialect === 'clickhouse' && seed !== 0n;
  const wrong: string[] = [];
  for (const shards of counts) {
    const router = new Router({ shards, strategy, seed });
    for (const [column, name, ours] of [
      ['a', 'shard_of', keys.texts],
      ['b', names.bytes, keys.bytes],
      ['c', names.u64, keys.u64s],
    ] as const) {
      if (textsOnly && column === 'c') continue;
      const extra = engine.dialect === 'sqlite' && seed !== 0n ? `, ${BigInt.asIntN(64, seed)}` : '';
      const theirs = await engine.column(`select ${name}(${column}, ${shards}${extra}) from sb_keys order by n`);
      const what = `${strategy}, seed ${seed}, ${shards} shards, column ${column}`;
      wrong.push(...differences(what, theirs, router.routeMany(ours)));
    }
  }
  return wrong;
}

/** Where the hashes of an engine's `xxh64` are others. They may be signed. */
export async function wrongHashes(engine: SqlEngine, keys: SqlKeys, seeds: readonly bigint[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const seed of seeds) {
    for (const [column, ours] of [
      ['a', keys.texts],
      ['b', keys.bytes],
    ] as const) {
      const theirs = await engine.column(`select xxh64(${column}, ${engine.u64(seed)}) from sb_keys order by n`);
      const unsigned = theirs.map((hash) => String(BigInt.asUintN(64, BigInt(hash))));
      wrong.push(...differences(`xxh64, seed ${seed}, column ${column}`, unsigned, xxh64Many(ours, { seed })));
    }
  }
  return wrong;
}

const OTHERS = {
  whole: defineLayout({ all: 64 }),
  halves: defineLayout({ top: 1, rest: 63 }),
  // Time is not the highest field, and begins before 1970.
  lowTime: defineLayout({ low: 24, born: { bits: 40, epoch: Date.UTC(1960, 0), unit: '10ms', min: 5 } }),
};

export const LAYOUTS: readonly (readonly [name: string, layout: Layout])[] = Object.entries({
  ...(layouts as unknown as { [name: string]: Layout }),
  ...(OTHERS as unknown as { [name: string]: Layout }),
});

const MAX_MS = Date.UTC(2180, 0);

/** Ids of a layout, with times before 2180, because engines know few centuries. */
function idsOf(layout: Layout, count: number): BigUint64Array {
  const random = randomU64s(count);
  return random.map((value, i) => {
    const fields = layout.places.map(({ name, mask, min, shift }) => {
      const bits = (BigInt.asUintN(64, value * 0x9e3779b97f4a7c15n) >> BigInt(shift % 7)) & mask;
      if (name !== layout.time?.name) return [name, i === 0 ? BigInt(min) : i === 1 || bits < min ? mask : bits];
      const { epoch, unitMs } = layout.time;
      const units = BigInt(Math.floor((MAX_MS - epoch) / unitMs));
      const most = units < mask ? units : mask;
      return [name, i === 0 ? BigInt(min) : i === 1 ? most : BigInt(min) + (value % (most - BigInt(min)))];
    });
    return layout.pack(Object.fromEntries(fields));
  });
}

/** What the functions of a layout give, where the library gives something else. */
export async function wrongFields(engine: SqlEngine, name: string, layout: Layout, count: number): Promise<string[]> {
  const { dialect } = engine;
  const ids = idsOf(layout, count);
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  await insert(
    engine,
    `sb_ids_${snake}`,
    [engine.types.u64],
    Array.from(ids, (id) => engine.u64(id)),
  );
  const statements = layoutSql(dialect, layout, name);
  // SQLite has expressions instead of functions.
  const { byName, bind } = dialect === 'sqlite' ? expressionsIn(statements) : { byName: undefined, bind: undefined };
  if (byName === undefined) await engine.execute(statements);
  const call = (one: string, argument: string) =>
    byName === undefined ? `${snake}_${one}(${argument})` : bind(byName[`${snake}_${one}`] ?? '', argument);
  const read = (expression: string) => engine.column(`select ${expression} from sb_ids_${snake} order by n`);
  const wide = layout.unpackMany(ids, { wide: true }) as { [field: string]: BigUint64Array };
  const wrong: string[] = [];
  for (const { name: field } of layout.places) {
    if (field === layout.time?.name) continue;
    const ours = wide[field] ?? new BigUint64Array();
    const signed = dialect === 'sqlite' ? new BigInt64Array(ours.buffer) : ours;
    wrong.push(...differences(`${name}.${field}`, await read(call(field, 'a')), signed));
  }
  if (layout.time === undefined) return wrong;
  const ms = layout.datesOf(ids);
  const { epoch, unitMs } = layout.time;
  const us = Array.from(wide[layout.time.name] ?? [], (units) => {
    return BigInt(epoch) * 1000n + units * BigInt(Math.round(unitMs * 1000));
  });
  const ofTime = (await read(call(layout.time.name, 'a'))).map(Number);
  wrong.push(...differences(`${name}.${layout.time.name}`, ofTime.map(String), ms));
  const time = call('time', 'a');
  wrong.push(...differences(`the time of ${name}`, await read(engine.us(time)), us));
  const timeBits = layout.places.find((field) => field.name === layout.time?.name);
  const timeMask = (timeBits?.mask ?? 0n) << BigInt(timeBits?.shift ?? 0);
  const smallest = layout.pack(Object.fromEntries(layout.places.map((field) => [field.name, BigInt(field.min)])));
  const [mins, maxs] = [smallest & ~timeMask, layout.mask & ~timeMask].map((others) =>
    Array.from(ids, (id) => String((id & timeMask) | others)),
  );
  for (const [end, ours] of [
    ['min_id_at', mins],
    ['max_id_at', maxs],
  ] as const) {
    const theirs = (await read(call(end, time))).map((id) => String(BigInt.asUintN(64, BigInt(id))));
    wrong.push(...differences(`${end} of ${name}`, theirs, ours ?? []));
    wrong.push(...differences(`${end} before ${name}`, (await read(call(end, engine.before))).slice(0, 1), ['']));
  }
  return wrong;
}

/** The expressions that SQLite gets, by the names of the functions that others get. */
function expressionsIn(statements: string) {
  const byName: { [name: string]: string } = {};
  for (const [, body = '', name = ''] of statements.matchAll(/^ {2}(.*) as (\w+),?$/gm)) byName[name] = body;
  return {
    byName,
    bind: (body: string, argument: string) => body.replaceAll(/\b(id|instant)\b/g, `(${argument})`),
  };
}

/** What the table of a map has, where the map has something else; it is loaded twice, as an operator does. */
export async function wrongNodes(engine: SqlEngine): Promise<string[]> {
  const awkward = ["o'clock", 'back\\slash', 'semi;colon', '-- dash', 'zürich', '東京', '%', '"q"', '`b`', '$$'];
  const nodes = awkward.map((name) => ({ name }));
  const first = ShardMap.create({ shards: 3000, nodes, replicas: 2 });
  const second = first.with({ nodes: nodes.slice(1), replicas: 1 });
  const wrong: string[] = [];
  for (const map of [first, second]) {
    await engine.execute([...mapSql(engine.dialect, map)].join(''));
    const theirs = await engine.column('select node from shard_nodes order by shard, copy');
    const ours = Array.from({ length: map.shards }, (_, shard) => map.nodesOf(shard)).flat();
    wrong.push(...differences(`nodes, version ${map.version}`, theirs, ours));
  }
  return wrong;
}
