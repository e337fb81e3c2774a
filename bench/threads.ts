// `npm run bench -- threads [--rows N] [--rounds N] [--json FILE]`: what several threads save, and what would end the gain on
// more cores. It times whole processes with one thread, with two, and two processes at once, which shows how far two cores
// of this machine disturb each other. From the time with one thread, split into stages, a model tells the time with two
// threads, to be compared with the measured one, and the times with 4, 16 and 64 cores. DuckDB splits the same rows by its
// own hash, if it is installed: npm install --prefix bench/peers.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { splitMix64 } from '../test/support/split-mix.js';
import { type FigureTable, plainFigures, writeFigures } from './figure-tables.js';
import { folder, outputs } from './peers/processes.js';
import { median } from './summary.js';

const { values } = parseArgs({
  options: { rows: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'string' } },
});
const ROWS = Number(values.rows ?? 4_000_000);
const ROUNDS = Number(values.rounds ?? 7);
const CORES = [2, 4, 16, 64];
const STAGES = 'of one thread: ';

/** The stages of a job on one thread, in seconds, and what it takes with two. */
interface Stages {
  /** Starting Node.js and the command line. */
  readonly start: number;
  /** Starting another thread. */
  readonly thread: number;
  /** Copying the file from the page cache. */
  readonly reading: number;
  /** Cutting, hashing and formatting. */
  readonly hashing: number;
  /** Copying the rows to the page cache. */
  readonly writing: number;
  /** How much longer a process takes while another one works on the other core. */
  readonly disturbance: number;
}

interface Job {
  readonly name: string;
  readonly args: (threads: number, out: string) => readonly string[];
  /** The same without writing. */
  readonly unwritten: readonly string[];
  /** The same work in DuckDB, with its own hash. */
  readonly duckdb?: (out: string) => string;
  /** Whether this thread writes what all threads give it; otherwise they write themselves. */
  readonly writesAlone: boolean;
}

/** The time of a job on some cores, and the stage that ends the gain. */
function predicted({ writesAlone }: Job, stages: Stages, threads: number): { seconds: number; end: string } {
  const { start, thread, reading, hashing, writing, disturbance } = stages;
  const all = disturbance * (reading + hashing + writing);
  if (!writesAlone) return { seconds: start + thread + all / threads, end: 'no stage' };
  const shared = (all + (threads - 1) * thread) / threads;
  const alone = disturbance * writing;
  return alone > shared ? { seconds: start + alone, end: 'writing' } : { seconds: start + shared, end: 'no stage' };
}

const ours = (...args: readonly string[]): readonly string[] => ['dist/cli.js', ...args];

async function seconds(...processes: readonly (readonly string[])[]): Promise<number> {
  rmSync(outputs, { recursive: true, force: true });
  mkdirSync(outputs);
  const began = performance.now();
  const ends = processes.map((args) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    return new Promise<void>((resolve, reject) => {
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')}: exit code ${code}`))));
    });
  });
  await Promise.all(ends);
  return (performance.now() - began) / 1000;
}

async function threadSeconds(): Promise<number> {
  const began = performance.now();
  const workerData = { backend: 'wasm', kind: 'columns', options: null };
  const worker = new Worker(new URL('../dist/shardbits-worker.cjs', import.meta.url), { workerData });
  const reply = new Promise((resolve) => worker.once('message', resolve));
  worker.postMessage({ keys: new BigUint64Array(1), to: { seed: 0n } });
  await reply;
  const took = (performance.now() - began) / 1000;
  await worker.terminate();
  return took;
}

function readingSeconds(path: string): number {
  const buffer = new Uint8Array(256 * 1024);
  const file = openSync(path, 'r');
  const began = performance.now();
  while (readSync(file, buffer) > 0);
  const took = (performance.now() - began) / 1000;
  closeSync(file);
  return took;
}

