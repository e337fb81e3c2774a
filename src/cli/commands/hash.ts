import { Option } from 'commander';
import { hashFile, type LineKeys } from '../../node/index.js';
import { checkOutputs, runOnFiles } from '../io/output.js';
import {
  checkParquetOut,
  inputsOf,
  KEYS,
  parquetOf,
  type ReadOptions,
  type RowOptions,
  recordFormatOf,
  withReadOptions,
  withRowOptions,
} from '../options/input.js';
import { keysOf } from '../options/placement.js';
import { type CliCommand, type Outputs, oneOf, seed } from '../options/usage.js';

interface HashOptions extends ReadOptions, RowOptions, Outputs {
  keys?: LineKeys;
  seed: bigint;
  format?: 'hex' | 'dec';
}

export function addHash(program: CliCommand): void {
  const command = program
    .command('hash')
    .summary('write the XXH64 of every key')
    .description(
      'Write the XXH64 of every key. A key is a line, or a value of a record or of a row in Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--keys <kind>', `${KEYS} (default: "text")`, oneOf(['text', 'u64']));
  withRowOptions(command, '"hash"')
    .addOption(new Option('--seed <n>', 'the seed of the hash, modulo 2^64').argParser(seed).default(0n, '0'))
    .option(
      '--format <name>',
      'hex: 16 digits; dec: decimal (default: "hex", or in Parquet UBIGINT)',
      oneOf(['hex', 'dec']),
    );
  withReadOptions(command)
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

async function hash(files: string[], options: HashOptions): Promise<void> {
  const parquet = await parquetOf(files, options);
  const { seed, format, asColumn } = options;
  if (parquet !== undefined) checkParquetOut(options.out);
  const records = recordFormatOf(options, parquet !== undefined);
  const keys = keysOf(options);
  const inputs = parquet ?? inputsOf(files);
  checkOutputs(options, inputs);
  await runOnFiles(inputs, options, (job) => hashFile(inputs, { ...job, records, keys, seed, format, asColumn }));
}
