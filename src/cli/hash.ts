import { type Command, Option } from 'commander';
import { hashLines } from '../node/index.js';
import { inputsOf } from './options.js';
import { startProgress } from './progress.js';
import { print } from './stdout.js';
import { oneOf, seed } from './usage.js';

export function addHash(program: Command): void {
  program
    .command('hash')
    .summary('write the XXH64 of every key')
    .description('Write the XXH64 of every key, one a line; a key is a line. No FILE, or -: standard input.')
    .argument('[file...]')
    .addOption(new Option('--seed <n>', 'modulo 2^64').argParser(seed).default(0n, '0'))
    .option('--format <name>', 'hex: 16 digits; dec', oneOf(['hex', 'dec']), 'hex')
    .addHelpText(
      'after',
      "\nExamples:\n  printf 'abc\\n' | shardbits hash\n  shardbits hash keys.txt --format dec --seed 7 > hashes.txt",
    )
    .action(hash);
}

async function hash(files: string[], options: { seed: bigint; format: 'hex' | 'dec' }): Promise<void> {
  const input = inputsOf(files);
  const text = options.format === 'hex' ? (hash: bigint) => hash.toString(16).padStart(16, '0') : String;
  const progress = startProgress(input, { rowsToStdout: true });
  try {
    for await (const batch of hashLines(input, { seed: options.seed })) {
      await print(`${Array.from(batch.hashes, text).join('\n')}\n`);
      progress.update(batch.progress);
    }
  } finally {
    progress.stop();
  }
}
