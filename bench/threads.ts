// `npm run bench -- threads [--rows N] [--rounds N] [--json FILE]`: what several threads save, and what would end the gain on
// more cores. It times whole processes with one thread, with two, and two processes at once, which shows how far two cores
// of this machine disturb each other, and a quarter of the rows, which shows what does not depend on them. From the time with
// one thread, split into stages, a model tells the time with two threads, to be compared with the measured one, and the
// times with 4, 16 and 64 cores. N is the number of records; there are four times as many keys. The rivals do the same work:
// DuckDB splits the rows by its own hash, if it is installed (npm install --prefix bench/peers), and plain C routes the keys,
// if there is a compiler with libxxhash.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { splitMix64 } from '../test/support/split-mix.js';
import { type FigureTable, plainFigures, writeFigures } from './figure-tables.js';
import { writeAtUris } from './peers/at-uri-file.js';
import { folder, outputs } from './peers/processes.js';
import { median } from './summary.js';

const { values } = parseArgs({
  options: { rows: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'string' } },
});
const ROWS = 4 * Math.round(Number(values.rows ?? 4_000_000) / 4);
const ROUNDS = Number(values.rounds ?? 7);
const CORES = [2, 4, 16, 64];
const STAGES = 'of one thread: ';

/** The stages of a job on one thread, in seconds, and what it takes with two. */
interface Stages {
  /** What does not depend on the number of rows: starting Node.js and the command line, and running code that is new. */
  readonly fixed: number;
  /** Starting another thread, until it takes work. */
  readonly thread: number;
  /** Copying the file from the page cache. */
  readonly reading: number;
  /** Cutting, hashing and formatting. */
  readonly hashing: number;
  /** Copying the rows to the page cache; for several files, also sorting them by file. */
  readonly writing: number;
  /** How much longer a process takes while another one works on the other core. */
  readonly disturbance: number;
}

/** A program and its arguments. */
type Command = readonly [program: string, ...args: string[]];

interface Job {
  readonly name: string;
  readonly rows: number;
  /** Writes rows. */
  readonly input: (path: string, rows: number) => void;
  readonly command: (path: string, threads: number, out: string) => Command;
  /** The name of its operation. */
  readonly operation: string;
  /** The same on one thread, to standard output. */
  readonly printed: (path: string) => Command;
  /** The same work by others. */
  readonly rival?: { readonly name: string; readonly command: (path: string, threads: number, out: string) => Command };
  /** Whether the main thread writes what all threads give it; otherwise they write themselves. */
  readonly writesAlone: boolean;
}

/** The time of a job on some cores, and the stage that ends the gain. */
function predicted({ writesAlone }: Job, stages: Stages, threads: number): { seconds: number; end: string } {
  const { fixed, thread, reading, hashing, writing, disturbance } = stages;
  const shared = (disturbance * (reading + hashing + writing) + (threads - 1) * thread) / threads;
  const alone = writesAlone ? disturbance * writing : 0;
  return alone > shared ? { seconds: fixed + alone, end: 'writing' } : { seconds: fixed + shared, end: 'no stage' };
}

const ours = (...args: readonly string[]): Command => [process.execPath, 'dist/cli.js', ...args];

/** Runs processes at once. What each writes to standard output goes to a file, or nowhere. */
async function seconds(commands: readonly Command[], isKept = true): Promise<number> {
  rmSync(outputs, { recursive: true, force: true });
  mkdirSync(outputs);
  const files = commands.map((_, i) => openSync(isKept ? `${outputs}/stdout-${i}` : '/dev/null', 'w'));
  const began = performance.now();
  const ends = commands.map(([program, ...args], i) => {
    const child = spawn(program, args, { stdio: ['ignore', files[i], 'inherit'] });
    return new Promise<void>((resolve, reject) => {
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')}: exit code ${code}`))));
    });
  });
  await Promise.all(ends);
  const took = (performance.now() - began) / 1000;
  for (const file of files) closeSync(file);
  return took;
}

