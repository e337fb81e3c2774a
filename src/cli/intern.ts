import type { Command } from 'commander';
import { type HashedLines, hashLines } from '../node/index.js';
import { Interner } from '../registry/index.js';
import { inputsOf } from './options.js';
import { startProgress } from './progress.js';
import { print } from './stdout.js';
import { openStore, STORES } from './store.js';
import { fromOptions, inOwnWords, integer, path, required } from './usage.js';

interface InternOptions {
  store: string;
  prefixBits?: number;
  resolve?: boolean;
}

// One commit each: what a store takes for it is spread over so many, and no more is lost to a conflict.
const KEYS_A_COMMIT = 2000;

export function addIntern(program: Command): void {
  program
    .command('intern')
    .summary('write the id of every string, one for each for ever')
    .description(
      'Write the id of every string, given now to those that have none; a string is a line. ' +
        'No FILE, or -: standard input.',
    )
    .argument('[file...]')
    .option('--store <file>', `where ids are kept: ${STORES} (required)`, path)
    .option('--prefix-bits <n>', 'of a new store, 1 to 32 (default: 14)', integer)
    .option('--resolve', 'the other way: lines are ids, and their strings are written')
    .addHelpText(
      'after',
      `
Examples:
  shardbits intern names.txt --store ids.lmdb > ids.txt
  shardbits intern ids.txt --store ids.lmdb --resolve`,
    )
    .action(intern);
}

async function intern(files: string[], options: InternOptions): Promise<void> {
  required(options, '--store');
  const { prefixBits, resolve } = options;
  const input = inputsOf(files);
  const store = await openStore(options.store);
  try {
    const interner = fromOptions(() => new Interner({ store, prefixBits }));
    const progress = startProgress(input, { rowsToStdout: true });
    const done = { keys: 0, bytes: 0 };
    try {
      for (const one of input) {
        const name = typeof one === 'string' ? one : '-';
        let last = { keys: 0, bytes: 0 };
        for await (const batch of resolve ? hashLines(one, { keys: 'u64', hash: 'none' }) : hashLines(one)) {
          await (resolve ? resolveIds(interner, batch, name) : internStrings(interner, batch, name));
          last = batch.progress;
          progress.update({ keys: done.keys + last.keys, bytes: done.bytes + last.bytes });
        }
        done.keys += last.keys;
        done.bytes += last.bytes;
      }
    } finally {
      progress.stop();
    }
  } finally {
    await store.close();
  }
}

async function internStrings(interner: Interner, { lines }: HashedLines, name: string): Promise<void> {
  const { data, starts, ends, count, firstLine } = lines;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const keys = Array.from({ length: count }, (_, i) => {
    try {
      return decoder.decode(data.slice(starts[i], ends[i]));
    } catch {
      throw new RangeError(`${name}:${firstLine + i}: expected UTF-8`);
    }
  });
  for (let from = 0; from < count; from += KEYS_A_COMMIT) {
    const ids = await interner.internMany(keys.slice(from, from + KEYS_A_COMMIT)).catch(inOptions);
    await print(`${ids.join('\n')}\n`);
  }
}

async function resolveIds(interner: Interner, { lines, hashes }: HashedLines, name: string): Promise<void> {
  const { firstLine } = lines;
  const ids = hashes.slice();
  for (let from = 0; from < ids.length; from += KEYS_A_COMMIT) {
    const some = ids.subarray(from, from + KEYS_A_COMMIT);
    const keys = await interner.resolveMany(some).catch(inOptions);
    const unknown = keys.indexOf(undefined);
    if (unknown >= 0) {
      throw new RangeError(`${name}:${firstLine + from + unknown}: expected an id of the store, got ${some[unknown]}`);
    }
    await print(`${keys.join('\n')}\n`);
  }
}

/** A store that was made with other prefix bits says so in the library's words. */
function inOptions(error: Error): never {
  throw error instanceof RangeError ? new RangeError(inOwnWords(error.message), { cause: error }) : error;
}
