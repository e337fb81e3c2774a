// Command lines and their inputs, each made from a number.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Random } from '../simulation/random.js';

/** Command lines for one folder, one after the other: a later one may read what an earlier one has written. */
export interface Case {
  readonly lines: readonly (readonly string[])[];
  /** The files that are there before, by their paths in the folder. */
  readonly files: { readonly [path: string]: Buffer };
  /** What a command line can read from a pipe, in pieces. */
  readonly stdin: readonly Buffer[];
}

/** The query of the Parquet file that all cases share: columns of keys and of ids, called by their kinds, and shards. */
export const PARQUET_ROWS = `
  select 'user:' || i as text, i::ubigint as u64, i::integer as int32, -i as int64,
    ('017f22e2-79b0-7cc3-98c4-dc0c0c07' || (1000 + i))::uuid as uuid, (1::bigint << 60) + i * 4096 as id, i % 7 as place
  from range(200) rows(i)`;

/** Threads share inputs above 8 MiB. */
const LARGE_BYTES = 9 * 1024 * 1024;

/** In quotes, it has many places where a record seems to begin, and quotes are too far away to tell. */
const LONG = 'line\n'.repeat(40_000);

/** Stands in command lines for the files of the input. */
const INPUT = '<input>';

/** Options that are wrong beside most others. Some are right. */
const WRONG =
  `--shards 0; --shards 8; --shards 2147483648; --shards 1e3; --from 0; --to x; --to-router 3; --to-map missing;
  --strategy jmup; --keys u65; --keys u64; --keys uuid; --hash none; --seed 1.5; --seed 0x7; --down 3; --down 0,; --hive;
  --as kafak; --as cassandra; --as redis; --as clickhouse; --as discord; --servers missing; --servers input-0; --map servers;
  --csv; --tsv; --ndjson; --key no; --key b; --key; --delimiter ,,; --delimiter x; --quote double; --escape "; --no-header;
  --ragged; --missing-key x; --missing-key 5; --as-column key; --as-column x; --shard-column no; --threads 0; --threads 257;
  --encoding utf8; --compress gzip; --compress bzip2; --compress zstd; --max-rejects 1; --rejects input-0; --rejects out;
  --format xml; --format json; --format dec; --format u32; --format parquet; --max-rows-per-file 0; --summary; --json;
  --out-dir out; --out-dir servers; --out input-0; --out no/out; --out -; --layout snowflak; --layout a:65; --raw; --epoch 0;
  --epoch 2023-13-01; --text hexx; --text hex; --formt csv; --help; servers; no-file; shard=3; shard=3 shard=3; 123;
  *.parquet; no.parquet; placed`.split(/;\s+/);

/** What a command is tried with. */
interface Trial {
  readonly lines: readonly string[];
  readonly rows: Rows;
  /** Where the files of the input are, if the input is the directory `placed` instead of them. */
  readonly folder?: string | undefined;
}

