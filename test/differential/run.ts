import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { writeParquet } from '../support/parquet.js';
import { type Case, caseOf, PARQUET_ROWS } from './cases.js';

/**
 * Gives an older build of the command line and this one the same command lines, and prints those with another outcome; exits
 * with 1 then. An outcome is the exit code, standard output, standard error, and all files that are there afterwards.
 *
 *   npm run test:differential -- OLD_CLI_JS [--count N] [--seed N] [--large-one-in N]
 *
 * The seed numbers the first case, so `--count 1 --seed N` repeats one, with the same `--large-one-in`. A case has up to three
 * command lines.
 */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '1500' },
      seed: { type: 'string', default: '1' },
      'large-one-in': { type: 'string', default: '40' },
    },
  });
  if (positionals.length !== 1) throw new Error('expected the path of an older dist/cli.js');
  const builds = [resolve(positionals[0]), resolve('dist/cli.js')];
  const [first, count, largeOneIn] = [values.seed, values.count, values['large-one-in']].map(Number);
  const home = mkdtempSync(join(tmpdir(), 'shardbits-differential-'));
  let next = first;
  let different = 0;
  const work = async (parquet: Buffer) => {
    while (next < first + count) {
      const seed = next++;
      const one = caseOf(seed, largeOneIn, parquet);
      const folder = join(home, String(seed)); // the same for both builds, because messages may have its path
      const [before, now] = [await outcomesOf(one, builds[0], folder), await outcomesOf(one, builds[1], folder)];
      countOutcomes(one, now);
      if (isDeepStrictEqual(before, now)) continue;
      different++;
      console.log(`--- seed ${seed}`);
      for (const [i, args] of one.lines.entries()) console.log(`${args.join(' ')}\n${differenceOf(before[i], now[i])}`);
    }
  };
  try {
    console.log(`${count} cases from seed ${first} on`);
    await writeParquet(join(home, 'rows.parquet'), PARQUET_ROWS);
    const parquet = readFileSync(join(home, 'rows.parquet'));
    await Promise.all(Array.from({ length: 2 * availableParallelism() }, () => work(parquet))); // half of them wait
  } finally {
    rmSync(home, { recursive: true });
  }
  for (const [what, times] of [...counts].sort()) console.log(`${String(times).padStart(5)} ${what}`);
  console.log(`${messages.size} different messages on standard error, without their numbers`);
  console.log(`${different} of ${count} cases from seed ${first} on have another outcome`);
  process.exitCode = different === 0 ? 0 : 1;
}

/** What came of a command line. */
interface Outcome {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** All files that are there afterwards. */
  readonly files: { readonly [path: string]: Buffer };
}

const MAX_MS = 120_000;

/** What a summary says about time. */
const TIMES = /(?<=^throughput +).*|(?<="seconds":).*(?=,"(?:shards|nodes)":)/gm;

/** Runs the command lines of a case in a new folder. */
async function outcomesOf({ lines, files, stdin }: Case, cli: string, folder: string): Promise<Outcome[]> {
  mkdirSync(folder);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const outcomes: Outcome[] = [];
  for (const args of lines) {
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: 'pipe', timeout: MAX_MS });
    const closed = once(child, 'close') as Promise<[number | null, string]>;
    pipeline(Readable.from(apart(stdin)), child.stdin).catch(() => {}); // it may end before it has read all
    const [[code, signal], stdout, stderr] = await Promise.all([closed, buffer(child.stdout), text(child.stderr)]);
    const untimed = args.includes('--summary') ? Buffer.from(stdout.toString().replace(TIMES, '…')) : stdout;
    outcomes.push({ code: code ?? signal, stdout: untimed, stderr, files: filesIn(folder) });
  }
  rmSync(folder, { recursive: true });
  return outcomes;
}

/** Waits between pieces, so that most are read on their own. */
async function* apart(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    await setTimeout(5);
  }
}

function filesIn(folder: string): Outcome['files'] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

function differenceOf(before: Outcome, now: Outcome): string {
  const parts = ({ files, ...rest }: Outcome): { [part: string]: unknown } => ({ ...rest, ...files });
  const [old, recent] = [parts(before), parts(now)];
  const shown = (value: unknown) =>
    JSON.stringify(Buffer.isBuffer(value) ? value.toString('latin1') : value)?.slice(0, 400);
  return [...new Set([...Object.keys(old), ...Object.keys(recent)])]
    .filter((part) => !isDeepStrictEqual(old[part], recent[part]))
    .map((part) => `${part}\n  before ${shown(old[part])}\n  now    ${shown(recent[part])}`)
    .join('\n');
}

/** How many command lines of each command gave rows, or ended with which code. */
const counts = new Map<string, number>();
const messages = new Set<string>();

function countOutcomes({ lines, files }: Case, outcomes: readonly Outcome[]): void {
  for (const [i, { code, stdout, stderr, files: after }] of outcomes.entries()) {
    const before = outcomes[i - 1]?.files ?? files;
    const isWritten = Object.entries(after).some(([path, bytes]) => bytes.length > 0 && before[path] === undefined);
    const came = code !== 0 ? `exit code ${code}` : stdout.length > 0 || isWritten ? 'rows' : 'no rows';
    const what = `${lines[i][0]} with ${came}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const message of stderr.split('\n')) messages.add(message.replace(/\d+/g, '0'));
  }
}

await main();
