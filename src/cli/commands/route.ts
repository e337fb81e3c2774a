import { countShards, type RowFormat, routeFile, routeToDirectory } from '../../node/index.js';
import { checkOutputs, runJob } from '../io/output.js';
import { countedBy, summarize, summaryJson } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import {
  checkParquetOut,
  filesIn,
  missingKeyHint,
  type RowOptions,
  recordFormatOf,
  sourcesOf,
} from '../options/input.js';
import { keyReading, MAP, type PlacementOptions, placementFor } from '../options/placement.js';
import { inOwnWords, integer, oneOf, path, problemOf, type Refusal, refuse, UsageError } from '../options/usage.js';
import { isStdout } from '../terminal.js';

interface RouteFlags extends RowOptions, PlacementOptions {
  format?: RowFormat | 'parquet';
  hive?: boolean;
  maxRowsPerFile?: number;
  summary?: boolean;
  json?: boolean;
}

// A summary keeps a count of 8 bytes for each shard.
const MAX_SUMMARIZED = 1 << 24;

export function define(command: CliCommand): void {
  command
    .description(
      'Write the shard of every key. A key is a line, or a value of a record or of a row in Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .shardsOption()
    .routingOptions()
    .rowOptions('"shard", or "node" with --map or --servers')
    .missingKeyOption()
    .readOptions()
    .serversOption()
    .mapOptions(`write the primary node of the shard instead of its number, by this map: ${MAP}`)
    .option(
      '--format <name>',
      'tsv: shard, or with --map node, tab, key; shard: a decimal on each line; u32: little-endian binary; parquet: rows of Parquet, which files of Parquet always give (default: "tsv", or records with one more column)',
      oneOf(['tsv', 'shard', 'u32', 'parquet']),
    )
    .outOption()
    .compressOption()
    .option(
      '--out-dir <dir>',
      'write the keys or records of each shard, or with --map of each node, to its own file in a new directory, which appears only when it is complete',
      path,
    )
    .option(
      '--max-rows-per-file <n>',
      'with --out-dir, begin another file for a shard after this many rows: 07-00000.csv, 07-00001.csv and so on',
      integer,
    )
    .option('--hive', 'with --out-dir and Parquet, write files such as shard=3/data_0.parquet in directories of Hive')
    .option(
      '--summary',
      'instead of rows, write the number of keys, the throughput and the balance of the shards or nodes',
    )
    .option(
      '--json',
      'write the summary as one JSON object of numbers: keys, seconds, keysPerSecond, shards and down, or nodes with --map, min, mean, max, deviation',
    )
    .rejectsOption()
    .examples(
      'shardbits route keys.txt --shards 1024',
      'shardbits route keys.gz --shards 1024 --format shard --threads 2 --out shards.txt',
      'shardbits route keys.txt --shards 10 --down 3 --summary',
      'shardbits route users.csv --csv --key email --shards 64 --out-dir shards',
      'shardbits route "data/*.parquet" --key email --shards 64 --out-dir shards',
      'shardbits route log.ndjson --ndjson --key user.id --shards 64 --as-column bucket --out routed.ndjson',
      'shardbits route ids.txt --keys u64 --shards 64 --rejects bad-ids.tsv --out shards.tsv',
      'shardbits route orders.csv --csv --key user_id --as kafka --shards 12 --keys int64',
      'shardbits route keys.txt --map map.json',
      'shardbits route keys.txt --as redis',
    )
    .action(route);
}

async function route(files: string[], options: RouteFlags): Promise<void> {
  const { inputs, isParquet } = await sourcesOf(files, options);
  const { out, outDir, format, summary, json, down, hive } = options;
  if (format === 'parquet' && !isParquet) throw new UsageError(NOT_FROM_TEXT);
  checkCombination(options, isParquet);
  const placement = await placementFor(options, files);
  const { shards } = placement.routing;
  if (summary && shards > MAX_SUMMARIZED) {
    throw new UsageError(`--summary: expected at most ${MAX_SUMMARIZED} shards, got ${shards}`);
  }
  checkOutputs(options, [...inputs, ...filesIn(options.map, options.servers)]);
  const rows = keyReading(options, isParquet, inputs);
  const { asColumn = placement.labels && rows.records && 'node', maxRowsPerFile } = options;
  const rowsToStdout = !summary && outDir === undefined && isStdout(out);
  const inWords = (refusal: Refusal) => inCommandWords(refusal, options);
  const running = { ...options, rowsToStdout, inWords, hintFor: missingKeyHint };
  await runJob(inputs, running, async ({ print, progress, reading, writing }) => {
    const job = { ...reading, ...rows, placement };
    if (summary) {
      const start = performance.now();
      const { perShard } = await countShards(inputs, job);
      const counted = countedBy(placement, perShard);
      const ms = performance.now() - start;
      progress.stop();
      return print((json ? summaryJson : summarize)(counted.counts, ms, { down, nodes: counted.names }));
    }
    if (outDir !== undefined) {
      const { compress } = writing;
      const column = hive ? asColumn : undefined;
      await routeToDirectory(inputs, { ...job, directory: outDir, compress, maxRowsPerFile, hive, asColumn: column });
    } else {
      const known = format === 'parquet' ? undefined : format;
      await routeFile(inputs, { ...job, ...writing, asColumn, format: known });
    }
  });
}

function inCommandWords(error: Refusal, { map, servers }: RouteFlags): Error {
  if (error.argument !== 'placement.labels') return new UsageError(inOwnWords(error));
  return new Error(`${map ?? servers}: --out-dir: ${problemOf(error)}`, { cause: error });
}

const NOT_FROM_TEXT =
  "--format parquet: expected files of Parquet, got text. Convert the text first: duckdb -c \"copy (from read_csv('rows.csv', all_varchar = true)) to 'rows.parquet'\", then shardbits route rows.parquet";

function checkCombination(options: RouteFlags, isParquet: boolean): void {
  const { format, out, outDir, summary, json } = options;
  const isText = format !== undefined && format !== 'parquet';
  const given = Object.entries({ '--out': out, '--out-dir': outDir, '--summary': summary })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length > 1) {
    throw new UsageError(`expected only one of --out, --out-dir and --summary, got ${given.join(' and ')}`);
  }
  const isFiles = outDir !== undefined || summary;
  if (summary) refuse(options, ['compress'], 'cannot be combined with --summary');
  if (isFiles && (summary || isText)) refuse(options, ['format'], 'cannot be combined with --out-dir or --summary');
  const named = options.map === undefined ? options.servers && '--servers' : '--map';
  if (named !== undefined && isText && format !== 'tsv') {
    throw new UsageError(`--format: expected "tsv" with ${named}, got "${format}"`);
  }
  const isRecords = !isParquet && recordFormatOf(options) !== undefined;
  if (isRecords && format === 'tsv') throw new UsageError('--format: expected "shard" or "u32" for records, got "tsv"');
  if (outDir === undefined) refuse(options, ['maxRowsPerFile', 'hive'], 'requires --out-dir');
  if (!isParquet) refuse(options, ['hive'], 'requires files of Parquet');
  if (isFiles ? !options.hive : isText) {
    refuse(options, ['asColumn'], 'cannot be combined with --format, --out-dir or --summary');
  }
  if (json && !summary) throw new UsageError('--json requires --summary');
  if (isParquet && isText) throw new UsageError(`--format: expected "parquet" for Parquet, got "${format}"`);
  if (isParquet && !isFiles) checkParquetOut(out, '--out, --out-dir or --summary');
}
