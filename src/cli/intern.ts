import { accessSync, constants } from 'node:fs';
import type { Command } from 'commander';
import { type HashedLines, hashLines, type Input } from '../node/index.js';
import { Interner } from '../registry/index.js';
import { engineOf, openStore, STORES, storeName } from './open-store.js';
import { inputsOf } from './options.js';
import { checkOutputs, isStdout, OUT, type Print, withOutput } from './output.js';
import { type ProgressBar, startProgress } from './progress.js';
import { inOwnWords, integer, isRefusal, path, problemOf, required, UsageError } from './usage.js';

interface InternOptions {
  store: string;
  prefixBits?: number;
  resolve?: boolean;
  out?: string;
}

// The cost of a commit is spread over this many strings: SQLite interns 2.2 times as many a second as with 2,000.
const KEYS_A_COMMIT = 10_000;

const MAX_PREFIX_BITS = 32;

export function addIntern(program: Command): void {
  program
    .command('intern')
    .summary('give every string an id')
    .description(
      'Give every string an id: equal strings always get the same id, different ones never do. ' +
        'A string is a line. Without FILE, or for -, it reads standard input. --resolve turns ids back into strings.',
    )
    .argument('[file...]')
    .option('--store <path|url>', `the store that keeps the ids: ${STORES} (required)`, storeName('--store'))
    .option(
      '--prefix-bits <n>',
      'the number of random bits at the top of the ids of a new store, 1 to 32 (default: 14)',
      integer,
    )
    .option('--resolve', 'read ids and write their strings; the store does not change')
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      `
Examples:
  shardbits intern names.txt --store ids.db --out ids.txt
  shardbits intern ids.txt --store ids.db --resolve`,
    )
    .action(intern);
}

async function intern(files: string[], options: InternOptions): Promise<void> {
  required(options, '--store');
  const { prefixBits, resolve = false } = options;
  if (prefixBits !== undefined && (prefixBits < 1 || prefixBits > MAX_PREFIX_BITS)) {
    throw new UsageError(`--prefix-bits: expected an integer from 1 to ${MAX_PREFIX_BITS}, got ${prefixBits}`);
  }
  const input = inputsOf(files);
  checkReadable(input);
  checkOutputs(options, engineOf(options.store).isFile ? [...input, options.store] : input);
  const progress = startProgress(input, { rowsToStdout: isStdout(options.out) });
  await withOutput(options.out, async (print) => {
    const store = await openStore(options.store, resolve ? 'read' : 'create');
    try {
      const interner = new Interner({ store, prefixBits, readOnly: resolve });
      await eachBatch(input, resolve, progress, (batch, name) =>
        resolve ? resolveIds(interner, batch, name, print) : internStrings(interner, batch, name, print),
      );
    } finally {
      await store.close();
    }
  }).finally(progress.stop);
}

/** Finds missing files before a store is made for the others. */
function checkReadable(input: readonly Input[]): void {
  for (const one of input) if (typeof one === 'string') accessSync(one, constants.R_OK);
}

/** Hands on the lines of all inputs, with the name of each. */
async function eachBatch(
  input: readonly Input[],
  areIds: boolean,
  progress: ProgressBar,
  work: (batch: HashedLines, name: string) => Promise<void>,
): Promise<void> {
  for (const one of input) {
    const name = typeof one === 'string' ? one : '-';
    for await (const batch of areIds ? hashLines(one, { keys: 'u64', hash: 'none' }) : hashLines(one)) {
      await work(batch, name);
      progress.update(batch.progress);
    }
    progress.next();
  }
}

async function internStrings(interner: Interner, { lines }: HashedLines, name: string, print: Print): Promise<void> {
  const keys = textOf(lines);
  for (let from = 0; from < keys.length; from += KEYS_A_COMMIT) {
    const ids = await interner.internMany(keys.slice(from, from + KEYS_A_COMMIT)).catch((error) => {
      if (!isRefusal(error) || error.row === undefined) return inOptions(error);
      throw new RangeError(`${name}:${lines.firstLine + from + error.row}: ${problemOf(error)}`, { cause: error });
    });
    await print(`${ids.join('\n')}\n`);
  }
  if (keys.length < lines.count) throw new RangeError(`${name}:${lines.firstLine + keys.length}: expected UTF-8`);
}

/** The text of lines, up to the first one that is not UTF-8. */
function textOf({ data, starts, ends, count }: HashedLines['lines']): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const keys: string[] = [];
  try {
    while (keys.length < count) keys.push(decoder.decode(data.slice(starts[keys.length], ends[keys.length])));
  } catch {}
  return keys;
}

async function resolveIds(
  interner: Interner,
  { lines, hashes }: HashedLines,
  name: string,
  print: Print,
): Promise<void> {
  const ids = hashes.slice();
  for (let from = 0; from < ids.length; from += KEYS_A_COMMIT) {
    const some = ids.subarray(from, from + KEYS_A_COMMIT);
    const keys = await interner.resolveMany(some).catch(inOptions);
    const unknown = keys.indexOf(undefined);
    const known = unknown < 0 ? keys : keys.slice(0, unknown);
    if (known.length > 0) await print(`${known.join('\n')}\n`);
    if (unknown >= 0) {
      const line = lines.firstLine + from + unknown;
      throw new RangeError(`${name}:${line}: expected an id of the store, got ${some[unknown]}`);
    }
  }
}

/** A store that was made with other prefix bits says so in the library's words. */
function inOptions(error: Error): never {
  throw isRefusal(error) ? new RangeError(inOwnWords(error), { cause: error }) : error;
}
