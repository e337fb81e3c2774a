import { describe, expect, it } from 'vitest';
import { movingBy } from '../../src/inspector/decode/keys/moving.js';
import { keyListOf, readPasted } from '../../src/inspector/decode/keys/read.js';
import { routingsOf } from '../../src/inspector/decode/keys/routing.js';
import { waysOf } from '../../src/inspector/decode/keys/ways.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { systems } from '../../src/partitioners/index.js';

describe('what moving means', () => {
  it.each([...Object.keys(systems), 'jump', 'fastrange', 'modulo'])('is said of %s', (by) => {
    expect(movingBy(by)).toMatch(/^[A-Z].{60,130}\.$/);
  });
});

describe('without keys', () => {
  it('there are 20,000, always the same, that every system takes', () => {
    const { keys, areMadeUp } = readPasted('\n');
    expect(areMadeUp).toBe(true);
    expect(keys.count).toBe(20_000);
    expect(keys.text(0)).toBe(readPasted('').keys.text(0));
    expect(keys.text(7)).toMatch(/^\d{15,19}$/);
    expect(readPasted('a').areMadeUp).toBeUndefined();
  });
});

describe('other ways', () => {
  const { keys } = readPasted('');
  const ways = (changes: Partial<typeof DEFAULTS>) =>
    waysOf(keys, routingsOf({ ...DEFAULTS, ...changes })).map((way) => way.replaceAll('\u00a0', ' '));

  it('are another strategy, a multiple, and shards that stay and move to new nodes', () => {
    expect(ways({ by: 'modulo' })).toEqual([
      expect.stringMatching(
        /^With jump, (19|20) % would move instead of 80 %, .*; changing to jump moves 9[34] % once\.$/,
      ),
      'To 32 shards, 50 % would move, because a multiple only splits each of the 16.',
      'Keep 16 shards and move 3 of them to new nodes, as from 4 to 5: 19 % of the keys move, and none changes its shard.',
    ]);
    expect(ways({})).toHaveLength(1);
    expect(ways({ toN: '17' })[0]).toMatch(/^Put 2,048 shards on 16 nodes once and move 12\d of them to new nodes/);
    expect(ways({ n: '20', toN: '16' })[0]).toMatch(
      /^Keep 20 shards and move 4 of them off nodes, as from 5 to 4: 20 %/,
    );
  });

  it('are those of the system', () => {
    expect(ways({ by: 'kafka', n: '12', toN: '8' })).toEqual([
      'A topic cannot have fewer partitions than before: fewer need a new topic.',
      expect.stringMatching(/^Keep 12 partitions and move 4 of them off brokers, as from 3 to 2: 33 %/),
    ]);
    expect(ways({ by: 'discord' })).toEqual([expect.stringMatching(/^To 32 shards, 50 %/)]);
    expect(ways({ by: 'citus', n: '16' })).toEqual([expect.stringMatching(/^Keep 16 shards .* to new workers/)]);
    expect(ways({ by: 'spark:hash', n: '16', toN: '32' })).toEqual([]);
  });

  it.each<Partial<typeof DEFAULTS>>([
    { by: 'redis' },
    { toBy: 'kafka' },
    { toSeed: '5' },
    { toN: '16' },
    { nodes: 'a,b', toNodes: 'a,b,c' },
    { by: 'ketama', nodes: 'a,b', toNodes: 'a,b,c' },
  ])('are none for %j', (changes) => {
    expect(ways(changes)).toEqual([]);
    expect(waysOf(keyListOf([]), routingsOf(DEFAULTS))).toEqual([]);
  });
});