/** @param name what the thread loads */
async function threadSeconds(name: string): Promise<number> {
  const began = performance.now();
  const workerData = { backend: 'wasm', modules: {}, kind: 'chunks', name };
  const worker = new Worker(new URL('../dist/shardbits-worker.cjs', import.meta.url), { workerData, execArgv: [] });
  await new Promise((resolve) => worker.once('message', resolve)); // it is up
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
function writeCsv(path: string, rows: number): void {
  const file = openSync(path, 'w');
  writeSync(file, 'id,name,email,city,amount,note\n');
  const PIECE = 50_000;
  for (let from = 0; from < rows; from += PIECE) {
    const lines = Array.from(splitMix64(Math.min(PIECE, rows - from), BigInt(from)), (value, i) => {
      const number = Number(value >> 32n);
      const name = number % 16 === 0 ? `"Smith, ${number % 999}"` : `user${number % 1_000_000}`;
      const email = `user-${value >> 40n}-${from + i}@example.com`;
      return `${from + i},${name},${email},City${number % 5000},${number % 99_999}.50,some text ${number} here\n`;
    });
    writeSync(file, lines.join(''));
  }
  closeSync(file);
}

const records = (path: string) => ['route', path, '--csv', '--key', 'email', '--shards', '64'];
const keys = (path: string) => ['route', path, '--shards', '1024', '--format', 'u32'];

const isDuckDB = existsSync('bench/peers/node_modules/@duckdb');
const program = `${folder}/route`;
const isC = spawnSync('cc', ['-O3', '-march=native', '-o', program, 'bench/peers/route.c', '-lxxhash']).status === 0;

const duckdb: Job['rival'] = {
  name: 'DuckDB',
  command: (path, threads, out) => [
    process.execPath,
    'bench/peers/query-duckdb.mjs',
    `${threads}`,
    `copy (select *, hash(email) % 64 as shard from read_csv('${path}')) to '${out}' (format csv, partition_by (shard))`,
  ],
};

const JOBS: readonly Job[] = [
  {
    name: 'split a CSV into 64 files',
    rows: ROWS,
    input: writeCsv,
    command: (path, threads, out) => ours(...records(path), '--out-dir', out, '--threads', `${threads}`),
    operation: 'route to files',
    printed: (path) => ours(...records(path), '--format', 'u32', '--threads', '1'),
    ...(isDuckDB && { rival: duckdb }),
    writesAlone: false,
  },
  {
    name: 'route keys to u32',
    rows: 4 * ROWS,
    input: writeAtUris,
    command: (path, threads) => ours(...keys(path), '--threads', `${threads}`),
    operation: 'route',
    printed: (path) => ours(...keys(path), '--threads', '1'),
    // It has one thread. Two processes at once, each with all keys, show the most that two threads could gain.
    ...(isC && { rival: { name: 'C', command: (path) => [program, path, '1024', 'u'] } }),
    writesAlone: true,
  },
];

const tables: FigureTable[] = [];

try {
  for (const job of JOBS) {
    const [path, quarter] = [`${folder}/rows`, `${folder}/quarter`];
    job.input(path, job.rows);
    job.input(quarter, job.rows / 4);
    const times: { [what: string]: number[] } = {};
    const measure = async (what: string, run: () => number | Promise<number>) => {
      times[what] ??= [];
      times[what].push(await run());
    };
    const to = (name: string) => `${outputs}/${name}`;
    const with1 = (name: string) => job.command(path, 1, to(name));
    const { rival } = job;
    for (let round = 0; round <= ROUNDS; round++) {
      await measure('thread', () => threadSeconds(job.operation));
      await measure('reading', () => readingSeconds(path));
      await measure('unwritten', () => seconds([job.printed(path)], false));
      await measure('one', () => seconds([with1('a')]));
      await measure('two', () => seconds([job.command(path, 2, to('a'))]));
      await measure('copies', () => seconds([with1('a'), with1('b')]));
      await measure('quarter', () => seconds([job.command(quarter, 1, to('a'))]));
      await measure('quarter, two', () => seconds([job.command(quarter, 2, to('a'))]));
      if (rival === undefined) continue;
      await measure('rival', () => seconds([rival.command(path, 1, to('a'))]));
      const both = ['a', 'b'].map((name) => rival.command(path, 1, to(name)));
      if (rival === duckdb) await measure('rival, two', () => seconds([rival.command(path, 2, to('a'))]));
      else await measure('rival, copies', () => seconds(both));
    }
    for (const one of [path, quarter]) rmSync(one);
    for (const all of Object.values(times)) all.shift(); // the first round fills the page cache
    const at = (what: string) => median(times[what]);
    /** What would be left without rows. */
    const fixedOf = (all: string, part: string) => at(part) - (at(all) - at(part)) / 3;
    const fixed = fixedOf('one', 'quarter');
    const stages: Stages = {
      fixed,
      thread: at('thread'),
      reading: at('reading'),
      hashing: at('unwritten') - fixed - at('reading'),
      writing: at('one') - at('unwritten'),
      disturbance: median(times.copies.map((both, i) => both / times.one[i])),
    };
    const { disturbance, ...inSeconds } = stages;
    const models = CORES.map((cores) => ({ cores, ...predicted(job, stages, cores) }));
    const title = `${job.name}, ${job.rows.toLocaleString('en')} rows`;
    const ofRival = (what: string, name: string): [string, number][] => (what in times ? [[name, at(what)]] : []);
    tables.push({
      title,
      columns: ['seconds'],
      rows: [
        ['one thread', at('one')],
        ['two threads', at('two')],
        ...ofRival('rival', `${rival?.name}, one thread`),
        ...ofRival('rival, two', `${rival?.name}, two threads`),
        ...Object.entries(inSeconds).map(([stage, value]) => [`${STAGES}${stage}`, value] as const),
        ['of two threads: what does not depend on the rows', fixedOf('two', 'quarter, two')],
        ...models.map((one) => [`by the model: ${one.cores} cores, ended by ${one.end}`, one.seconds] as const),
      ],
    });
    const gain = (both: string, one: string) => median(times[both].map((time, i) => (2 * times[one][i]) / time));
    tables.push({
      title: `${job.name}: how many times as fast`,
      columns: ['times'],
      rows: [
        ['two threads', median(times.one.map((one, i) => one / times.two[i]))],
        ['two processes at once, with one thread each', 2 / disturbance],
        ...('rival, copies' in times
          ? [[`${rival?.name}, two processes at once`, gain('rival, copies', 'rival')] as const]
          : []),
        ...models.map((one) => [`by the model: ${one.cores} cores`, at('one') / one.seconds] as const),
      ],
    });
    for (const table of tables.slice(-2)) console.log(plainFigures(table));
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (values.json !== undefined) writeFigures(values.json, tables);
