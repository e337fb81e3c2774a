// The tables of README.md and docs/performance.md, made of recorded results. `npm run bench -- report` writes them between
// their marks, such as `<!-- bench:columns -->`, and a test compares them.
import { readFileSync } from 'node:fs';
import { OWN, onAllDays, onNode20, PEERS, readDays } from './days.js';
import { type FigureTable, figureIn, readFigures } from './figure-tables.js';
import type { Measured, MeasuredArea } from './rounds.js';
import type { Report } from './run.js';

const FILES = 'bench/peers/files.results.json';

type Place = readonly [json: string, area: string];

/** A way of doing the work of an area, by another name. */
type Rival = readonly [name: string, area: Place, way: string];

interface Line {
  readonly what: string;
  readonly area: Place;
  readonly rivals: readonly Rival[];
  readonly because?: string;
}

const own = (area: string): Place => [OWN, area];
const peers = (area: string): Place => [PEERS, area];

/** Rivals of one area, by the names of their ways. */
const of = (area: Place, names: { readonly [way: string]: string }): Rival[] =>
  Object.entries(names).map(([way, name]) => [name, area, way]);

/** A line with one rival of the same area, under its own name. */
const against = (what: string, area: Place, rival: string): Line => ({ what, area, rivals: [[rival, area, rival]] });

const C = 'C, -O3 -march=native';
const CLICKHOUSE = 'ClickHouse, one thread';

const JUMP: Rival[] = [
  ...of(peers('jump'), { [C]: "the paper's loop in C", [CLICKHOUSE]: 'ClickHouse' }),
  ...of(own('jump-1024'), { specialised: 'a specialised loop' }),
];
const STRINGS_10 = of(peers('strings-ascii-10'), {
  'xxhash-wasm': 'xxhash-wasm',
  '@node-rs/xxhash': '@node-rs/xxhash',
});
const BYTES_10 = of(peers('xxh64-bytes-10'), { [C]: 'C', [CLICKHOUSE]: 'ClickHouse', 'xxhash-wasm': 'xxhash-wasm' });
const U64 = of(peers('xxh64-u64'), { [C]: 'C with AVX-512', [CLICKHOUSE]: 'ClickHouse' });
const UNPACK = of(own('unpack-narrow'), { bigint: 'BigInt', 'u32 pairs': 'JavaScript numbers' });
const BESIDE = {
  'u32 pairs, checked': 'numbers with checks',
  'wasm, new': 'ours without `out`',
  'wasm, resident': 'ours in resident columns',
  copy: 'copying the bytes',
};
const ROUTE_ONE = of(peers('single-route'), { 'xxhash-wasm, BigInt jump': 'xxhash-wasm and a BigInt jump hash' });
const START = of(peers('start-esm'), { 'xxhash-wasm': 'xxhash-wasm' });

/** In README.md. */
const SUMMARY: Line[] = [
  { what: 'jump hash of a u64, 1,024 buckets, in a column', area: peers('jump'), rivals: JUMP },
  { what: 'XXH64 of a string of 10 characters, in a column', area: peers('strings-ascii-10'), rivals: STRINGS_10 },
  { what: 'XXH64 of 10 bytes, in a column', area: peers('xxh64-bytes-10'), rivals: BYTES_10 },
  { what: 'XXH64 of a u64, in a column', area: peers('xxh64-u64'), rivals: U64 },
  {
    what: 'route a string of 70 characters, in a column',
    area: own('route-strings'),
    rivals: of(own('route-strings'), { bigint: 'BigInt' }),
  },
  { what: 'unpack a snowflake, in a column', area: own('unpack-narrow'), rivals: UNPACK },
  { what: '`router.route` of one string of 70 characters', area: peers('single-route'), rivals: ROUTE_ONE },
  { what: 'import and first hash of a program', area: peers('start-esm'), rivals: START },
];

