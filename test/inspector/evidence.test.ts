import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

const NOW = Date.UTC(2026, 10, 23);

/** What the page takes ids for. */
function guess(text: string, last?: string): string | undefined {
  return new Inspection(new TextEncoder().encode(text), NOW, last).view(DEFAULTS).readings[0]?.name;
}

describe('a number that is rather something else', () => {
  const reasons = (text: string) =>
    new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS).readings.map(({ reason }) => reason);

  it('is unlikely to be an id', () => {
    expect(reasons('9007199254740992')[0]).toBe('unlikely: only if it is an id at all');
    expect(reasons('9007199254740992').join()).not.toMatch(/(?<!un)likely|(?<!im)possible/);
  });

  it('is not compared with services only', () => {
    expect(reasons('48213377').join()).toContain('unlikely: other readings are likelier');
  });
});

// Ids as Discord makes them.
const IDS = [937847820382261308n, 937847820382261309n + (5n << 32n), 937847820382261310n + (9n << 34n)];

describe('ids in a table are taken for those of the service', () => {
  it('whose they most likely are', () => {
    expect(guess(['id', ...IDS].join('\n'))).toBe('discord');
  });

  it('that their column is named for, or an address', () => {
    expect(guess(['tweet_id', ...IDS].join('\n'))).toBe('twitter');
    expect(guess(IDS.map((id) => `see https://x.com/a/status/${id} of yesterday`).join('\n'))).toBe('twitter');
    expect(guess(JSON.stringify(IDS.map((id) => ({ tweet_id: String(id) }))))).toBe('twitter');
  });

  const written: [how: string, (ms: number) => string | number][] = [
    ['as ISO 8601', (ms) => new Date(ms).toISOString()],
    ['as days', (ms) => new Date(ms).toISOString().slice(0, 10)],
    ['as Unix seconds', (ms) => Math.floor(ms / 1000)],
    ['as Unix milliseconds', (ms) => Math.floor(ms)],
    ['as JavaScript and mail do', (ms) => new Date(ms).toUTCString().replace(',', '')],
  ];
  it.each(written)('whose dates are in another column, written %s', (_, write) => {
    const date = (id: bigint) => write(layouts.hazelcast.dateOf(id).getTime());
    expect(guess(['id,updated,created', ...IDS.map((id) => `${id},2001-01-01,${date(id)}`)].join('\n'))).toBe(
      'hazelcast',
    );
    expect(guess(JSON.stringify(IDS.map((id) => ({ id: String(id), at: date(id) }))))).toBe('hazelcast');
  });

  it('not whose dates are of another time', () => {
    const rows = IDS.map((id) => `${id},${new Date(layouts.hazelcast.dateOf(id).getTime() + 9e9).toISOString()}`);
    expect(guess(['id,created', ...rows].join('\n'))).toBe('discord');
  });

  it('and others are unlikely because of fields that are named', () => {
    const reasonFor = (text: string, service: string) =>
      new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS).readings.find(({ name }) => name === service)
        ?.reason;
    const tweet = 1541815603606036480n;
    expect(reasonFor(String(tweet), 'discord')).toBe('unlikely: worker 11 and process 26 are unusual for Discord');
    expect(reasonFor(`${tweet}\n${tweet + 1n}`, 'discord')).toBe(
      'unlikely: worker 11 and process 26 are unusual for Discord',
    );
  });

  it('whatever the lines beside them that are not ids', () => {
    const lines = ['108965430868193066', '108965430868193067', 'NULL', 'NULL', '108965430868193099', '-'];
    expect(guess(lines.join('\n'))).toBe('mastodon');
  });

  it('that was chosen last, where little else decides', () => {
    const doubtful = '90339695967350784';
    expect(guess(doubtful)).not.toBe('tidb');
    expect(guess(doubtful, 'discord')).toBe('discord');
    expect(guess('1541815603606036480', 'discord')).toBe('twitter');
  });
});

