// Where the figures of README.md and docs/ come from, except those in tables that are made of recorded results.
import { readFileSync } from 'node:fs';
import { short, timed } from '../../bench/page-tables.js';
import { ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { DEFAULT_TTL_MS } from '../../src/registry/store.js';

/**
 * Where a figure comes from:
 * - `is`: it is computed, and has to be this text
 * - `in`: a file decides it, and has this text
 * - `by`: this npm script prints it, and nothing keeps what it printed
 * - `of`: it is a fact about another system or a unit, and no measurement
 */
export type Source =
  | { readonly is: () => string }
  | { readonly in: string; readonly text: string }
  | { readonly by: string }
  | { readonly of: string };

const is = (compute: () => string): Source => ({ is: compute });
const decided = (path: string, text: string): Source => ({ in: path, text });
const by = (script: string): Source => ({ by: script });
const of = (what: string): Source => ({ of: what });

const OWN = 'bench/results.json';
const FILES = 'bench/peers/files.results.json';
const LARGE = 'route-16000000';

interface Areas {
  readonly areas: readonly { readonly name: string; readonly rows: number }[];
}

interface Engines {
  readonly engines: readonly {
    readonly javascript: string;
    readonly figures: readonly {
      readonly name: string;
      readonly kind: string;
      readonly bigint: { timesShardbits: number };
    }[];
  }[];
}

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'));
const range = (values: readonly number[]): string => `${short(Math.min(...values))} to ${short(Math.max(...values))}`;

/** How many times as long BigInt takes on columns in Node 24. */
function bigintOnColumns(): number[] {
  const names = json<Areas>(OWN).areas.map(({ name }) => name);
  const places = names.filter((name) => name !== 'xxh64-u64' && !name.startsWith('single-'));
  return places.map((name) => timed([OWN, name], 'bigint').timesShardbits);
}

/** The same in some engines, for columns with the names. */
function bigintInEngines(isV8: boolean, hasName: (name: string) => boolean): number[] {
  const engines = json<Engines>('bench/everywhere/results.json').engines;
  return engines
    .filter(({ javascript }) => (javascript === 'V8') === isV8)
    .flatMap(({ figures }) => figures.filter(({ name, kind }) => kind === 'columns' && hasName(name)))
    .map(({ bigint }) => bigint.timesShardbits);
}

/** The time of a way for a file, in seconds. */
function secondsOf(area: string, way: string): number {
  const rows = json<Areas>(FILES).areas.find(({ name }) => name === area)?.rows ?? Number.NaN;
  return (timed([FILES, area], way).ns.median * rows) / 1e9;
}

const TWO_THREADS = 'shardbits, 2 threads';
const overTwoThreads = (way: string): number =>
  timed([FILES, LARGE], way).timesShardbits / timed([FILES, LARGE], TWO_THREADS).timesShardbits;

/** The share of keys that Elasticsearch's two rules place differently. */
function placedDifferently(shards: number): number {
  const keys = Array.from({ length: 10_000 }, (_, i) => `user:${i}`);
  const newer = partitioner('elasticsearch', { shards }).routeMany(keys);
  const older = partitioner('elasticsearch', { shards, before: '9.4' }).routeMany(keys);
  return newer.filter((shard, i) => shard !== older[i]).length / keys.length;
}

/** The size of a map's JSON. */
function kilobytesOfMap(shards: number, nodes: number): number {
  const names = Array.from({ length: nodes }, (_, i) => ({ name: `db${i + 1}` }));
  return Math.round(JSON.stringify(ShardMap.create({ shards, nodes: names })).length / 1000);
}

const YEAR_MS = 365.25 * 24 * 3600 * 1000;
const REGISTRY = by('bench -- registry');
const THREADS = by('bench -- threads');
const PARQUET = by('verify -- parquet');
const MODULE = by('verify -- sql');
/** test/inspector/million.long.test.ts prints it. */
const PAGE = by('test:all');
const SHARED = decided('src/node/jobs/work.ts', 'SHARED_BYTES = 8 * 1024 * 1024');
const RETRIES = decided('src/registry/calls.ts', 'AWAY_MS = 10_000');

/** By page, then by the figure as the page has it. */
export const FIGURES: { readonly [page: string]: { readonly [figure: string]: Source } } = {
  'README.md': {
    '8 MiB': SHARED,
    '1.1 GB': is(() => `${short((16e6 * 71) / 1e9)} GB`), // lines of 70 characters
    '0.42 s': is(() => `${secondsOf(LARGE, TWO_THREADS).toFixed(2)} s`),
    '3.0 times as long': is(() => `${short(overTwoThreads('C, -O3 -march=native'))} times as long`),
    '3.7 times as long': is(() => `${short(overTwoThreads('ClickHouse, one thread'))} times as long`),
  },
  'docs/arrow-and-sets.md': { '2 GB': decided('src/sets/bitmaps.ts', 'MAX_MEMORY = 2 ** 31') },
  'docs/choosing.md': {
    '1.08 and 1.33 times': decided('test/bench/choosing.test.ts', 'times the average'),
    '0.99 %': is(() => `${short(100 / 101)} %`),
    '1 %': is(() => `${100 / 100} %`),
    '3 KB': of('xxhash-wasm'),
    '8 KB': is(() => `${kilobytesOfMap(4096, 3)} KB`),
    '193 KB': is(() => `${kilobytesOfMap(65_536, 100)} KB`),
    '22 ns': is(() => `${short(timed([OWN, 'jump-1024']).ns.median)} ns`),
  },
  'docs/detect.md': {
    '2 %': decided('src/detect/search.ts', 'ASTRAY = 1 / 50'),
    '64 MiB': decided('src/cli/io/kept-rows.ts', 'MAX_BYTES = 64 * 1024 * 1024'),
  },
  'docs/files.md': {
    '16 MiB': decided('src/lines/read/csv.ts', 'QUOTED_BYTES = 16 * 1024 * 1024'),
    '8 MiB': SHARED,
    '512 MiB': decided('src/lines/read/lines.ts', 'MAX_LINE = 512 * 1024 * 1024'),
    '256 KiB': decided('src/node/files/peek.ts', 'MAX_BYTES = 256 * 1024'),
    '45 MB': is(() => {
      const peak = (way: string) => timed([FILES, 'route-42000000'], way).peakMB ?? Number.NaN;
      return `${short(peak(TWO_THREADS) - peak('shardbits, 1 thread'))} MB`;
    }),
  },
  'docs/how-many-prefixes.md': {
    '10 ms': decided('docs/how-many-prefixes/formulas.ts', 'LATENCY = 0.01'),
    '150,000 strings a second': is(() => `${(1500 / 0.01).toLocaleString('en')} strings a second`),
  },
  'docs/inspector.md': {
    '95 %': decided('src/inspector/decode/keys/chance.ts', 'TAIL = 0.025'),
    '2.4 %': decided('test/guess/labelled-ids.test.ts', 'toContain(said)'),
    '20 MB': of('a million lines of 18 digits'),
    '0.56 to 0.66 s': PAGE,
    '2.0 to 2.3 s': PAGE,
  },
  'docs/interning.md': { '30 seconds': is(() => `${DEFAULT_TTL_MS / 1000} seconds`) },
  'docs/layouts.md': {
    '10 ms': decided('src/layout/presets.ts', "unit: '10ms'"),
    '10 µs': decided('src/layout/presets.ts', "unit: '10us'"),
  },
  'docs/operating.md': {
    '100 ms': decided('src/registry/stores/sqlite/store.ts', 'LOOK_MS = 100'),
    '10 ms': REGISTRY,
    '10 seconds': RETRIES,
    '15 seconds': is(() => `${DEFAULT_TTL_MS / 2 / 1000} seconds`),
    '0.72 %': is(() => `${short((100 * YEAR_MS) / 2 ** 42)} %`),
    '1.7 %': is(() => `${short(100 * (1 / 64 + 1 / 1024))} %`),
  },
  'docs/parquet.md': {
    '8 MB': decided('src/engines/parquet/text.ts', 'MAX_RECORD_BYTES = 2 ** 23'),
    '256 MB': decided('src/engines/parquet/session.ts', 'MEMORY_MB = 256'),
    '64 MB': decided('src/engines/parquet/session.ts', 'MEMORY_MB_A_THREAD = 64'),
    '83 MB': PARQUET,
    '3.6 s': PARQUET,
    '595 MB': PARQUET,
    '1.8 s': PARQUET,
    '18 s': PARQUET,
    '599 MB': PARQUET,
  },
  'docs/partitioners.md': { '92 %': is(() => `${short(100 * placedDifferently(12))} %`) },
  'docs/performance.md': {
    '2.7 to 189 times as fast': is(() => `${range(bigintOnColumns())} times as fast`),
    '4.7 ns': is(() => `${short(timed([OWN, 'unpack-narrow']).ns.median)} ns`),
    '182 ns': is(() => `${short(timed([OWN, 'single-unpack']).ns.median)} ns`),
    '1.6 times as fast': is(() => {
      const [one, two] = ['shardbits, 1 thread', TWO_THREADS].map((way) => secondsOf('route-42000000', way));
      return `${short(Number(one) / Number(two))} times as fast`;
    }),
    '3.0 to 103 times as long': is(
      () => `${range(bigintInEngines(true, (name) => name !== 'xxh64-u64'))} times as long`,
    ),
    '20 to 308 times as long': is(
      () => `${range(bigintInEngines(false, (name) => name === 'xxh64-u64' || name === 'jump-1024'))} times as long`,
    ),
    '370 MB': THREADS,
    '1.1 s': THREADS,
    '0.83 s': THREADS,
    '3.5 s': THREADS,
    '77,000 strings a second': REGISTRY,
    '89,000 strings a second': REGISTRY,
    '197,000 known strings a second': REGISTRY,
    '500 to 5,000 strings a second': REGISTRY,
    '5,000,000 strings a second': REGISTRY,
  },
  'docs/shard-map.md': {
    '16 MB': decided('src/map/history.ts', 'MAX_BYTES = 16_000_000'),
    '50 times': decided('test/docs/reshard-postgres.long.test.ts', 'KILLS = 50'),
  },
  'docs/sql.md': {
    '128 MiB': of("ClickHouse's default of webassembly_udf_max_memory"),
    '78 ns': MODULE,
    '44 ns': MODULE,
    '62 ns': MODULE,
    '50 and 40 ns': MODULE,
    '1.8 times as long': is(() => `${short(78 / 44)} times as long`),
  },
  'docs/wide-ids.md': { '100 ns': of("the unit of UUIDs' times in RFC 9562") },
};

/** Tables of figures that are not made of recorded results, by the beginning of their header, with what checks them. */
export const TABLES: { readonly [page: string]: { readonly [header: string]: string } } = {
  'docs/arrow-and-sets.md': { '| ids | bytes an id, serialized |': 'test/sets/bytes.test.ts' },
  'docs/inspector.md': { '| | right service first |': 'test/guess/labelled-ids.test.ts' },
  'docs/how-many-prefixes.md': { '| prefixBits | 1,500 in flight |': 'test/docs/how-many-prefixes.test.ts' },
  'docs/performance.md': {
    // What `npm run bench -- registry` prints. Nothing keeps it, so nothing compares it.
    '| | new strings a second, in batches of 1,000 |': 'bench/registry/index.ts',
  },
  'docs/runtimes.md': {
    '| | minified | gzip |': 'test/package/sizes.test.ts',
    // What `npm run test:everywhere` prints.
    '| on                              | version          |': 'test/everywhere/run.ts',
  },
};
