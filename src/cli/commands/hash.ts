import { Option } from 'commander';
import { hashFile, type LineKeys } from '../../node/index.js';
import { checkOutputs, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import {
  checkParquetOut,
  KEYS,
  LINE_KEYS,
  type RowOptions,
  recordFormatOf,
  sourcesOf,
  warnOfJson,
} from '../options/input.js';
import { keysOf } from '../options/placement.js';
import { oneOf, seed } from '../options/usage.js';

type HashFlags = RowOptions & { keys?: LineKeys; seed: bigint; format?: 'hex' | 'dec' };

export function define(command: CliCommand): void {
  command
    .description(
      'Write the XXH64 of every key. A key is a line, or a value of a record or of a row in Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--keys <kind>', `${KEYS} (default: "text")`, oneOf(LINE_KEYS))
    .rowOptions('"hash"')
    .addOption(new Option('--seed <n>', 'the seed of the hash, modulo 2^64').argParser(seed).default(0n, '0'))
    .option(
      '--format <name>',
      'hex: 16 digits; dec: decimal (default: "hex", or in Parquet UBIGINT)',
      oneOf(['hex', 'dec']),
    )
    .readOptions()
    .outOption()
    .compressOption()
    .rejectsOption()
    .examples(
      "printf 'abc\\n' | shardbits hash",
      'shardbits hash keys.txt --format dec --seed 7 --out hashes.txt',
      'shardbits hash users.csv --csv --key email',
    )
    .action(hash);
}

async function hash(files: string[], options: HashFlags): Promise<void> {
  const { inputs, isParquet } = await sourcesOf(files, options);
  const { seed, format, asColumn } = options;
  if (isParquet) checkParquetOut(options.out);
  const records = recordFormatOf(options, isParquet);
  const keys = keysOf(options);
  checkOutputs(options, inputs);
  if (records === undefined) warnOfJson(inputs);
  await runJob(inputs, options, ({ reading, writing }) =>
    hashFile(inputs, { ...reading, ...writing, records, keys, seed, format, asColumn }),
  );
}
