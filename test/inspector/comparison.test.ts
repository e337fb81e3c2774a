import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layouts, setBackend } from '../../src/index.js';
import { compare } from '../../src/inspector/decode/comparison.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { durationText } from '../../src/inspector/decode/readings.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';

beforeAll(() => setBackend('bigint')); // as the page itself has it
afterAll(() => setBackend('auto'));

const MESSAGE = '937847820382261308';
const TWEET = '1541815603606036480';
const UUID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
const CHANNELS = 'https://discord.com/channels/81384788765712384/381887113391505410';

/** What the page says of another id beside a row of a text: the first one of a kind, or the first. */
function compared(text: string, other: string, { layout, read = 'guess' }: Partial<Settings> = {}, kind?: string) {
  const settings = { ...DEFAULTS, layout, read };
  const view = new Inspection(new TextEncoder().encode(text), Date.now()).view(settings);
  const row = kind === undefined ? view.firstGood : view.firstRows.find((each) => each.kind === kind);
  if (row === undefined) throw new Error('expected a row to compare with');
  return compare(view, row, other, settings);
}

describe('two ids', () => {
  const id = (timestamp: string, process: number, increment: number) =>
    String(layouts.discord.pack({ timestamp: new Date(timestamp), worker: 1, process, increment }));
  const [first, second] = [id('2022-01-01', 2, 3), id('2022-01-02T00:00:00.5Z', 0, 9)];
  const layout = { spec: 'discord' };

  it('of one service differ by a time, and by fields', () => {
    expect(compared(first, second)).toBe(
      'The other id, of 2022-01-02T00:00:00.500Z (if it is a Discord id): 1 day, 0.5 seconds later; process 0 instead of 2; increment 9 instead of 3.',
    );
    expect(compared(second, first)).toMatch(/: 1 day, 0\.5 seconds earlier; process 2 /);
    expect(compared(first, first)).toMatch(/: at the same time\.$/);
  });

  it.each<[string, string, RegExp]>([
    ['tweet', TWEET, /^The other id, of 2022-06-28T16:07:40\.105Z \(if it is a tweet\): 147 days, .* later\. They/],
    ['TikTok video', '6718335390845095173', /of 2019-07-27T.*TikTok.*earlier\. They/],
    ['link', 'https://www.instagram.com/p/CEWsh68Kc5C/', /of 2020-08-26T.*the link says so\): .* earlier\. They/],
  ])('of two services have only dates to compare: %s', (_, other, sentence) => {
    expect(compared(MESSAGE, other)).toMatch(sentence);
    expect(compared(MESSAGE, other)).toMatch(
      /\. They are of different services, so only their dates can be compared\.$/,
    );
    expect(compared(MESSAGE, other)).not.toContain('instead of');
  });

  it.each<[string, string, string]>([
    ['UUID', UUID, 'of 2022-02-22T19:22:22.000Z (a UUID of version 7): '],
    ['ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'of 2016-07-30T23:54:10.259Z (if it is a ULID): '],
    ['ObjectId', '507f1f77bcf86cd799439011', 'of 2012-10-17T21:13:27.000Z (if it is a MongoDB ObjectId): '],
  ])('of which one is wider have only dates to compare: %s', (_, wide, about) => {
    const why = 'They are of different kinds, so only their dates can be compared.';
    expect(compared(MESSAGE, wide)).toContain(`The other id, ${about}`);
    expect(compared(MESSAGE, wide)).toContain(why);
    expect(compared(wide, MESSAGE)).toMatch(/^The other id, of 2022-01-31T.* \(if it is a Discord id\): .*\. They/);
    expect(compared(wide, MESSAGE)).toContain(why);
  });

  it('that are both wider have only dates to compare', () => {
    expect(compared(UUID, '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toMatch(
      / earlier\. They are wider than 64 bits, so only their dates can be compared\.$/,
    );
    expect(compared(UUID, UUID.replace('79b0', '79b1'))).toContain(': 0.001 seconds later. ');
  });

  it('may be rows of a text of several kinds', () => {
    const text = `user_id=81384788765712384 request_id=${UUID}\nmessage_id=${MESSAGE} tweet_id=${TWEET}`;
    expect(compared(text, UUID, {}, 'UUID request_id')).toContain(': at the same time. ');
    expect(compared(text, TWEET, {}, 'UUID request_id')).toMatch(/\(if it is a tweet\): 125 days, .* later\. They/);
    expect(compared(text, MESSAGE, {}, 'Twitter tweet_id')).toMatch(/earlier\. They are of different services/);
    expect(compared(text, String(BigInt(TWEET) + 1n), {}, 'Twitter tweet_id')).toMatch(
      /: at the same time; \w+ 1 instead/,
    );
  });

  it('are compared with the most specific id of a link', () => {
    expect(compared(MESSAGE, `${CHANNELS}/${MESSAGE}`)).toMatch(/link says so\): at the same time\.$/);
  });

  it('may have no date', () => {
    expect(compared(MESSAGE, '919108f7-52d1-4320-9bac-f847db4148a8')).toBe(
      'The other id has no date (UUID of version 4: it has no time in it).',
    );
    expect(compared(MESSAGE, '17')).toBe('The other id has no date (perhaps a number that counts up).');
    expect(compared(MESSAGE, String(2n ** 63n - 1n))).toMatch(/has no date \(2\^63 - 1, the largest signed/);
    expect(compared('17', MESSAGE)).toMatch(/^The other id, of 2022-01-31T.* id\)\. This id has no date\.$/);
  });

  it('are read in a layout that was chosen, whatever they are', () => {
    expect(compared(TWEET, MESSAGE, { layout })).toMatch(
      /^The other id, of 2022-01-31T.* \(read as a Discord id\): .* earlier; worker \d+ instead of 11; /,
    );
    const own = { spec: 'timestamp:42,rest:22' };
    expect(compared(TWEET, MESSAGE, { layout: own })).toMatch(/\(in your own layout\): .* earlier; rest \d+ instead/);
  });

  it('have no time between them in a layout without one', () => {
    const layout = { spec: 'clientEntity' };
    expect(compared('5', '6', { layout })).toMatch(/^The other id has no date \(.*\): entity 6 instead of 5\.$/);
    expect(compared('5', '5', { layout })).toMatch(/^The other id has no date \(.*\): the fields are the same\.$/);
    expect(compared(String(2n ** 63n), '5', { layout })).not.toContain('instead');
  });

  it('are typed in the format of the others, or in any', () => {
    const layout = { spec: 'number:64' };
    expect(compared('0223bbf03300507b', ' 17 ', { layout, read: 'hex' })).toContain(': number 23 instead of ');
    expect(compared('154173452582932603', '17', { layout })).toContain(': number 17 instead of ');
    expect(compared('17', '0223bbf03300507b', { layout })).toContain(': number 154173452582932603 instead of 17');
    expect(compared('0223bbf03300507b', UUID, { read: 'hex' })).toContain('UUID of version 7');
  });

  it.each(['-', 'abc', '2024-03-01', ' '])('says nothing of a text without an id: %s', (text) => {
    expect(compared(MESSAGE, text)).toBeUndefined();
  });

  it('are two and not three', () => {
    expect(compared(MESSAGE, `${TWEET}, ${MESSAGE}`)).toBeUndefined();
  });
});

describe('a duration', () => {
  it.each([
    [0n, '0 seconds'],
    [1n, '0.000001 seconds'],
    [-1_000_000n, '1 second'],
    [60_000_000n, '1 minute'],
    [90_061_500_000n, '1 day, 1 hour, 1 minute, 1.5 seconds'],
    [172_800_000_000n, '2 days'],
  ])('of %s microseconds is in words: %s', (micros, text) => {
    expect(durationText(micros)).toBe(text);
  });
});
