// Where the figures of README.md and docs/ come from, except those in tables that are made of recorded results.
import { readFileSync } from 'node:fs';
import { OWN, onAllDays, onNode20, PEERS, readDays } from '../../bench/days.js';
import { figureIn, readFigures } from '../../bench/figure-tables.js';
import { ROUTED, range, rounded, short, timed } from '../../bench/page-tables.js';
import { ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { DEFAULT_TTL_MS } from '../../src/registry/store.js';

/**
 * Where a figure comes from:
 * - `is`: it is computed, and has to be this text
 * - `near`: the page says "about", and the least and the most of these values are within a quarter of it
 * - `in`: a file decides it, and has this text
 * - `of`: it is a fact about another system or a unit, and no measurement
 */
export type Source =
  | { readonly is: () => string }
  | { readonly near: () => readonly number[] }
  | { readonly in: string; readonly text: string }
  | { readonly of: string };

const is = (compute: () => string): Source => ({ is: compute });
const near = (compute: () => readonly number[]): Source => ({ near: compute });
const decided = (path: string, text: string): Source => ({ in: path, text });
const of = (what: string): Source => ({ of: what });

const FILES = 'bench/peers/files.results.json';
const LARGE = 'route-16000000';

interface Areas {
  readonly areas: readonly {
    readonly name: string;
    readonly rows: number;
    readonly ways: readonly { readonly name: string }[];
  }[];
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
/** On all days and in both versions of Node: nanoseconds, and how many times as long as shardbits a way takes. */
const inBoth = (json: string, area: string, way?: string) =>
  [json, onNode20(json)].flatMap((one) => onAllDays(one, area, way));
const nanoseconds = (json: string, area: string, way?: string): number[] => inBoth(json, area, way).map(([ns]) => ns);

/** How many times as long BigInt takes on columns. */
function bigintOnColumns(): number[] {
  const areas = readDays().flatMap(({ reports }) => Object.entries(reports[OWN]?.areas ?? {}));
  const names = areas.flatMap(([name, ways]) => (name !== 'xxh64-u64' && 'bigint' in ways ? [name] : []));
  return [...new Set(names)].flatMap((name) => inBoth(OWN, name, 'bigint').map(([, times]) => times));
}

/** The same in some engines, for columns with the names. */
function bigintInEngines(isV8: boolean, hasName: (name: string) => boolean): number[] {
  const engines = json<Engines>('bench/everywhere/results.json').engines;
  return engines
    .filter(({ javascript }) => (javascript === 'V8') === isV8)
    .flatMap(({ figures }) => figures.filter(({ name, kind }) => kind === 'columns' && hasName(name)))
    .map(({ bigint }) => bigint.timesShardbits);
}

/** How many times as long BigInt by hand takes on single values in engines that are not V8. */
function byHandElsewhere(): number[] {
  const others = json<Engines>('bench/everywhere/results.json').engines.filter(({ javascript }) => javascript !== 'V8');
  const figures = others.flatMap((engine) => engine.figures.filter(({ kind }) => kind === 'byHand'));
  return figures.map(({ bigint }) => bigint.timesShardbits);
}

/** How many times as long others take to decode a file. */
const decoding = (way: string): Source => measured('times as long', () => timed([FILES, 'decode'], way).timesShardbits);

/** The time of a way for a file, in seconds. */
function secondsOf(area: string, way: string): number {
  const rows = json<Areas>(FILES).areas.find(({ name }) => name === area)?.rows ?? Number.NaN;
  return (timed([FILES, area], way).ns.median * rows) / 1e9;
}

const TWO_THREADS = 'shardbits, 2 threads';
/** The most memory for any of the files, in MB, as the table of docs/performance.md has it. */
const peakOf = (way: string, areas = ROUTED): number => {
  const found = json<Areas>(FILES).areas.filter(
    ({ name, ways }) => areas.test(name) && ways.some((one) => one.name === way),
  );
  return Math.max(...found.map(({ name }) => timed([FILES, name], way).peakMB ?? 0));
};
const overTwoThreads = (way: string): number => secondsOf(LARGE, way) / secondsOf(LARGE, TWO_THREADS);

/** The share of keys that Elasticsearch's two rules place differently. */
function placedDifferently(shards: number): number {
  const keys = Array.from({ length: 100_000 }, (_, i) => `user:${i}`);
  const newer = partitioner('elasticsearch', { shards }).routeMany(keys);
  const older = partitioner('elasticsearch', { shards, before: '9.4' }).routeMany(keys);
  return newer.filter((shard, i) => shard !== older[i]).length / keys.length;
}

/** The size of an import from `shardbits` in KB, in the table that test/package/sizes.long.test.ts compares. */
function gzippedImport(name: string): number {
  const row = new RegExp(`^\\| \`import \\{ ${name} \\} from 'shardbits'\` \\|.*\\| ([\\d.]+) KB \\|$`, 'm');
  return Number(row.exec(readFileSync('docs/runtimes.md', 'utf8'))?.[1]);
}

/** The size of a map's JSON. */
function kilobytesOfMap(shards: number, nodes: number): number {
  const names = Array.from({ length: nodes }, (_, i) => ({ name: `db${i + 1}` }));
  return Math.round(JSON.stringify(ShardMap.create({ shards, nodes: names })).length / 1000);
}

const YEAR_MS = 365.25 * 24 * 3600 * 1000;
/** A time or a size with two digits, or with all before the point. */
const measured = (unit: string, of: () => number): Source => is(() => `${short(of())} ${unit}`);

/** A throughput, rounded to two digits. */
const perSecond = (value: number): string => rounded(value, 2);

const [REGISTRY, RANDOM] = ['bench/registry/results.json', 'random order, batches of'];
const STORES = ['SQLite', 'PostgreSQL'];
const strings = (batches: string, store: string, column = 'new strings a second'): number =>
  figureIn(REGISTRY, `${RANDOM} ${batches}`, store, column);
const stringsOfFour = (store: string): Source =>
  is(() => `${perSecond(strings('1000, 4 processes at once', store))} strings a second`);

const [SPLIT, KEYS] = ['split a CSV into 64 files, 4,000,000 rows', 'route keys to u32, 16,000,000 rows'];
const [TOLD, FIXED] = ['by the model: 2 cores, ended by no stage', 'of two threads: what does not depend on the rows'];
const cores = (job: string, row: string): number => figureIn('bench/threads.results.json', job, row, 'seconds');

const PARQUET = 'bench/peers/parquet.results.json';
const PARQUET_TITLE = readFigures(PARQUET).tables[0]?.title ?? '';
const parquet = (unit: 's' | 'MB', way: string): Source =>
  measured(unit, () => figureIn(PARQUET, PARQUET_TITLE, way, unit === 's' ? 'seconds' : 'MB of memory'));

const moduleFigure = (keys: string, column: string): number =>
  figureIn('bench/peers/module.results.json', '10,000,000 keys to 64 shards, one thread', keys, column);
const [MAILS, OURS, THEIRS] = ['e-mail addresses', 'ns a row, with the module', 'with its own functions'];
const FLOOR = 'of which ClickHouse takes';

/** The times of a paste into the page, in seconds. */
function pasted(ids: string): Source {
  const at = (column: string) => figureIn('bench/inspector.results.json', 'Pasted ids', ids, column).toFixed(2);
  return is(() => `${at('seconds, the least of three')} to ${at('the most')} s`);
}
const A_THREAD = decided('src/node/jobs/job.ts', 'THREAD_BYTES = 32 * 1024 * 1024');
const LEAST_SHARED = decided('src/node/jobs/job.ts', 'LEAST_THREADS = 3');
const SHARED = decided('src/node/jobs/run.ts', 'SHARED_BYTES = 8 * 1024 * 1024');
const LONGEST_LINE = decided('src/rows/sources/lines.ts', 'MAX_LINE = 16 * 1024 * 1024');
const RETRIES = decided('src/registry/calls.ts', 'AWAY_MS = 10_000');

/** By page, then by the figure as the page has it. */
export const FIGURES: { readonly [page: string]: { readonly [figure: string]: Source } } = {
  'README.md': {
    '96 MiB': LEAST_SHARED,
    '16 MiB': LONGEST_LINE,
    '14 KB': is(() => `${Math.round(gzippedImport('Router'))} KB`),
    '102 MB': is(() => `${short(peakOf('shardbits, 1 thread', /./))} MB`),
    '120 MB': is(() => `${short(peakOf(TWO_THREADS, /./))} MB`),
    '1.1 GB': is(() => `${short((16e6 * 71) / 1e9)} GB`), // lines of 70 characters
    '0.35 s': is(() => `${secondsOf(LARGE, TWO_THREADS).toFixed(2)} s`),
    '3.4 times as long': is(() => `${short(overTwoThreads('C, -O3 -march=native'))} times as long`),
    '4.0 times as long': is(() => `${short(overTwoThreads('ClickHouse, one thread'))} times as long`),
  },
  'docs/arrow-and-sets.md': { '2 GB': decided('src/sets/bitmaps.ts', 'MAX_MEMORY = 2 ** 31') },
  'docs/choosing.md': {
    '1.08 and 1.33 times': decided('test/bench/choosing.test.ts', 'times the average'),
    '0.99 %': is(() => `${short(100 / 101)} %`),
    '1 %': is(() => `${100 / 100} %`),
    '3 KB': of('xxhash-wasm'),
    '8 KB': is(() => `${kilobytesOfMap(4096, 3)} KB`),
    '193 KB': is(() => `${kilobytesOfMap(65_536, 100)} KB`),
    '9 to 16 ns': near(() => nanoseconds(PEERS, 'jump')),
  },
  'docs/detect.md': {
    '64 times': decided('src/detect/search.ts', 'MAX_TIMES = 64'),
    '2 %': decided('src/detect/search.ts', 'ASTRAY = 1 / 50'),
    '64 MiB': decided('src/rows/operations/sample.ts', 'MAX_BYTES = 64 * 1024 * 1024'),
  },
  'docs/files.md': {
    '16 MiB': LONGEST_LINE,
    '8 MiB': SHARED,
    '256 KiB': decided('src/node/jobs/guessed-ids.ts', 'MAX_BYTES = 256 * 1024'),
    '32 MiB': A_THREAD,
    '96 MiB': LEAST_SHARED,
    '27 MB': is(() => `${short(peakOf(TWO_THREADS) - peakOf('shardbits, 1 thread'))} MB`),
  },
  'docs/how-many-prefixes.md': {
    '10 ms': decided('docs/how-many-prefixes/formulas.ts', 'LATENCY = 0.01'),
    '150,000 strings a second': is(() => `${(1500 / 0.01).toLocaleString('en')} strings a second`),
  },
  'docs/inspector.md': {
    '20 %': decided('test/inspector/moving.test.ts', '20 %'),
    '2.4 %': decided('test/guess/labelled-ids.test.ts', 'toContain(said)'),
    '20 MB': of('a million lines of 18 digits'),
    '1.5 times': decided('src/inspector/decode/statistics.ts', 'FULLER = 1.5'),
    '0.54 to 0.64 s': pasted('1,000,000 ids'),
    '2.08 to 2.85 s': pasted('5,000,000 ids'),
  },
  'docs/contributing.md': { '50 ms': decided('test/support/quick.ts', 'MAX_WAIT_MS = 50') },
  'docs/interning.md': { '30 seconds': is(() => `${DEFAULT_TTL_MS / 1000} seconds`) },
  'docs/layouts.md': {
    '10 ms': decided('src/layout/presets.ts', "unit: '10ms'"),
    '10 µs': decided('src/layout/presets.ts', "unit: '10us'"),
  },
  'docs/operating.md': {
    '100 ms': decided('src/registry/stores/sqlite/store.ts', 'LOOK_MS = 100'),
    '12 ms': measured('ms', () => 1e6 / strings('1000', 'SQLite')),
    '10 seconds': RETRIES,
    '15 seconds': is(() => `${DEFAULT_TTL_MS / 2 / 1000} seconds`),
    '0.72 %': is(() => `${short((100 * YEAR_MS) / 2 ** 42)} %`),
    '1.7 %': is(() => `${short(100 * (1 / 64 + 1 / 1024))} %`),
  },
  'docs/parquet.md': {
    '256 MB': decided('src/node/parquet/session.ts', 'MEMORY_MB = 256'),
    '64 MB': decided('src/node/parquet/session.ts', 'MEMORY_MB_A_THREAD = 64'),
    '1.5 MB': decided('src/node/parquet/session.ts', 'MEMORY_MB_A_COLUMN = 1.5'),
    '83 MB': is(() => PARQUET_TITLE.replace('4,000,000 rows, ', '')),
    '3.3 s': parquet('s', '64 files'),
    '619 MB': parquet('MB', '64 files'),
    '1.7 s': parquet('s', '64 files, by PARTITION_BY of DuckDB'),
    '26 s': parquet('s', '8000 files, 256 open'),
    '605 MB': parquet('MB', '8000 files, 256 open'),
  },
  'docs/partitioners.md': { '91 %': is(() => `${short(100 * placedDifferently(12))} %`) },
  'docs/performance.md': {
    '2 to 200 times as fast': near(bigintOnColumns),
    '1.5 times': decided('bench/page-tables.ts', 'WIDE = 1.5;'),
    '4 ns': near(() => nanoseconds(OWN, 'unpack-narrow')),
    '70 to 90 ns': near(() => nanoseconds(OWN, 'single-unpack')),
    '2.5 ns': near(() => nanoseconds(OWN, 'unpack-wide-1m', 'wasm, resident')),
    '4 to 5 ns': near(() => nanoseconds(OWN, 'unpack-wide-1m')),
    '0.91 to 1.08 of our time': of('eight runs of a loop that others wrote'),
    '1.6 to 1.8 times as long': of('a loop that others wrote'),
    '2.8 times as long': decoding('DuckDB, one thread'),
    '0.27 of our time': is(() => `${short(Math.min(...byHandElsewhere()))} of our time`),
    '1.7 times as fast': is(() => {
      const [one, two] = ['shardbits, 1 thread', TWO_THREADS].map((way) => secondsOf('route-42000000', way));
      return `${short(Number(one) / Number(two))} times as fast`;
    }),
    '30 ms': is(() => `${rounded(1000 * cores(KEYS, 'of one thread: thread'), 1)} ms`),
    '50 ms': of('an empty program'),
    '1.1 times as long': is(
      () => `${timed([FILES, 'partition'], 'split -n r/64, of lines').timesShardbits.toFixed(1)} times as long`,
    ),
    '1.6 %': is(() => `${short(100 * (cores(KEYS, 'two threads') / cores(KEYS, TOLD) - 1))} %`),
    '14 %': is(() => `${short(100 * (cores(SPLIT, 'two threads') / cores(SPLIT, TOLD) - 1))} %`),
    '0.45 s': of('16 million keys on 16 cores of an Intel Xeon, at e0b899fb'),
    '0.50 s': of('391 MB of CSV on 16 cores of an Intel Xeon, at e0b899fb'),
    '0.4 s': of('how little four times as many rows added to these'),
    '0.13 and 0.14 s': is(() => `${cores(KEYS, FIXED).toFixed(2)} and ${cores(SPLIT, FIXED).toFixed(2)} s`),
    '1.5 times as long': of('1.2 GB of TSV written to one file by two threads in place of one'),
    '3.0 to 103 times as long': is(
      () => `${range(bigintInEngines(true, (name) => name !== 'xxh64-u64'))} times as long`,
    ),
    '20 to 308 times as long': is(
      () => `${range(bigintInEngines(false, (name) => name === 'xxh64-u64' || name === 'jump-1024'))} times as long`,
    ),
    '83,000 strings a second': stringsOfFour('SQLite'),
    '98,000 strings a second': stringsOfFour('PostgreSQL'),
    '140,000 known strings a second': is(
      () => `${perSecond(strings('1000', 'SQLite', 'known strings a second'))} known strings a second`,
    ),
    '440 to 1,700 strings a second': is(() => {
      const all = STORES.map((store) => strings('1', store));
      return `${perSecond(Math.min(...all))} to ${perSecond(Math.max(...all))} strings a second`;
    }),
    '7,500,000 strings a second': is(() => {
      const title = 'kept in memory (cache: 100,000), batches of 1000';
      return `${perSecond(figureIn(REGISTRY, title, 'SQLite', 'known strings a second'))} strings a second`;
    }),
  },
  'docs/shard-map.md': {
    '16 MB': decided('src/map/publish.ts', 'MAX_BYTES = 16_000_000'),
    '50 times': decided('test/docs/reshard-postgres.long.test.ts', 'KILLS = IS_WHOLE ? 50'),
  },
  'docs/sql.md': {
    '128 MiB': of("ClickHouse's default of webassembly_udf_max_memory"),
    '92 ns': measured('ns', () => moduleFigure(MAILS, OURS)),
    '45 ns': measured('ns', () => moduleFigure(MAILS, THEIRS)),
    '66 ns': measured('ns', () => moduleFigure('UInt64s', OURS)),
    '60 and 43 ns': is(() => `${short(moduleFigure(MAILS, FLOOR))} and ${short(moduleFigure('UInt64s', FLOOR))} ns`),
    '2.0 times as long': measured('times as long', () => moduleFigure(MAILS, 'times as long')),
  },
  'docs/wide-ids.md': { '100 ns': of("the unit of UUIDs' times in RFC 9562") },
};

/** Tables of figures that are not made of recorded results, by the beginning of their header, with what checks them. */
export const TABLES: { readonly [page: string]: { readonly [header: string]: string } } = {
  'docs/arrow-and-sets.md': { '| ids | bytes an id, serialized |': 'test/sets/bytes.release.test.ts' },
  'docs/inspector.md': { '| | right service first |': 'test/guess/labelled-ids.test.ts' },
  'docs/how-many-prefixes.md': { '| prefixBits | 1,500 in flight |': 'test/docs/how-many-prefixes.test.ts' },
  'docs/runtimes.md': {
    '| | minified | gzip |': 'test/package/sizes.long.test.ts',
    // What `npm run test:everywhere` prints.
    '| on                              | version          |': 'test/everywhere/run.ts',
  },
};
