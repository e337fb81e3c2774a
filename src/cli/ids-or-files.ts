import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Input } from '../node/index.js';
import { inputsOf } from './options.js';
import { shown, UsageError } from './usage.js';

/** Ids that are given as arguments, or an input of them. */
export interface IdSource {
  readonly input: Input;
  /** Where a line is, if it is an argument. */
  place(line: number): string | undefined;
}

/**
 * What arguments stand for: one that reads as an id is one, `-` is standard input, another is a file that exists.
 * @param isId whether a text is an id
 * @param hintFor what to do about a text that is neither, to be added to the message
 * @throws UsageError for an argument that is none of these
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

/** The inputs that FILE… stands for. */
export function sourcesOf(files: readonly string[]): IdSource[] {
  return inputsOf(files).map((input) => ({ input, place: () => undefined }));
}

/** @param ids may become more until they are read */
function argumentsFrom(at: number, ids: readonly string[]): IdSource {
  function* lines() {
    yield `${ids.join('\n')}\n`;
  }
  return { input: Readable.from(lines()), place: (line) => `argument ${at + line}` };
}
