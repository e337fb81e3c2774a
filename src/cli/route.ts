import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Routing } from '../index.js';
import {
  type Input,
  type LineJobOptions,
  type RejectedLine,
  type RowFormat,
  routeFile,
  routeToDirectory,
} from '../node/index.js';
import { REJECTS, type Reject, withRejects } from './bad-rows.js';
import { defaultThreads, inputsOf, makeRows, type RowOptions, shardList, withRowOptions } from './options.js';
import { checkOutputs, cleaningUp, isStdout, OUT } from './output.js';
import { startProgress } from './progress.js';
import { lineKeysOf, makeRouting, type RoutingOptions, withRoutingOptions } from './routing-options.js';
import { print } from './stdout.js';
import { summarize, summaryJson } from './summary.js';
import { inOwnWords, integer, isRefusal, oneOf, path, UsageError } from './usage.js';

interface RouteOptions extends RoutingOptions, RowOptions {
  shards?: number;
  format?: RowFormat;
  out?: string;
  outDir?: string;
  summary?: boolean;
  json?: boolean;
  threads?: number;
  rejects?: string;
}

// A count a shard is kept, 8 bytes each.
const MOST_SUMMARIZED = 1 << 24;

export function addRoute(program: Command): void {
  const command = program
    .command('route')
    .summary('write the shard of every key')
    .description(
      'Write the shard of every key. A key is a line, or a value of a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option(
      '--shards <n>',
      'the number of shards, 1 to 2147483647 (required, except for --as redis and couchbase)',
      integer,
    );
  withRowOptions(withRoutingOptions(command), 'shard')
    .option('--down <list>', 'shards that get no keys for now, such as 3,7', shardList)
    .option(
      '--format <name>',
      'tsv: shard, tab, key; shard: one decimal a line; u32: little-endian binary (default: "tsv", or of a table the records with one more column)',
      oneOf(['tsv', 'shard', 'u32']),
    )
    .option('--out <file>', OUT, path)
    .option(
      '--out-dir <dir>',
      'write the keys or records of each shard to a file in a new directory, which appears only when it is complete',
      path,
    )
    .option('--summary', 'write the number of keys, the throughput and the balance of the shards instead of rows')
    .option(
      '--json',
      'write the summary as one JSON object of numbers: keys, seconds, keysPerSecond, shards, down, min, mean, max, deviation',
    )
    .option(
      '--threads <n>',
      'how many threads read plain files of lines or NDJSON, 1 to 256 (default: as many as cores for large files)',
      integer,
    )
    .option('--rejects <file>', REJECTS, path)
    .addHelpText(
      'after',
      `
Examples:
  shardbits route keys.txt --shards 1024
  shardbits route keys.gz --shards 1024 --format shard --threads 2 --out shards.txt
  shardbits route keys.txt --shards 10 --down 3 --summary
  shardbits route users.csv --csv --key email --shards 64 --out-dir shards
  shardbits route log.ndjson --ndjson --key user.id --shards 64 --as-column bucket --out routed.ndjson
  shardbits route ids.txt --keys u64 --shards 64 --rejects bad-ids.tsv --out shards.tsv
  shardbits route orders.csv --csv --key user_id --as kafka --shards 12 --keys int64
  shardbits route keys.txt --as redis`,
    )
    .action(route);
}

async function route(files: string[], options: RouteOptions): Promise<void> {
  checkCombination(options);
  const { shards, out, outDir, summary, rejects } = options;
  const router = makeRouting('--shards', shards, options);
  if (summary && router.shards > MOST_SUMMARIZED) {
    throw new UsageError(`--summary: expected at most ${MOST_SUMMARIZED} shards, got ${router.shards}`);
  }
  const input = inputsOf(files);
  checkOutputs(options, input);
  const isRows = summary === undefined && outDir === undefined;
  const progress = startProgress(input, { rowsToStdout: isRows && isStdout(out) });
  const job = { router, keys: lineKeysOf(options), rows: makeRows(options), onProgress: progress.update };
  const work = (reject: Reject) => {
    const all = rejects === undefined ? job : { ...job, onReject: (row: RejectedLine) => reject(row) };
    return write(input, options, all, progress.stop).finally(progress.stop);
  };
  try {
    await cleaningUp(!(isRows && isStdout(out)), () => withRejects(rejects, input.length > 1, work));
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error; // of --threads
  }
}

function checkCombination(options: RouteOptions): void {
  const { format, asColumn, out, outDir, summary, json } = options;
  const given = Object.entries({ '--out': out, '--out-dir': outDir, '--summary': summary }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1)
    throw new UsageError(
      `expected only one of --out, --out-dir and --summary, got ${given.map(([name]) => name).join(' and ')}`,
    );
  if (format !== undefined && (outDir !== undefined || summary))
    throw new UsageError('--format: expected rows to be written with it');
  const hasRecords = makeRows(options) !== undefined;
  if (hasRecords && format === 'tsv')
    throw new UsageError('--format: expected "shard" or "u32" for a table, got "tsv"');
  if (asColumn !== undefined && (format !== undefined || outDir !== undefined || summary))
    throw new UsageError('--as-column cannot be combined with --format, --out-dir or --summary');
  if (json && !summary) throw new UsageError('--json: expected --summary with it');
}

type RouteJob = LineJobOptions & { readonly router: Routing };

/** @param stop is called before a summary is shown */
async function write(input: readonly Input[], options: RouteOptions, job: RouteJob, stop: () => void): Promise<void> {
  const { format, asColumn, out, outDir, summary, json, threads = defaultThreads(input) } = options;
  if (outDir !== undefined) {
    await routeToDirectory(input, { ...job, directory: outDir });
  } else if (summary) {
    const start = performance.now();
    const counted = new ShardCounts(job.router.shards);
    await routeFile(input, { ...job, out: counted, format: 'u32', threads });
    const { counts } = counted;
    const ms = performance.now() - start;
    stop();
    const down = options.down ?? [];
    await print(json ? summaryJson(counts, ms, down) : summarize(counts, ms, down));
  } else {
    const to = out === undefined || out === '-' ? process.stdout : out;
    await routeFile(input, { ...job, out: to, format, asColumn, threads });
  }
}

/** Counts shards that are written to it as u32s. */
class ShardCounts extends Writable {
  readonly counts: Float64Array;

  constructor(shards: number) {
    super();
    this.counts = new Float64Array(shards);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const { counts } = this;
    for (const shard of new Uint32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4)) {
      counts[shard] = (counts[shard] as number) + 1;
    }
    done();
  }
}
