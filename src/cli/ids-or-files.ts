import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parseId } from '../index.js';
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
 * @throws UsageError for an argument that is none of these
 */
export function idSources(args: readonly string[]): IdSource[] {
  const given = args.length > 0 ? args : ['-'];
  const sources: IdSource[] = [];
  for (let at = 0; at < given.length; ) {
    const ids = idsFrom(given, at);
    const argument = given[at] as string;
    if (ids.length > 0) {
      const first = at + 1;
      sources.push({ input: Readable.from([`${ids.join('\n')}\n`]), place: (line) => `argument ${first + line - 1}` });
      at += ids.length;
    } else {
      if (argument !== '-' && !existsSync(argument))
        throw new UsageError(`${shown(argument)} is neither an id nor a file`);
      sources.push(...inputsOf([argument]).map((input) => ({ input, place: () => undefined })));
      at++;
    }
  }
  return sources;
}

/** The ids among arguments, from one on up to the next that is not an id. */
function idsFrom(given: readonly string[], first: number): readonly string[] {
  const end = given.findIndex((argument, i) => i >= first && !isId(argument));
  return given.slice(first, end < 0 ? given.length : end);
}

function isId(text: string): boolean {
  try {
    parseId(text, 'dec');
    return true;
  } catch {
    return false;
  }
}
