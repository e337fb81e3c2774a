// What numbers may be that are not ids of a known service. Without these kinds, the guess would take them for ids. As for
// services, each kind gives the probability that one of all 64-bit numbers is this one.

/** What a number can be besides an id of a service. */
export interface NumberKind {
  readonly name: string;
  /** What people call it, after "perhaps". */
  readonly what: string;
  /** How often people meet such a number where they have an id, as the log2 of a share. */
  readonly prior: number;
  /** The log2 of the probability of a number. @param now in Unix milliseconds */
  readonly likelihood: (id: bigint, now: number) => number;
  /** The instant that a number stands for, in Unix milliseconds. */
  readonly ms?: (id: bigint) => number;
  /** Matches words around numbers that point to this kind. */
  readonly clue?: RegExp;
}

/** Values from one to another are equally likely. */
function between(from: bigint, to: bigint): NumberKind['likelihood'] {
  const each = -Math.log2(Number(to - from));
  return (id) => (id >= from && id < to ? each : NEVER);
}

/** It is 2^-1000, which outweighs every clue. */
const NEVER = -1000;

/** Numbers of every length are as frequent as others, up to so many digits. */
function upToDigits(digits: number): NumberKind['likelihood'] {
  const [limit, scale] = [10n ** BigInt(digits), Math.log2(digits * Math.LN10)];
  return (id) => (id < limit ? -Math.log2(Math.max(1, Number(id))) - scale : NEVER);
}

// 1 January of these years, in Unix seconds.
const YEAR_1 = -62_135_596_800n;
const YEAR_1601 = -11_644_473_600n;

/** Half of the times that people have are not older than this. */
const HALF_MS = 2 * 365.25 * 86_400_000;

/** What a clock counts: units of which a second has so many, since an instant in Unix seconds. */
interface Clock {
  readonly name: string;
  readonly what: string;
  readonly aSecond: bigint;
  readonly epoch?: bigint;
  readonly prior?: number;
}

/** A time from 2001 to 2034. */
function time({ name, what, aSecond, epoch = 0n, prior = 0 }: Clock): NumberKind {
  const [from, to] = [1_000_000_000n, 2_050_000_000n].map((seconds) => (seconds - epoch) * aSecond);
  const ms = (id: bigint) => Number((id * 1000n) / aSecond + epoch * 1000n);
  const first = Math.log2((Math.LN2 / 2 / HALF_MS / Number(aSecond)) * 1000);
  const likelihood = (id: bigint, now: number) => {
    return id >= from && id < to ? first - Math.abs(now - ms(id)) / HALF_MS : NEVER;
  };
  return { name, what, prior, likelihood, ms };
}

/** Most clocks tick in microseconds or slower. Other nanoseconds are rarer than the ids that look alike. */
function nanoseconds(): NumberKind {
  const kind = time({ name: 'unixNanoseconds', what: 'a time in Unix nanoseconds', aSecond: 1_000_000_000n });
  const ticks: readonly [bigint, number][] = [
    [1_000_000_000n, 0.2],
    [1_000_000n, 0.2],
    [1000n, 0.58],
    [1n, 0.02],
  ];
  const likelihood = (id: bigint, now: number) => {
    const share = ticks.reduce((sum, [tick, part]) => sum + (id % tick === 0n ? part * Number(tick) : 0), 0);
    return kind.likelihood(id, now) + Math.log2(share);
  };
  return { ...kind, likelihood };
}

const DIGITS = /^((?:19|20)\d\d)([01]\d)([0-3]\d)(?:([0-2]\d)([0-5]\d)([0-5]\d)(\d{3})?)?$/;

/** Dates such as 20240309, 20240309153000 or 20240309153000123. */
function writtenMs(id: bigint): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00', ms = '000'] = DIGITS.exec(String(id)) ?? [];
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
  const at = Date.parse(text);
  // The 31st of February is another day.
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? Number.NaN : at;
}

/** Of long numbers, 2^34 have ten equal digits one after the other, or seven that count up or down. */
const MADE_UP = /^(?=\d{17}).*?(?:(\d)\1{9}|1234567|2345678|9876543|8765432)/;

