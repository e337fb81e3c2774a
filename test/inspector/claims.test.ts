import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { unknownText } from '../../src/inspector/decode/readings.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const TWEET = '1766406373510664192';
const USER = '1102572632932626492';
const TOOT = '111865568034857969';

/** The kinds of ids in a text, each with how sure it is: `fact Twitter`. */
function claimsOf(text: string, column?: string): string[] {
  const inspection = new Inspection(new TextEncoder().encode(text), NOW);
  return inspection.view({ ...DEFAULTS, column }).groups.map(({ certainty, title }) => `${certainty} ${title}`);
}

describe('what is said of ids', () => {
  it.each<[string, string[]]>([
    [`https://x.com/i/user/${TWEET}`, ['fact Twitter']],
    [`https://x.com/search?q=since_id%3A${TWEET}`, ['fact Twitter']],
    [`https://acme.slack.com/archives/C02ABCDEF/p1700000000482919`, ['fact Slack']],
    [`https://discord.com/api/v10/channels/${USER}`, ['fact Discord channel']],
  ])('is a fact if the link says so: %s', (text, claims) => {
    expect(claimsOf(text)).toEqual(claims);
  });

  it.each([
    'https://www.linkedin.com/jobs/view/3812345678/',
    'https://x.com/i/user/44196397',
    'https://www.instagram.com/stories/highlights/17921456778901234/',
    'https://discord.com/users/9100000000000000000',
  ])('has no date that the service of a link cannot have given: %s', (text) => {
    const view = new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS);
    expect(view.groups).toMatchObject([{ date: undefined }]);
    expect(view.span).toBeUndefined();
  });

  it.each([
    ['a share of Instagram', 'https://www.instagram.com/share/reel/BAJ4tkL0Xx'],
    ['a host with a similar name', 'https://api.guildwars2.com/v2/items/12345678901234567'],
    ['another URN', `urn:acme:thing:${TWEET}`],
    ['a hash without hyphens', '9e107d9d372b4b68a6bd81d3542a419d'],
    ['a word as long as a record of AT Protocol', 'kq7d2m5x4abcz\n3jb5x7aqwcdef\nh2k4n6p7q3r5s'],
    ['an animated avatar', 'https://cdn.example.com/avatars/1/a_1269e74af4df7417b13759eae50c83dc.gif'],
  ])('is not a fact of %s', (_, text) => {
    expect(claimsOf(text).filter((claim) => claim.startsWith('fact'))).toEqual([]);
  });

  it.each([
    ['an ObjectId of 2072', 'c0ffee00deadbeef12345678'],
    ['a ULID of 2038', '01YEH9QK00KWX7RNEG3FH4CXW8'],
    ['a KSUID of 2045', '8DnnPAjZuFNhNZxLpogiSyzh8HC'],
    ['an xid of 2028', 'dkc2004a7se7fc2ujkgg'],
    ['a number that only few people meet', 'session=2826881778407440457'],
    ['numbers that have nothing but a time', '102938475647382910\n293847564738291012\n384756473829101293'],
  ])('is "perhaps" of %s', (_, text) => {
    expect([...new Set(claimsOf(text).map((claim) => claim.split(' ')[0]))]).toEqual(['perhaps']);
  });

  it.each([
    'traceparent_id=6249785623524942554',
    'dd.span_id=228114450199004348',
    'uber-trace-id: 1b3c5d7e9f012345',
    'checksum: 3927461928374651029',
  ])('is a random number if its name says so: %s', (text) => {
    expect(claimsOf(text)[0]).toMatch(/^unknown a hash or a random number/);
  });

  it.each([
    ['a note', `* ${USER} is the server on Discord\n* ${TWEET} is the tweet`],
    ['a note after a number of the list', `1. ${USER} (Discord)\n2. ${TWEET} -> Twitter`],
    ['words before it', `Discord, user Ann - ${USER}\ntweet by Bob - ${TWEET}`],
    ['a heading', `## Discord users\n\n- ${USER}\n\n## Tweets\n\n- ${TWEET}`],
    ['a section', `discord:\n  - ${USER}\ntwitter:\n  - ${TWEET}`],
    ['a title in a list', `Discord\n${USER}\nTwitter\n${TWEET}`],
    ['the name of an element', `<guild_id>${USER}</guild_id><tweet_id>${TWEET}</tweet_id>`],
  ])('is what %s says', (_, text) => {
    const claims = claimsOf(text).map((claim) => claim.split(' ').slice(0, 2).join(' '));
    expect(claims).toEqual(['sure Discord', 'sure Twitter']);
  });

  it('is "perhaps" of each of six ids that stand alone, each of another service', () => {
    const others = ['2250368604040140682', '7360853188079308078', '404620347766483651'];
    const text = [TWEET, USER, ...others, TOOT].join('\n');
    const names = ['Twitter', 'Discord', 'Instagram', 'TikTok', 'Pinterest', 'Mastodon'];
    expect(claimsOf(text).sort()).toEqual(names.map((name) => `perhaps ${name}`).sort());
    expect(claimsOf(`1879737882577084866\n${others[0]}`).sort()).toEqual(['perhaps Instagram', 'perhaps Twitter']);
    expect(claimsOf(`11329436558617287\n1852761236966709710`)[0]).toMatch(/^perhaps/);
  });

  it('is of each id its own in a list of two, of which either is older', () => {
    expect(claimsOf('767079671297085441\n388740768329895951')).toEqual(['perhaps Twitter', 'perhaps Discord']);
    expect(claimsOf('767079671297085441 1117874046789234691')).toEqual(['perhaps Twitter', 'perhaps Discord']);
  });

  it('is of no service where none is likelier than all others together', () => {
    expect(claimsOf('1466536901005885437')[0]).toMatch(/^unknown/);
  });

  it('is not what a note says that names two services', () => {
    expect(claimsOf(`${TOOT} is the tweet on Mastodon\n${TOOT}`)[0]).toMatch(/Mastodon/);
    expect(claimsOf(`* ${USER} tweet on Discord\n* ${TWEET}`)).toEqual(['perhaps Discord', 'perhaps Twitter']);
  });

  it.each([
    ['9007199254740992', '2^53', '2^53, one more than the largest safe integer of JavaScript'],
    ['-9223372036854775808', '2^63', '2^63, one more than the largest signed integer of 64 bits'],
  ])('begins with what a number is that programs have as a limit: %s', (text, title, first) => {
    const view = new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS);
    expect([view.groups[0].title, unknownText(view, view.rows)]).toEqual([title, first]);
  });

  it('is said of the column that is exact, not of one that is rounded', () => {
    const texts = [TWEET, '1541815603606036480', '1984878179950161921'];
    const rows = texts.map((text) => `${Number(text)},${text}`);
    const read = (text: string) => new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS);
    const table = read(['id,id_str', ...rows].join('\n'));
    expect(table.sourceColumns[table.sourceColumn]).toBe('id_str');
    const json = read(`{"id":${Number(TWEET)},"id_str":"${TWEET}"}`);
    expect(json.sourceColumns[json.sourceColumn]).toBe('id_str');
    const exact = read(`{"id":${TWEET},"id_str":"${TWEET}"}`);
    expect(exact.sourceColumns[exact.sourceColumn]).toBe('id');
  });

  it.each([
    ['password=2Wd9kLmQ8xTz5vRp3YbNc7HjAg1', 'perhaps KSUID password'],
    ['sha1 5d933fc093c13da58a72e0b2', 'perhaps MongoDB ObjectId'],
    ['api_key: 2x9myDXVlQ2vdHnCqo8KMzfKUyq', 'perhaps KSUID api_key'],
    ['checksum=1246402866470981649 file=discord.exe', 'perhaps Discord checksum'],
  ])('is at most "perhaps" where a name says that it is something else: %s', (text, claim) => {
    expect(claimsOf(text)[0]).toMatch(new RegExp(`^(?:${claim}|unknown)`));
  });

  it.each([
    ['Sec-WebSocket-Accept: 2n51ZDsD4nlquqH3Zl2Gd1XfU8Y=', 'SHA-1 in base64'],
    ['Root=1-66f2a9c1-5b0e7d4f5a6c8e9d01b2c3d4 of AWS', 'a trace of AWS'],
    ['trace_id=4bf92f3577b34da6a3ce929d0e0e4736', 'a trace'],
    ['commit a1b2c3d4e5f607182930 of main', 'hexadecimal digits alone'],
  ])('is not made of %s', (text) => {
    expect(claimsOf(text).filter((claim) => !claim.startsWith('unknown'))).toEqual([]);
  });

  it.each([
    ['_MACHINE_ID=52c78612cc654109b6ec730b5ab4e22f', 'UUID'],
    ['https://www.notion.so/acme/Roadmap-6f877ca98a42427fb0d379d72f8cbeb2?pvs=4', 'UUID'],
    ['{"ts":"1512085950.000216","user":"U024BE7LH","type":"message"}', 'Slack'],
    ['slack thread_ts=1512085950.000216', 'Slack'],
    ['We posted C3P2rQN49pe on Instagram.', 'Instagram'],
    ['instagram: ["C3P2rQN49pe", "DKZC7N3j2ao"]', 'Instagram'],
    ['see /p/C3P2rQN49pe/ for it', 'Instagram'],
  ])('is made of ids that only what is around them tells: %s', (text, title) => {
    expect(claimsOf(text)[0]).toMatch(new RegExp(`(?:fact|sure|perhaps) ${title}`));
  });

  it('has no date for ids that a service gave before its ids had times, beside those that have', () => {
    const text = `https://twitter.com/intent/user?user_id=44196397\nhttps://x.com/a/status/${TWEET}`;
    expect(claimsOf(text).sort()).toEqual(['fact Twitter', 'fact Twitter, undated']);
    const view = new Inspection(new TextEncoder().encode(text), NOW).view({ ...DEFAULTS, group: 'all' });
    expect(view.span?.first).toBe(view.span?.last);
    const numbered = '0000180d-0000-1000-8000-00805f9b34fb';
    expect(new Inspection(new TextEncoder().encode(numbered), NOW).view(DEFAULTS).span).toBeUndefined();
  });

  it('is not "perhaps a random number" of a column of which all begin alike', () => {
    const ids = Array.from({ length: 12 }, (_, i) => 10339983452328909626n + BigInt(i) * 2642483470552n);
    const view = new Inspection(new TextEncoder().encode(ids.join('\n')), NOW).view(DEFAULTS);
    expect(view.perhaps).toEqual([]);
  });

  it('is "perhaps" in the answer, too, if a UUID may as well be a hash', () => {
    const wideOf = (text: string) => new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS).wide;
    expect(wideOf('9e107d9d372b4b68a6bd81d3542a419d')).toBe('perhaps a UUID of version 4');
    expect(wideOf('9e107d9d-372b-4b68-a6bd-81d3542a419d')).toBe('a UUID of version 4');
  });

  it('of a column is not what the names of other columns say', () => {
    const text = `user_id,tweet_id\n${USER},${TWEET}\n544427371134976010,1541815603605815299`;
    expect(claimsOf(text, 'user_id')).toEqual(['sure Discord']);
    expect(claimsOf(text, 'tweet_id')).toEqual(['sure Twitter']);
    const json = `{"tweetId":"${TWEET}","at":{"$date":{"$numberLong":"1709979072123"}}}`;
    expect(claimsOf(json, 'at.$date.$numberLong')).toEqual(['unknown a time in Unix milliseconds']);
  });

  it('is the same with the suffixes that programs write', () => {
    for (const suffix of ['n', 'L', 'UL', 'ull', 'u64', 'i64'])
      expect(claimsOf(`id = ${TWEET}${suffix};`)).toEqual(['sure Twitter id']);
  });
});