describe('rows say which service they are of', () => {
  const [a, b, c, d] = [1541815603606036480n, 286435872092454913n, 7106594312292453675n, 108965430868193066n];
  const viewOf = (text: string, column?: string) =>
    new Inspection(new TextEncoder().encode(text), NOW).view({ ...DEFAULTS, column });
  const countsIn = (text: string, column?: string) =>
    viewOf(text, column).groups.map(({ title, rows }) => `${rows} ${title}`);

  const links = [
    `https://discord.com/channels/${b}/${b}/${b}`,
    `x.com/discord/status/${a}`,
    `https://www.tiktok.com/@a/video/${c}?lang=en`,
    `https://mastodon.social/@u/${d}`,
    `twitter.com/b/status/${a}`,
  ];

  it('by their links', () => {
    expect(countsIn(links.join('\n'))).toEqual([
      ...['1 Discord server', '1 Discord channel', '1 Discord message'],
      ...['2 Twitter', '1 TikTok', '1 Mastodon'],
    ]);
    const cells = links.map((link, i) => `${i},https://${link.replace('https://', '')}`);
    expect(countsIn(`n,link\n${cells.join('\n')}`)).toEqual([
      ...['1 Discord message', '2 Twitter', '1 TikTok', '1 Mastodon'],
    ]);
  });

  it('by the names before ids', () => {
    expect(countsIn(`tweet_id=${a} guild: ${b} user <@${d}> tiktok-${c}`)).toEqual([
      ...['1 Twitter tweet_id', '1 Discord guild', '1 Discord user', '1 TikTok'],
    ]);
    const json = `{"tweet_id":"${a}", "guild_id": ${b}}`;
    expect(countsIn(json, 'all ids')).toEqual(['1 Twitter tweet_id', '1 Discord guild_id']);
    expect(countsIn(json)).toEqual(['1 Twitter']);
  });

  it('or by the name of their column', () => {
    expect(countsIn(`n,tweet_id\n1,${a}\n2,\n3,${d}`)).toEqual(['2 Twitter']);
    expect(viewOf(`n,tweet_id\n1,${a}\n2,\n3,${d}`).groups).toMatchObject([{ certainty: 'sure' }]);
  });

  it('or by a column beside them that names services', () => {
    const named = [
      ['twitter', a],
      ['Discord', b],
      ['"Bluesky"', c],
      ['mastodon.social', d],
      ['TWITTER', a + 1n],
    ];
    const expected = ['2 Twitter', '1 Discord', '1 Bluesky', '1 Mastodon'];
    const rows = named.map(([service, id]) => `${service},${id}`);
    expect(countsIn(['service,id', ...rows].join('\n'))).toEqual(expected);
    expect(countsIn(rows.map((row) => row.replace(',', '\t')).join('\n'))).toEqual(expected);
    const objects = named.map(([service, id]) => ({ of: { name: `${service}`.replaceAll('"', '') }, id: `${id}` }));
    expect(viewOf(JSON.stringify(objects)).groups.map(({ rows }) => rows)).toEqual([2, 1, 1, 1]);
    const text = 'service,id\ntwitter,1604617643973124097\ndiscord,1173045738230521926\nmastodon,112118260677357857';
    expect(viewOf(text).firstRows.map(({ kind, layout }) => [kind, layout?.spec])).toEqual([
      ['Twitter', 'twitter'],
      ['Discord', 'discord'],
      ['Mastodon', 'mastodon'],
    ]);
  });

  it('and one service alone in such a column is a word for all', () => {
    const { readings, groups } = viewOf(`service,id\nTwitter,${b}\nTwitter,${b + 1n}`);
    expect([groups.length, readings[0]?.name]).toEqual([1, 'twitter']);
  });
});

describe('a percentage', () => {
  const tweets = Array.from({ length: 9 }, (_, i) => 1541815603606036480n + BigInt(i) * 4194304007n);
  const timestamp = Float64Array.from(tweets, (_, i) => Date.UTC(2024, 0) + 977 * i);
  const layout = { spec: 'discord' };
  const has = (ids: readonly bigint[], chosen?: typeof layout) => {
    const view = new Inspection(new TextEncoder().encode(ids.join('\n')), NOW).view({ ...DEFAULTS, layout: chosen });
    return view.current?.evidence.some((sentence) => sentence.includes('%'));
  };

  it('is said of one id, and of a column of one service', () => {
    expect([has(IDS), has(IDS.slice(0, 1)), has([17n], layout), has(IDS, layout)]).toEqual([true, true, true, true]);
  });

  it.each<[string, bigint[]]>([
    ['that mixes two services', [...tweets, ...IDS, ...IDS.map((id) => id + (1n << 40n))]],
    ['of no service', [17n, 18n, 19n]],
    ['of random numbers among ids', [3927461928374651029n, 228114450199004348n, 6249785623524942554n, IDS[0]]],
    ['that only columns tell', [...layouts.snowflake.packMany({ timestamp, shard: 3, sequence: 0 })]],
  ])('is not said of a column %s, where a mixture was not weighed or is one', (_, ids) => {
    expect(has(ids, layout)).toBe(false);
  });
});
