import { accessSync, constants } from 'node:fs';
import { internFile, resolveFile } from '../../node/index.js';
import { Interner } from '../../registry/index.js';
import { checkOutputs, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { inputsOf, type RowOptions, recordFormatOf } from '../options/input.js';
import { filesOfStore, STORES_IN_SHORT, storeName, withStoreOnDemand } from '../options/store.js';
import { inOwnWords, integerFrom, type Refusal, refuse, required, UsageError } from '../options/usage.js';

type InternOptions = RowOptions & { store: string; prefixBits?: number; resolve?: boolean };

export function define(command: CliCommand): void {
  command
    .description(
      'Give every string an id: equal strings always get the same id, different ones never do. A string is a line, or a value of a record. Without FILE, or for -, it reads standard input. --resolve turns ids back into strings.',
    )
    .argument('[file...]')
    .rowOptions('"id"')
    .option('--store <path|url>', `the store that keeps the ids: ${STORES_IN_SHORT} (required)`, storeName)
    .option(
      '--prefix-bits <n>',
      'the number of random bits at the top of the ids of a new store, 1 to 32 (default: 14)',
      integerFrom(1, 32),
    )
    .option('--resolve', 'read ids and write their strings; the store does not change')
    .outOption()
    .examples(
      'shardbits intern names.txt --store ids.db --out ids.txt',
      'shardbits intern ids.txt --store ids.db --resolve',
      'shardbits intern users.csv --csv --key email --store ids.db --as-column user_id',
    )
    .action(intern);
}

async function intern(files: string[], options: InternOptions): Promise<void> {
  required(options, '--store');
  const { store: where, prefixBits, resolve = false, asColumn } = options;
  const records = recordFormatOf(options);
  if (resolve && records !== undefined)
    throw new UsageError('--resolve cannot be combined with --csv, --tsv or --ndjson');
  if (resolve) refuse(options, ['null'], 'cannot be combined with --resolve');
  const inputs = inputsOf(files);
  // This finds missing files before a store is made.
  for (const input of inputs) if (typeof input === 'string') accessSync(input, constants.R_OK);
  checkOutputs(options, [...inputs, ...filesOfStore(where)]);
  await runJob(inputs, { ...options, inWords }, ({ progress, reading: { lineEnd }, writing }) =>
    withStoreOnDemand(where, resolve ? 'read' : 'create', async (open) => {
      const interner = async () => new Interner({ store: await open(), prefixBits, readOnly: resolve });
      const to = { ...writing, interner, onProgress: progress.update };
      await (resolve ? resolveFile(inputs, to) : internFile(inputs, { ...to, records, lineEnd, asColumn }));
    }),
  );
}

/** What a store refuses is no bad usage. */
function inWords(error: Refusal): Error {
  const isUsage = /^(records|asColumn)/.test(error.argument);
  return new (isUsage ? UsageError : RangeError)(inOwnWords(error), { cause: error });
}