/** Rows of 92 bytes: an id, a name, an address, a city, an amount and a note. */
function writeCsv(path: string): void {
  const file = openSync(path, 'w');
  writeSync(file, 'id,name,email,city,amount,note\n');
  const PIECE = 50_000;
  for (let from = 0; from < ROWS; from += PIECE) {
    const rows = Array.from(splitMix64(Math.min(PIECE, ROWS - from), BigInt(from)), (value, i) => {
      const number = Number(value >> 32n);
      const name = number % 16 === 0 ? `"Smith, ${number % 999}"` : `user${number % 1_000_000}`;
      const email = `user-${value >> 40n}-${from + i}@example.com`;
      return `${from + i},${name},${email},City${number % 5000},${number % 99_999}.50,some text ${number} here\n`;
    });
    writeSync(file, rows.join(''));
  }
  closeSync(file);
}

const csv = `${folder}/rows.csv`;
const RECORDS = [csv, '--csv', '--key', 'email', '--shards', '64'];
const JOBS: readonly Job[] = [
  {
    name: 'split into 64 files',
    args: (threads, out) => ['route', ...RECORDS, '--out-dir', out, '--threads', `${threads}`],
    unwritten: ['route', ...RECORDS, '--format', 'u32', '--out', '/dev/null', '--threads', '1'],
    duckdb: (out) =>
      `copy (select *, hash(email) % 64 as shard from read_csv('${csv}')) to '${out}' (format csv, partition_by (shard))`,
    writesAlone: false,
  },
  {
    name: 'route to one file',
    args: (threads, out) => ['route', ...RECORDS, '--out', out, '--threads', `${threads}`],
    unwritten: ['route', ...RECORDS, '--out', '/dev/null', '--threads', '1'],
    writesAlone: true,
  },
];

const tables: FigureTable[] = [];

try {
  writeCsv(csv);
  for (const job of JOBS) {
    const times: { [what: string]: number[] } = {};
    const measure = async (what: string, run: () => number | Promise<number>) => {
      times[what] ??= [];
      times[what].push(await run());
    };
    const to = (name: string) => `${outputs}/${name}`;
    const one = (name: string) => ours(...job.args(1, to(name)));
    const rival = existsSync('bench/peers/node_modules/@duckdb') ? job.duckdb?.(to('a')) : undefined;
    for (let round = 0; round <= ROUNDS; round++) {
      await measure('start', () => seconds(ours('--version')));
      await measure('thread', threadSeconds);
      await measure('reading', () => readingSeconds(csv));
      await measure('unwritten', () => seconds(ours(...job.unwritten)));
      await measure('one', () => seconds(one('a')));
      await measure('two', () => seconds(ours(...job.args(2, to('a')))));
      await measure('copies', () => seconds(one('a'), one('b')));
      if (rival !== undefined) await measure('duckdb', () => seconds(['bench/peers/query-duckdb.mjs', '2', rival]));
    }
    const at = (what: string) => median(times[what].slice(1)); // the first round fills the page cache
    const stages: Stages = {
      start: at('start'),
      thread: at('thread'),
      reading: at('reading'),
      hashing: at('unwritten') - at('start') - at('reading'),
      writing: at('one') - at('unwritten'),
      disturbance: median(times.copies.map((both, i) => both / times.one[i])),
    };
    const { disturbance, ...inSeconds } = stages;
    const models = CORES.map((cores) => ({ cores, ...predicted(job, stages, cores) }));
    tables.push({
      title: `${job.name}, ${ROWS.toLocaleString('en')} rows`,
      columns: ['seconds'],
      rows: [
        ['one thread', at('one')],
        ['two threads', at('two')],
        ...(rival === undefined ? [] : [['DuckDB, two threads', at('duckdb')] as const]),
        ...Object.entries(inSeconds).map(([stage, value]) => [`${STAGES}${stage}`, value] as const),
        ...models.map((one) => [`by the model: ${one.cores} cores, ended by ${one.end}`, one.seconds] as const),
      ],
    });
    tables.push({
      title: `${job.name}: how many times as fast`,
      columns: ['times'],
      rows: [
        ['two threads', median(times.one.map((one, i) => one / times.two[i]))],
        ['two processes at once, with one thread each', 2 / disturbance],
        ...models.map((one) => [`by the model: ${one.cores} cores`, at('one') / one.seconds] as const),
      ],
    });
    for (const table of tables.slice(-2)) console.log(plainFigures(table));
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (values.json !== undefined) writeFigures(values.json, tables);
