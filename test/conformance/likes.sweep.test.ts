import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interner } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { IdSet } from '../../src/sets/index.js';
import { temporaryFolder } from '../support/cli.js';
import { IS_FULL, swept } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

// What interning is for: who likes what, as sets of numbers. `LIKES=2000000` for as many to an account.

const LIKES = Number(process.env.LIKES ?? (IS_FULL ? swept(1_000_000) : 20_000));
const SHARED = LIKES / 10;
const BATCH = 5000;

const uri = (post: number) =>
  `at://did:plc:${(post * 7919).toString(36).padStart(24, '0')}/app.bsky.feed.post/3k${post}`;

it.skipIf(!hasSqlite())(
  `two accounts' likes, ${LIKES} AT-URIs each, are interned, intersected and resolved`,
  async () => {
    const interner = new Interner({
      store: await sqliteStore(join(temporaryFolder(), 'likes')),
    });
    const likes = async (first: number): Promise<IdSet> => {
      const ids = new BigUint64Array(LIKES);
      for (let from = 0; from < LIKES; from += BATCH) {
        const some = Array.from({ length: Math.min(BATCH, LIKES - from) }, (_, i) => uri(first + from + i));
        ids.set(await interner.internMany(some), from);
      }
      return IdSet.from(ids);
    };
    const alice = await likes(0);
    const bob = await likes(LIKES - SHARED);
    expect([alice.size, bob.size]).toEqual([LIKES, LIKES]);
    const both = alice.and(IdSet.deserialize(bob.serialize()));
    expect([both.size, alice.or(bob).size, alice.andNot(bob).size]).toEqual([
      SHARED,
      2 * LIKES - SHARED,
      LIKES - SHARED,
    ]);
    const found = await interner.resolveMany(both.toColumn());
    const expected = Array.from({ length: SHARED }, (_, i) => uri(LIKES - SHARED + i));
    expect(found.sort()).toEqual(expected.sort());
    await interner.close();
  },
);