/** The case with a number. One in `largeOneIn` has an input that threads share. @param parquet the file of PARQUET_ROWS */
export function caseOf(seed: number, largeOneIn: number, parquet: Buffer): Case {
  const random = new Random(seed);
  const isLarge = random.chance(1 / largeOneIn);
  const isBad = random.chance(isLarge ? 0.6 : 0.25);
  const { lines, rows, folder } = random.pick(COMMANDS)(random, isLarge);
  const isParquet = rows.shape === 'parquet';
  const encoding = isParquet || random.chance(0.85) ? 'utf8' : random.pick<Encoding>(['utf16le', 'latin1']);
  const isPacked = !isParquet && random.chance(0.1);
  const bytes = () => (isParquet ? parquet : bytesOf(random, rows, { isLarge, isBad, isPacked, encoding }));
  const inputs = Array.from({ length: isLarge ? 1 : random.pick([1, 1, 1, 2]) }, bytes);
  // Only the end may be missing. If gzip is damaged further ahead, how many rows come before the error depends on time.
  const received = (input: Buffer) => (isPacked && random.chance(0.1) ? input.subarray(0, -10) : input);
  const files = Object.fromEntries(inputs.map((input, i) => [join(folder ?? '', `input-${i}`), received(input)]));
  const isPiped = !isParquet && folder === undefined && random.chance(0.3);
  const all = Object.keys(files).join(' ');
  const named = random.chance(0.85) ? all : random.pick([`${all} missing`, `${all} -`, `${all} ${all}`]);
  const given = isPiped ? random.pick(['', '', '-', '-', '- -']) : folder === undefined ? named : 'placed';
  const rejecting = isParquet ? 0 : isBad ? 0.7 : 0.2;
  const complete = lines.map((line, i) => {
    const reading = line.includes(INPUT) ? readingOf(random, line, encoding, rejecting) : '';
    const wrong = i === lines.length - 1 ? maybe(random, 0.25, random.pick(WRONG)) : '';
    return `${line.replace(INPUT, given)} ${reading} ${wrong}`.split(' ').filter((word) => word !== '');
  });
  return {
    lines: complete,
    files: { ...SERVERS, ...(isPiped ? {} : files) },
    stdin: isPiped ? piecesOf(received(Buffer.concat(inputs)), random.pick([1, 3, 50])) : [],
  };
}

const SERVERS = { servers: Buffer.from('a:1,2\nb:1\nc:1,3\n'), 'servers-2': Buffer.from('a:1\n\nb:1 2\r\nd:1') };

function piecesOf(bytes: Buffer, count: number): Buffer[] {
  const length = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * length, (i + 1) * length));
}

type Encoding = 'utf8' | 'utf16le' | 'latin1';

/** Options of how a command line reads the input. @param rejecting how likely it writes malformed rows to a file */
function readingOf(random: Random, line: string, encoding: Encoding, rejecting: number): string {
  return [
    maybe(random, 0.8, { utf8: '', utf16le: '--encoding utf-16', latin1: '--encoding latin1' }[encoding]),
    line.startsWith('detect') ? '' : maybe(random, 0.6, `--threads ${random.from(1, 3)}`),
    line.startsWith('plan')
      ? ''
      : maybe(random, rejecting, `--rejects rejects ${maybe(random, 0.3, '--max-rejects 1')}`),
  ].join(' ');
}

const maybe = (random: Random, probability: number, options: string) => (random.chance(probability) ? options : '');

const u64 = (random: Random) => (BigInt(random.u32()) << 32n) | BigInt(random.u32());
const digits = (random: Random, alphabet: string, length: number) =>
  Array.from({ length }, () => random.pick([...alphabet])).join('');
const ODD = 'é|こんにちは|| a |\0|"|a,b|two\nlines|\\|\\N|\r|\u2028|1e3|-0'.split('|');

/** Keys and ids. */
const VALUES = {
  text: (random: Random) => (random.chance(0.9) ? `user:${random.from(0, 999)}` : random.pick(ODD)),
  u64: (random: Random) => String(random.chance(0.5) ? u64(random) : random.from(-1000, 1e9)),
  int32: (random: Random) => String(random.u32() | 0),
  int64: (random: Random) => String(BigInt.asIntN(64, u64(random))),
  uuid: (random: Random) => `017f22e2-79b0-7cc3-98c4-dc0c0c07${digits(random, '01239abcdef', 4)}`,
  id: (random: Random) => String((1n << 60n) + BigInt(random.u32()) * 4096n + BigInt(random.from(0, 9))),
  ulid: (random: Random) => `01ARZ3NDEKTSV4RRFFQ69G${digits(random, '0189ABCDEFGHJKMNPQRSTVWXYZ', 4)}`,
  objectid: (random: Random) => `507f1f77bcf86cd79943${digits(random, '0123456789abcdef', 4)}`,
  ksuid: (random: Random) => `0ujtsYcgvSTl8PAuAdqWYSM${digits(random, 'abcXYZ019', 4)}`,
  xid: (random: Random) => `9m4e2mr0ui3e8a215n${digits(random, '0189abcdefghijklmnopqrstuv', 1)}g`,
  hex: (random: Random) => u64(random).toString(16).padStart(16, '0'),
  base62: (random: Random) => `0${digits(random, '019AZaz', 10)}`,
  crockford32: (random: Random) => `0${digits(random, '0189ABCDEFGHJKMNPQRSTVWXYZ', 12)}`,
  sortable32: (random: Random) => `3${digits(random, '234567abcdefghijklmnopqrstuvwxyz', 12)}`,
};
type Kind = keyof typeof VALUES;