const COLUMNS: Line[] = [
  {
    what: '`jumpHashMany`, 1,024 buckets',
    area: peers('jump'),
    rivals: [...JUMP, ...of(own('jump-1024'), { bigint: '`bigint`' })],
  },
  {
    what: '`xxh64Many`, u64 keys',
    area: peers('xxh64-u64'),
    rivals: [...U64, ...of(own('xxh64-u64'), { specialised: 'a specialised loop', bigint: '`bigint`' })],
  },
  { what: '`xxh64Many`, bytes, 10 a row', area: peers('xxh64-bytes-10'), rivals: BYTES_10 },
  {
    what: '`xxh64Many`, bytes, 70 a row',
    area: peers('xxh64-bytes-70'),
    rivals: [
      ...of(peers('xxh64-bytes-70'), { [C]: 'C', [CLICKHOUSE]: 'ClickHouse', 'xxhash-wasm': 'xxhash-wasm' }),
      ...of(own('xxh64-bytes-70'), { bigint: '`bigint`' }),
    ],
  },
  { what: '`xxh64Many`, strings, 10 ASCII', area: peers('strings-ascii-10'), rivals: STRINGS_10 },
  {
    what: '`xxh64Many`, strings, 70 Latin-1',
    area: peers('strings-latin-70'),
    rivals: of(peers('strings-latin-70'), { 'xxhash-wasm': 'xxhash-wasm', '@node-rs/xxhash': '@node-rs/xxhash' }),
  },
  {
    what: '`routeMany`, strings, 70 ASCII, 1,024 shards',
    area: own('route-strings'),
    rivals: of(own('route-strings'), { bigint: '`bigint`' }),
  },
  ...(['pack', 'unpack'] as const).flatMap((work): Line[] => [
    {
      what: `\`${work}Many\`, snowflake`,
      area: own(`${work}-narrow`),
      rivals: of(own(`${work}-narrow`), { bigint: '`bigint`', 'u32 pairs': 'JavaScript numbers', ...BESIDE }),
    },
    {
      what: `\`${work}Many\`, three u64 columns`,
      area: own(`${work}-wide`),
      rivals: of(own(`${work}-wide`), { bigint: '`bigint`', specialised: 'a specialised loop', ...BESIDE }),
    },
  ]),
  {
    what: '`formatIdColumn`, decimal',
    area: own('format-bytes'),
    rivals: of(own('format-bytes'), { 'String(id)': '`String(id)`' }),
  },
  {
    what: '`parseIds`, decimal bytes',
    area: own('parse-bytes'),
    rivals: of(own('parse-bytes'), { 'BigInt(text)': '`BigInt(text)`' }),
  },
];

const SINGLE: Line[] = [
  against('`layout.unpack`, discord', peers('single-unpack'), '@sapphire/snowflake'),
  against('`layout.pack`, snowflake', own('single-pack'), 'BigInt by hand'),
  against('`layout.dateOf`, snowflake', own('single-date'), 'BigInt by hand'),
  against('`generator.next`', peers('single-next'), '@sapphire/snowflake'),
  against('`xxh64`, a string of 70', peers('single-xxh64-text'), 'xxhash-wasm'),
  { what: '`router.route`, a string of 70, 1,024 shards', area: peers('single-route'), rivals: ROUTE_ONE },
  { what: 'import and first `xxh64`, ES modules', area: peers('start-esm'), rivals: START },
];

/** Where shardbits is slower, and why. */
const SLOWER: Line[] = [
  {
    what: '`xxh64Many`, u64 keys',
    area: peers('xxh64-u64'),
    rivals: [...U64, ...of(own('xxh64-u64'), { bigint: '`bigint`', specialised: 'a specialised loop' })],
    because:
      "AVX-512 multiplies eight 64-bit words at once, for which WebAssembly has no instruction. Columns are copied to WebAssembly's memory and back.",
  },
  {
    what: '`xxh64Many`, bytes',
    area: peers('xxh64-bytes-10'),
    rivals: [
      ...of(peers('xxh64-bytes-10'), { [C]: 'C, 10 a row' }),
      ...of(peers('xxh64-bytes-70'), { [C]: '70 a row' }),
    ],
    because: "Bytes are copied to WebAssembly's memory before they are hashed.",
  },
  {
    what: '`packMany`',
    area: own('pack-wide'),
    rivals: [
      ...of(own('pack-wide'), { specialised: 'of three u64 columns, a specialised loop' }),
      ...of(own('pack-narrow'), { 'u32 pairs': 'of narrow columns, JavaScript numbers' }),
    ],
    because:
      "The ids are written to memory of our own and then copied, because nothing may be written to the caller's column if any value does not fit.",
  },
  {
    what: '`unpackMany`',
    area: own('unpack-wide'),
    rivals: [
      ...of(own('unpack-wide'), { specialised: 'to three u64 columns, a specialised loop' }),
      ...of(own('unpack-narrow'), { 'u32 pairs': 'to narrow columns, JavaScript numbers' }),
    ],
    because: "The columns are copied out of WebAssembly's memory.",
  },
  {
    what: '`routeMany` of a partitioner',
    area: peers('as-kafka-bytes'),
    rivals: [
      ...of(peers('as-kafka-bytes'), { [C]: 'bytes as Kafka, C' }),
      ...of(peers('as-ragedb-bytes'), { [C]: 'as RageDB, C' }),
      ...of(peers('as-rdkafka-strings'), { 'crc-32': 'strings as librdkafka, crc-32' }),
    ],
    because: "Keys are copied to WebAssembly's memory, strings as UTF-8, before they are hashed.",
  },
  {
    what: '`formatId`, `parseId`, one value',
    area: own('single-format-dec'),
    rivals: [
      ...of(own('single-format-dec'), { 'String(id)': '`String(id)`' }),
      ...of(own('single-format-hex'), { 'toString(16)': '`id.toString(16)`' }),
      ...of(own('single-parse-dec'), { 'BigInt(text)': '`BigInt(text)`' }),
    ],
    because: 'V8 has machine code for these. For a column, ours are faster.',
  },
  {
    what: '`typedKey`',
    area: own('single-typed-key'),
    rivals: of(own('single-typed-key'), { 'a template': 'a template string' }),
    because: 'It also makes sure that no two pairs give the same text.',
  },
  {
    what: '`xxh64`, one value of 70 bytes',
    area: peers('single-xxh64-bytes'),
    rivals: of(peers('single-xxh64-bytes'), { 'xxhash-wasm': 'xxhash-wasm' }),
    because: 'It checks its argument, and xxhash-wasm does not.',
  },
  {
    what: 'the first call of a program',
    area: peers('start-esm'),
    rivals: START,
    because: 'There is more to load and to parse.',
  },
];

