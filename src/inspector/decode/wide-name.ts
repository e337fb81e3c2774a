import { FORMAT_NAMES } from '../read/problems.js';
import type { WideIds } from '../read/wide-ids.js';

/**
 * What wide ids are. Those that are guessed by their length and their characters may be something else; a UUID says what
 * it is.
 */
export function wideName({ kind, versions }: WideIds, rows: number, isGuess: boolean): string {
  const name = FORMAT_NAMES[kind];
  if (kind === 'uuid') {
    const list = new Intl.ListFormat('en').format(versions.map(String));
    const of = list && ` of version${versions.length > 1 ? 's' : ''} ${list}`;
    return rows > 1 ? `${name}s${of}` : `a ${name}${of}`;
  }
  const a = kind === 'xid' ? 'an' : 'a';
  return isGuess ? `if ${rows > 1 ? 'each' : 'it'} is ${a} ${name}` : `read as ${a} ${name}`;
}
