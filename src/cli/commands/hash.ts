import { Option } from 'commander';
import { valueRows } from '../../lines/write/values.js';
import type { LineKeys } from '../../node/index.js';
import { hashInputs } from '../../node/jobs/lines.js';
import { checkOutputs, type Outputs, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { checkedFormatOf, inputsOf, KEYS, type RowOptions, withRowOptions } from '../options/input.js';
import { lineKeysOf } from '../options/routing.js';
import { oneOf, seed } from '../options/usage.js';

interface HashOptions extends RowOptions, Outputs {
  keys: LineKeys;
  seed: bigint;
  format: 'hex' | 'dec';
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
  const { seed, format, asColumn = 'hash' } = options;
  const keys = lineKeysOf(options) as LineKeys;
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  const records = checkedFormatOf(options, [asColumn]);
  await runJob(inputs, options, async ({ print, reject, progress, kernels }) => {
    const writer = valueRows(kernels, records, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
    const job = { inputs, records, onReject: reject };
    for await (const result of hashInputs(job, { keys, hash: 'xxh64', seed })) {
      const { kind } = result;
      await print(kind === 'header' ? writer.header(result.header) : writer.write(result.value, [result.value.hashes]));
      progress.update(result.progress);
    }
  });
}
