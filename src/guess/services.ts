import type { TextFormat } from '../kernels/types.js';
import { defineLayout, type Layout, layouts } from '../layout/layout.js';

/** How likely a value of a field of so many bits is, as the log2 of its probability. */
type Distribution = (value: number, bits: number) => number;

/** The share of values that do not follow a distribution: services change after they were observed. */
const STRAY = 0.02;

const withStrays = (probability: number, bits: number): number =>
  Math.log2((1 - STRAY) * probability + STRAY * 2 ** -bits);

/** Every value is equally likely: random bits, counters that wrap around. */
export const even: Distribution = (_value, bits) => -bits;

/** Machines that are numbered from 0. */
export const upTo = (most: number): Distribution => within(0, most);

const within =
  (least: number, most: number): Distribution =>
  (value, bits) =>
    withStrays(value >= least && value <= most ? 1 / (most - least + 1) : 0, bits);

/** One of some values. A value that is listed twice is twice as likely. */
export const among =
  (...known: readonly number[]): Distribution =>
  (value, bits) =>
    withStrays(known.filter((one) => one === value).length / known.length, bits);

/** Counters that restart often: values of 8 binary digits are as frequent as values of 1. */
export const small: Distribution = (value, bits) => {
  const digits = value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
  return withStrays(2 ** -Math.max(0, digits - 1) / (bits + 1), bits);
};

/** Counters that restart each millisecond: half of the values are 0, a sixth 1, a twelfth 2. */
const falling: Distribution = (value, bits) => withStrays(1 / ((value + 1) * (value + 2)), bits);

const mostlyZero = (zeros: number, other: Distribution) =>
  either(zeros, (value) => (value === 0 ? 0 : Number.NEGATIVE_INFINITY), other);

const either =
  (share: number, one: Distribution, other: Distribution): Distribution =>
  (value, bits) =>
    Math.log2(share * 2 ** one(value, bits) + (1 - share) * 2 ** other(value, bits));

/** Machines that are numbered from 1. Most published ids were made by the first one, and few clusters have hundreds. */
const fromOne = either(0.6, among(1), falling);

/** How often the increments of Discord end in 0, 1, 2 and so on. */
const LAST_DIGITS = [0.5, 0.22, 0.12, 0.05, ...new Array<number>(6).fill(0.11 / 6)];

/** The increments of Discord up to one of them: most end in 0 or 1. */
const turns =
  (most: number): Distribution =>
  (value, bits) =>
    withStrays(value <= most ? LAST_DIGITS[value % 10] / (Math.floor(most / 10) + 1) : 0, bits);

/** A field that its maker divides in two: the lowest `lowBits`, and the bits above them. */
export const parts =
  (high: Distribution, lowBits: number, low: Distribution): Distribution =>
  (value, bits) =>
    high(Math.floor(value / 2 ** lowBits), bits - lowBits) + low(value % 2 ** lowBits, lowBits);

export interface Service {
  /** The name of the layout, if it is one of the library's. */
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly layout: Layout;
  /** How often people meet such an id, as the log2 of a share. A difference of about 4 makes a service rare. */
  readonly prior: number;
  /** When the first id was made, and the last one if none are made any more. In Unix milliseconds. */
  readonly since: number;
  readonly until?: number;
  /** How many ids it made at the start, as a share of those that it makes at the end: a tenth by default. */
  readonly growsFrom?: number;
  /** How the fields other than the time are distributed, from an instant on. Missing fields are even. */
  readonly eras: readonly Era[];
  /** Matches words around ids that point to the service: names of columns, addresses. */
  readonly clue?: RegExp;
  /** The format in letters in which it writes its ids. */
  readonly format?: TextFormat;
  /** Whether it takes a column of ids to tell the service, because a single such id is more often something else. */
  readonly isOfColumns?: boolean;
}

type Era = readonly [from: number, fields: { readonly [field: string]: Distribution }];

/** A service by its name. A layout is that of the library by default; ids without a time need no instant. */
type KnownService = Pick<
  Service,
  'title' | 'what' | 'prior' | 'until' | 'growsFrom' | 'clue' | 'format' | 'isOfColumns'
> &
  Partial<Pick<Service, 'layout' | 'since' | 'eras'>> & { readonly fields?: Era[1] };

const FEW_TURNS = either(0.65, turns(9), turns(29));
/** Machines of Discord: those that were observed, and few others, which have small numbers, too. */
const seen = (...known: readonly number[]) => either(0.97, among(...known), small);
/** Datacenters of Twitter: those that were observed, and the others that it has named. */
const centres = (...known: readonly number[]) => either(0.9, among(...known), within(10, 13));
const seenTo = (most: number) => either(0.97, upTo(most), small);

