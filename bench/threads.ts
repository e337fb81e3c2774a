// `npm run bench -- threads [--rows N] [--rounds N]`: what several threads save, and what would end the gain on more cores.
// It times whole processes with one thread, with two, and two processes at once, which shows how far two cores of this
// machine disturb each other. From the time with one thread, split into stages, a model tells the time with two threads,
// which is compared with the measured one, and the times with 4, 16 and 64 cores.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { splitMix64 } from '../test/support/split-mix.js';
import { folder, outputs } from './peers/processes.js';

const { values } = parseArgs({ options: { rows: { type: 'string' }, rounds: { type: 'string' } } });
const ROWS = Number(values.rows ?? 4_000_000);
const ROUNDS = Number(values.rounds ?? 7);
const CORES = [2, 4, 16, 64];

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

async function seconds(...processes: readonly (readonly string[])[]): Promise<number> {
  rmSync(outputs, { recursive: true, force: true });
  mkdirSync(outputs);
  const began = performance.now();
  const ends = processes.map((args) => {
    const child = spawn(process.execPath, ['dist/cli.js', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
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
  const worker = new Worker(new URL('../dist/worker.cjs', import.meta.url), { workerData });
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

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
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
    writesAlone: false,
  },
  {
    name: 'route to one file',
    args: (threads, out) => ['route', ...RECORDS, '--out', out, '--threads', `${threads}`],
    unwritten: ['route', ...RECORDS, '--out', '/dev/null', '--threads', '1'],
    writesAlone: true,
  },
];

try {
  writeCsv(csv);
  for (const job of JOBS) {
    const times: { [what: string]: number[] } = {};
    const measure = async (what: string, run: () => number | Promise<number>) => {
      times[what] ??= [];
      times[what].push(await run());
    };
    const to = (name: string) => `${outputs}/${name}`;
    for (let round = 0; round <= ROUNDS; round++) {
      await measure('start', () => seconds(['--version']));
      await measure('thread', threadSeconds);
      await measure('reading', () => readingSeconds(csv));
      await measure('unwritten', () => seconds(job.unwritten));
      await measure('one', () => seconds(job.args(1, to('a'))));
      await measure('two', () => seconds(job.args(2, to('a'))));
      await measure('copies', () => seconds(job.args(1, to('a')), job.args(1, to('b'))));
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
    console.log(`\n${job.name}, ${ROWS} rows`);
    for (const [name, value] of Object.entries(stages)) console.log(`  ${name.padEnd(12)} ${value.toFixed(3)}`);
    console.log(
      `  one thread   ${at('one').toFixed(3)} s; two copies at once gain ${(2 / stages.disturbance).toFixed(2)} times`,
    );
    const gain = median(times.one.map((one, i) => one / times.two[i]));
    for (const cores of CORES) {
      const { seconds, end } = predicted(job, stages, cores);
      const off =
        cores === 2 ? `; measured ${at('two').toFixed(3)} s, ${(100 * (seconds / at('two') - 1)).toFixed(0)} %` : '';
      const measured = cores === 2 ? `; measured gain ${gain.toFixed(2)}` : '';
      console.log(
        `  ${String(cores).padStart(2)} cores     ${seconds.toFixed(3)} s, ${(at('one') / seconds).toFixed(1)} times, ended by ${end}${off}${measured}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
