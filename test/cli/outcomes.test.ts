import { describe, expect, it } from 'vitest';
import { type Outcome, sentenceOf } from '../../src/cli/io/outcomes.js';

const NAMES = { store: 'ids.db', to: 'new.db', shard: 7 };
const HELD = { strings: 1200, types: 3, shards: 0, prefixBits: 14, identity: 'i', generation: 'g', movedTo: undefined };
const ROOM = { strings: 75n, ofStrings: 100n, types: 65_000, tokens: 1n };
const EMPTY = { ...HELD, strings: 0, types: 0 };
const [from, to] = [new Date('2027-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00Z')];
const SKIPPED = { ...HELD, room: ROOM, resumes: from };
const PROSPECTS =
  'minting resumes at 2027-01-01T00:00:00.000Z. Left: 75.00 % of the ids of strings, 65,000 numbers of types';

const SENTENCES: readonly (readonly [Outcome, string])[] = [
  [
    { outcome: 'moved', ...HELD, room: ROOM },
    'moved ids.db to new.db: use that one from now on. ids.db gives nothing new any more',
  ],
  [
    { outcome: 'already moved', ...HELD, room: ROOM },
    'ids.db was moved to new.db already, and that one can be used; nothing was changed',
  ],
  [{ outcome: 'moved back' }, 'took the move back: ids.db can be used again, and new.db cannot be used'],
  [
    { outcome: 'already moved back' },
    'the move was taken back already: ids.db can be used, and new.db cannot; nothing was changed',
  ],
  [{ outcome: 'copied', ...HELD }, 'copied ids.db to new.db, which is another store: do not use both for the same ids'],
  [
    { outcome: 'nothing to copy', ...EMPTY },
    'ids.db has no strings, types, leases and map: there was nothing to copy to new.db',
  ],
  [
    { outcome: 'in use', ...HELD, holder: { shard: 2, owner: 'web-1' } },
    'ids.db was in use during the copy: shard 2 was held by web-1. Ids can be given twice if new.db is used now: stop all ' +
      'processes that use the first store, and copy again.',
  ],
  [{ outcome: 'backed up' }, 'wrote a backup of ids.db to new.db'],
  [
    { outcome: 'skipped', ...SKIPPED },
    `skipped numbers of ids.db (strings: 1,200, types: 3, leased shards: 0); ${PROSPECTS}`,
  ],
  [{ outcome: 'restored', ...SKIPPED, ...EMPTY }, `restored ids.db (empty); ${PROSPECTS}`],
  [
    { outcome: 'taken back', ...SKIPPED },
    `took back ids.db (strings: 1,200, types: 3, leased shards: 0), which can be used again; ${PROSPECTS}`,
  ],
  [{ outcome: 'released' }, 'ids.db: shard 7 is free now'],
  [{ outcome: 'free already' }, 'ids.db: shard 7 was free already; nothing was changed'],
  [{ outcome: 'never leased' }, 'ids.db: shard 7 has never been leased; nothing was changed'],
  [
    { outcome: 'reset', from, to },
    "ids.db: set the mark of shard 7, 2027-01-01T00:00:00.000Z, to the store's clock, 2026-01-01T00:00:00.000Z",
  ],
  [
    { outcome: 'not ahead', from: to },
    'ids.db: the mark of shard 7, 2026-01-01T00:00:00.000Z, is not in the future; nothing was changed',
  ],
  [{ outcome: 'published', version: 3 }, 'published version 3 in ids.db'],
  [{ outcome: 'already published', version: 3 }, 'ids.db has version 3 already; nothing was changed'],
  [
    { outcome: 'current already', version: 3 },
    'ids.db: the current version places all shards as version 3 does; nothing was changed',
  ],
];

describe('the sentence about a step', () => {
  it.each(SENTENCES)('names the store and says what was done: $outcome', (outcome, sentence) => {
    expect(sentenceOf(outcome, NAMES)).toBe(sentence);
  });

  it('says so whenever nothing was changed', () => {
    for (const [{ outcome }, sentence] of SENTENCES) {
      const isNothing = /already|never|not /.test(outcome);
      expect([outcome, sentence.endsWith('nothing was changed')]).toEqual([outcome, isNothing]);
    }
  });
});