const read = (json: string): Report => JSON.parse(readFileSync(json, 'utf8'));

function areaIn(report: Report, name: string): MeasuredArea {
  const area = report.areas.find((one) => one.name === name);
  if (area === undefined) throw new Error(`The recorded results have no ${name}`);
  return area;
}

/** A way that was timed; the first one, which is shardbits, by default. */
export function timed(
  [json, name]: Place,
  way?: string,
): Measured & { timesShardbits: number; ns: { median: number } } {
  const found = areaIn(read(json), name).ways.find((one, i) => (way === undefined ? i === 0 : one.name === way));
  if (found === undefined || 'differs' in found) throw new Error(`${json} has no time of ${way} in ${name}`);
  return found;
}

/** A number with two digits, or with all before the point: 0.54, 4.6, 22, 147. */
export const short = (value: number): string =>
  value.toFixed(value < 0.995 ? 2 : value < 9.95 ? 1 : 0).replace(/\B(?=(\d{3})+$)/g, ',');

/** A number of some digits, with separators: 81,000. */
export const rounded = (value: number, digits: number): string =>
  Number(value.toPrecision(digits)).toLocaleString('en');

/** The least and the most of values, or one number if these are the same when they are rounded. */
export function range(values: readonly number[]): string {
  const [least, most] = [short(Math.min(...values)), short(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

/** What shardbits took on all days. */
function time(json: string, area: string): string {
  const times = onAllDays(json, area).map(([ns]) => ns);
  return Math.min(...times) < 1e6 ? `${range(times)} ns` : `${range(times.map((ns) => ns / 1e6))} ms`;
}

/** A range is wide if its ends differ by more than this factor. */
const WIDE = 1.5;
const isWide = (ratios: readonly number[]): boolean => Math.max(...ratios) > WIDE * Math.min(...ratios);

/** Ratios that are all this near to 1 are about as fast, and so are those with 1 between them, except in a wide range. */
const NEAR = { least: 0.9, most: 1.1 };
function isAboutAsFast(ratios: readonly number[]): boolean {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return (least >= NEAR.least && most <= NEAR.most) || (least <= 1 && most >= 1 && !isWide(ratios));
}

/** Ratios in words and numbers. */
export const ratioRange = (ratios: readonly number[]): string =>
  isAboutAsFast(ratios) ? `about as fast (${range(ratios)})` : range(ratios);

/** How many times as long rivals take. If that is a wide range because of Node, its versions are told apart. */
const ratios = (rivals: readonly Rival[]): string =>
  rivals
    .map(([name, [json, area], way]) => {
      const [newer = [], older = []] = [json, onNode20(json)].map((one) =>
        onAllDays(one, area, way).map(([, times]) => times),
      );
      const all = [...newer, ...older];
      const areApart = Math.max(...newer) < Math.min(...older) || Math.max(...older) < Math.min(...newer);
      if (!isWide(all) || !areApart) return `${name} ${ratioRange(all)}`;
      return `${name} ${ratioRange(newer)} in Node 24 and ${ratioRange(older)} in Node 20`;
    })
    .join('; ');

const RATIO = "rival's time ÷ ours";

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = header.map((name) => (name === '' || name === RATIO || name === 'because' ? '---' : '---:'));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const times = (lines: readonly Line[]): string =>
  table(
    ['', 'Node 24', 'Node 20', RATIO],
    lines.map(({ what, area, rivals }) => [
      what,
      time(area[0], area[1]),
      time(onNode20(area[0]), area[1]),
      ratios(rivals),
    ]),
  );

const slower = (lines: readonly Line[]): string =>
  table(
    ['', RATIO, 'because'],
    lines.map(({ what, rivals, because = '' }) => [what, ratios(rivals), because]),
  );

/** The areas in which files of keys are routed. */
export const ROUTED = /^route-\d+$/;

/** Seconds for each file, and the most memory for any of them. */
function files(): string {
  const areas = read(FILES).areas.filter(({ name }) => ROUTED.test(name));
  const size = ({ rows, title }: MeasuredArea): string =>
    `${rows / 1e6} M keys, ${short(Number(/(\d+) MB/.exec(title)?.[1]) / 1000)} GB`;
  const names: { readonly [way: string]: string } = {
    'shardbits, 1 thread': '`shardbits route FILE --format u32 --threads 1`',
    'shardbits, 2 threads': '`--threads 2`',
    [C]: 'plain C (`bench/peers/route.c`, `-O3 -march=native`, libxxhash)',
    [CLICKHOUSE]: 'ClickHouse, one thread',
  };
  const rows = Object.entries(names).map(([way, name]) => {
    const measured = areas.map((area) => ({ area, way: timed([FILES, area.name], way) }));
    const peak = Math.max(...measured.map((one) => one.way.peakMB ?? 0));
    return [
      name,
      ...measured.map(({ area, way: { ns } }) => `${((ns.median * area.rows) / 1e9).toFixed(2)} s`),
      peak < 1000 ? `${short(peak)} MB` : `${short(peak / 1000)} GB`,
    ];
  });
  return table(['', ...areas.map(size), 'peak memory'], rows);
}

/** The jobs of `npm run bench -- threads`: what was measured, also of rivals, and what the model tells for more cores. */
function cores(): string {
  const seconds = ([, value]: FigureTable['rows'][number]): string => `${value?.toFixed(2)} s`;
  const jobs = readFigures('bench/threads.results.json').tables.filter(({ columns }) => columns.includes('seconds'));
  const rows = jobs.flatMap(({ title, rows }) => {
    const times = (pattern: RegExp) => rows.filter(([name]) => pattern.test(name)).map(seconds);
    const ours = [title, ...times(/^(one|two) threads?$/), ...times(/^by the model/)];
    const rival = rows.find(([name]) => /, one thread$/.test(name))?.[0].replace(', one thread', '');
    if (rival === undefined) return [ours];
    const [one = '', two = ''] = times(new RegExp(`^${rival}, `));
    return [ours, [`the same in ${rival}`, one, two, '', '', '', '']];
  });
  return table(['', 'one thread', 'two threads', 'by the model: 2 cores', '4', '16', '64'], rows);
}

/** Strings in random order, by the size of batches. */
function interning(): string {
  const plain = 'plain table with a text index';
  const names: { readonly [contender: string]: string } = {
    SQLite: 'SQLite',
    [`SQLite, ${plain}`]: `SQLite, a ${plain}`,
    [`SQLite, ${plain}, our settings`]: "the same with our store's `cache_size` and `wal_autocheckpoint`",
    PostgreSQL: 'PostgreSQL 18, `fsync` on',
    [`PostgreSQL, ${plain}`]: `PostgreSQL 18, a ${plain}`,
  };
  const rows = Object.entries(names).map(([contender, name]) => {
    const at = (batch: number, column: string, digits: number) =>
      rounded(figureIn('bench/registry/results.json', `random order, batches of ${batch}`, contender, column), digits);
    return [
      name,
      ...[1000, 10_000].map((batch) => at(batch, 'new strings a second', 2)),
      ...[1000, 10_000].map((batch) => at(batch, 'bytes a string', 3)),
    ];
  });
  const header = [
    '',
    'new strings a second, in batches of 1,000',
    'of 10,000',
    'bytes a string, in batches of 1,000',
    'of 10,000',
  ];
  return table(header, rows);
}

/** The runs that the ranges come from. */
function days(): string {
  const rows = readDays().map(({ date, reports }) => {
    const machines = Object.values(reports).map(({ machine }) => machine);
    const all = (values: readonly string[]) => [...new Set(values)].sort().join(', ');
    return [date, all(machines.map(({ commit }) => commit)), all(machines.map(({ node }) => node))];
  });
  return table(['day', 'commit', 'Node'], rows);
}

/** The tables, by the marks that they stand between. */
export const PAGE_TABLES: { readonly [page: string]: { readonly [mark: string]: () => string } } = {
  'README.md': { 'bench:summary': () => times(SUMMARY) },
  'docs/performance.md': {
    'bench:days': days,
    'bench:columns': () => times(COLUMNS),
    'bench:single': () => times(SINGLE),
    'bench:slower': () => slower(SLOWER),
    'bench:files': files,
    'bench:cores': cores,
    'bench:interning': interning,
  },
};
