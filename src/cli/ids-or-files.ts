import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Input } from '../node/index.js';
import { inputsOf } from './options.js';
import { shown, UsageError } from './usage.js';

/** Ids that are given as arguments, or an input of them. */
export interface IdSource {
  readonly input: Input;
  /** The place of a line that is an argument, for errors. */
  place(line: number): string | undefined;
}

/**
 * The sources that arguments name: ids, standard input for `-`, and files.
 * @param isId whether an argument is an id
 * @param hintFor what to do about an argument that is neither an id nor a file; added to the message
 * @throws UsageError for an argument that is neither
 */
export function idSources(
  given: readonly string[],
  isId: (text: string) => boolean,
  hintFor: (text: string) => string,
): IdSource[] {
  const sources: IdSource[] = [];
  let ids: string[] = [];
  for (const [at, argument] of (given.length > 0 ? given : ['-']).entries()) {
    if (isId(argument)) {
      ids.push(argument);
      if (ids.length === 1) sources.push(argumentsFrom(at, ids));
    } else {
      if (argument !== '-' && !existsSync(argument))
        throw new UsageError(`${shown(argument)} is neither an id nor a file${hintFor(argument)}`);
      sources.push(...sourcesOf([argument]));
      ids = [];
    }
  }
  return sources;
}

/** The sources that FILE… names. */
export function sourcesOf(files: readonly string[]): IdSource[] {
  return inputsOf(files).map((input) => ({ input, place: () => undefined }));
}

/** @param ids the caller may add more until they are read */
function argumentsFrom(at: number, ids: readonly string[]): IdSource {
  function* lines() {
    yield `${ids.join('\n')}\n`;
  }
  return { input: Readable.from(lines()), place: (line) => `argument ${at + line}` };
}
