import {
  fastRangeMany,
  formatId,
  formatIds,
  jumpHash,
  jumpHashMany,
  layouts,
  parseId,
  parseIds,
  Router,
  SnowflakeGenerator,
  typedKey,
  xxh64,
  xxh64Many,
} from 'shardbits';
import type { Results } from '../area.js';
import { dateByHand, fromBase62, mintByHand, packByHand, toBase62, unpackByHand } from '../by-hand.js';
import { strings, u64s } from '../inputs.js';
import { type OneByOne, toFields, toNumbers, toStrings, toU64s } from '../one-by-one.js';

/** The kinds of figures, and what each compares. */
export const KINDS = {
  columns: 'Columns: WebAssembly / BigInt',
  values: 'Single values: WebAssembly / BigInt',
  byHand: 'Single values for which both backends run the same code: shardbits / BigInt written by hand',
} as const;

/** Some work that is timed in every engine. */
export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly kind: keyof typeof KINDS;
  readonly rows: number;
  /** Does the work with shardbits, on the backend in use. */
  work(): Results;
  /** Does the same with BigInts, written by hand, if both backends run the same code. */
  byHand?(): Results;
}

// Few enough that BigInt takes less than a second in the slowest engine, and several times as many as one piece.
const ROWS = 50_000;

const { snowflake } = layouts;
const SHARDS = 1024;

/** Makes the figures one after the other, so that only the inputs of one are in memory. */
export function* figures(rows: number = ROWS): Iterable<Figure> {
  yield* columns(rows);
  yield* singleValues(Math.ceil(rows / 10));
}

function* columns(rows: number): Iterable<Figure> {
  const figure = (name: string, title: string, work: () => Results): Figure => {
    return { name, title, kind: 'columns', rows, work };
  };
  const keys = u64s(rows);
  const hashes = new BigUint64Array(rows);
  const shards = new Uint32Array(rows);
  yield figure('jump-1024', 'jumpHashMany, 1,024 buckets', () => [jumpHashMany(keys, SHARDS, { out: shards })]);
  yield figure('fast-range', 'fastRangeMany, n = 1000', () => [fastRangeMany(keys, 1000, { out: shards })]);
  yield figure('xxh64-u64', 'xxh64Many, u64 keys', () => [xxh64Many(keys, { out: hashes })]);
  for (const [units, filler] of [
    [10, 'user:'],
    [70, 'at://did:plc:'],
  ] as const) {
    const texts = strings(rows, units, filler);
    const title = `xxh64Many, strings of ${units}`;
    yield figure(`strings-ascii-${units}`, title, () => [xxh64Many(texts, { out: hashes })]);
  }
  const ids = keys.map((key) => key >> 1n); // the layout has 63 bits
  const out = snowflake.unpackMany(ids);
  const packed = new BigUint64Array(rows);
  const fields = snowflake.unpackMany(ids);
  yield figure('pack-narrow', 'packMany, snowflake', () => [snowflake.packMany(fields, { out: packed })]);
  yield figure('unpack-narrow', 'unpackMany, snowflake', () => Object.values(snowflake.unpackMany(ids, { out })));
  yield figure('dates', 'datesOf, snowflake', () => [snowflake.datesOf(ids, { out: out.timestamp })]);
  const texts = formatIds(ids, 'dec');
  yield figure('parse-strings', 'parseIds, dec: strings', () => [parseIds(texts, 'dec')]);
  yield figure('format-base62', 'formatIds, base62: to strings', () => [formatIds(ids, 'base62')]);
}

function* singleValues(rows: number): Iterable<Figure> {
  const figure = (name: string, title: string, { run: work }: OneByOne, byHand?: OneByOne): Figure => {
    const kind = byHand ? 'byHand' : 'values';
    return { name: `single-${name}`, title, kind, rows, work, ...(byHand && { byHand: byHand.run }) };
  };
  const keys = Array.from(u64s(rows));
  const short = strings(rows, 10, 'user:');
  const long = strings(rows, 70, 'at://did:plc:');
  const router = new Router({ shards: SHARDS });
  yield figure(
    'xxh64',
    'xxh64, a string of 10',
    toU64s('shardbits', short, (text) => xxh64(text)),
  );
  yield figure(
    'jump',
    'jumpHash, 1,024 buckets',
    toNumbers('shardbits', keys, (key) => jumpHash(key, SHARDS)),
  );
  yield figure(
    'route',
    'router.route, a string of 70',
    toNumbers('shardbits', long, (text) => router.route(text)),
  );
  yield figure(
    'typed-key',
    'router.route(typedKey(…)), a string of 10',
    toNumbers('shardbits', short, (text) => router.route(typedKey('User', text))),
  );
  const ids = keys.map((key) => key >> 1n);
  const fields = ids.map(unpackByHand);
  const base62 = ids.map((id) => formatId(id, 'base62'));
  yield figure(
    'unpack',
    'layout.unpack, snowflake',
    toFields('shardbits', ids, (id) => snowflake.unpack(id)),
    toFields('BigInt by hand', ids, unpackByHand),
  );
  yield figure(
    'date',
    'layout.dateOf, snowflake',
    toNumbers('shardbits', ids, (id) => snowflake.dateOf(id).getTime()),
    toNumbers('BigInt by hand', ids, (id) => dateByHand(id).getTime()),
  );
  yield figure(
    'pack',
    'layout.pack, snowflake',
    toU64s('shardbits', fields, (values) => snowflake.pack(values)),
    toU64s('BigInt by hand', fields, packByHand),
  );
  yield figure(
    'next',
    'generator.next',
    minting('shardbits', rows, (shard, clock) => {
      const generator = new SnowflakeGenerator({ shard, clock });
      return () => generator.next();
    }),
    minting('BigInt by hand', rows, mintByHand),
  );
  yield figure(
    'format-base62',
    'formatId, base62',
    toStrings('shardbits', ids, (id) => formatId(id, 'base62')),
    toStrings('BigInt by hand', ids, toBase62),
  );
  yield figure(
    'parse-base62',
    'parseId, base62',
    toU64s('shardbits', base62, (text) => parseId(text, 'base62')),
    toU64s('BigInt by hand', base62, fromBase62),
  );
}

const START = Date.UTC(2026, 0, 1);

/** Every run mints the same ids, with a clock that shows a new millisecond after 1,024 of them. */
function minting(name: string, rows: number, minter: (shard: number, clock: () => number) => () => bigint): OneByOne {
  const ids = new BigUint64Array(rows);
  return {
    name,
    run() {
      let now = START;
      const next = minter(1, () => now);
      for (let i = 0; i < rows; i++) {
        now = START + (i >> 10);
        ids[i] = next();
      }
      return [ids];
    },
  };
}
