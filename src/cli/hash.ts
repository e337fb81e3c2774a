import { type Command, Option } from 'commander';
import { hashLines } from '../node/index.js';
import { inputsOf } from './options.js';
import { checkOutputs, isStdout, OUT, withOutput } from './output.js';
import { startProgress } from './progress.js';
import { oneOf, path, seed } from './usage.js';

interface HashOptions {
  seed: bigint;
  format: 'hex' | 'dec';
  out?: string;
}

export function addHash(program: Command): void {
  program
    .command('hash')
    .summary('write the XXH64 of every key')
    .description(
      'Write the XXH64 of every key, one on each line. A key is a line. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .addOption(new Option('--seed <n>', 'modulo 2^64').argParser(seed).default(0n, '0'))
    .option('--format <name>', 'hex: 16 digits; dec: decimal', oneOf(['hex', 'dec']), 'hex')
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      "\nExamples:\n  printf 'abc\\n' | shardbits hash\n  shardbits hash keys.txt --format dec --seed 7 --out hashes.txt",
    )
    .action(hash);
}

async function hash(files: string[], options: HashOptions): Promise<void> {
  const { seed, format, out } = options;
  const input = inputsOf(files);
  checkOutputs(options, input);
  const text = format === 'hex' ? (hash: bigint) => hash.toString(16).padStart(16, '0') : String;
  const progress = startProgress(input, { rowsToStdout: isStdout(out) });
  await withOutput(out, async (print) => {
    for await (const batch of hashLines(input, { seed })) {
      await print(`${Array.from(batch.hashes, text).join('\n')}\n`);
      progress.update(batch.progress);
    }
  }).finally(progress.stop);
}
