import { inShell } from '../../arguments.js';
import type {
  CopyOutcome,
  MoveBackOutcome,
  MoveOutcome,
  ReleaseOutcome,
  ResetOutcome,
  Room,
  SkipOutcome,
} from '../../registry/index.js';
import type { Names } from '../options/store.js';
import { say } from '../terminal.js';
import { number } from './output.js';

/** What a step of an operator did, as data. */
export type Outcome =
  | MoveOutcome
  | MoveBackOutcome
  | CopyOutcome
  | SkipOutcome
  | ReleaseOutcome
  | ResetOutcome
  /** `already published`: the store had the map. `current already`: rolling it back would change nothing. */
  | { readonly outcome: 'published' | 'already published' | 'current already'; readonly version: number }
  | { readonly outcome: 'backed up' }
  /** A new file could not be given to the owner of the file that it was made from. */
  | { readonly outcome: 'other owner'; readonly owner: string; readonly expected: string };

/** Tells the operator what was done. @throws Error if it is not what the operator asked for */
export function tell(done: Outcome, names: Names): void {
  const sentence = sentenceOf(done, names);
  if (done.outcome === 'in use' || done.outcome === 'never leased') throw new Error(sentence);
  say(sentence);
}

export function sentenceOf(done: Outcome, { store, to = '', shard = 0 }: Names): string {
  switch (done.outcome) {
    case 'moved':
      return `moved ${store} to ${to}: use that one from now on. ${store} gives nothing new any more`;
    case 'already moved':
      return `${store} was moved to ${to} already, and that one can be used; nothing was changed`;
    case 'moved back':
      return `took the move back: ${store} can be used again, and ${to} cannot be used`;
    case 'already moved back':
      return `the move was taken back already: ${store} can be used, and ${to} cannot; nothing was changed`;
    case 'copied':
      return `copied ${store} to ${to}, which is another store: do not use both for the same ids`;
    case 'nothing to copy':
      return `${store} has no strings, types, leases and map: there was nothing to copy to ${to}`;
    case 'in use': {
      const holder = done.holder === undefined ? '' : `: shard ${done.holder.shard} was held by ${done.holder.owner}`;
      return (
        `${store} was in use during the copy${holder}. Ids can be given twice if ${to} is used now: stop all processes ` +
        'that use the first store, and copy again.'
      );
    }
    case 'backed up':
      return `wrote a backup of ${store} to ${to}`;
    case 'other owner':
      return (
        `${to} belongs to ${done.owner}, and ${store} to ${done.expected}; run this as root before others use it: ` +
        `chown ${done.expected} ${inShell(to)}`
      );
    case 'skipped':
      return `skipped numbers of ${store} ${holdings(done)}; ${prospects(done)}`;
    case 'restored': {
      const kept = done.replaced === undefined ? '' : `; the file that was there is now ${done.replaced}`;
      return `restored ${store} ${holdings(done)}${kept}; ${prospects(done)}`;
    }
    case 'taken back':
      return `took back ${store} ${holdings(done)}, which can be used again; ${prospects(done)}`;
    case 'released':
      return `${store}: shard ${shard} is free now`;
    case 'free already':
      return `${store}: shard ${shard} was free already; nothing was changed`;
    case 'never leased':
      return `${store}: shard ${shard} has never been leased; nothing was changed`;
    case 'reset':
      return `${store}: set the mark of shard ${shard}, ${iso(done.from)}, to the store's clock, ${iso(done.to)}`;
    case 'not ahead':
      return `${store}: the mark of shard ${shard}, ${iso(done.from)}, is not in the future; nothing was changed`;
    case 'published':
      return `published version ${done.version} in ${store}`;
    case 'already published':
      return `${store} has version ${done.version} already; nothing was changed`;
    case 'current already':
      return `${store}: the current version places all shards as version ${done.version} does; nothing was changed`;
  }
}

function holdings({ strings, types, shards }: SkipOutcome): string {
  if (strings + types + shards === 0) return '(empty)';
  return `(strings: ${number(strings)}, types: ${number(types)}, leased shards: ${number(shards)})`;
}

function prospects({ resumes, room }: SkipOutcome): string {
  return `minting resumes at ${iso(resumes)}. Left: ${leftIn(room)}`;
}

export function leftIn({ strings, ofStrings, types }: Room): string {
  const share = Number((strings * 10_000n) / ofStrings) / 100;
  return `${share.toFixed(2)} % of the ids of strings, ${number(types)} numbers of types`;
}

/** A date that may be invalid. */
export function iso(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'beyond the year 275760' : date.toISOString();
}
