import { accessSync, constants } from 'node:fs';
import type { Input } from '../../node/index.js';
import { idLines } from '../../node/jobs/lines.js';
import { Interner } from '../../registry/index.js';
import type { Batch } from '../../rows/batch.js';
import { type ValueRows, valueRows } from '../../rows/sinks/values.js';
import { checkOutputs, type Print, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { checkedFormatOf, inputsOf, type RowOptions, withRowOptions } from '../options/input.js';
import { filesOfStore, STORES_IN_SHORT, storeName, withStore } from '../options/store.js';
import { inOwnWords, integerFrom, isRefusal, problemOf, required, UsageError } from '../options/usage.js';

interface InternOptions extends RowOptions {
  store: string;
  prefixBits?: number;
  resolve?: boolean;
  out?: string;
}

// Strings in one commit. SQLite interns 2.2 times as many a second as with 2,000.
const KEYS_A_COMMIT = 10_000;

export function addIntern(program: CliCommand): void {
  const command = program
    .command('intern')
    .summary('give every string an id')
    .description(
      'Give every string an id: equal strings always get the same id, different ones never do. ' +
        'A string is a line, or a value of a record. Without FILE, or for -, it reads standard input. ' +
        '--resolve turns ids back into strings.',
    )
    .argument('[file...]');
  withRowOptions(command, '"id"')
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
  const { prefixBits, resolve = false, asColumn = 'id' } = options;
  const records = checkedFormatOf(options, [asColumn]);
  if (resolve && records !== undefined)
    throw new UsageError('--resolve cannot be combined with --csv, --tsv or --ndjson');
  const input = inputsOf(files);
  checkReadable(input);
  checkOutputs(options, [...input, ...filesOfStore(options.store)]);
  await runJob(input, { out: options.out }, ({ print, progress, kernels }) =>
    withStore(options.store, resolve ? 'read' : 'create', async (store) => {
      const interner = new Interner({ store, prefixBits, readOnly: resolve });
      const writer = valueRows(kernels, records, { kind: 'u64', isText: true });
      const job = { inputs: input, format: records };
      for await (const { value, file, progress: read } of idLines(job, resolve ? 'dec' : undefined)) {
        if (value.kind === 'header') await print(writer.header(value));
        else if (resolve) await resolveIds(interner, value, file, print);
        else await internStrings(interner, writer, value, file, print);
        progress.update(read);
      }
    }),
  );
}

/** Finds missing files before a store is made. */
function checkReadable(input: readonly Input[]): void {
  for (const one of input) if (typeof one === 'string') accessSync(one, constants.R_OK);
}

async function internStrings(
  interner: Interner,
  writer: ValueRows,
  batch: Batch,
  name: string,
  print: Print,
): Promise<void> {
  const keys = textOf(batch.keys);
  for (let from = 0; from < keys.length; from += KEYS_A_COMMIT) {
    const to = Math.min(from + KEYS_A_COMMIT, keys.length);
    const ids = await interner.internMany(keys.slice(from, to)).catch((error) => {
      if (!isRefusal(error) || error.row === undefined) return inOptions(error);
      throw new RangeError(`${name}:${batch.lineOf(from + error.row)}: ${problemOf(error)}`, { cause: error });
    });
    await print(writer.write(batch.slice(from, to), [ids]));
  }
  if (keys.length < batch.count) throw new RangeError(`${name}:${batch.lineOf(keys.length)}: expected UTF-8`);
}

/** The text of the keys before the first one that is not UTF-8. */
function textOf({ data, starts, ends }: Batch['keys']): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const keys: string[] = [];
  try {
    while (keys.length < starts.length) keys.push(decoder.decode(data.slice(starts[keys.length], ends[keys.length])));
  } catch {}
  return keys;
}

async function resolveIds(interner: Interner, batch: Batch, name: string, print: Print): Promise<void> {
  const ids = batch.hashes.slice();
  for (let from = 0; from < ids.length; from += KEYS_A_COMMIT) {
    const some = ids.subarray(from, from + KEYS_A_COMMIT);
    const keys = await interner.resolveMany(some).catch(inOptions);
    const unknown = keys.indexOf(undefined);
    const known = unknown < 0 ? keys : keys.slice(0, unknown);
    if (known.length > 0) await print(`${known.join('\n')}\n`);
    if (unknown >= 0) {
      throw new RangeError(
        `${name}:${batch.lineOf(from + unknown)}: expected an id of the store, got ${some[unknown]}`,
      );
    }
  }
}

/** Rewords the library's error about a store that has another number of prefix bits. */
function inOptions(error: Error): never {
  throw isRefusal(error) ? new RangeError(inOwnWords(error), { cause: error }) : error;
}
