import { type Command, Option } from 'commander';
import { kernelsWithColumns } from '../../kernels/resident.js';
import { Header } from '../../lines/source.js';
import { valueRows } from '../../lines/write/values.js';
import type { LineKeys } from '../../node/index.js';
import { hashInputs } from '../../node/jobs/hash.js';
import { checkOutputs, isStdout, OUT, type Print, withOutput } from '../io/output.js';
import { startProgress } from '../io/progress.js';
import { REJECTS, type Reject, withRejects } from '../io/rejects.js';
import { checkedFormatOf, inputsOf, KEYS, type RowOptions, withRowOptions } from '../options/input.js';
import { oneOf, path, seed } from '../options/usage.js';

interface HashOptions extends RowOptions {
  keys: LineKeys;
  seed: bigint;
  format: 'hex' | 'dec';
  out?: string;
  rejects?: string;
}

export function addHash(program: Command): void {
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
    .option('--out <file>', OUT, path)
    .option('--rejects <file>', REJECTS, path)
    .addHelpText(
      'after',
      `
Examples:
  printf 'abc\\n' | shardbits hash
  shardbits hash keys.txt --format dec --seed 7 --out hashes.txt
  shardbits hash users.csv --csv --key email`,
    )
    .action(hash);
}

async function hash(files: string[], options: HashOptions): Promise<void> {
  const { keys, seed, format, asColumn = 'hash', out, rejects } = options;
  const input = inputsOf(files);
  checkOutputs(options, input);
  const rows = checkedFormatOf(options, [asColumn]);
  const writer = valueRows(kernelsWithColumns(), rows, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
  const progress = startProgress(input, { rowsToStdout: isStdout(out) });
  const write = async (print: Print, onReject: Reject) => {
    for await (const batch of hashInputs(input, rows, { keys, hash: 'xxh64', seed }, { onReject })) {
      await print(batch instanceof Header ? writer.header(batch) : writer.write(batch, [batch.hashes]));
      progress.update(batch.progress);
    }
    progress.stop(); // before rejects are counted in words
  };
  await withOutput(out, (print) => withRejects(rejects, input.length > 1, (reject) => write(print, reject))).finally(
    () => {
      progress.stop();
      writer.free();
    },
  );
}
