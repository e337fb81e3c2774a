import { describe, expect, it } from 'vitest';
import { guess, SERVICES } from '../../src/guess/index.js';
import { layouts, parseId } from '../../src/index.js';
import { KNOWN_IDS } from '../vectors/ids.js';

const NOW = Date.UTC(2026, 10, 23);
const rank = (ids: readonly bigint[], clues = {}) => guess(BigUint64Array.from(ids), { now: NOW, ...clues }).services;
const find = (name: string, ids: readonly bigint[], clues = {}) => {
  const reading = rank(ids, clues).find(({ service }) => service.name === name);
  if (reading === undefined) throw new Error(`not ranked: ${name}`);
  return reading;
};

const TWEET = 1541815603606036480n;
const DISCORD = 937847820382261308n;

describe('services that an id may come from', () => {
  it('have the layouts of the library, all of them, and two more', () => {
    const names = SERVICES.map(({ name }) => name);
    expect(names.filter((name) => !['tiktok', 'slack'].includes(name)).sort()).toEqual(Object.keys(layouts).sort());
  });

  it('are all ranked, and their probabilities are those of one choice', () => {
    const readings = rank([TWEET]);
    expect(readings).toHaveLength(SERVICES.length);
    const { numbers } = guess(BigUint64Array.of(TWEET), { now: NOW });
    const all = [...readings, ...numbers];
    expect(all.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
    const likely = readings.map(({ probability }) => probability).filter((probability) => probability > 1e-7);
    expect(likely.length).toBeGreaterThan(0);
    expect(readings.map(({ probability }) => probability).slice(0, likely.length)).toEqual(
      likely.toSorted((a, b) => b - a),
    );
  });

  it('come in the order of how common they are where all of them are very unlikely', () => {
    const names = rank([TWEET]).map(({ service }) => service.name);
    expect(names.slice(0, 3)).toEqual(['twitter', 'discord', 'instagram']);
    expect(names.indexOf('uidGenerator')).toBeGreaterThan(names.indexOf('discord'));
  });

  it.each(
    KNOWN_IDS.filter(({ date }) => date !== undefined && Date.parse(date) < NOW),
  )('have made $id in their time if they have: $layout', ({ layout, id }) => {
    expect(find(layout, [id])).toMatchObject({ isInUse: true, misfit: undefined });
  });

  it('cannot have made an id that does not fit their layout', () => {
    expect(find('clientEntity', [2n ** 63n])).toMatchObject({ probability: 0, misfit: { kind: 'bits', bits: 64 } });
    expect(find('ragedb', [5n]).misfit).toEqual({ kind: 'min', field: 'type', value: 0, min: 1 });
  });

  it('are not in use at dates of the future, or from before they began', () => {
    expect(find('twitter', [2n ** 62n]).isInUse).toBe(false);
    expect(find('mastodon', [2n ** 56n]).isInUse).toBe(false);
    expect(find('twitter', [TWEET, 2n ** 62n]).isInUse).toBe(false);
    expect(find('uidGenerator', [8439281398547783803n]).isInUse).toBe(true);
  });

  it('are told by all ids of a column, of which a few may be odd', () => {
    const tweets = Array.from({ length: 100 }, (_, i) => TWEET + (BigInt(i) << 32n));
    expect(rank([...tweets, 2n ** 62n])[0]?.service.name).toBe('twitter');
  });

  it('are told even if a sixth of the ids do not fit the layout, but not if more do not', () => {
    const pins = Array.from({ length: 5 }, (_, i) =>
      layouts.pinterest.pack({ shard: 3000 * i, type: 1, local: 7_075_733 + i }),
    );
    const [odd, other] = [2n ** 62n + 5n, 2n ** 63n];
    expect(find('pinterest', [...pins, odd]).misfit).toBeUndefined();
    expect(rank([...pins, odd])[0]?.service.name).toBe('pinterest');
    expect(find('pinterest', [...pins, odd, other])).toMatchObject({
      probability: 0,
      misfit: { kind: 'bits', bits: 63 },
    });
  });
});

describe('a service is a fact for a column', () => {
  const isSure = (ids: readonly bigint[], clues = {}) => guess(BigUint64Array.from(ids), { now: NOW, ...clues }).isSure;
  const tweets = Array.from({ length: 20 }, (_, i) => TWEET + (BigInt(i) << 32n));
  const WEIBO = 4676597657371957n;
  const STEAM = 76561198163403316n;

  it('if single ids are plausible as its own, except for a few', () => {
    expect(isSure(tweets)).toBe(true);
    expect(isSure([...tweets.slice(0, 5), STEAM])).toBe(true);
  });

  it('but not if others are something else', () => {
    expect(isSure([WEIBO, STEAM, 1604617643973124097n])).toBe(false);
    expect(isSure([1604617643973124097n, 1173045738230521926n, 112118260677357857n])).toBe(false);
    expect(isSure(Array.from({ length: 60 }, (_, i) => (i % 4 < 3 ? tweets[i % 20] : STEAM)))).toBe(false);
  });

  it('but not if most have a value that the service hardly ever gives', () => {
    const at = (i: number) => Date.UTC(2025, 5) + i * 60_000;
    const ids = (from: number, low: (i: number) => bigint) =>
      Array.from({ length: 50 }, (_, i) => (BigInt(at(i) - from) << 22n) | low(i));
    const own = ids(Date.UTC(2021, 0), (i) => (BigInt(i % 8) << 12n) | BigInt(i % 3));
    expect(rank(own)[0]?.service.name).toBe('discord');
    expect(isSure(own)).toBe(false);
    // Nodes of CockroachDB are numbered from 1: no cluster has thousands.
    const counted = ids(1_420_070_400_000, (i) => (BigInt((i * 7) % 32) << 17n) | BigInt((i * 997) % 4096));
    expect(rank(counted).find(({ service }) => service.name === 'cockroachdb')?.probability).toBeLessThan(0.1);
  });

  it('but not if they are mixed, which is said', () => {
    const isMixed = (ids: readonly bigint[]) => guess(BigUint64Array.from(ids), { now: NOW }).isMixed;
    expect(isMixed(tweets)).toBe(false);
    expect(isMixed([TWEET])).toBe(false);
    expect(isMixed([TWEET, 1116551844710330458n])).toBe(true);
  });

  it('if the dates beside ids say so, whatever single ids may be otherwise', () => {
    const ids = [DISCORD, DISCORD + (5n << 32n), DISCORD + (9n << 34n)];
    const times = ids.map((id) => layouts.hazelcast.dateOf(id).getTime());
    const dates = [times.map((ms) => ({ from: ms, to: ms }))];
    expect(rank(ids, { dates })[0]?.service.name).toBe('hazelcast');
    expect(isSure(ids, { dates })).toBe(true);
  });
});

describe('ids of services with the layout of Twitter', () => {
  it('are no tweets if their machines made none', () => {
    const id = layouts.twitter.pack({ timestamp: Date.UTC(2021, 4), datacenter: 19, worker: 22, sequence: 0 });
    const { isSure, perhaps } = guess(BigUint64Array.of(id), { now: NOW });
    expect(isSure).toBe(false);
    expect(perhaps.map(({ kind }) => kind.what)).toContain('an id made as those of Twitter, by another service');
  });
});

describe('what is known besides the ids', () => {
  it('are words of which the nearest counts', () => {
    expect(rank([DISCORD])[0]?.service.name).toBe('discord');
    expect(rank([DISCORD], { words: ['tweet_id'] })[0]?.service.name).toBe('twitter');
    expect(rank([DISCORD], { words: ['id', 'https://x.com/a/status/1'] })[0]?.service.name).toBe('twitter');
    expect(rank([DISCORD], { words: ['tweet_id', 'https://discord.com/channels/1'] })[0]?.service.name).toBe('twitter');
    expect(rank([DISCORD], { words: ['id', 'nothing of use'] })[0]?.service.name).toBe('discord');
  });

  it('are not words that are anybody’s', () => {
    for (const word of ['client_id', 'snowflake_id', 'rowid', 'pin', 'activity', 'checkpoint', 'internal_id', 'id']) {
      expect(rank([DISCORD], { words: [word] })[0]?.service.name, word).toBe('discord');
      expect(rank([TWEET], { words: [word] })[0]?.service.name, word).toBe('twitter');
    }
  });

  it('are dates beside them, where there are any', () => {
    const date = layouts.hazelcast.dateOf(DISCORD).getTime();
    const at = (ms: number) => ({ from: ms, to: ms + 1000 });
    const dates = [
      [at(Date.UTC(2000, 0)), undefined],
      [at(date + 1000), undefined],
    ];
    expect(rank([DISCORD, DISCORD], { dates })[0]?.service.name).toBe('hazelcast');
    expect(rank([DISCORD], { dates: [[undefined]] })[0]?.service.name).toBe('discord');
    const day = [[{ from: date - 4e7, to: date + 4e7 }]];
    expect(rank([DISCORD], { dates: day })[0]?.service.name).toBe('hazelcast');
  });

  it('is what was chosen last, which decides where little else does', () => {
    const id = 90339695967350784n;
    const before = find('tsid', [id]).probability;
    expect(find('tsid', [id], { last: 'tsid' }).probability).toBeGreaterThan(4 * before);
    expect(rank([TWEET], { last: 'discord' })[0]?.service.name).toBe('twitter');
  });

  it('is the format, in which some services write their ids', () => {
    const tsid = 90339695967350784n + 12_345n;
    expect(rank([tsid])[0]?.service.name).not.toBe('tsid');
    expect(rank([tsid], { format: 'crockford32' })[0]?.service.name).toBe('tsid');
    expect(rank([tsid], { format: 'dec' })[0]?.probability).toBe(rank([tsid])[0]?.probability);
    const tid = parseId('3jtg4ikxerr25', 'sortable32');
    expect(find('atproto', [tid], { format: 'sortable32' }).probability).toBeGreaterThan(0.999);
  });
});
