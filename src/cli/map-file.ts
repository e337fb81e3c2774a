import { readFile } from 'node:fs/promises';
import { ShardMap } from '../map/index.js';
import { inputsOf } from './options.js';
import { checkOutputs, withOutput } from './output.js';
import { isRefusal, problemOf, type Refusal, shown, UsageError } from './usage.js';

/** What a MAP is, for help. */
export const MAP = 'a file written by map create, change or get, or - for standard input';

/**
 * Reads a map from a file, or from standard input for `-`.
 * @throws Error that names the file if it is not a map
 */
export async function readMap(where: string): Promise<ShardMap> {
  const text = await textOf(where);
  try {
    return ShardMap.from(text);
  } catch (error) {
    throw isRefusal(error) ? new Error(`${where}: ${notAMap(error, text)}`, { cause: error }) : error;
  }
}

async function textOf(where: string): Promise<string> {
  const [input] = inputsOf([where]);
  const decoder = new TextDecoder(); // skips a byte order mark
  if (typeof input === 'string') {
    const bytes = await readFile(input).catch((error) => {
      throw Object.assign(error, { path: input }); // Node.js does not name a directory
    });
    return decoder.decode(bytes);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of input as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return decoder.decode(Buffer.concat(chunks));
}

function notAMap(error: Refusal & { readonly row?: number | undefined }, text: string): string {
  if (text === '') return 'expected the JSON of a shard map, got nothing';
  if (error.got === text) {
    const what = text.startsWith('{') ? 'JSON that is damaged or cut short' : shown(text);
    return `expected the JSON of a shard map, got ${what}`;
  }
  const [, place] = /^json\.(.+)/.exec(error.argument) ?? [];
  const row = error.row === undefined ? '' : `[${error.row}]`;
  return `this is no shard map: ${place === undefined ? '' : `${place}${row}: `}${problemOf(error)}`;
}

/** Writes a map as JSON to a file or to standard output. */
export async function writeMap(map: ShardMap, out: string | undefined): Promise<void> {
  await withOutput(out, (print) => print(`${JSON.stringify(map)}\n`));
}

/** Refuses to overwrite a map that is also read. */
export function checkMapOutput(out: string | undefined, where: string): void {
  checkOutputs({ out }, inputsOf([where]));
}

/**
 * Refuses to read two things from standard input.
 * @param given the inputs by name; `-` is standard input
 */
export function checkOneStdin(given: { readonly [name: string]: string | undefined }): void {
  const names = Object.keys(given).filter((name) => given[name] === '-');
  if (names.length < 2) return;
  throw new UsageError(`expected only one of ${names.join(' and ')} from standard input, got both as -`);
}