// The numbers of machines were observed in published ids from the services' first year to 2026: a few hundred tweets and
// Discord ids, and 30 to 100 of each other service (`test/vectors/labelled-ids.json` and `labelled-ids-2.json`).
const KNOWN: { readonly [name: string]: KnownService } = {
  discord: {
    title: 'Discord',
    what: 'a Discord id',
    prior: 1,
    since: Date.UTC(2015, 0),
    growsFrom: 0.05,
    eras: [
      [Number.NEGATIVE_INFINITY, { worker: seen(0), process: mostlyZero(0.3, upTo(15)), increment: FEW_TURNS }],
      [Date.UTC(2016, 0), { worker: either(0.9, upTo(2), even), process: seen(0), increment: FEW_TURNS }],
      [Date.UTC(2020, 0), { worker: seenTo(2), process: seen(0), increment: turns(119) }],
      [Date.UTC(2020, 9), { worker: seenTo(12), process: seen(0), increment: turns(119) }],
      [Date.UTC(2021, 7), { worker: seen(1), process: seenTo(8), increment: turns(139) }],
      [Date.UTC(2022, 6), { worker: seen(2), process: seenTo(5), increment: turns(139) }],
      [Date.UTC(2024, 1), { worker: seenTo(2), process: seenTo(1), increment: turns(259) }],
    ],
    clue: /discord|guild[_-]?id|\bguilds?\b/i,
  },
  twitter: {
    title: 'Twitter',
    what: 'a tweet',
    prior: 0,
    since: Date.UTC(2010, 10, 4),
    growsFrom: 0.5,
    eras: [
      [Number.NEGATIVE_INFINITY, { datacenter: among(0, 1), worker: upTo(7), sequence: mostlyZero(0.3, falling) }],
      [Date.UTC(2011, 3), { datacenter: among(1, 1, 1, 1, 1, 4), worker: upTo(7), sequence: mostlyZero(0.3, falling) }],
      [Date.UTC(2015, 1), { datacenter: centres(10, 11), worker: upTo(30), sequence: falling }],
      [Date.UTC(2022, 0), { datacenter: centres(10, 11, 13), worker: upTo(30), sequence: falling }],
      [
        Date.UTC(2023, 7),
        { datacenter: centres(11, 13, 13), worker: upTo(30), sequence: either(0.2, falling, upTo(511)) },
      ],
    ],
    clue: /tweet|twitter|twimg|\bx\.com\b|nitter|xcancel|in_reply_to_(?:status|user|tweet|screen)/i,
  },
  instagram: {
    title: 'Instagram',
    what: 'an Instagram post',
    prior: -1,
    since: Date.UTC(2011, 9), // numbers of the weeks after its epoch are accounts and objects of Facebook
    clue: /(?<!cdn)instagram|\binsta\b|\big_|media_pk/i,
  },
  threads: {
    title: 'Threads',
    what: 'a post on Threads',
    prior: -4,
    since: Date.UTC(2023, 6),
    clue: /threads\.(net|com)|^\W*threads(?:_(?:post_?)?(?:id|code)s?)?\W*$/i,
  },
  mastodon: {
    title: 'Mastodon',
    what: 'a Mastodon post',
    prior: -1.5,
    since: Date.UTC(2016, 9),
    clue: /mastodon|fosstodon|\btoot|in_reply_to_account/i,
  },
  tiktok: {
    title: 'TikTok',
    what: 'a TikTok video',
    // The milliseconds are a separate field below the seconds, so the dates of the layout are whole seconds.
    // Source: arXiv 2504.13279.
    layout: defineLayout({ timestamp: { bits: 32, epoch: 0, unit: 's' }, millisecond: 10, tail: 22 }),
    prior: -1,
    since: Date.UTC(2016, 8),
    // The six bits in the middle are 13 for videos, 11 for music and live rooms, 4 or 0 for users.
    fields: {
      millisecond: upTo(999),
      tail: parts(parts(either(0.6, small, even), 6, among(13, 13, 13, 13, 11, 4, 4, 0)), 8, upTo(63)),
    },
    clue: /tiktok|douyin|aweme/i,
  },
  linkedin: {
    title: 'LinkedIn',
    what: 'a LinkedIn post',
    prior: -1.5,
    since: Date.UTC(2012, 0),
    eras: [
      [Number.NEGATIVE_INFINITY, { tail: parts(upTo(47), 12, falling) }],
      [Date.UTC(2022, 2, 14), { tail: parts(within(100, 179), 12, falling) }],
    ],
    clue: /linkedin|urn:li:/i,
  },
  pinterest: {
    title: 'Pinterest',
    what: 'a Pinterest pin',
    prior: -1.5,
    since: Date.UTC(2012, 0),
    // Types: 1 for pins, 2 for boards, 3 for users.
    fields: { shard: upTo(16_383), type: either(0.9, among(1), among(2, 3)), local: upTo(2 ** 27 - 1) },
    clue: /pinterest|pin\.it|\bpin_?id\b/i,
  },
  slack: {
    title: 'Slack',
    what: 'a Slack message',
    layout: defineLayout({ timestamp: { bits: 53, epoch: 0, unit: 'us' } }),
    prior: -30, // links name it: a number alone is a time
    since: Date.UTC(2013, 7),
    clue: /slack\.com|\bslack\b|thread_ts/i,
  },
  atproto: {
    title: 'Bluesky',
    what: 'a Bluesky record',
    prior: -9, // its ids are written in letters, and decimal ones are very rare
    since: Date.UTC(2022, 10),
    fields: { clock: small },
    clue: /bsky|atproto|at:\/\//i,
    format: 'sortable32',
  },
  tidb: {
    title: 'TiDB',
    what: 'a TiDB timestamp',
    prior: -4,
    since: Date.UTC(2016, 0),
    fields: { logical: either(0.3, among(1), small) },
    clue: /tidb|tikv|\btso\b|(checkpoint|commit|start|resolved)[-_]?ts\b/i,
  },
  cockroachdb: {
    title: 'CockroachDB',
    what: 'a row of CockroachDB',
    prior: -3,
    since: Date.UTC(2016, 0),
    fields: { node: fromOne },
    clue: /cockroach|crdb|unique_rowid/i,
  },
  tsid: {
    title: 'TSID',
    what: 'a TSID',
    prior: -5,
    since: Date.UTC(2020, 0),
    growsFrom: 1, // the documentation of the library has ids from its first year
    clue: /tsid/i,
    format: 'crockford32',
  },
  hazelcast: {
    title: 'Hazelcast',
    what: 'a Hazelcast id',
    prior: -5,
    since: Date.UTC(2018, 0),
    fields: { sequence: falling, node: fromOne },
    clue: /hazelcast|\bflake_?id/i,
  },
  sonyflake: {
    title: 'Sonyflake',
    what: 'a Sonyflake id',
    prior: -6,
    since: Date.UTC(2014, 11),
    fields: { sequence: mostlyZero(0.6, small) },
    clue: /sonyflake/i,
  },
  snowflake: {
    title: 'snowflake from 2023',
    what: 'a snowflake from 2023 on',
    prior: -7, // few ids have this epoch
    isOfColumns: true,
    since: Date.UTC(2023, 0),
    fields: { shard: small, sequence: mostlyZero(0.6, small) },
  },
  uidGenerator: {
    title: 'uid-generator',
    what: 'an id of uid-generator',
    prior: -8,
    since: Date.UTC(2016, 4, 20),
    until: Date.UTC(2024, 10, 21),
    fields: { worker: small, sequence: small },
  },
  ragedb: {
    title: 'RageDB',
    what: 'a node of RageDB',
    prior: -8,
    fields: { local: small, type: small, shard: upTo(63) },
    clue: /ragedb/i,
    isOfColumns: true,
  },
  interned: {
    title: 'interned',
    what: 'an interned string',
    prior: -6,
    fields: { sequence: small },
    isOfColumns: true,
  },
  clientEntity: {
    title: 'client and entity',
    what: 'an entity of a client',
    prior: -8,
    fields: { client: small, entity: small },
    isOfColumns: true,
  },
};

const PRESETS: { readonly [name: string]: Layout } = layouts;

/** Remembers the probabilities of fields of up to so many bits. */
const MAX_TABLE_BITS = 16;

function remembered(distribution: Distribution): Distribution {
  let known: Float64Array | undefined;
  return (value, bits) => {
    if (bits > MAX_TABLE_BITS) return distribution(value, bits);
    known ??= new Float64Array(2 ** bits);
    if (known[value] === 0) known[value] = distribution(value, bits);
    return known[value];
  };
}

const rememberedIn = ([from, fields]: Era): Era => [
  from,
  Object.fromEntries(Object.entries(fields).map(([name, distribution]) => [name, remembered(distribution)])),
];

export const SERVICES: readonly Service[] = Object.entries(KNOWN).map(([name, { fields = {}, eras, ...known }]) => ({
  name,
  layout: PRESETS[name],
  since: Number.NEGATIVE_INFINITY,
  eras: (eras ?? [[Number.NEGATIVE_INFINITY, fields] as const]).map(rememberedIn),
  ...known,
}));
