import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { type RowFormat, routeFile, routeToDirectory } from '../node/index.js';
import { cleanUpWhenInterrupted } from './interruption.js';
import { defaultThreads, inputsOf, type KeyOptions, makeRouter, shardList, withKeyOptions } from './options.js';
import { startProgress } from './progress.js';
import { print } from './stdout.js';
import { summarize } from './summary.js';
import { inOwnWords, integer, isRefusal, oneOf, path, required, UsageError } from './usage.js';

interface RouteOptions extends KeyOptions {
  shards: number;
  down?: number[];
  format?: RowFormat;
  out?: string;
  outDir?: string;
  summary?: boolean;
  threads?: number;
}

// A count a shard is kept, 8 bytes each.
const MOST_SUMMARIZED = 1 << 24;

export function addRoute(program: Command): void {
  const command = program
    .command('route')
    .summary('write the shard of every key')
    .description('Write the shard of every key; a key is a line. No FILE, or -: standard input.')
    .argument('[file...]')
    .option('--shards <n>', 'how many there are, 1 to 2147483647 (required)', integer);
  withKeyOptions(command)
    .option('--down <list>', 'shards that get no keys for now, such as 3,7', shardList)
    .option(
      '--format <name>',
      'tsv: shard, tab, key; shard: one decimal a line; u32: little-endian binary (default: "tsv")',
      oneOf(['tsv', 'shard', 'u32']),
    )
    .option('--out <file>', 'write there, complete or not at all, instead of to standard output', path)
    .option('--out-dir <dir>', 'write one file of keys a shard into a new directory, complete or not at all', path)
    .option('--summary', 'write keys, throughput and the balance of the shards instead of rows')
    .option('--threads <n>', 'how many share plain files out (default: as many as cores, from some MB on)', integer)
    .addHelpText(
      'after',
      `
Examples:
  shardbits route keys.txt --shards 1024
  shardbits route keys.gz --shards 1024 --format shard --threads 2 --out shards.txt
  shardbits route keys.txt --shards 10 --down 3 --summary
  shardbits route ids.txt --keys u64 --shards 64 --out-dir shards`,
    )
    .action(route);
}

async function route(files: string[], options: RouteOptions): Promise<void> {
  required(options, '--shards');
  const { shards, keys, format, out, outDir, summary } = options;
  const given = Object.entries({ '--out': out, '--out-dir': outDir, '--summary': summary }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1)
    throw new UsageError(
      `expected only one of --out, --out-dir and --summary, got ${given.map(([name]) => name).join(' and ')}`,
    );
  if (format !== undefined && (outDir !== undefined || summary))
    throw new UsageError('--format: expected rows to be written with it');
  const router = makeRouter(shards, options);
  const input = inputsOf(files);

  const threads = options.threads ?? defaultThreads(input);

  const progress = startProgress(input, { rowsToStdout: given.length === 0 });
  const onProgress = progress.update;
  const stopCleaningUp = out === undefined && outDir === undefined ? undefined : cleanUpWhenInterrupted();
  try {
    if (summary) {
      if (shards > MOST_SUMMARIZED)
        throw new UsageError(`--summary: expected at most ${MOST_SUMMARIZED} shards, got ${shards}`);
      const start = performance.now();
      const counts = new ShardCounts(shards);
      await routeFile(input, { router, out: counts, format: 'u32', keys, threads, onProgress });
      progress.stop();
      await print(summarize(counts.counts, performance.now() - start, router.down));
    } else if (outDir !== undefined) {
      await routeToDirectory(input, { router, directory: outDir, keys, onProgress });
    } else {
      const to = out ?? process.stdout;
      await routeFile(input, { router, out: to, format: format ?? 'tsv', keys, threads, onProgress });
    }
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error; // of --threads
  } finally {
    progress.stop();
    stopCleaningUp?.();
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
