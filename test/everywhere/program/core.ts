import { ID_TEXTS } from '../../vectors/id-text.js';
import { INSTANT, KNOWN_IDS, unpackedFields } from '../../vectors/ids.js';
import { GO_JUMP, GOLDEN_100, GUAVA } from '../../vectors/jump-hash.js';
import { SANITY_HASHES, SANITY_SEED, sanityBuffer, TEXT_HASHES, U64_HASHES } from '../../vectors/xxh64.js';
import type { Checks } from './checks.js';
import { columns, texts } from './inputs.js';

type Core = typeof import('shardbits');

const FORMATS = ['dec', 'hex', 'base62', 'crockford32'] as const;

/** Published values, by the backend in use. */
export function publishedValues(checks: Checks, core: Core): void {
  const { Router, Xxh64, formatId, formatIds, jumpHash, jumpHashMany, layouts, parseId, parseIds } = core;
  const by = (what: string) => `${what} [${core.getBackend()}]`;
  const buffer = sanityBuffer();
  for (const { length, seedZero, seedPrime } of SANITY_HASHES) {
    const data = buffer.subarray(0, length);
    checks.same(by(`XXH64 of ${length} bytes`), core.xxh64(data), seedZero);
    checks.same(by(`XXH64 of ${length} bytes, seeded`), new Xxh64(SANITY_SEED).update(data).digest(), seedPrime);
  }
  for (const { text, seed, hash } of TEXT_HASHES) {
    checks.same(by(`XXH64 of ${text.slice(0, 20)}`), core.xxh64(text, seed), hash);
    checks.same(by(`XXH64 of a column of ${text.slice(0, 20)}`), core.xxh64Many([text], { seed })[0], hash);
  }
  for (const { key, hash } of U64_HASHES) checks.same(by(`XXH64 of ${key}`), core.xxh64(key), hash);
  checks.same(
    by("Guava's golden 100"),
    jumpHashMany(
      BigUint64Array.from(GOLDEN_100, (_, key) => BigInt(key)),
      100,
    ),
    Uint32Array.from(GOLDEN_100),
  );
  for (const { key, buckets, bucket } of GUAVA) checks.same(by(`jump hash of ${key}`), jumpHash(key, buckets), bucket);
  for (const { key, buckets } of GO_JUMP) {
    checks.same(
      by(`jump hash of ${key}`),
      buckets.map((_, n) => jumpHash(key, n + 1)),
      buckets,
    );
  }
  checks.same(by('a router'), new Router({ shards: 1024 }).routeMany(['user:42', 'user:43']), Uint32Array.of(717, 360));
  for (const known of KNOWN_IDS) {
    const { layout, id } = known;
    checks.same(by(`${layout} of ${id}`), layouts[layout].unpack(id), unpackedFields(known));
    checks.same(by(`${layout} as ${id}`), (layouts[layout] as { pack(fields: object): bigint }).pack(known.fields), id);
  }
  const fields = { timestamp: new Date(INSTANT), shard: 5, sequence: 123 };
  checks.same(by('a date in an id'), layouts.snowflake.pack(fields), 154173452582932603n);
  for (const format of FORMATS) {
    for (const vector of ID_TEXTS)
      checks.same(by(`${vector.id} in ${format}`), formatId(vector.id, format), vector[format]);
    for (const vector of ID_TEXTS)
      checks.same(by(`${vector[format]} read`), parseId(vector[format], format), vector.id);
    const ids = BigUint64Array.from(ID_TEXTS, ({ id }) => id);
    checks.same(by(`a column in ${format}`), parseIds(formatIds(ids, format), format), ids);
  }
}

/** The same by both backends: columns of lengths about those of pieces, with odd tails. */
export function bothTheSame(checks: Checks, core: Core): void {
  const router = new core.Router({ shards: 1000, down: [3, 7], seed: 9n });
  const mixed = core.defineLayout({ f: 36, w: 18, h: 9, b: 1 });
  for (const ids of columns()) {
    const run = () => [
      core.xxh64Many(ids, { seed: 5n }),
      core.jumpHashMany(ids, 2 ** 31 - 1),
      core.fastRangeMany(ids, 1_000_003),
      router.routeMany(ids),
      Object.values(mixed.unpackMany(ids)),
      mixed.packMany(mixed.unpackMany(ids)),
      core.formatIdColumn(ids, 'base62'),
      core.parseIds(core.formatIdColumn(ids, 'dec'), 'dec'),
    ];
    compare(checks, core, `${ids.length} rows`, run);
  }
  compare(checks, core, 'strings', () => core.xxh64Many(texts()));
  compare(checks, core, 'strings, routed', () => router.routeMany(texts()));
  compare(checks, core, 'a plan', () => core.planReshard(texts(), router, router.with({ shards: 1001 })));
  compare(checks, core, 'a long string', () => core.xxh64('жизнь😀\ud800'.repeat(99_999)));
}

function compare(checks: Checks, core: Core, what: string, run: () => unknown): void {
  core.setBackend('bigint');
  const expected = run();
  core.setBackend('wasm');
  checks.same(`${what}: WebAssembly and BigInt`, run(), expected);
}

/** Errors, by class, name and code: what callers go by. */
export async function errors(checks: Checks, core: Core): Promise<void> {
  const { layouts, Router, SnowflakeGenerator: Generator, xxh64 } = core;
  await checks.fails('a number for a key', () => xxh64(5 as never), TypeError);
  await checks.fails('no shards', () => new Router({ shards: 0 }), RangeError);
  await checks.fails(
    'a shard too many',
    () => layouts.snowflake.pack({ timestamp: 0, shard: 1024, sequence: 0 }),
    RangeError,
  );
  await checks.fails('no such backend', () => core.setBackend('simd' as never), RangeError);
  await checks.fails('no module', () => core.loadBackend('core.wasm' as never), TypeError);
  const times = [2e12, 1e12];
  const back = new Generator({ shard: 1, clock: () => times.shift() ?? 1e12 });
  back.next();
  await checks.fails(
    'a clock that goes back',
    () => back.next(),
    core.ClockBackwardsError,
    'ClockBackwardsError',
    'ERR_CLOCK_BACKWARDS',
  );
  const stopped = new Generator({ shard: 1, clock: () => 2e12, onSequenceExhausted: 'throw' });
  stopped.nextMany(4096);
  await checks.fails(
    'no numbers left',
    () => stopped.next(),
    core.SequenceExhaustedError,
    'SequenceExhaustedError',
    'ERR_SEQUENCE_EXHAUSTED',
  );
  const late = new Generator({ shard: 1, clock: () => 4e12 });
  await checks.fails(
    'the end of time',
    () => late.next(),
    core.LayoutExpiredError,
    'LayoutExpiredError',
    'ERR_LAYOUT_EXPIRED',
  );
}

/** New ids, by the platform's clock and timers. */
export async function minting(checks: Checks, core: Core): Promise<void> {
  const generator = new core.SnowflakeGenerator({ shard: 5 });
  const ids = [
    generator.next(),
    ...generator.nextMany(100),
    ...(await generator.nextManyAsync(9000)),
    await generator.nextAsync(),
  ];
  checks.same(
    'new ids ascend',
    ids.findIndex((id, row) => row > 0 && id <= ids[row - 1]),
    -1,
  );
  checks.same('new ids have their shard', core.layouts.snowflake.shardOf(ids.at(-1) as bigint), 5);
  const age = Date.now() - core.layouts.snowflake.dateOf(ids.at(-1) as bigint).getTime();
  checks.same('new ids are of now', age > -5000 && age < 60_000, true);
}