interface Rows {
  readonly shape: 'lines' | 'records' | 'parquet';
  /** How rows are written, and where the key is. */
  readonly options: string;
  /** The option for the column `place`, where rows are by their own account. */
  readonly place: string;
  /** Empty if there is none. */
  readonly header: string;
  /** Makes a row. @param b the text of the third column of a table */
  readonly row: (b?: string) => string;
  /** Rows that are malformed, at least in some formats. */
  readonly bad: readonly string[];
}

const BAD = `"|a"b,c|"a"b,c,d|1,2,3,4,5,6,7|x|\t|{"key":|{"b":1}|[1]|-|${'9'.repeat(20)}|${'a'.repeat(300)}`.split('|');
const LINES = { shape: 'lines', options: '', place: '', header: '', bad: BAD } as const;

/** @param places where rows may be; lines do not say it without them */
function rowsOf(random: Random, kind: Kind, places?: readonly string[]): Rows {
  const value = () => VALUES[kind](random);
  const place = () => (random.chance(0.002) ? 'no' : random.pick(places ?? NUMBERS));
  const format = random.pick(['lines', 'lines', 'csv', 'csv', 'csv', 'tsv', 'ndjson', 'ndjson', 'parquet']);
  if (format === 'parquet' && PARQUET_ROWS.includes(` as ${kind},`)) {
    return { ...LINES, shape: 'parquet', options: `--key ${kind}`, place: '--shard-column place', row: value };
  }
  if (format === 'csv' || format === 'tsv') return tableOf(random, format, value, place);
  if (format !== 'ndjson') return { ...LINES, row: places ? () => `${place()}\t${value()}` : value };
  const isNested = random.chance(0.3);
  const row = () => {
    const inJson = (text: string) => (/^-?[1-9]\d{0,14}$/.test(text) && random.chance(0.5) ? Number(text) : text);
    const key = inJson(value());
    const b = random.pick(['x', 1.5, null, [1, 'y'], { key: 2 }]);
    const object = JSON.stringify({ a: 1, ...(isNested ? { user: { key } } : { key }), b, place: inJson(place()) });
    return random.chance(0.1) ? object.replaceAll('er', '\\u0065r').replaceAll(',"', ' , "') : object;
  };
  const options = `--ndjson --key ${isNested ? 'user.key' : 'key'}`;
  return { ...LINES, shape: 'records', options, place: '--shard-column place', row };
}