const WRITTEN_YEARS = 200;

function likelihoodWritten(id: bigint): number {
  if (Number.isNaN(writtenMs(id))) return NEVER;
  const { length } = String(id);
  return -Math.log2(3 * WRITTEN_YEARS * 366) - (length > 8 ? Math.log2(86_400) : 0) - (length > 14 ? 10 : 0);
}

// Above 22 bits that count up, a Weibo post has the seconds since 3 May 1986. Posts since August 2009 have such ids.
const WEIBO_EPOCH = 515_483_463n;
const weiboId = (seconds: bigint) => (seconds - WEIBO_EPOCH) << 22n;

export const NUMBER_KINDS: readonly NumberKind[] = [
  { name: 'sequence', what: 'a number that counts up', prior: 0, likelihood: upToDigits(16) },
  { name: 'random', what: 'a hash or a random number', prior: -2, likelihood: () => -63.5 },
  // Counters of 12 bits that restart each millisecond, as Twitter's, with a time and machines that tell nothing: those of
  // Minds, Tumblr, Zhihu and of most libraries for such ids. Most counters are 0.
  {
    name: 'otherSnowflake',
    what: 'an id made as those of Twitter, by another service',
    prior: -3,
    likelihood: (id) => -51 - Math.log2(Number(((id & 0xfffn) + 1n) * ((id & 0xfffn) + 2n))),
  },
  time({ name: 'unixSeconds', what: 'a time in Unix seconds', aSecond: 1n }),
  time({ name: 'unixMilliseconds', what: 'a time in Unix milliseconds', aSecond: 1000n }),
  time({ name: 'unixMicroseconds', what: 'a time in Unix microseconds', aSecond: 1_000_000n }),
  nanoseconds(),
  time({ name: 'ticks', what: 'ticks of .NET', aSecond: 10_000_000n, epoch: YEAR_1, prior: -3 }),
  time({ name: 'fileTime', what: 'a file time of Windows', aSecond: 10_000_000n, epoch: YEAR_1601, prior: -3 }),
  time({ name: 'webKitTime', what: 'a time of Chromium', aSecond: 1_000_000n, epoch: YEAR_1601, prior: -3 }),
  {
    name: 'madeUp',
    what: 'a round or made-up number',
    prior: -4,
    likelihood: (id) => (MADE_UP.test(String(id)) ? -34 : NEVER),
  },
  { name: 'digitsOfDate', what: 'a date in digits', prior: -1, likelihood: likelihoodWritten, ms: writtenMs },
  {
    name: 'weibo',
    what: 'a Weibo post',
    prior: -1,
    likelihood: between(weiboId(1_249_000_000n), weiboId(1_830_000_000n)),
    ms: (id) => Number((id >> 22n) + WEIBO_EPOCH) * 1000,
    clue: /weibo/i,
  },
  {
    name: 'earlyTweet',
    what: 'a tweet from before November 2010, when ids had no time',
    prior: -4,
    likelihood: between(1n, 29_700_000_000n),
    clue: /tweet|twitter|\bx\.com\b/i,
  },
  // Ids of Meta begin alike: those of accounts, of posts and of stories.
  {
    name: 'metaAccount',
    what: 'an account of Facebook',
    prior: -1,
    likelihood: between(10n ** 14n, 10n ** 14n + 10n ** 11n),
  },
  {
    name: 'metaPost',
    what: 'a post on Facebook',
    prior: -2,
    likelihood: between(10_150n * 10n ** 12n, 10_250n * 10n ** 12n),
  },
  {
    name: 'metaObject',
    what: 'an object of Instagram or Facebook',
    prior: -2,
    likelihood: between(17_840n * 10n ** 12n, 18_200n * 10n ** 12n),
    clue: /highlight|graph\.(facebook|instagram)/i,
  },
  {
    name: 'steam',
    what: 'a Steam account',
    prior: -2,
    likelihood: between(76_561_197_960_265_728n, 76_561_202_255_233_024n),
  },
];
