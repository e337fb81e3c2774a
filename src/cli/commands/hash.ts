import { Option } from 'commander';
import { kernelsWithColumns } from '../../kernels/resident.js';
import { Header } from '../../lines/source.js';
import { valueRows } from '../../lines/write/values.js';
import type { LineKeys } from '../../node/index.js';
import { hashInputs } from '../../node/jobs/hash.js';
import { runJob } from '../io/job.js';
import { checkOutputs } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { checkedFormatOf, inputsOf, KEYS, type RowOptions, withRowOptions } from '../options/input.js';
import { oneOf, seed } from '../options/usage.js';

interface HashOptions extends RowOptions {
  keys: LineKeys;
  seed: bigint;
  format: 'hex' | 'dec';
  out?: string;
  rejects?: string;
}

export function addHash(program: CliCommand): void {
  const command = program
    .command('hash')
    .summary('write the XXH64 of every key')
    .description(
      'Write the XXH64 of every key. A key is a line, or a value of a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--keys <kind>', KEYS, oneOf(['text', 'u64']), 'text');
  withRowOptions(command, '"hash"')
    .addOption(new Option('--seed <n>', 'modulo 2^64').argParser(seed).default(0n, '0'))
    .option('--format <name>', 'hex: 16 digits; dec: decimal', oneOf(['hex', 'dec']), 'hex')
    .outOption()
    .rejectsOption()
    .examples(
      "printf 'abc\\n' | shardbits hash",
      'shardbits hash keys.txt --format dec --seed 7 --out hashes.txt',
      'shardbits hash users.csv --csv --key email',
    )
    .action(hash);
}

async function hash(files: string[], options: HashOptions): Promise<void> {
  const { keys, seed, format, asColumn = 'hash' } = options;
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  const rows = checkedFormatOf(options, [asColumn]);
  const writer = valueRows(kernelsWithColumns(), rows, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
  await runJob(inputs, options, async ({ print, reject, progress }) => {
    for await (const batch of hashInputs(inputs, rows, { keys, hash: 'xxh64', seed }, { onReject: reject })) {
      await print(batch instanceof Header ? writer.header(batch) : writer.write(batch, [batch.hashes]));
      progress.update(batch.progress);
    }
  }).finally(() => writer.free());
}
