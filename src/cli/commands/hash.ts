import { Option } from 'commander';
import { inUtf8 } from '../../node/files/input.js';
import type { LineKeys } from '../../node/index.js';
import { allThreads, doWork } from '../../node/jobs/work.js';
import { LINE_WORK } from '../../rows/operations/operation.js';
import { checkOutputs, type Outputs, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import {
  checkedFormatOf,
  inputsOf,
  KEYS,
  type ReadOptions,
  type RowOptions,
  withReadOptions,
  withRowOptions,
} from '../options/input.js';
import { lineKeysOf } from '../options/routing.js';
import { oneOf, seed } from '../options/usage.js';
import { hashParquet } from '../parquet/route.js';
import { parquetIn } from '../parquet/table.js';

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
  const parquet = parquetIn(files);
  if (parquet !== undefined) return hashParquet(parquet, options);
  const { seed, format = 'hex', asColumn = 'hash', threads = allThreads() } = options;
  const keys = lineKeysOf(options) ?? 'text';
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  const records = checkedFormatOf(options, [asColumn]);
  await runJob(inputs, options, async ({ print, reject, isStrict, progress }) => {
    const work = { kind: LINE_WORK.hashes, name: 'hashes', options: { keys, hash: 'xxh64', seed, format } as const };
    const texts = inputs.map((input) => inUtf8(input, options.encoding));
    const job = { inputs: texts, records, onReject: reject, isStrict };
    for await (const result of doWork(job, work, { threads })) {
      await print(result.value.bytes);
      progress.update(result.progress);
    }
  });
}