/** Rows of CSV or TSV. */
function tableOf(random: Random, format: 'csv' | 'tsv', value: () => string, place: () => string): Rows {
  const delimiter = format === 'tsv' ? '\t' : random.pick([',', ',', ',', ';', '|']);
  const quoting = random.pick(['"', '"', '"', '\\', 'none']);
  const [isRagged, hasHeader] = [random.chance(0.1), random.chance(0.8)];
  const field = (text: string) => {
    if (quoting === 'none') return text.replace(/[\n\r\t,;|]/g, '_');
    if (quoting === '\\' && random.chance(0.5)) return text.replace(/[\\"\n\r\t,;|]/g, '\\$&');
    if (!/["\n\r\t,;|\\]/.test(text) && random.chance(0.9)) return text;
    return `"${quoting === '"' ? text.replaceAll('"', '""') : text.replace(/[\\"]/g, '\\$&')}"`;
  };
  const row = (b = random.pick(['x', '', 'two\nlines', '1'])) => {
    const fields = [VALUES.text(random), value(), b, place()].map(field);
    return fields.slice(0, isRagged ? random.from(1, 4) : 4).join(delimiter);
  };
  const options = [
    `--${format} ${hasHeader ? `--key key ${maybe(random, 0.1, '--key b')}` : '--no-header --key 2'}`,
    delimiter === ',' || format === 'tsv' ? '' : `--delimiter ${delimiter}`,
    quoting === '"' ? '' : quoting === 'none' ? '--quote none' : '--escape \\',
    isRagged ? '--ragged' : '',
  ].join(' ');
  const header = hasHeader ? ['a', 'key', random.chance(0.95) ? 'b' : 'key', 'place'].join(delimiter) : '';
  return { shape: 'records', options, place: `--shard-column ${hasHeader ? 'place' : 4}`, header, row, bad: BAD };
}

function bytesOf(
  random: Random,
  { header, row, bad }: Rows,
  { isLarge, isBad, isPacked, encoding }: { isLarge: boolean; isBad: boolean; isPacked: boolean; encoding: Encoding },
): Buffer {
  const eol = random.pick(['\n', '\n', '\r\n']);
  let rows = Array.from({ length: isLarge ? 500 : random.pick([0, 1, 3, 20, 200, 200, 200, 300]) }, () => row());
  if (isLarge) {
    const block = [...rows, row(random.chance(0.5) ? LONG : undefined)].join(eol);
    rows = Array(Math.ceil(LARGE_BYTES / block.length)).fill(block);
  }
  for (let n = isBad ? random.from(1, 3) : 0; n > 0; n--) rows.splice(random.from(0, rows.length), 0, random.pick(bad));
  if (random.chance(0.1)) rows.splice(random.from(0, rows.length), 0, '');
  const text = [...(header === '' ? [] : [header]), ...rows].join(eol) + maybe(random, 0.8, eol);
  const bytes = Buffer.from(maybe(random, { utf8: 0.1, utf16le: 0.5, latin1: 0 }[encoding], '\ufeff') + text, encoding);
  return isPacked ? gzipSync(bytes) : bytes;
}

/** What places keys. */
interface Mapping {
  readonly kind: Kind;
  readonly options: string;
  /** Some of its places. */
  readonly places: readonly string[];
}

const NUMBERS = ['0', '1', '2', '3', '4', '5', '6'];
/** Systems by the kind of their keys. */
const SYSTEMS = {
  text: 'kafka rdkafka rdkafka:fnv1a ragedb spark elasticsearch couchbase nats pulsar kinesis redis',
  int32: 'kafka kafka:unsigned spark:rdd iceberg postgres hive hive:1 vitess',
  int64: 'rdkafka spark citus flink discord clickhouse:sipHash64',
  uuid: 'kafka iceberg postgres citus flink clickhouse:cityHash64',
};

const shards = (random: Random) => random.pick([1, 2, 7, 7, 7, 16, 1000]);

/** @param from the option for the number of shards */
function routerOf(random: Random, from: string): Mapping {
  const strategy = maybe(random, 0.4, `--strategy ${random.pick(['jump', 'fastrange', 'modulo'])}`);
  const seed = maybe(random, 0.2, `--seed ${random.pick(['1', '-1', '0xffffffffffffffff'])}`);
  const options = `${from} ${shards(random)} ${strategy} ${seed}`;
  if (random.chance(0.6)) return { kind: 'text', options, places: NUMBERS };
  return { kind: 'u64', options: `${options} --keys u64 ${maybe(random, 0.3, '--hash none')}`, places: NUMBERS };
}

function systemOf(random: Random, from: string): Mapping {
  const kind = random.pick(['text', 'int32', 'int64', 'uuid'] as const);
  const system = random.pick(SYSTEMS[kind].split(' '));
  const count = system === 'redis' ? '' : `${from} ${shards(random)}`;
  return { kind, options: `--as ${system} --keys ${kind} ${count}`, places: NUMBERS };
}

function ringOf(random: Random): Mapping {
  const options = `--as ${random.pick(['ketama', 'ketama:plain', 'nginx'])} --servers servers`;
  return { kind: 'text', options, places: ['a:1', 'b:1', 'c:1'] };
}

const mapped = (): Mapping => ({ kind: 'text', options: '--map map', places: ['db1', 'db2', 'db3'] });

/** The command lines that make the maps that options name. */
function mapsOf(options: string): string[] {
  const create = 'map create --shards 64 --nodes db1=2@eu,db2@eu,db3@us --replicas 2 --out map';
  if (options.includes('map-2')) return [create, 'map change map --add a:1 --remove db2 --out map-2'];
  return options.includes(' map') ? [create] : [];
}

const outOf = (random: Random) => random.pick(['', '', '--out out', '--out out --compress gzip']);

function route(random: Random, isLarge: boolean): Trial {
  const { kind, options } = random.pick([routerOf, routerOf, systemOf, ringOf, mapped])(random, '--shards');
  const rows = rowsOf(random, kind);
  const parts = `--out-dir out --max-rows-per-file ${isLarge ? 1e5 : random.pick([5, 50])}`;
  const form = random.pick(
    {
      lines: [outOf(random), '--format tsv', '--format shard', '--format u32', '--out-dir out', parts],
      records: [outOf(random), '--as-column s', '--format shard', '--out-dir out --compress gzip', parts],
      parquet: ['--out out', '--out out --as-column s', '--out-dir out', '--out-dir out --hive', parts],
    }[rows.shape].concat('--summary', '--summary --json'),
  );
  const rest = rows.shape === 'lines' ? '--down 0' : `--missing-key ${random.pick([0, 'reject'])}`;
  return {
    lines: [...mapsOf(options), `route ${INPUT} ${rows.options} ${options} ${form} ${maybe(random, 0.3, rest)}`],
    rows,
  };
}

function plan(random: Random): Trial {
  const router = `--to-router ${shards(random)}`;
  const [mapping, to] = random.pick([
    () => [routerOf(random, '--from'), `--to ${shards(random)}`] as const,
    () => [systemOf(random, '--from'), random.pick([`--to ${shards(random)}`, router, '--to-map map'])] as const,
    () => [ringOf(random), random.pick(['--to-servers servers-2', router, '--to-map map'])] as const,
    () => [{ ...mapped(), options: '--from-map map' }, '--to-map map-2'] as const,
  ])();
  const rows = rowsOf(random, mapping.kind);
  const options = `${mapping.options} ${to} ${rows.shape === 'lines' ? '' : maybe(random, 0.3, '--missing-key 0')}`;
  const form = random.pick(['', '--json', '--json', '--out out']);
  return { lines: [...mapsOf(options), `plan ${INPUT} ${rows.options} ${options} ${form}`], rows };
}

function hash(random: Random): Trial {
  const kind = random.pick(['text', 'u64'] as const);
  const rows = rowsOf(random, kind);
  const options = `--keys ${kind} ${random.pick(['', '--seed 7'])} ${random.pick(['', '--format dec', '--format hex'])}`;
  const out = rows.shape === 'lines' ? outOf(random) : random.pick(['--out out', '--out out --as-column h']);
  return { lines: [`hash ${INPUT} ${rows.options} ${options} ${out}`], rows };
}

/** Rows that say where they are, by chance or because `route` has placed them, and how a command reads them. */
function placed(random: Random, { kind, options, places }: Mapping, way: string) {
  const rows = rowsOf(random, kind, way === 'given' ? places : undefined);
  if (way === 'given') return { rows, before: [], source: `${INPUT} ${rows.options} ${rows.place}` };
  const hive = rows.shape === 'parquet' ? random.pick(['', '--hive']) : '';
  const out = way === 'file' ? '--out routed' : `--out-dir routed ${hive}`;
  const isNumbered = way === 'file' && rows.options.includes('--no-header');
  const source = `routed ${rows.options} ${isNumbered ? '--shard-column 5' : ''}`;
  return { rows, before: [`route ${INPUT} ${rows.options} ${options} ${out}`], source };
}

function audit(random: Random): Trial {
  const mapping = random.pick([routerOf, routerOf, systemOf, ringOf, mapped])(random, '--shards');
  const way = random.pick(['given', 'file', 'directory', 'directory']);
  const { rows, before, source } = placed(random, mapping, way);
  const isHive = way === 'given' && rows.shape !== 'parquet' && random.chance(0.3);
  const folder = isHive ? `placed/${mapping.places === NUMBERS ? 'shard' : 'node'}=${mapping.places[0]}` : undefined;
  const form = random.pick(['', '--json', outOf(random)]);
  const line = `audit ${isHive ? `${INPUT} ${rows.options}` : source} ${mapping.options} ${form}`;
  return { lines: [...mapsOf(mapping.options), ...before, line], rows, folder };
}

function detect(random: Random): Trial {
  const mapping = random.pick([routerOf, systemOf, systemOf, ringOf])(random, '--shards');
  const { rows, before, source } = placed(random, mapping, random.pick(['given', 'file', 'file', 'file']));
  const [servers = ''] = /--servers servers/.exec(mapping.options) ?? [];
  return { lines: [...before, `detect ${source} ${servers} ${random.pick(['', '--json', '--out out'])}`], rows };
}

const LAYOUTS =
  'snowflake twitter pinterest discord sonyflake tsid atproto clientEntity a:3,b:61 timestamp:41,shard:10,sequence:12';

function decode(random: Random): Trial {
  const layout = `--layout ${random.pick(LAYOUTS.split(' '))} ${maybe(random, 0.2, '--raw')}`;
  const text = random.pick(['hex', 'base62', 'crockford32', 'sortable32'] as const);
  const wide = random.pick(['uuid', 'ulid', 'objectid', 'ksuid', 'xid'] as const);
  const [kind, options] = random.pick<readonly [Kind, string]>([
    ['id', layout],
    ['id', ''],
    [text, `${random.pick([layout, layout, ''])} --text ${text}`],
    [wide, random.pick(['', `--text ${wide}`])],
  ]);
  const rows = rowsOf(random, kind);
  const out = rows.shape === 'parquet' ? '--out out' : outOf(random);
  const form = rows.shape === 'lines' ? random.pick(['', '--json', '--format tsv', '--format csv']) : '';
  const ids = Array.from({ length: random.from(1, 4) }, rows.row).join(' ');
  const source = rows.shape === 'lines' && random.chance(0.3) ? ids : `${INPUT} ${rows.options}`;
  return { lines: [`decode ${source} ${options} ${form} ${out}`], rows };
}

function encode(random: Random): Trial {
  const format = random.pick(['tsv', 'csv', 'json']);
  const options = `--layout ${random.pick(LAYOUTS.split(' '))} --format ${format} ${maybe(random, 0.2, '--raw')}`;
  const time = () => random.pick(['2024-03-01T10:30:15.500Z', String(1_700_000_000_000 + random.from(0, 1e9))]);
  const row = (timestamp = time(), shard = random.from(0, 1023)) => {
    const values = { timestamp, shard, sequence: random.from(0, 4095) };
    return format === 'json' ? JSON.stringify(values) : Object.values(values).join(format === 'csv' ? ',' : '\t');
  };
  const header = { tsv: 'timestamp\tshard\tsequence', csv: 'timestamp,shard,sequence', json: '' }[format] ?? '';
  const rows = { ...LINES, header, row: () => row(), bad: [...BAD, row('x'), row('1'), row(time(), 9999)] };
  return random.pick<Trial>([
    {
      lines: [`encode --layout snowflake timestamp=${time()} shard=5 ${random.pick(['sequence=9', 'sequence=x', ''])}`],
      rows,
    },
    { lines: [`encode ${INPUT} --layout snowflake --format ${format} ${outOf(random)}`], rows },
    {
      lines: [`decode ${INPUT} ${options} --out fields`, `encode fields ${options} ${outOf(random)}`],
      rows: { ...LINES, row: () => VALUES.id(random) },
    },
  ]);
}

const COMMANDS = [route, route, route, plan, plan, hash, decode, decode, encode, encode, audit, audit, detect];
